"""A DuckDB session: limits set, errors told without a record's value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from reidrisk import memory
from reidrisk.engines.account import Account
from reidrisk.engines.coding import code_column
from reidrisk.engines.contract import Progress, no_progress
from reidrisk.engines.duckdb_relation import StoredTable
from reidrisk.engines.interruptible import asked
from reidrisk.engines.labelling import Labelling
from reidrisk.engines.sources.source import Source
from reidrisk.engines.text_form import sql_literal
from reidrisk.errors import EngineFailure, OutOfRoom, UnreadableInput
from reidrisk.writing import temporary_folder


class Session:
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
        memory.keeps_its_own()
        self._session = duckdb.connect()
        settings = {"threads": str(threads), "temp_directory": sql_literal(str(folder))}
        if memory_limit is not None:
            # It keeps to its limit by and large: what it takes beyond comes out of our own share.
            most = max(memory.beside_libraries(memory_limit), memory.LEAST)
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

    def one(self, sql: str) -> Any:
        """The one value of an answer."""
        return self.rows(sql)[0][0]

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
