"""The contract: the few questions every engine answers about records it holds.

An engine reads records and answers in counts. Everything to its right on the road works on
these answers alone, so it can't tell engines apart and can't leak what it doesn't hold.

PairTable: people per pair of values of two columns, only the pairs that occur.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reidrisk.crowds import CrowdSizes
from reidrisk.records.coded_tuples import CodedTuples
from reidrisk.records.memory.coding import coded_answer
from reidrisk.records.persons import CodedPeople
from reidrisk.records.read_options import Seeing

Pair = tuple[str, str]
Value = str | None

# What an engine's progress is called meanwhile.
COUNTING = "counting pairs"


@dataclass(frozen=True, eq=False)
class PairTable:
    """Cell i: `people[i]` people hold values[0][codes[0][i]] of the one, values[1][codes[1][i]]
    of the other column.

    A code past the end of its values stands for the missing value. Every cell holds somebody and
    is listed once, in no order.
    """

    of: Pair
    values: tuple[pa.Array, pa.Array]
    codes: tuple[NDArray[Any], NDArray[Any]]
    people: NDArray[np.int64]

    @property
    def distinct(self) -> int:
        """How many pairs of values occur."""
        return len(self.people)

    @property
    def crowd_sizes(self) -> CrowdSizes:
        """The histogram of the cells: a cell is a crowd of the view of both columns."""
        return CrowdSizes.of(self.people)

    @property
    def counts(self) -> dict[tuple[Value, Value], int]:
        """{(value, value): people}, in texts; None stands for the missing value."""
        one, other = (self.texts(side) for side in (0, 1))
        return dict(zip(zip(one, other, strict=True), self.people.tolist(), strict=True))

    def texts(self, side: int) -> list[Value]:
        """The value of each cell on one side, 0 or 1."""
        names: list[Value] = [*self.values[side].to_pylist(), None]
        return [names[code] for code in self.codes[side].tolist()]


def pair_table_of(pair: Pair, found: pa.Table) -> PairTable:
    """From an answer (value, value, people); a tuple of nobody is no cell."""
    people = found.column(2).to_numpy()
    one, other = (coded_answer(name, found, side) for side, name in enumerate(pair))
    held = people > 0
    codes = (one.codes[held], other.codes[held])
    return PairTable(pair, (one.values, other.values), codes, people[held])


class Marginal(NamedTuple):
    """One attribute: how many people hold each value that occurs, and how many hold none."""

    labels: pa.Array
    counts: NDArray[np.int64]
    missing: int

    @property
    def values(self) -> tuple[str, ...]:
        """The values as texts."""
        return tuple(self.labels.to_pylist())

    def all_counts(self) -> NDArray[np.int64]:
        """Counts with the missing value as one more value, where it occurs."""
        return np.append(self.counts, self.missing) if self.missing else self.counts


@runtime_checkable
class WritesCrowds(Protocol):
    """An engine that writes each record's crowd itself, where the records are."""

    def write_crowds(
        self, target: str, kind: str, crowds: Sequence[int], columns: Sequence[str] | None
    ) -> None:
        """What names the record, ``crowd``, ``risk``, and ``k2`` … for `crowds`."""


class Engine(Protocol):
    """Where records are, and what may be asked about them.

    `columns` is always a subset of ``seeing.columns``; by default all of them.
    """

    @property
    def name(self) -> str:
        """As in --engine."""

    @property
    def seeing(self) -> Seeing:
        """Which columns are looked at, and how."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to mind, in sentences."""

    @property
    def weight_total(self) -> float | None:
        """How many people the survey weights add up to; None without weights."""

    @property
    def people(self) -> int:
        """How many people the records stand for."""

    @property
    def records(self) -> int:
        """How many rows there are."""

    def crowd_sizes(self, columns: Sequence[str] | None = None) -> CrowdSizes:
        """The histogram of crowd sizes of the view of these columns."""

    def marginal(self, column: str) -> Marginal:
        """People per value of one column."""

    def value_counts(self, column: str) -> NDArray[np.int64]:
        """People per value of one column, in no order, the missing value as one more."""

    def pair_tables(self, pairs: Sequence[Pair]) -> Iterator[PairTable]:
        """People per pair of values, for each pair of different columns, in the order asked."""

    def pair_crowd_sizes(self, pairs: Sequence[Pair]) -> Iterator[CrowdSizes]:
        """The histograms of those tables' cells, where the tables themselves aren't needed."""

    def crowd_of_each(self, columns: Sequence[str] | None = None) -> pa.RecordBatchReader:
        """Each record's (or person's) crowd: columns ``row`` (``person``, the key), ``crowd``.

        In the order of the records, where they have one.
        """

    def texts_of_each(self, columns: Sequence[str]) -> pa.RecordBatchReader:
        """Each record's texts, null for the empty cell, in the order of the records.

        The column that tells persons apart may be asked for as well.
        """

    def coded_tuples(self, columns: Sequence[str]) -> CodedTuples:
        """The tuples of these columns as codes, an empty cell being a value of its own.

        With persons, or where an empty cell matches anything, tuples don't tell crowds; the codes
        are those of the rows all the same.
        """

    def coded_people(self, columns: Sequence[str]) -> CodedPeople:
        """People by the codes of these columns: their tuples; with persons, the multisets of
        their rows, people with the same rows as one.
        """

    def by_person(self) -> Engine:
        """The same people, a row each: with persons, a value is the set of the values that
        somebody's rows hold (`described_persons`). It answers in counts alone.
        """

    def people_with(self, values: Mapping[str, str | None]) -> int:
        """How many people agree with these values; None is the empty cell.

        With persons: how many rows.
        """

    def sample(self, size: int, seed: int) -> pa.Table:
        """`size` records' texts drawn without replacement: the same in every engine (`lots`)."""
