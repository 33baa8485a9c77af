"""Gibbs sampling from a pairwise law: one attribute after the other, given all others.

Symbols: log p(t) = Σ_i a_i(t_i) + Σ_ij θ_ij(t_i, t_j) + constant. Given the others,

    P(t_i = v | rest) ∝ exp(a_i(v) + Σ_j θ_ij(v, t_j)).

A sweep draws every attribute once. Rows that were copies of one another part; each stays a draw
from the law if it was one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.int32]

# Entries of rows times values worked on at once.
CHUNK = 4_000_000


def swept(
    rows: Rows,
    single: Sequence[Floats],
    pairs: Mapping[tuple[int, int], Floats],
    rng: np.random.Generator,
    sweeps: int = 2,
) -> Rows:
    """The rows after some sweeps; `pairs` are tables θ_ij, −inf where nobody is."""
    rows = rows.copy()
    for _ in range(sweeps):
        for place in range(rows.shape[1]):
            step = max(1, CHUNK // max(len(single[place]), 1))
            for begin in range(0, len(rows), step):
                part = rows[begin : begin + step]
                part[:, place] = _drawn(part, place, single[place], pairs, rng)
    return rows


def _drawn(
    rows: Rows,
    place: int,
    single: Floats,
    pairs: Mapping[tuple[int, int], Floats],
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    weight = np.repeat(single[None, :], len(rows), axis=0)
    for (i, j), table in pairs.items():
        if i == place:
            weight += table.T[rows[:, j]]
        elif j == place:
            weight += table[rows[:, i]]
    weight -= weight.max(axis=1, keepdims=True)
    np.exp(weight, out=weight)
    np.cumsum(weight, axis=1, out=weight)
    aim = rng.random(len(rows)) * weight[:, -1]
    return np.asarray((weight <= aim[:, None]).sum(axis=1))


def resampled(weights: Floats, rows: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Places of rows drawn in proportion to their weights, as evenly as can be (systematic)."""
    reached = np.cumsum(weights)
    aims = (np.arange(rows) + rng.random()) / rows * reached[-1]
    found = np.searchsorted(reached, aims, side="right")
    return rng.permutation(np.minimum(found, len(weights) - 1))
