"""TFRR's rectified law exactly as printed, for reproduction (eqs. 6, 7, 10, 11).

Symbols: a tuple's values are held by n_1 … n_d of N people; its surest strong pair (i, j) by n_ij,
p_ij = n_ij/n_i the larger confidence. The tuple's frequency is B(n', p') with

    n' = n_i·p_ij,  p' = Π_{k≠i,j} n_k/N^{d−2}   for d > 2,
    n' = n_i,       p' = p_ij                    for d = 2,

and B(n_d, Π_{k<d} n_k/N^{d−1}) where no pair is strong. A fractional n' lies between two laws.

Where it fails: at d = 2 the joint count n_ij is known, and the printed law spreads it out again;
draws are without replacement, which a binomial isn't.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reidrisk.laws.conditioned import CrowdsOfTuples, Given
from reidrisk.prediction.binomial_crowds import binomial_crowds
from reidrisk.prediction.crowd_columns import crowds_from
from reidrisk.prediction.grouping import Grouped

Floats = NDArray[np.float64]


def paper_crowds(
    n: int, counts: Floats, single: Grouped, ks: Sequence[int], given: Given
) -> CrowdsOfTuples:
    """The crowds of tuples by the printed law; `single` has the surest pair of each joined."""
    trials, chance = _printed(n, counts, single)
    low = np.floor(trials)
    part = trials - low
    mixed = [
        binomial_crowds(m, chance, ks, given) * weight[:, None]
        for m, weight in ((low, 1.0 - part), (low + 1.0, part))
    ]
    return crowds_from(mixed[0] + mixed[1], ks, given)


def _printed(n: int, counts: Floats, single: Grouped) -> tuple[Floats, Floats]:
    """n' and p' of each tuple."""
    share = np.prod(counts / n, axis=1)
    trials = counts[:, -1].copy()
    chance = share * n / np.maximum(trials, 1e-300)
    for (i, j), used in single.joined.items():
        joint = single.counts[used, min(i, j)]
        if counts.shape[1] == 2:
            trials[used] = np.minimum(counts[used, i], counts[used, j])
            chance[used] = joint / trials[used]
        else:
            trials[used] = joint
            chance[used] = share[used] * n * n / (counts[used, i] * counts[used, j])
    return trials, np.clip(chance, 0.0, 1.0)
