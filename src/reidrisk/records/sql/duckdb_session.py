"""A DuckDB session: limits set, errors told without a record's value.

The records as DuckDB sees them: one relation of text forms over the source's files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from reidrisk import machine
from reidrisk.errors import EngineFailure, OutOfRoom, UnreadableInput
from reidrisk.machine import Progress, asked, no_progress
from reidrisk.output_files import temporary_folder
from reidrisk.records.files.source import Source
from reidrisk.records.memory.coding import Labelling, code_column, no_single_values
from reidrisk.records.read_options import ReadOptions
from reidrisk.records.sql.engine import Account, Session
from reidrisk.records.sql.queries import KEY, PEOPLE, PERSON, ROW, sql_text_form
from reidrisk.records.text_forms import sql_literal

_DECIMAL_COMMA = r"^\s*([+-]?(?:[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+)),([0-9]+)\s*$"


def kind_of(name: str, stored: str) -> str:
    """What DuckDB's type means for the text form."""
    stored = stored.upper()
    if stored.endswith("]") or stored.startswith(("STRUCT", "MAP", "UNION")):
        raise no_single_values(name)
    if stored == "INTERVAL":
        raise no_single_values(name, durations=True)
    if "INT" in stored:
        return "whole"
    if stored.startswith(("DOUBLE", "FLOAT", "REAL")):
        return "fraction"
    if stored.startswith("TIMESTAMP WITH TIME ZONE"):
        return "zoned"
    return {"BOOLEAN": "boolean", "DATE": "date"}.get(
        stored, "decimal" if stored.startswith("DECIMAL") else "text"
    )


@dataclass(frozen=True)
class StoredTable:
    """The records as DuckDB finds them: a table's name, and its columns' names there and types."""

    source: str
    alias: dict[str, str]
    types: dict[str, str]
    decimal_comma: bool

    def text_of(self, name: str) -> str:
        """SQL for the text form of a column of ``stored``."""
        kind, column = kind_of(name, self.types[name]), f"stored.{self.alias[name]}"
        if kind == "zoned":
            column, kind = f"replace(CAST({column} AS VARCHAR), '+00', 'Z')", "text"
        if kind == "text" and self.decimal_comma:
            column = (
                f"CASE WHEN regexp_matches({column}, '{_DECIMAL_COMMA}') "
                f"THEN replace(replace({column}, '.', ''), ',', '.') ELSE {column} END"
            )
        return sql_text_form(column, kind)


@dataclass(frozen=True)
class SeenTable:
    """The records as they are seen.

    `expressions` gives a column in terms of ``stored``; `labels` names the table (value, label)
    that the other columns go through.
    """

    table: StoredTable
    options: ReadOptions
    expressions: Mapping[str, str]
    labels: Mapping[str, str]

    def rows(self, numbered: bool) -> str:
        """SELECT the columns as they are seen, and what each row stands for."""
        table, options = self.table, self.options
        taken = [self._seen(name, self.expressions[name]) for name in options.counted]
        source = table.source
        if options.count:
            taken.append(f"{self._people} AS {PEOPLE}")
        if options.person:
            taken.append(f"{table.text_of(options.person)} AS {PERSON}")
        if options.key:
            taken.append(f"{table.text_of(options.key)} AS {KEY}")
        if numbered:
            taken.append(f"stored.{ROW}")
            source = f"(SELECT *, row_number() OVER () AS {ROW} FROM {source})"
        return f"SELECT {', '.join(taken)} FROM {source} AS stored {self._joins(options.counted)}"

    def tuples(self, columns: Sequence[str]) -> str:
        """SELECT the tuples of a few columns as they are seen, and how many people hold each.

        Grouped as stored first, so that labels are looked up for the few tuples and not the rows.
        """
        alias = self.table.alias
        groups = ", ".join(str(place) for place in range(1, len(columns) + 1))
        as_stored = ", ".join(
            f"{self.expressions[name] or f'stored.{alias[name]}'} AS {alias[name]}"
            for name in columns
        )
        people = f"sum({self._people})" if self.options.count else "count(*)"
        found = (
            f"SELECT {as_stored}, CAST({people} AS BIGINT) AS {PEOPLE} "
            f"FROM {self.table.source} AS stored GROUP BY {groups}"
        )
        if not any(name in self.labels for name in columns):
            return found
        as_seen = ", ".join(self._seen(name, f"stored.{alias[name]}") for name in columns)
        return (
            f"SELECT {as_seen}, CAST(sum({PEOPLE}) AS BIGINT) AS {PEOPLE} "
            f"FROM ({found}) AS stored {self._joins(columns)} GROUP BY {groups}"
        )

    @property
    def _people(self) -> str:
        whole = f"CAST({self.table.text_of(self.options.count or '')} AS BIGINT)"
        return f"greatest({whole}, 0)" if self.options.corrections else whole

    def _seen(self, name: str, expression: str) -> str:
        shown = f"{self.labels[name]}.label" if name in self.labels else expression
        return f"{shown} AS {self.table.alias[name]}"

    def _joins(self, columns: Sequence[str]) -> str:
        return " ".join(
            f"LEFT JOIN {self.labels[name]} "
            f"ON stored.{self.table.alias[name]} = {self.labels[name]}.value"
            for name in columns
            if name in self.labels
        )


class DuckDBSession(Session):
    """Runs SQL; spills into a folder that goes when the process does."""

    def __init__(
        self,
        memory_limit: int | None,
        threads: int,
        paths: Sequence[Path] = (),
        progress: Progress = no_progress,
    ) -> None:
        self.account = Account()
        self._progress = progress
        folder = temporary_folder()
        self._named = paths[0].name if paths else "the table"
        machine.keeps_its_own()
        self._session = duckdb.connect()
        settings = {"threads": str(threads), "temp_directory": sql_literal(str(folder))}
        if memory_limit is not None:
            # It keeps to its limit by and large: what it takes beyond comes out of our own share.
            most = max(machine.beside_libraries(memory_limit), machine.LEAST)
            settings["memory_limit"] = f"'{most // 1_000_000}MB'"
        settings |= {"TimeZone": "'UTC'", "enable_progress_bar": "false"}
        for name, value in settings.items():
            self._session.execute(f"SET {name} = {value}")

    def stored(self, source: Source, columns: Sequence[str]) -> StoredTable:
        """The source's columns as c0, c1 … of one relation.

        Parquet is read where it lies. Text is parsed once into a temporary table, which DuckDB
        compresses and spills: parsing it again for every question would cost more. What DuckDB
        can't read is handed over as texts.
        """
        sql = source.sql(columns)
        if sql is None:
            texts = source.each_column(columns, _texts, 1, no_progress)
            names = [f"c{place}" for place in range(len(columns))]
            self.register("stored_records", pa.Table.from_arrays(texts, names=names))
        elif source.format in ("CSV", "TSV"):
            self.run(f"CREATE TEMPORARY TABLE stored_records AS {sql}")
        else:
            self.run(f"CREATE VIEW stored_records AS {sql}")
        alias = {name: f"c{place}" for place, name in enumerate(columns)}
        found = dict(row[:2] for row in self.rows("DESCRIBE stored_records"))
        types = {name: found[short] for name, short in alias.items()}
        return StoredTable("stored_records", alias, types, source.decimal_comma)

    def run(self, sql: str) -> Any:
        """Execute a statement or a query."""
        return self._asked(lambda: self._session.execute(sql))

    def rows(self, sql: str) -> list[Any]:
        """All rows of a small answer."""
        found = list(self._asked(lambda: self._session.execute(sql).fetchall()))
        self.account.rows += len(found)
        return found

    def table(self, sql: str, first: int | None = None) -> pa.Table:
        """An answer, or the first rows of it, as an Arrow table."""
        sql = sql if first is None else f"{sql} LIMIT {first}"
        found = self._asked(lambda: self._session.sql(sql).to_arrow_table())
        self.account.rows += len(found)
        return found

    def stream(self, sql: str) -> pa.RecordBatchReader:
        """A long answer, batch by batch, each one asked for like a question."""
        reader = self._asked(lambda: self._session.sql(sql).to_arrow_reader(1 << 16))

        def batches() -> Iterator[pa.RecordBatch]:
            while (batch := self._asked(lambda: next(reader, None), asked_anew=False)) is not None:
                self.account.rows += len(batch)
                yield batch

        return pa.RecordBatchReader.from_batches(reader.schema, batches())

    def _asked(self, question: Callable[[], Any], asked_anew: bool = True) -> Any:
        """What DuckDB says of a failure may quote a row, so it isn't passed on."""
        try:
            with self.account.query(asked_anew):
                return asked(question, self._session.interrupt, self._tell_progress)
        except duckdb.Error as error:
            raise self._told(error) from None

    def _tell_progress(self) -> None:
        share = self._session.query_progress()
        if share >= 0:
            self._progress("counting on disk", int(share), 100)

    def register(self, name: str, table: pa.Table) -> None:
        """Let queries see an Arrow table under a name."""
        self._session.register(name, table)

    def _told(self, error: duckdb.Error) -> BaseException:
        if isinstance(error, duckdb.OutOfMemoryException):
            return OutOfRoom(
                "the counting ran out of memory or of disk to spill to",
                "raise --memory-limit, or free space where temporary files go (TMPDIR)",
            )
        if isinstance(error, duckdb.IOException):
            return OutOfRoom("reading or spilling failed", "is the disk full? see TMPDIR")
        if isinstance(error, duckdb.InterruptException):
            return KeyboardInterrupt()
        if isinstance(error, (duckdb.InvalidInputException, duckdb.ConversionException)):
            return UnreadableInput(
                f"{self._named} can't be read to its end",
                "are there ragged rows, or bytes that aren't text?",
            )
        return EngineFailure(f"DuckDB gave up ({type(error).__name__})")


def _texts(name: str, chunks: Iterable[pa.Array]) -> pa.Array:
    return code_column(name, chunks, Labelling()).text_of_each()
