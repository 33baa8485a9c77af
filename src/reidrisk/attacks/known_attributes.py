"""All knowledge of up to K attributes: each view's figures; for each size mean, worst and best.

Σ_{i=1}^{K} C(d, i) views of d attributes. The mean of a size is over its views, each counted once;
the worst view is the one a measure finds riskiest, the first of several.

The distribution of Pr(re-id) over people, read off a histogram of crowd sizes.

Algorithm 2 of the attack paper gives each record p the risk Pr(re-id | K_p) = 1/n, n the repeats
of its key, and returns the cumulative distribution. With N_s crowds of size s,

    cdf(r)      = share of people with 1/s ≤ r = Σ_{s ≥ 1/r} s·N_s / Σ s·N_s
    survival(r) = share of people with 1/s ≥ r = Σ_{s ≤ 1/r} s·N_s / Σ s·N_s

Both are lists of [risk, share], risks rising, one entry for each risk that somebody has: the cdf
ends at 1, the survival begins at 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reidrisk.crowds import CrowdSizes, Measure, measure_named
from reidrisk.errors import InputError
from reidrisk.machine import Progress, no_progress

Counted = Callable[[Sequence[str]], CrowdSizes]
USUAL_LIMIT = 10_000
WORK = "counting views"


@dataclass(frozen=True)
class KnownView:
    """What somebody who knows these attributes can do."""

    knows: tuple[str, ...]
    value: float
    overall_risk: float
    alone_share: float
    highest_risk: float

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return vars(self) | {"knows": list(self.knows)}


@dataclass(frozen=True)
class OfOneSize:
    """All views of so many attributes, by one measure."""

    size: int
    views: int
    mean: float
    worst: KnownView
    best: KnownView

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        worst, best = self.worst.to_dict(), self.best.to_dict()
        return vars(self) | {"worst": worst, "best": best}


@dataclass(frozen=True)
class AllKnowledge:
    """Every view of up to `up_to` attributes."""

    up_to: int
    measure: str
    sizes: tuple[OfOneSize, ...]
    views: tuple[KnownView, ...]

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "up_to": self.up_to,
            "measure": self.measure,
            "sizes": [each.to_dict() for each in self.sizes],
            "views": [each.to_dict() for each in self.views],
        }


def number_of_views(attributes: int, up_to: int) -> int:
    """Σ_{i=1}^{up_to} C(attributes, i)."""
    return sum(math.comb(attributes, size) for size in range(1, up_to + 1))


def refuse_too_many(attributes: int, up_to: int, limit: int, option: str = "--up-to") -> None:
    """Say how many views there would be before any is counted."""
    views = number_of_views(attributes, up_to)
    if views > limit:
        raise InputError(
            f"{option} {up_to} of {attributes} attributes are {views:,} combinations, and at most "
            f"{limit:,} are counted",
            f"name fewer attributes or a smaller size, or allow it: --view-limit {views}",
        )


def all_knowledge(
    names: Sequence[str],
    up_to: int,
    counted: Counted,
    measure: str = "overall_risk",
    progress: Progress = no_progress,
) -> AllKnowledge:
    """Count every view of up to `up_to` of the attributes; `counted` counts one."""
    judged = measure_named(measure)
    total = number_of_views(len(names), up_to)
    views: list[KnownView] = []
    sizes = []
    for size in range(1, up_to + 1):
        begun = len(views)
        for knows in combinations(names, size):
            views.append(_figures(knows, counted(knows), judged))
            progress(WORK, len(views), total)
        sizes.append(_summed_up(size, views[begun:], judged))
    return AllKnowledge(up_to, measure, tuple(sizes), tuple(views))


def _figures(knows: tuple[str, ...], crowds: CrowdSizes, measure: Measure) -> KnownView:
    risk = crowds.overall_risk
    return KnownView(knows, measure.value(crowds), risk, crowds.alone_share, crowds.highest_risk)


def _summed_up(size: int, views: Sequence[KnownView], measure: Measure) -> OfOneSize:
    turned = -1 if measure.safer_when_larger else 1
    worst = max(views, key=lambda view: turned * view.value)
    best = min(views, key=lambda view: turned * view.value)
    mean = math.fsum(view.value for view in views) / len(views)
    return OfOneSize(size, len(views), mean, worst, best)


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
