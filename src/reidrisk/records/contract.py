"""The contract: the few questions every engine answers about records it holds.

An engine reads records and answers in counts. Whoever asks works on these answers alone, so nobody
has to know which engine it is. What most engines answer alike stands here once: files of crowds are
written from `crowd_of_each`, and records row by row are refused.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reidrisk.arrays import Codes, Floats, Ints
from reidrisk.crowds import CrowdSizes, Marginal
from reidrisk.errors import InputError
from reidrisk.output_files import table_writer, whole_file
from reidrisk.records.coded_tuples import CodedTuples
from reidrisk.records.memory.coding import CodedColumn, coded_answer
from reidrisk.records.persons import CodedPeople
from reidrisk.records.read_options import ReadOptions

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


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Each record's code in some columns, in the order of the records; `count` people stand behind
    a record, one without it. `weight`, `household` and `person` are its survey weight and the codes
    of its household and of whose row it is, where the columns of these were named.
    """

    columns: tuple[CodedColumn, ...]
    records: int
    count: Ints | None = None
    weight: Floats | None = None
    household: Codes | None = None
    person: CodedColumn | None = None


class Engine(ABC):
    """Where records are, and what may be asked about them.

    `columns` is always a subset of ``options.columns``; by default all of them.
    """

    # As in --engine.
    name: str
    options: ReadOptions
    # In sentences.
    warnings: tuple[str, ...]
    # How many people the survey weights add up to; None without weights.
    weight_total: float | None
    # How many rows there are.
    records: int
    # Cores that counting uses here.
    threads: int
    # Whether the records stay in a database or a cluster.
    stays = False

    @property
    @abstractmethod
    def people(self) -> int:
        """How many people the records stand for."""

    @abstractmethod
    def crowd_sizes(self, columns: Sequence[str] | None = None) -> CrowdSizes:
        """The histogram of crowd sizes of the view of these columns."""

    @abstractmethod
    def marginal(self, column: str) -> Marginal:
        """People per value of one column; with persons, rows per value."""

    @abstractmethod
    def value_counts(self, column: str) -> NDArray[np.int64]:
        """People per value of one column, in no order, the missing value as one more."""

    @abstractmethod
    def pair_tables(self, pairs: Sequence[Pair]) -> Iterator[PairTable]:
        """People per pair of values, for each pair of different columns, in the order asked."""

    @abstractmethod
    def pair_crowd_sizes(self, pairs: Sequence[Pair]) -> Iterator[CrowdSizes]:
        """The histograms of those tables' cells, where the tables themselves aren't needed."""

    @abstractmethod
    def crowd_of_each(self, columns: Sequence[str] | None = None) -> pa.RecordBatchReader:
        """Each record's (or person's) crowd: columns ``row`` (``person``, the key), ``crowd``.

        In the order of the records, where they have one.
        """

    @abstractmethod
    def texts_of_each(self, columns: Sequence[str]) -> pa.RecordBatchReader:
        """Each record's texts, null for the empty cell, in the order of the records.

        The column that tells persons apart may be asked for as well.
        """

    @abstractmethod
    def coded_tuples(self, columns: Sequence[str]) -> CodedTuples:
        """The tuples of these columns as codes, an empty cell being a value of its own.

        With persons, or where an empty cell matches anything, tuples don't tell crowds; the codes
        are those of the rows all the same.
        """

    @abstractmethod
    def coded_people(self, columns: Sequence[str]) -> CodedPeople:
        """People by the codes of these columns: their tuples; with persons, the multisets of
        their rows, people with the same rows as one.
        """

    @abstractmethod
    def by_person(self) -> Engine:
        """The same people, a row each: with persons, a value is the set of the values that
        somebody's rows hold (`described_persons`). It answers in counts alone.
        """

    @abstractmethod
    def people_with(self, values: Mapping[str, str | None]) -> int:
        """How many people agree with these values; None is the empty cell.

        With persons: how many rows.
        """

    @abstractmethod
    def sample(self, size: int, seed: int) -> pa.Table:
        """`size` records' texts drawn without replacement: the same in every engine
        (`hash_sample`).
        """

    def coded_rows(self, columns: Sequence[str], purpose: str) -> CodedRows:
        """The records row by row, as codes; refused, naming the purpose, where they aren't in
        memory.
        """
        if self.stays:
            raise InputError(
                f"{purpose} needs the records in memory, and with {self.name} they stay where they "
                "are",
                "export the columns to a file first, if they may leave",
            )
        raise InputError(
            f"{purpose} needs the records in memory, and they are counted on disk",
            "use --engine codes, or give it more with --memory-limit",
        )

    def write_crowds(
        self, target: str, kind: str, crowds: Sequence[int], columns: Sequence[str] | None
    ) -> None:
        """Write what names each record, ``crowd``, ``risk`` = 1/crowd, and ``k2`` … for `crowds`:
        1 where the crowd has at least that many people. Who is nobody and meets nobody has no risk.
        """
        with whole_file(target, private=True) as beside:
            batches = self.crowd_of_each(columns)
            with table_writer(beside, kind, _with_risk(batches.schema, crowds)) as write:
                for batch in batches:
                    write(_risk_of_each(batch, crowds))

    def close(self) -> None:  # noqa: B027 (nothing is to be let go of but in a database)
        """Let go of a database's snapshot."""


def _with_risk(schema: pa.Schema, crowds: Sequence[int]) -> pa.Schema:
    reached = (pa.field(f"k{k}", pa.int8()) for k in crowds)
    return pa.schema([*schema, pa.field("risk", pa.float64()), *reached])


def _risk_of_each(batch: pa.RecordBatch, crowds: Sequence[int]) -> pa.RecordBatch:
    crowd = batch.column("crowd").to_numpy(zero_copy_only=False)
    risk = pa.array(1.0 / np.maximum(crowd, 1), mask=crowd == 0)
    reached = [pa.array((crowd >= k).astype(np.int8)) for k in crowds]
    schema = _with_risk(batch.schema, crowds)
    return pa.RecordBatch.from_arrays([*batch.columns, risk, *reached], schema=schema)
