"""Near twins: for a cell of a pair table, two people who might change places unnoticed.

A swap of attributes S changes cells of every attribute on which two people differ, so those who
differ in little are looked for. The records are sorted by all attributes but the table's own two:
packed into one 62-bit number, attributes of few values first, those that one of the two nearly
determines last (there the swapped values bring their own). Neighbours in this order are near twins.

- *down*: the first person is one of the cell (a, b), the second one of the K/2 nearest neighbours,
  or of the K/2 nearest among people in unlisted cells of this table;
- *up*: the first is one of K/8 people of value a, drawn at random, the second one of the eight of
  value b that are nearest to them.

Where it stops: an order along a line knows only some of the near ones. A pair that differs in the
first attribute alone may be far apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reidrisk.arrays import Codes, Ints, Mask
from reidrisk.publishing.pair_cells import PairCells

LARGEST_KEY = 1 << 62
NEAREST_OF_VALUE = 8
SMALL_CODE = 1 << 16


class NearTwins:
    """The records in an order in which neighbours are alike but for one table's attributes."""

    def __init__(
        self, codes: Ints, cells: PairCells, at: int, by: Sequence[int], listed: Mask
    ) -> None:
        """`by` are the other attributes, the most significant first."""
        i, j = cells.pairs[at]
        self.a, self.b = codes[:, i], codes[:, j]
        self._width = cells.sizes[j]
        self._order = np.argsort(_packed(codes, cells.sizes, by))
        self._position = np.empty(len(codes), dtype=np.int64)
        self._position[self._order] = np.arange(len(codes))
        # By b, then by a and b; people of one value or cell in the order above.
        self._by_b = self._order[_rising(self.b[self._order], cells.sizes[j])]
        self._by_cell = self._by_b[_rising(self.a[self._by_b], cells.sizes[i])]
        self._b_key = self.b[self._by_b] * len(codes) + self._position[self._by_b]
        within = self.a * self._width + self.b
        self._cell_start = _starts(within, cells.sizes[i] * self._width)
        self._a_start = _starts(self.a, cells.sizes[i])
        self._b_start = _starts(self.b, self._width)
        unlisted = ~cells.table(at, listed).ravel()[within[self._order]]
        self._hidden_position = np.flatnonzero(unlisted)
        self._hidden = self._order[unlisted]

    def down(self, a: Ints, b: Ints, k: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """First and second people, a row for each cell (a, b), that would leave it one fewer."""
        cell = a * self._width + b
        one = self._by_cell[_drawn(self._cell_start, cell[:, None], 1, rng)]
        place = self._position[one]
        step = np.arange(k // 2)
        around = np.where(step % 2 == 0, step // 2 + 1, -(step // 2) - 1)
        near = self._order[(place + around) % len(self._order)]
        # The cell's own people are in an unlisted cell, so there is somebody.
        at = np.searchsorted(self._hidden_position, place)
        hidden = self._hidden[(at + around) % len(self._hidden)]
        second = np.concatenate([near, hidden], axis=1)
        return np.repeat(one, second.shape[1], axis=1), second

    def up(self, a: Ints, b: Ints, k: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """First and second people, a row for each cell (a, b), that would give it one more."""
        some = max(k // NEAREST_OF_VALUE, 1)
        first = self._by_cell[_drawn(self._a_start, a[:, None], some, rng)]
        key = b[:, None] * len(self._order) + self._position[first]
        around = np.arange(NEAREST_OF_VALUE) - NEAREST_OF_VALUE // 2
        at = np.searchsorted(self._b_key, key)[:, :, None] + around
        low, high = self._b_start[b], self._b_start[b + 1] - 1
        second = self._by_b[np.clip(at, low[:, None, None], high[:, None, None])]
        return (
            np.repeat(first, NEAREST_OF_VALUE, axis=1),
            second.reshape(len(a), some * NEAREST_OF_VALUE),
        )


def _packed(codes: Ints, sizes: Sequence[int], by: Sequence[int]) -> Ints:
    key = np.zeros(len(codes), dtype=np.int64)
    room = 1
    for attribute in by:
        room *= sizes[attribute]
        if room >= LARGEST_KEY:
            break
        key = key * sizes[attribute] + codes[:, attribute]
    return key


def _rising(values: Ints, size: int) -> Ints:
    """A stable order; of 16-bit numbers it takes linear time."""
    narrow: Codes = values.astype(np.uint16) if size <= SMALL_CODE else values
    return np.argsort(narrow, kind="stable")


def _starts(values: Ints, size: int) -> Ints:
    """Where the rows of each value start, and where the last ones end."""
    return np.concatenate([[0], np.cumsum(np.bincount(values, minlength=size))])


def _drawn(starts: Ints, value: Ints, number: int, rng: np.random.Generator) -> Ints:
    low, high = starts[value], starts[value + 1]
    drawn = rng.random((len(value), number)) * (high - low)
    return low + drawn.astype(np.int64)
