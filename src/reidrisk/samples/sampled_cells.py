"""SampledCells: a sample as the cells (equivalence classes) its people fill.

Symbols: n people sampled of N; cell k holds f_k of them; attribute j has s_j values that were seen.
With survey weights, W_k is the sum of the weights in cell k, scaled so that all add up to N. Laws
are then fitted to weighted counts of as many people as the weights leave worth,

    n_eff = (Σw)²/Σw²,   f_k weighted: n_eff·W_k/N,

and φ_k = f_k/W_k is the fraction by which the people of the cell were sampled (n/N without
weights).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Codes, Floats, Ints, Places

CodesOfCells = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class SampledCells:
    """Distinct combinations of a sample: a row of `codes` each, `people` who hold it.

    `values` is how many values each attribute has; `ordered` says of each whether its codes stand
    in the order of its values; `weight` is W and `worth` n_eff, where there are survey weights.
    """

    names: tuple[str, ...]
    codes: CodesOfCells
    people: Ints
    values: tuple[int, ...]
    ordered: tuple[bool, ...]
    population: int
    weight: Floats | None = None
    worth: float | None = None

    @cached_property
    def n(self) -> int:
        """People in the sample."""
        return int(self.people.sum())

    @property
    def cells(self) -> int:
        """Distinct combinations."""
        return len(self.people)

    @cached_property
    def alone(self) -> Places:
        """The cells of one person."""
        return np.flatnonzero(self.people == 1)

    @cached_property
    def held(self) -> Floats:
        """f, weighted where there are weights."""
        if self.weight is None or self.worth is None:
            return self.people.astype(np.float64)
        return self.weight * (self.worth / self.population)

    @cached_property
    def fraction(self) -> Floats:
        """φ: by how much the people of each cell were sampled."""
        if self.weight is None:
            return np.full(self.cells, self.n / self.population)
        return np.minimum(self.people / self.weight, 1.0)

    @cached_property
    def stands_for(self) -> Floats:
        """People of the population that one person of each cell stands for."""
        if self.weight is None:
            return np.full(self.cells, self.population / self.n)
        return self.weight / self.people

    def rows(self, chosen: Places | slice) -> SampledCells:
        """Some of the cells."""
        weight = None if self.weight is None else self.weight[chosen]
        return replace(self, codes=self.codes[chosen], people=self.people[chosen], weight=weight)

    def part(self, people: int, rng: np.random.Generator) -> SampledCells:
        """About `people` of its people, drawn at random; the cells that are left."""
        drawn = rng.binomial(self.people, min(1.0, people / self.n)).astype(np.int64)
        chosen = np.flatnonzero(drawn)
        found = replace(self.rows(chosen), people=drawn[chosen])
        if self.weight is None:
            return found
        return replace(found, weight=self.weight[chosen] * drawn[chosen] / self.people[chosen])


def cells_of(
    names: Sequence[str],
    codes: NDArray[np.integer],
    people: Ints,
    population: int,
    ordered: Sequence[bool] | None = None,
    weight: Floats | None = None,
) -> tuple[SampledCells, Places]:
    """Rows that may repeat a combination, as cells; and the cell of each row.

    `weight` is that of each row; the weights are scaled to add up to the population. Codes nobody
    holds are dropped.
    """
    compact = np.empty(codes.shape, dtype=np.int32)
    values = []
    for place in range(codes.shape[1]):
        seen, compact[:, place] = np.unique(codes[:, place], return_inverse=True)
        values.append(len(seen))
    first, cell = distinct_rows(compact, values)
    held = np.bincount(cell, people, len(first)).astype(np.int64)
    flags = tuple(ordered) if ordered is not None else (False,) * len(values)
    found = SampledCells(tuple(names), compact[first], held, tuple(values), flags, population)
    if weight is None or np.ptp(weight) == 0.0:
        # Who is drawn by equal weights is drawn alike.
        return found, cell
    return _weighted(found, cell, people, weight), cell


def _weighted(found: SampledCells, cell: Places, people: Ints, weight: Floats) -> SampledCells:
    scaled = weight * (found.population / np.dot(weight, people))
    worth = found.population**2 / float(np.dot(scaled**2, people))
    return replace(found, weight=summed_up(cell, scaled * people, found.cells), worth=worth)


def distinct_rows(codes: CodesOfCells, values: Sequence[int]) -> tuple[Places, Places]:
    """Where each distinct row stands first, and which of them each row is."""
    key = np.zeros(len(codes), dtype=np.int64)
    first = np.zeros(1, dtype=np.intp)
    for place, width in enumerate(values):
        packed = key * width + codes[:, place]
        _, first, key = np.unique(packed, return_index=True, return_inverse=True)
    return first, key


def summed_up(places: Codes | Places, amounts: Floats, width: int) -> Floats:
    """Amounts added up by place."""
    return np.bincount(places, amounts, width).astype(np.float64)
