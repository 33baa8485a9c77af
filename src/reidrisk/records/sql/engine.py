"""Engines that speak SQL: every question is one text of `questions`, run by a session.

What differs between them is where the relation comes from and how rows are named; the rest, from
the histogram to what is done with empty cells as wildcards, is the same and stands here once.

The account: how many queries were asked, how long they took, how many rows came back.

The engine of described persons, where records are asked in SQL: a row a person, counts alone.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reidrisk.crowds import CrowdSizes, Marginal
from reidrisk.errors import InputError
from reidrisk.machine import Progress
from reidrisk.records.coded_tuples import CodedTuples
from reidrisk.records.contract import COUNTING, Engine, Pair, PairTable, pair_table_of
from reidrisk.records.memory.coding import CodedColumn, coded_answer, text_array
from reidrisk.records.memory.engine import matches_of_each
from reidrisk.records.memory.reading import value_warnings
from reidrisk.records.persons import CodedPeople, CodedPersons, described_sets
from reidrisk.records.roles import refuse_faults
from reidrisk.records.sql import queries
from reidrisk.records.sql.dialects import Dialect
from reidrisk.records.sql.queries import PEOPLE, PERSON
from reidrisk.records.text_forms import value_form


class Account:
    """Kept by a session; nothing in it comes from a record."""

    def __init__(self) -> None:
        self.queries = 0
        self.seconds = 0.0
        self.longest = 0.0
        self.rows = 0

    @contextmanager
    def query(self, asked_anew: bool = True) -> Iterator[None]:
        """Time one query, also one that fails, or more of the answer to the last one."""
        began = time.perf_counter()
        self.queries += asked_anew
        try:
            yield
        finally:
            took = time.perf_counter() - began
            self.seconds += took
            self.longest = max(self.longest, took)

    def describe(self) -> str:
        """For --verbose."""
        queries = "1 query" if self.queries == 1 else f"{self.queries:,} queries"
        rows = "1 row" if self.rows == 1 else f"{self.rows:,} rows"
        return (
            f"{queries} in {self.seconds:.2f} s, the longest {self.longest:.2f} s; "
            f"{rows} of counts came back"
        )


class Session(ABC):
    """Runs SQL where the records are."""

    account: Account

    @abstractmethod
    def rows(self, sql: str) -> list[Any]:
        """All rows of a small answer."""

    def one(self, sql: str) -> Any:
        """The one value of an answer."""
        return self.rows(sql)[0][0]

    @abstractmethod
    def table(self, sql: str, first: int | None = None) -> pa.Table:
        """An answer, or the first rows of it, as an Arrow table."""

    @abstractmethod
    def stream(self, sql: str) -> pa.RecordBatchReader:
        """A long answer, batch by batch."""


@dataclass(frozen=True)
class SeenColumn:
    """One column of the relation: an expression, and the labels that its values go through, where
    some aren't their own label.
    """

    name: str
    expression: str
    labels: Any
    # Not known of a column with too many values to be listed; nor are `marks` of missing values.
    marginal: Marginal | None
    # Values held, longest text, all are numbers, some have fractions.
    faults: tuple[Any, ...]
    warnings: tuple[str, ...] = ()
    marks: Mapping[str, int] = field(default_factory=dict)


class SqlEngine(Engine):
    """The contract's questions, asked of a session; subclasses say what is asked about."""

    dialect: Dialect
    progress: Progress
    _session: Session
    # Known before anybody asked; people per value.
    _marginals: dict[str, Marginal]

    @property
    def account(self) -> Account:
        """What was asked so far."""
        return self._session.account

    def _check(self, columns: Sequence[SeenColumn]) -> None:
        """Refuse what can't be counted, warn of odd values, and keep what is counted already."""
        judged = self.options.columns
        faults = {column.name: column.faults for column in columns if column.name in judged}
        refuse_faults(faults, self.options, self.records)
        marks = {column.name: column.marks for column in columns}
        odd_values = sorted(warning for column in columns for warning in column.warnings)
        self.warnings = (*value_warnings(self.options, faults, marks), *odd_values)
        # Rows per value are people per value unless a row stands for several.
        known = {c.name: c.marginal for c in columns if c.marginal is not None}
        self._marginals = {} if self.options.count else known

    def _seen(self, columns: Sequence[str] | None) -> str:
        """The relation in which these columns (all by default) are seen, for a FROM."""
        raise NotImplementedError

    def _records(self, columns: Sequence[str] | None) -> str:
        """The same record by record, where the other may be grouped already."""
        return self._seen(columns)

    def _alias(self, name: str) -> str:
        """What a column is called there."""
        raise NotImplementedError

    def _tuples(self, columns: Sequence[str]) -> str:
        """SELECT the different tuples of some columns, and how many people hold each."""
        return queries.distinct_tuples(self._seen(columns), self._chosen(columns), self._people)

    def _described(self, columns: Sequence[str]) -> str:
        """The relation of a row a person, for a FROM."""
        seen, chosen = self._seen(columns), [self._alias(name) for name in columns]
        return f"({queries.described_persons(seen, chosen, self.dialect)}) AS described"

    def _labels(self, name: str, pairs: Sequence[tuple[str, str]]) -> str:
        """A relation (value, label), for a JOIN."""
        raise NotImplementedError

    @property
    def people(self) -> int:
        """Rows, or what they stand for."""
        if self.options.person:
            asked = f"SELECT count(DISTINCT {PERSON}) FROM {self._seen(())}"
            return int(self._session.one(asked))
        if self.options.count:
            return int(self._session.one(f"SELECT {self._people} FROM {self._seen(())}"))
        return self.records

    def crowd_sizes(self, columns: Sequence[str] | None = None) -> CrowdSizes:
        """The histogram of crowd sizes."""
        seen, chosen = self._seen(columns), self._chosen(columns)
        if self.options.missing == "wildcard":
            asked = queries.some_gap(seen, chosen, self._people)
            if self._session.one(asked):
                return CrowdSizes.matching(*self._matches(columns)[1:])
        if self.options.person:
            return self._sizes(queries.crowd_sizes_of_persons(seen, chosen, self.dialect))
        return self._sizes(queries.crowd_sizes(seen, chosen, self._people))

    def marginal(self, column: str) -> Marginal:
        """People per value; with persons, rows per value."""
        if column not in self._marginals:
            asked = queries.marginal(self._seen([column]), self._alias(column), self._people)
            found = [(value_form(value), int(n)) for value, n in self._session.rows(asked) if n]
            held = {value: people for value, people in found if value is not None}
            missing = sum(people for value, people in found if value is None)
            counts = np.array(list(held.values()), dtype=np.int64)
            self._marginals[column] = Marginal(text_array(held), counts, missing)
        return self._marginals[column]

    def value_counts(self, column: str) -> NDArray[np.int64]:
        """People per value, the missing one last; of very many values only the counts come here."""
        if column in self._marginals:
            return self._marginals[column].all_counts()
        asked = queries.value_counts(self._seen([column]), self._alias(column), self._people)
        people, values = self._pairs_of_numbers(asked)
        return np.repeat(people, values)

    def pair_tables(self, pairs: Sequence[Pair]) -> Iterator[PairTable]:
        """People per pair of values, one query a pair.

        GROUPING SETS took longer in DuckDB, by 10 to 40 %, and hold all answers at once.
        """
        for pair in self._counting(pairs):
            yield pair_table_of(pair, self._session.table(self._tuples(pair)))

    def pair_crowd_sizes(self, pairs: Sequence[Pair]) -> Iterator[CrowdSizes]:
        """The histograms of the pair tables' cells; only sizes leave."""
        for pair in self._counting(pairs):
            yield self._sizes(queries.sizes_of_tuples(self._tuples(pair)))

    def coded_tuples(self, columns: Sequence[str]) -> CodedTuples:
        """One grouping query, then each tuple's codes; only different tuples leave."""
        coded, people = self._coded(columns)
        return CodedTuples.of_codes(
            columns,
            [column.codes for column in coded],
            [column.cardinality for column in coded],
            people,
            [column.values for column in coded],
        )

    def coded_people(self, columns: Sequence[str]) -> CodedPeople:
        """The same; of persons, each multiset of rows with its people, and nobody's own."""
        if self.options.person is None:
            return self.coded_tuples(columns)
        asked = queries.people_by_rows(self._seen(columns), self._chosen(columns), self.dialect)
        told, rows_of = self._session.rows(asked), queries.rows_of
        return CodedPersons.of_texts(columns, ((rows_of(k, len(columns)), n) for k, n in told))

    def by_person(self) -> Any:
        """An engine that counts from one relation of a row a person."""

        return DescribedPersons(self) if self.options.person else self

    def people_with(self, values: Mapping[str, str | None]) -> int:
        """How many people agree with these values."""
        held = {self._alias(name): value for name, value in values.items()}
        wild = self.options.missing == "wildcard"
        seen = self._seen(list(values))
        asked = queries.people_with(seen, held, self._people, wild, self.dialect)
        return int(self._session.one(asked) or 0)

    def sample(self, size: int, seed: int) -> pa.Table:
        """The records of the lowest hashes (`queries.sample`), by their hashes."""
        names = self.options.columns
        asked = queries.sample(self._records(None), self._chosen(None), seed, self.dialect)
        found = self._session.table(f"{asked} ORDER BY hashed", first=size)
        return pa.table({name: _texts(found, place) for place, name in enumerate(names)})

    def _sizes(self, asked: str) -> CrowdSizes:
        return CrowdSizes(*self._pairs_of_numbers(asked))

    def _pairs_of_numbers(self, asked: str) -> tuple[Any, Any]:
        found = np.array(self._session.rows(asked), dtype=np.int64).reshape(-1, 2)
        return found[:, 0].copy(), found[:, 1].copy()

    def _counting(self, pairs: Sequence[Pair]) -> Iterator[Pair]:
        for done, pair in enumerate(pairs):
            self.progress(COUNTING, done, len(pairs))
            yield pair

    @property
    def _record_sum(self) -> str:
        return f"sum({PEOPLE})" if self.options.count else "count(*)"

    @property
    def _people_sum(self) -> str:
        return self._record_sum

    @property
    def _people(self) -> str:
        return self.dialect.cast_to_whole(self._people_sum)

    def _chosen(self, columns: Sequence[str] | None) -> list[str]:
        return [self._alias(name) for name in columns or self.options.columns]

    def _coded(self, columns: Sequence[str]) -> tuple[list[CodedColumn], Any]:
        """The different tuples as codes, and how many people hold each."""
        found = self._session.table(self._tuples(columns))
        coded = [coded_answer(name, found, place) for place, name in enumerate(columns)]
        return coded, found.column(len(columns)).to_numpy()

    def _matches(self, columns: Sequence[str] | None) -> tuple[list[CodedColumn], Any, Any]:
        """The different tuples, how many people each matches, and how many hold it."""
        coded, people = self._coded(columns or self.options.columns)
        found = matches_of_each(coded, people, len(people), self.threads, self.progress)
        return coded, found, people

    def _matched_crowd_of_each(self, table: str, named: str, columns: Sequence[str] | None) -> str:
        """Matches are worked out here, tuple by tuple, and looked up by the records there."""
        coded, matches, _ = self._matches(columns)
        texts = zip(*(column.text_of_each().to_pylist() for column in coded), strict=True)
        keys = map(queries.key_of, texts)
        crowds = self._labels("crowds", list(zip(keys, map(str, matches.tolist()), strict=True)))
        return queries.looked_up_crowd_of_each(
            table, named, self._chosen(columns), crowds, self.dialect
        )


def _texts(found: pa.Table, place: int) -> pa.Array:
    return coded_answer("", found, place).text_of_each()


class DescribedPersons(SqlEngine):
    """Another engine's people, each value the set of values that somebody's rows hold.

    Sets are grouped there as texts of keys, and told here.
    """

    def __init__(self, engine: SqlEngine) -> None:
        self._engine = engine
        self.name, self.dialect = engine.name, engine.dialect
        self.threads, self.progress = engine.threads, engine.progress
        self.warnings, self.weight_total = engine.warnings, engine.weight_total
        self.records = engine.people
        self.options = replace(engine.options, person=None, key=None)
        self._session = engine._session
        self._marginals: dict[str, Marginal] = {}

    def marginal(self, column: str) -> Marginal:
        """People per set of values."""
        if column not in self._marginals:
            told = super().marginal(column)
            self._marginals[column] = told._replace(labels=described_sets(told.labels))
        return self._marginals[column]

    def pair_tables(self, pairs: Sequence[Pair]) -> Iterator[PairTable]:
        """People per pair of sets, each person once."""
        for found in super().pair_tables(pairs):
            one, other = map(described_sets, found.values)
            yield replace(found, values=(one, other))

    def coded_tuples(self, columns: Sequence[str]) -> CodedTuples:
        """Tuples of sets."""
        found = super().coded_tuples(columns)
        return found._replace(values=tuple(map(described_sets, found.values)))

    def crowd_of_each(self, columns: Sequence[str] | None = None) -> NoReturn:
        """Refused."""
        raise _of_nobody()

    def texts_of_each(self, columns: Sequence[str]) -> pa.RecordBatchReader:
        """Refused."""
        raise _of_nobody()

    def _seen(self, columns: Sequence[str] | None) -> str:
        return self._engine._described(self.options.columns if columns is None else columns)

    def _alias(self, name: str) -> str:
        return self._engine._alias(name)


def _of_nobody() -> InputError:
    return InputError(
        "people described by the values of their rows are counted, not listed",
        "ask for the rows, or the crowds of rows",
    )
