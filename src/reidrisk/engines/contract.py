"""The contract: the few questions every engine answers about records it holds.

An engine reads records and answers in counts. Everything to its right on the road works on
these answers alone, so it can't tell engines apart and can't leak what it doesn't hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reidrisk.crowds.crowd_sizes import CrowdSizes
from reidrisk.engines.coded_persons import CodedPeople
from reidrisk.engines.coded_tuples import CodedTuples
from reidrisk.engines.pair_table import Pair, PairTable
from reidrisk.engines.seeing import Seeing

Progress = Callable[[str, int, int], None]


def no_progress(what: str, done: int, total: int) -> None:
    """Progress nobody looks at."""


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
