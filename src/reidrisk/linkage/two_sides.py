"""TwoSides: a released table and a register in common codes, so that equal values have equal keys.

Rows of both stand in one table, the released ones first: keys packed of all of them agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from reidrisk.arrays import Codes, Ints
from reidrisk.records import CodedTuples, stacked


class Column(NamedTuple):
    """One common attribute: the `texts` of its codes, and how many values the release has."""

    name: str
    texts: pa.Array
    released: int

    @property
    def empty(self) -> int:
        """The code of the empty cell."""
        return len(self.texts)


@dataclass(frozen=True, eq=False)
class TwoSides:
    """Rows of the released table, then of the register; people per row of each."""

    stacked: CodedTuples
    released: int
    columns: tuple[Column, ...]
    released_people: Ints
    register_people: Ints

    @classmethod
    def of(cls, released: CodedTuples, register: CodedTuples) -> TwoSides:
        """Both, which have the same columns."""
        both = stacked([released, register]).tuples
        people = np.ones(both.rows, dtype=np.int64) if both.people is None else both.people
        columns = zip(both.columns, both.values, map(len, released.values), strict=True)
        parts = np.split(people, [released.rows])
        return cls(both, released.rows, tuple(Column(*each) for each in columns), *parts)

    def keys(self, places: Sequence[int]) -> tuple[Ints, Ints]:
        """One key a row for some of the columns: of the released rows, of the register's."""
        if not len(places):
            return (
                np.zeros(self.released, dtype=np.int64),
                np.zeros(len(self.register_people), dtype=np.int64),
            )
        keys = self.stacked.keys(places).keys
        return keys[: self.released], keys[self.released :]

    def first_agreeing(self) -> Ints:
        """Of each released row, a row of the register with the same values; −1 without any."""
        mine, theirs = self.keys(range(len(self.columns)))
        held, first = np.unique(theirs, return_index=True)
        place = np.minimum(np.searchsorted(held, mine), len(held) - 1)
        return np.where(held[place] == mine, first[place], -1)

    def codes(self, place: int) -> tuple[Codes, Codes]:
        """A column's codes: of the released rows, of the register's."""
        every = self.stacked.codes[place]
        return every[: self.released], every[self.released :]
