"""Log-linear models of cell counts: τ1 by main effects, and by all two-way interactions.

Symbols: μ_k the mean of a cell's count in the sample under the model; π = n/N. Counts are Poisson,
so a sample unique is population unique with probability exp(−μ_k(1 − π)/π), and τ1 is the sum of
these (Skinner and Holmes 1998; Skinner and Shlomo 2008). Main effects: μ_k = n Π_j n_v/n. Two-way:
proportional fitting to every pair table as it was counted, over all combinations.

Where it fails: main effects miss dependence, so τ1 comes out too high or too low; with all two-way
interactions cells that only chance filled are fitted too. It is left out where combinations are
too many to list.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from reidrisk.arrays import Floats
from reidrisk.samples.chain_law import pair_table
from reidrisk.samples.pairs_total import can_be_listed, raked_to
from reidrisk.samples.sampled_cells import SampledCells

SWEEPS = 60
CLOSE = 1e-5


def main_effects(sample: SampledCells) -> float:
    """τ1 with attributes independent."""
    logs = np.full(len(sample.alone), math.log(sample.n))
    for place, width in enumerate(sample.values):
        own = sample.codes[:, place]
        counts = np.bincount(own, sample.people, width)
        logs += np.log(counts[own[sample.alone]] / sample.n)
    return _uniques(np.exp(logs), sample)


def two_way(sample: SampledCells) -> float:
    """τ1 with every two-way interaction; NaN where combinations can't be listed."""
    if not can_be_listed(sample):
        return math.nan
    expected = np.full(sample.values, sample.n / math.prod(sample.values))
    pairs = list(combinations(range(len(sample.values)), 2))
    tables = {pair: pair_table(sample, *pair) for pair in pairs}
    for _ in range(SWEEPS):
        off = max(raked_to(expected, pair, table) for pair, table in tables.items())
        if off <= CLOSE * sample.n:
            break
    return _uniques(expected[tuple(sample.codes[sample.alone].T)], sample)


def _uniques(means: Floats, sample: SampledCells) -> float:
    fraction = sample.n / sample.population
    return float(np.exp(-means * (1.0 - fraction) / fraction).sum())
