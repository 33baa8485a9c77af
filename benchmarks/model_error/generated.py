"""Generated tables of known structure: what two-way tables show, what only three show, households.

Each person of the first two is drawn from p ∝ exp(Σ θ_ij[x_i, x_j] (+ Σ θ_ijk[x_i, x_j, x_k])), θ
normal, listed cell by cell: by the first law everything is in the two-way tables, by the second it
isn't. In the third, households of one to five people share district, income and number of children,
and each person has an age and a sex: crowds of a family's size, which no two-way table shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations

import numpy as np

from benchmarks.accuracy.real_tables import RealTable
from reidrisk.arrays import Ints

PEOPLE = 4_000
LEVELS = (6, 5, 9, 12)
DISTRICTS, INCOMES, CHILDREN, AGES = 25, 40, 4, 16
STRENGTH = 0.7
# The columns that a household shares.
SHARED = ("c0", "c1", "c2")


def pairs_only(rng: np.random.Generator) -> RealTable:
    """All dependence is between two columns."""
    return _drawn("pairs only", 2, rng)


def with_triples(rng: np.random.Generator) -> RealTable:
    """There is dependence of three columns, too."""
    return _drawn("triples", 3, rng)


def _drawn(name: str, most: int, rng: np.random.Generator) -> RealTable:
    score = np.zeros(LEVELS)
    for size in range(1, most + 1):
        for axes in combinations(range(len(LEVELS)), size):
            shape = [level if axis in axes else 1 for axis, level in enumerate(LEVELS)]
            score += STRENGTH * rng.standard_normal(shape)
    chances = np.exp(score - score.max()).ravel()
    cells = rng.choice(len(chances), PEOPLE, p=chances / chances.sum())
    return _table(name, np.stack(np.unravel_index(cells, LEVELS), axis=1))


def households(rng: np.random.Generator) -> RealTable:
    """Whoever lives together shares three columns."""
    sizes = rng.choice(np.arange(1, 6), PEOPLE, p=(0.35, 0.3, 0.15, 0.13, 0.07))
    sizes = sizes[np.cumsum(sizes) <= PEOPLE]
    shared = np.stack(
        [
            rng.integers(0, DISTRICTS, len(sizes)),
            np.minimum(rng.exponential(INCOMES / 3.0, len(sizes)).astype(np.int64), INCOMES - 1),
            np.minimum(np.maximum(sizes - rng.integers(1, 3, len(sizes)), 0), CHILDREN - 1),
        ],
        axis=1,
    )
    own = [rng.integers(0, levels, int(sizes.sum())) for levels in (AGES, 2)]
    return _table("households", np.column_stack([np.repeat(shared, sizes, axis=0), *own]))


def _table(name: str, codes: Ints) -> RealTable:
    """Values that occur, as their numbers."""
    found = [np.unique(column, return_inverse=True) for column in codes.T]
    values = tuple(tuple(str(each) for each in held.tolist()) for held, _ in found)
    placed = np.stack([places.ravel() for _, places in found], axis=1)
    columns = tuple(f"c{place}" for place in range(codes.shape[1]))
    return RealTable(name, columns, values, placed, np.ones(len(codes), dtype=np.int64))


STRUCTURES: Mapping[str, Callable[[np.random.Generator], RealTable]] = {
    "pairs only": pairs_only,
    "triples": with_triples,
    "households": households,
}
