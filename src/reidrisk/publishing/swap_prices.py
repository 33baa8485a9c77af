"""What a swap costs: the listed cells that would have to be hidden for it.

A listed cell of x people costs x / m · U, U between 0.7 and 1.4 and drawn once: what hiding it does
to a prediction grows with its people, and who reruns the algorithm doesn't know what was cheapest.
An unlisted cell costs nothing, and what is hidden once is unlisted from then on.

A cell of nobody may be filled by a swap only where it is empty by chance. If attributes were
independent it would hold n_a·n_b / n people; where that is more than `MOST_BY_CHANCE`, being empty
has a reason (a married child), a reader would not believe in the other table, and no swap fills it.
Where it stops: rare values' impossible combinations look like chance; `families` name those.

Symbols: price of exchanging S = Σ_{s ∈ S, c ∉ S} P_sc, P_sc the prices of the four cells that two
people change in the table of s and c, nought where they agree on s or c.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Counts, Floats, Ints, Mask
from reidrisk.publishing.pair_cells import PairCells

Prices = NDArray[np.float32]
# e^−3: a cell that chance leaves empty in one of twenty tables.
MOST_BY_CHANCE = 3.0
# More than all people's cells together; sums of it stay exact to a thousandth in 64 bits.
NOT_TO_BE_FILLED = np.float32(1e12)
NOT_POSSIBLE = 1e11


class SwapPrices:
    """The price of changing each cell, and of exchanging values between people."""

    def __init__(
        self,
        codes: Ints,
        people: Counts,
        cells: PairCells,
        listed: Mask,
        at_least: int,
        rng: np.random.Generator,
    ) -> None:
        self._cells = cells
        self._columns = np.ascontiguousarray(codes.T)
        self._table_of = {pair: at for at, pair in enumerate(cells.pairs)}
        luck = rng.uniform(0.7, 1.4, len(listed))
        self.of_cell: Prices = np.where(listed, cells.people / at_least * luck, 0.0).astype(
            np.float32
        )
        counts = [
            np.bincount(column, people, size)
            for column, size in zip(self._columns, cells.sizes, strict=True)
        ]
        for at, (i, j) in enumerate(cells.pairs):
            by_chance = np.outer(counts[i], counts[j] / max(int(people.sum()), 1))
            empty = cells.table(at, cells.people) == 0
            cells.table(at, self.of_cell)[empty & (by_chance > MOST_BY_CHANCE)] = NOT_TO_BE_FILLED

    def hide(self, places: Ints) -> None:
        """These cells are unlisted from now on."""
        self.of_cell[places] = 0.0

    def between(self, first: Ints, second: Ints, i: int, j: int) -> Prices:
        """P_ij of pairs of people: exchanging attribute i and not j, or j and not i."""
        i, j = min(i, j), max(i, j)
        at = self._table_of.get((i, j))
        if at is None:
            return np.zeros(first.shape, dtype=np.float32)
        start, width = self._cells.starts[at], self._cells.sizes[j]
        a, c = (start + self._columns[i][each] * width for each in (first, second))
        b, d = (self._columns[j][each] for each in (first, second))
        price = self.of_cell
        found = price[a + b] + price[c + d] + price[a + d] + price[c + b]
        found[(a == c) | (b == d)] = 0.0
        return np.asarray(found)

    def matrix(self, first: Ints, second: Ints, unit: Ints) -> Floats:
        """P of units of attributes that move together: (unit, unit, pair of people)."""
        units = int(unit.max()) + 1
        found = np.zeros((units, units, len(first)))
        for i, j in self._cells.pairs:
            if unit[i] != unit[j]:
                price = self.between(first, second, i, j)
                found[unit[i], unit[j]] += price
                found[unit[j], unit[i]] += price
        return found
