"""A DuckDB session: limits set, errors told without a record's value."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from reidrisk.engines.sources.source import Source
from reidrisk.errors import EngineFailure, ReidriskError, UnreadableInput


class Session:
    """Runs SQL; spills into a folder of its own, which disappears with it."""

    def __init__(self, memory_limit: int | None, threads: int, paths: Sequence[Path] = ()) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="reidrisk-")
        self._named = paths[0].name if paths else "the table"
        self._session = duckdb.connect()
        settings = {"threads": str(threads), "temp_directory": f"'{self._folder.name}'"}
        if memory_limit is not None:
            settings["memory_limit"] = f"'{memory_limit // 1_000_000}MB'"
        settings |= {"TimeZone": "'UTC'", "enable_progress_bar": "false"}
        for name, value in settings.items():
            self._session.execute(f"SET {name} = {value}")

    def source(self, source: Source) -> str:
        """A table expression for the source: its files, or Arrow's table in memory."""
        text = source.sql()
        if text is not None:
            return text
        held = source.each_column(source.names, lambda _, chunks: list(chunks), 1, _unseen)
        columns = [pa.chunked_array(chunks) for chunks in held]
        self.register("held", pa.Table.from_arrays(columns, names=list(source.names)))
        return "held"

    def types(self, source: str) -> dict[str, str]:
        """DuckDB's type of each column."""
        return {row[0]: row[1] for row in self.rows(f"DESCRIBE SELECT * FROM {source}")}

    def run(self, sql: str) -> Any:
        """Execute; what DuckDB says of a failure may quote a row, so it isn't passed on."""
        try:
            return self._session.execute(sql)
        except duckdb.Error as error:
            raise self._told(error) from None

    def rows(self, sql: str) -> list[Any]:
        """All rows of a small answer."""
        try:
            return list(self.run(sql).fetchall())
        except duckdb.Error as error:
            raise self._told(error) from None

    def one(self, sql: str) -> Any:
        """The one value of an answer."""
        return self.rows(sql)[0][0]

    def table(self, sql: str) -> pa.Table:
        """An answer as an Arrow table."""
        try:
            return self._session.sql(sql).to_arrow_table()
        except duckdb.Error as error:
            raise self._told(error) from None

    def stream(self, sql: str) -> pa.RecordBatchReader:
        """A long answer, batch by batch."""
        try:
            return self._session.sql(sql).to_arrow_reader(1 << 16)
        except duckdb.Error as error:
            raise self._told(error) from None

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


def _unseen(what: str, done: int, total: int) -> None:
    """Progress nobody looks at."""
