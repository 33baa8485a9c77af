"""Diversity: how many values a crowd has, and how evenly.

ℓ-diversity is by Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007). Symbols:
`sensitive_counts`; r_1 ≥ r_2 ≥ … r_m are a crowd's n_cs in falling order.

- distinct ℓ         min_c #{s: n_cs > 0}
- entropy ℓ          min_c exp(−Σ_s p_cs·ln p_cs)
- recursive (c, ℓ)   r_1 < c·(r_ℓ + … + r_m) in every crowd; the least c is the largest
                     r_1/(r_ℓ + … + r_m), infinite where a crowd has fewer than ℓ values, and holds
                     for every c above it

Merging crowds never makes distinct or entropy ℓ smaller: values of both remain, and entropy is
concave. Where it fails: all of them count values, however alike these are (two kinds of cancer),
and none says what was known beforehand.
"""

from __future__ import annotations

import math

import numpy as np

from reidrisk.arrays import Floats, Ints
from reidrisk.learning.sensitive_counts import SensitiveCounts


def distinct_l(counts: SensitiveCounts) -> int:
    """The fewest values of a crowd."""
    return int(counts.distinct.min())


def entropies(counts: SensitiveCounts) -> Floats:
    """Σ −p·ln p of each crowd."""
    share = counts.posterior
    return np.asarray(-np.add.reduceat(share * np.log(share), counts.starts))


def entropy_l(counts: SensitiveCounts) -> float:
    """exp of the least entropy of a crowd."""
    return float(math.exp(max(entropies(counts).min(), 0.0)))


def recursive_c(counts: SensitiveCounts, l: int) -> float:  # noqa: E741 (the field calls it ℓ)
    """The c above which recursive (c, ℓ)-diversity holds for this ℓ; infinite where for none."""
    rest = _from_place(counts, l)
    if (rest == 0).any():
        return math.inf
    return float((counts.most / rest).max())


def _from_place(counts: SensitiveCounts, l: int) -> Ints:  # noqa: E741
    """r_ℓ + … + r_m of each crowd."""
    if l <= 1:
        return counts.sizes
    falling = np.lexsort((-counts.people, counts.crowd))
    place = np.arange(len(falling)) - counts.starts[counts.crowd]
    late = np.where(place >= l - 1, counts.people[falling], 0)
    return np.asarray(np.add.reduceat(late, counts.starts))
