"""Sheet: rows of codes to count views of, as few of them as the views asked for need.

Attribute j has one column of codes for each level, coarser to finer. A sheet that was thinned knows
which rows of the whole one it kept. The tail of j numbers the tuples of attributes j, j+1, … as
recorded: what can still be seen when everything before j is settled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.engines.renumbering import dense

Whole = NDArray[np.int64]


class Column(NamedTuple):
    """One attribute at one level: each row's code, all below `width`."""

    codes: NDArray[Any]
    width: int


class Tail(NamedTuple):
    """Each row's number among the tuples of all later attributes."""

    numbers: NDArray[np.int32]
    width: int


class Sheet:
    """Columns by attribute and level; attributes before `first` may be left out (empty)."""

    def __init__(
        self,
        columns: Sequence[tuple[Column, ...]],
        rows: int,
        whole: Sheet | None = None,
        kept: Whole | None = None,
    ) -> None:
        self.columns = columns
        self.rows = rows
        self._whole = whole
        self._kept = kept
        self._tails: dict[int, Tail] = {}

    def column(self, attribute: int, level: int) -> Column:
        """The codes of an attribute at a level."""
        return self.columns[attribute][level - 1]

    def taken(self, rows: Whole, first: int) -> Sheet:
        """Some rows, with the attributes from `first` on."""
        columns = [
            tuple(Column(codes[rows], width) for codes, width in levels) if j >= first else ()
            for j, levels in enumerate(self.columns)
        ]
        if self._whole is None:
            return Sheet(columns, len(rows), self, rows)
        assert self._kept is not None
        return Sheet(columns, len(rows), self._whole, self._kept[rows])

    def by_itself(self) -> Sheet:
        """The same rows as a whole sheet, so that those left out can be forgotten."""
        return Sheet(self.columns, self.rows)

    def tail(self, first: int) -> Tail:
        """The tuples of the attributes from `first` on, numbered in the whole sheet."""
        if self._whole is not None:
            numbers, width = self._whole.tail(first)
            return Tail(numbers[self._kept], width)
        if first not in self._tails:
            self._number_tails(first)
        return self._tails[first]

    def _number_tails(self, first: int) -> None:
        """From the last attribute to `first`, each from the one after it."""
        at = min(self._tails, default=len(self.columns))
        last = self._tails.get(at, self._nothing())
        for j in range(at - 1, first - 1, -1):
            last = self._before(j, last)
            self._tails[j] = last
        self._tails.setdefault(first, last)

    def whole_tuples(self) -> Tail:
        """The tail of everything; no other tail is kept, since rows may soon be fewer."""
        last = self._nothing()
        for j in range(len(self.columns) - 1, -1, -1):
            last = self._before(j, last)
        return last

    def _nothing(self) -> Tail:
        return Tail(np.zeros(self.rows, dtype=np.int32), 1)

    def _before(self, attribute: int, after: Tail) -> Tail:
        codes, width = self.columns[attribute][-1]
        if after.width == 1:
            return Tail(codes.astype(np.int32), width)
        packed = codes.astype(np.int64) * after.width + after.numbers
        return Tail(*dense(packed, width * after.width))
