"""TwoSides: a released table and a register in common codes, so that equal values have equal keys.

Rows of both stand in one table, the released ones first: keys packed of all of them agree. A value
that only one side has gets a code of its own; the empty cell is the last code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from reidrisk.arrays import Codes, Ints
from reidrisk.records import CodedTuples


class Column(NamedTuple):
    """One common attribute: `texts` of the codes below the empty cell's, and what meets."""

    name: str
    texts: pa.Array
    # How many values each side has, and how many of them both have.
    released: int
    register: int
    both: int

    @property
    def empty(self) -> int:
        """The code of the empty cell."""
        return len(self.texts)


@dataclass(frozen=True, eq=False)
class TwoSides:
    """Rows of the released table, then of the register; people per row of each, one without."""

    stacked: CodedTuples
    released: int
    columns: tuple[Column, ...]
    released_people: Ints
    register_people: Ints

    @classmethod
    def of(cls, released: CodedTuples, register: CodedTuples) -> TwoSides:
        """Both in the codes of the one's values, then of the other's new ones."""
        columns: list[Column] = []
        codes: list[Codes] = []
        pairs = zip(released.columns, range(len(released.columns)), strict=True)
        for name, place in pairs:
            column, of_one, of_other = _common(name, released.values[place], register.values[place])
            columns.append(column)
            codes.append(
                np.concatenate([of_one[released.codes[place]], of_other[register.codes[place]]])
            )
        stacked = CodedTuples.of_codes(
            [each.name for each in columns], codes, [each.empty + 1 for each in columns]
        )
        return cls(
            stacked,
            released.rows,
            tuple(columns),
            _people(released),
            _people(register),
        )

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


def _people(tuples: CodedTuples) -> Ints:
    return np.ones(tuples.rows, dtype=np.int64) if tuples.people is None else tuples.people


def _common(name: str, one: pa.Array, other: pa.Array) -> tuple[Column, Codes, Codes]:
    """The common column, and each side's codes in it."""
    import pyarrow.compute as pc

    one, other = one.cast(pa.large_string()), other.cast(pa.large_string())
    places = pc.index_in(other, value_set=one)
    new = pc.is_null(places).to_numpy(zero_copy_only=False)
    texts = pa.concat_arrays([one, other.filter(pa.array(new))])
    of_other = np.empty(len(other) + 1, dtype=np.int32)
    of_other[:-1] = np.where(
        new, len(one) + np.cumsum(new) - 1, pc.fill_null(places, 0).to_numpy(zero_copy_only=False)
    )
    of_other[-1] = len(texts)
    of_one = np.append(np.arange(len(one), dtype=np.int32), np.int32(len(texts)))
    both = len(other) - int(new.sum())
    return Column(name, texts, len(one), len(other), both), of_one, of_other
