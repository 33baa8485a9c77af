"""People alone in the population, by two-way tables alone: a total to hold the laws' own against.

Symbols: each pair table of the sample, of weighted counts where there are weights, is made one of
the population (`statistics.population_cells`). λ_k is the number of people expected in cell k under
the law of greatest entropy with all these tables, fitted by proportional fitting over every
combination of values. People alone are Σ_k λ_k e^(−λ_k), and T = n/N of them are to be met in the
sample.

Where it fails: it knows dependence of two attributes only, and where most pairs of values were
missed it falls back on independence. It is left out where combinations are too many to list.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Floats
from reidrisk.machine import Progress, no_progress
from reidrisk.samples.chain_law import pair_table
from reidrisk.samples.sampled_cells import SampledCells, summed_up
from reidrisk.statistics import population_cells

# Combinations; combinations times pair tables, of one sweep: an eighth of a second.
MOST_CELLS, MOST_VISITS = 2_000_000, 20_000_000
SWEEPS = 40
# A table's largest deviation, as a share of the people, at which sweeps end.
CLOSE = 1e-4


def can_be_listed(sample: SampledCells) -> bool:
    """Whether the total can be had."""
    cells = math.prod(float(width) for width in sample.values)
    tables = math.comb(len(sample.values), 2)
    return tables > 0 and cells <= MOST_CELLS and cells * tables <= MOST_VISITS


def pairs_total(sample: SampledCells, progress: Progress = no_progress) -> float:
    """Σ λ e^(−λ)."""
    tables = population_tables(sample)
    expected = np.full(sample.values, sample.population / math.prod(sample.values))
    for sweep in range(SWEEPS):
        off = max(raked_to(expected, pair, table) for pair, table in tables.items())
        progress("fitting two-way tables", sweep + 1, SWEEPS)
        if off <= CLOSE * sample.population:
            break
    return float((expected * np.exp(-expected)).sum())


def population_tables(sample: SampledCells) -> dict[tuple[int, int], Floats]:
    """Every pair table, as that of the population."""
    people = sample.held * (sample.population / sample.held.sum())
    margins = [
        summed_up(sample.codes[:, place], people, width)
        for place, width in enumerate(sample.values)
    ]
    return {
        (i, j): population_cells(pair_table(sample, i, j), margins[i], margins[j])[0]
        for i, j in combinations(range(len(sample.values)), 2)
    }


def raked_to(expected: Floats, pair: tuple[int, int], table: Floats) -> float:
    """Scale the cells to one table, in place; by how much it was off."""
    axes = tuple(axis for axis in range(expected.ndim) if axis not in pair)
    held = expected.sum(axis=axes) if axes else expected.copy()
    factor = np.divide(table, held, out=np.zeros_like(table), where=held > 0.0)
    expected *= np.expand_dims(factor, axes)
    return float(np.abs(held - table).max())


def shifted_to(log_odds: Floats, total: float, weight: Floats | float = 1.0) -> float:
    """δ with Σ weight·expit(log_odds + δ) = total; totals out of reach end at ±30."""
    return _bisected(lambda shift: float((weight * expit(log_odds + shift)).sum()) < total)


def _bisected(too_low: Callable[[float], bool]) -> float:
    low, high = -30.0, 30.0
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (middle, high) if too_low(middle) else (low, middle)
    return (low + high) / 2.0


def expit(x: Floats) -> NDArray[np.float64]:
    """1/(1 + e^−x)."""
    return 0.5 * (1.0 + np.tanh(0.5 * x))


def logit(p: Floats) -> Floats:
    """ln p/(1 − p), of probabilities kept off 0 and 1."""
    kept = np.clip(p, 1e-12, 1.0 - 1e-12)
    return np.log(kept) - np.log1p(-kept)
