"""Cells of all published pair tables in one row of numbers.

Table (i, j), i < j, has a cell for every value a of attribute i and b of attribute j, at place
s_ij + a·k_j + b; s_ij is where the table starts, k_j how many values attribute j has. So a mask, a
price or a count of every cell of every table is one array, and thousands of cells of different
tables are looked up at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Counts, Ints

Pair = tuple[int, int]
Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True, eq=False)
class PairCells:
    """How many people each cell of each published pair table holds, and where it stands."""

    sizes: tuple[int, ...]
    pairs: tuple[Pair, ...]
    # Where each table starts; the last number is where all of them end.
    starts: Ints
    people: Counts

    @classmethod
    def counted(
        cls, codes: Ints, people: Counts, sizes: Sequence[int], pairs: Sequence[Pair]
    ) -> PairCells:
        """Count the records; a row of `codes` stands for so many `people`."""
        areas = [sizes[i] * sizes[j] for i, j in pairs]
        starts = np.concatenate([[0], np.cumsum(areas, dtype=np.int64)])
        counts = np.zeros(int(starts[-1]), dtype=np.int64)
        for at, (i, j) in enumerate(pairs):
            key = codes[:, i] * sizes[j] + codes[:, j]
            # Weights are summed as 64-bit fractions: whole up to 2^53.
            held = np.bincount(key, people, areas[at])
            counts[starts[at] : starts[at + 1]] = held
        return cls(tuple(sizes), tuple(pairs), starts, counts)

    def table(self, at: int, flat: NDArray[Number]) -> NDArray[Number]:
        """One table of a number (or a yes) for every cell: a view, a row a value of the first."""
        i, j = self.pairs[at]
        part = flat[self.starts[at] : self.starts[at + 1]]
        return part.reshape(self.sizes[i], self.sizes[j])

    def places(self, at: int, first: Ints, second: Ints) -> Ints:
        """Where cells of one table stand, by the codes of its two attributes."""
        start = int(self.starts[at])
        return start + first * self.sizes[self.pairs[at][1]] + second

    def tables_of(self, places: Ints) -> Ints:
        """Which table each place belongs to."""
        return np.searchsorted(self.starts, places, side="right") - 1

    def values(self, places: Ints) -> tuple[Ints, Ints, Ints]:
        """The table of each place, and the codes of its two attributes."""
        at = self.tables_of(places)
        width = np.array([self.sizes[j] for _, j in self.pairs], dtype=np.int64)[at]
        within = places - self.starts[at]
        return at, within // width, within % width
