"""A DuckDB session: limits set, errors told without a record's value."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from reidrisk.engines.contract import Progress, no_progress
from reidrisk.engines.sources.source import Source
from reidrisk.engines.text_form import sql_literal, sql_name
from reidrisk.errors import EngineFailure, ReidriskError, UnreadableInput
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
        self._progress = progress
        folder = temporary_folder()
        self._named = paths[0].name if paths else "the table"
        self._session = duckdb.connect()
        settings = {"threads": str(threads), "temp_directory": sql_literal(str(folder))}
        if memory_limit is not None:
            settings["memory_limit"] = f"'{memory_limit // 1_000_000}MB'"
        settings |= {"TimeZone": "'UTC'", "enable_progress_bar": "false"}
        for name, value in settings.items():
            self._session.execute(f"SET {name} = {value}")

    def source(self, source: Source, columns: Sequence[str]) -> str:
        """A table expression for the source.

        Parquet is read where it lies. Text is parsed once into a temporary table, which DuckDB
        compresses and spills: parsing it again for every question would cost more.
        """
        text = source.sql()
        if text is None:
            held = source.each_column(columns, lambda _, chunks: list(chunks), 1, no_progress)
            arrays = [pa.chunked_array(chunks) for chunks in held]
            self.register("held", pa.Table.from_arrays(arrays, names=list(columns)))
            return "held"
        if source.format not in ("CSV", "TSV"):
            return text
        taken = ", ".join(sql_name(name) for name in columns)
        self.run(f"CREATE TEMPORARY TABLE parsed AS SELECT {taken} FROM {text}")
        return "parsed"

    def types(self, source: str) -> dict[str, str]:
        """DuckDB's type of each column."""
        return {row[0]: row[1] for row in self.rows(f"DESCRIBE SELECT * FROM {source}")}

    def run(self, sql: str) -> Any:
        """Execute a statement or a query."""
        return self._asked(lambda: self._session.execute(sql))

    def rows(self, sql: str) -> list[Any]:
        """All rows of a small answer."""
        return list(self._asked(lambda: self._session.execute(sql).fetchall()))

    def one(self, sql: str) -> Any:
        """The one value of an answer."""
        return self.rows(sql)[0][0]

    def table(self, sql: str) -> pa.Table:
        """An answer as an Arrow table."""
        return self._asked(lambda: self._session.sql(sql).to_arrow_table())

    def stream(self, sql: str) -> pa.RecordBatchReader:
        """A long answer, batch by batch."""
        return self._asked(lambda: self._session.sql(sql).to_arrow_reader(1 << 16))

    def _asked(self, question: Callable[[], Any]) -> Any:
        """What DuckDB says of a failure may quote a row, so it isn't passed on."""
        done = threading.Event()
        if self._progress is not no_progress:
            threading.Thread(target=self._watch, args=(done,), daemon=True).start()
        try:
            return question()
        except duckdb.Error as error:
            raise self._told(error) from None
        finally:
            done.set()

    def _watch(self, done: threading.Event) -> None:
        while not done.wait(0.3):
            share = self._session.query_progress()
            if share >= 0:
                self._progress("counting on disk", int(share), 100)

    def register(self, name: str, table: pa.Table) -> None:
        """Let queries see an Arrow table under a name."""
        self._session.register(name, table)

    def _told(self, error: duckdb.Error) -> ReidriskError:
        if isinstance(error, duckdb.OutOfMemoryException):
            return EngineFailure(
                "the counting ran out of memory or of disk to spill to",
                "raise --memory-limit, or free space where temporary files go (TMPDIR)",
            )
        if isinstance(error, duckdb.IOException):
            return EngineFailure("reading or spilling failed", "is the disk full? see TMPDIR")
        if isinstance(error, duckdb.InterruptException):
            raise KeyboardInterrupt
        if isinstance(error, (duckdb.InvalidInputException, duckdb.ConversionException)):
            return UnreadableInput(
                f"{self._named} can't be read to its end",
                "are there ragged rows, or bytes that aren't text?",
            )
        return EngineFailure(f"DuckDB gave up ({type(error).__name__})")
