"""The distribution of Pr(re-id) over people, read off a histogram of crowd sizes.

Algorithm 2 of the attack paper gives each record p the risk Pr(re-id | K_p) = 1/n, n the repeats
of its key, and returns the cumulative distribution. With N_s crowds of size s,

    cdf(r)      = share of people with 1/s ≤ r = Σ_{s ≥ 1/r} s·N_s / Σ s·N_s
    survival(r) = share of people with 1/s ≥ r = Σ_{s ≤ 1/r} s·N_s / Σ s·N_s

Both are lists of [risk, share], risks rising, one entry for each risk that somebody has: the cdf
ends at 1, the survival begins at 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reidrisk.crowds import CrowdSizes

Steps = tuple[tuple[float, float], ...]


def cdf(crowds: CrowdSizes) -> Steps:
    """(risk, share of people at or below), risks rising."""
    held = _people(crowds)[::-1]
    return _steps(crowds.sizes[::-1], np.cumsum(held))


def survival(crowds: CrowdSizes) -> Steps:
    """(risk, share of people at or above), risks rising."""
    at_most = np.cumsum(_people(crowds))
    return _steps(crowds.sizes[::-1], at_most[::-1])


def survival_at(crowds: CrowdSizes, risk: float) -> float:
    """Share of people whose risk is at least `risk`."""
    held = _people(crowds)
    return float(held[1.0 / crowds.sizes >= risk].sum() / held.sum())


def _people(crowds: CrowdSizes) -> NDArray[Any]:
    held = crowds.sizes * crowds.crowds
    # People are whole where they were counted, whatever N_s = people/s became in between.
    return np.rint(held) if crowds.kind == "matched" else held


def _steps(sizes: NDArray[np.int64], people: NDArray[Any]) -> Steps:
    shares = people / people.max() if len(people) else people
    return tuple(zip((1.0 / sizes).tolist(), shares.tolist(), strict=True))
