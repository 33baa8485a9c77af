"""The spilling engine: DuckDB answers the questions in SQL, on disk where memory ends.

Columns that say what a row stands for, checked by DuckDB as they are in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import pyarrow as pa

from reidrisk.machine import Progress, no_progress
from reidrisk.records.files.source import Source
from reidrisk.records.memory.coding import CodedColumn, Labelling
from reidrisk.records.memory.reading import (
    corrections_left_out,
    people_per_row,
    total_weight,
    unclaimed_rows,
)
from reidrisk.records.read_options import ReadOptions
from reidrisk.records.sql import queries
from reidrisk.records.sql.dialects import DUCKDB
from reidrisk.records.sql.duckdb_columns import counted_column, seen_column
from reidrisk.records.sql.duckdb_session import DuckDBSession, SeenTable, StoredTable
from reidrisk.records.sql.engine import SeenColumn, SqlEngine
from reidrisk.records.sql.queries import KEY, PERSON, ROW
from reidrisk.records.text_forms import sql_name


def checked_rows(session: DuckDBSession, stored: StoredTable, options: ReadOptions) -> float | None:
    """Refuse counts, weights and persons that can't be; the weights' total, where there are any."""
    if options.count:
        people_per_row(_distinct(session, stored, options.count), options.corrections)
    if options.person:
        aside = _aside(stored, options.person)
        gaps = session.one(f"SELECT count(*) FROM ({aside}) WHERE value IS NULL")
        unclaimed_rows(options.person, int(gaps))
    return total_weight(_distinct(session, stored, options.weight)) if options.weight else None


def _aside(stored: StoredTable, name: str) -> str:
    return f"SELECT {stored.text_of(name)} AS value FROM {stored.source} AS stored"


def _distinct(session: DuckDBSession, stored: StoredTable, name: str) -> CodedColumn:
    """The distinct values of a column, with how many rows hold each."""
    aside = _aside(stored, name)
    found = session.table(f"SELECT value, count(*) AS held FROM ({aside}) GROUP BY value")
    return counted_column(name, found, Labelling())


class DuckDBEngine(SqlEngine):
    """Records stay in their files; every question is one query."""

    name = "duckdb"
    dialect = DUCKDB
    _session: DuckDBSession

    def __init__(
        self,
        source: Source,
        options: ReadOptions,
        progress: Progress = no_progress,
    ) -> None:
        self.options = options
        self.threads = options.cores
        self.progress = progress
        self._session = DuckDBSession(options.bytes_allowed, options.cores, source.paths, progress)
        self._stored = self._session.stored(source, options.needed)
        self.weight_total = checked_rows(self._session, self._stored, options)
        self._look_at_columns()

    def _look_at_columns(self) -> None:
        """Choose each column's expression, refuse what can't be counted, define the relation."""
        seen: list[SeenColumn] = []
        for done, name in enumerate(self.options.counted):
            self.progress("looking at columns", done, len(self.options.counted))
            seen.append(seen_column(self._session, self._stored, name, self.options))
        self.records = int(self._session.one(f"SELECT count(*) FROM {self._stored.source}"))
        self._check(seen)
        if self.options.count and self.options.corrections:
            counts = _distinct(self._session, self._stored, self.options.count)
            self.warnings = (*self.warnings, *corrections_left_out(counts))
        self._define(seen)

    def _define(self, seen: Sequence[SeenColumn]) -> None:
        labels = {}
        for place, column in enumerate(seen):
            if column.labels is not None:
                labels[column.name] = f"labels_{place}"
                self._session.register(f"labels_{place}", column.labels)
        expressions = {column.name: column.expression for column in seen}
        self._relation = SeenTable(self._stored, self.options, expressions, labels)
        for name, numbered in (("seen", False), ("seen_numbered", True)):
            self._session.run(f"CREATE VIEW {name} AS {self._relation.rows(numbered)}")

    def crowd_of_each(self, columns: Sequence[str] | None = None) -> pa.RecordBatchReader:
        """Each record's crowd in input order, or each person's."""
        chosen = self._chosen(columns)
        if self.options.person:
            asked = queries.crowd_of_each_person("seen", chosen, DUCKDB)
            first = f"SELECT {PERSON} AS p, min({ROW}) AS first FROM seen_numbered GROUP BY p"
            return self._session.stream(
                f"SELECT {PERSON} AS person, crowd FROM ({asked}) AS each_person "
                f"JOIN ({first}) AS appeared ON {PERSON} = p ORDER BY first"
            )
        named = f"{ROW} AS row"
        if self.options.key is not None:
            named = f"{KEY} AS {sql_name(self.options.key)}"
        if self.options.missing == "wildcard":
            asked = self._matched_crowd_of_each("seen_numbered", named, columns)
        else:
            asked = queries.crowd_of_each("seen_numbered", named, chosen, self._people_sum, DUCKDB)
        return self._session.stream(f"{asked} ORDER BY {ROW}")

    def texts_of_each(self, columns: Sequence[str]) -> pa.RecordBatchReader:
        """Each record's texts in input order, under the columns' own names."""
        names = {n: PERSON if n == self.options.person else self._alias(n) for n in columns}
        named = ", ".join(f"{short} AS {sql_name(name)}" for name, short in names.items())
        return self._session.stream(f"SELECT {named} FROM seen_numbered ORDER BY {ROW}")

    @cached_property
    def _every_described(self) -> str:
        every = queries.described_persons("seen", self._chosen(None), DUCKDB)
        self._session.run(f"CREATE TEMPORARY TABLE described AS {every}")
        return "described"

    def _described(self, columns: Sequence[str]) -> str:
        return self._every_described

    def _seen(self, columns: Sequence[str] | None) -> str:
        return "seen"

    def _alias(self, name: str) -> str:
        return self._stored.alias[name]

    def _tuples(self, columns: Sequence[str]) -> str:
        return self._relation.tuples(columns)

    def _labels(self, name: str, pairs: Sequence[tuple[str, str]]) -> str:
        values, labels = zip(*pairs, strict=True) if pairs else ((), ())
        self._session.register(name, pa.table({"value": list(values), "label": list(labels)}))
        return name
