"""Table: records that can be asked about. `read` makes one from a path or a table in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from reidrisk import memory, parallel
from reidrisk.crowds import RowUnit
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.input_hash import sha256_of, state_of
from reidrisk.parallel import Progress, no_progress
from reidrisk.printable import printable
from reidrisk.records.contract import Engine
from reidrisk.records.files.decompression import TooManyRows, at_most, give_back, more_rows_than_fit
from reidrisk.records.files.opening import Writing, open_source
from reidrisk.records.files.paths import (
    COMPRESSION_SUFFIXES,
    is_elsewhere,
    is_spark,
    refuse_contradictions,
)
from reidrisk.records.files.source import Source
from reidrisk.records.memory.reading import coded_records
from reidrisk.records.read_options import Seeing, seeing
from reidrisk.records.roles import Look, first_look, likely_columns
from reidrisk.records.unit_detection import unit_of

ENGINES = ("embedded", "codes", "duckdb", "spark", "spark://host:port", "sc://host:port")
HERE = ENGINES[:3]


@dataclass(frozen=True)
class Table:
    """Records, the columns looked at, and the engine that answers questions about them."""

    engine: Engine
    format: str
    paths: tuple[Path, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    when_read: tuple[str, ...] = ()
    # Every column there is, looked at or not.
    there: tuple[str, ...] = ()
    unit: RowUnit = field(default_factory=RowUnit)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns looked at."""
        return self.engine.seeing.columns

    @property
    def people(self) -> int:
        """How many people the records stand for."""
        return self.engine.people

    @cached_property
    def sha256(self) -> str | None:
        """Of the file's bytes; None for a table in memory or a file changed since."""
        return sha256_of(self.paths, self.when_read)

    @property
    def stays(self) -> bool:
        """Whether the records stay in a database or a cluster."""
        return hasattr(self.engine, "session")

    def by_rows(self) -> Table:
        """The same with each row taken for one person: for figures that never leave the answer."""
        return self if not self.unit.unanswered else replace(self, unit=RowUnit(stated=True))

    def close(self) -> None:
        """Let go of a database's snapshot; nothing to do for other tables."""
        session = getattr(self.engine, "session", None)
        if session is not None:
            session.close()

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        named = self.paths[0].name if self.paths else f"a table from {self.format}"
        return printable(f"<Table {named}: {self.people:,} people, {', '.join(self.columns)}>")


def read(
    table: Any,
    columns: Sequence[str] | None = None,
    *,
    bands: Mapping[str, object] | None = None,
    levels: Mapping[str, object] | None = None,
    decimals: Mapping[str, object] | None = None,
    missing: str = "own",
    empty: Iterable[str] = (),
    count: str | None = None,
    weight: str | None = None,
    person: str | None = None,
    rows_are_people: bool = False,
    key: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    header: bool = True,
    engine: str = "embedded",
    memory_limit: str | int | None = None,
    threads: int | None = None,
    table_name: str | None = None,
    query: str | None = None,
    password: str | None = None,
    progress: Progress = no_progress,
) -> Table:
    """Read records from a path, a glob, or a pandas, Polars or Arrow table.

    A database's address (with `table_name` or `query`) or a cluster (`engine`) counts them there.

    Without `columns`, all are looked at but likely identifiers, free texts and measurements,
    which the table's `warnings` name. What a row stands for is said by `person`, `count` or
    `rows_are_people`; where a column speaks against one person a row, `unit` asks for it. The
    options mean what they mean on the command line.
    """
    if rows_are_people and (person is not None or count is not None):
        raise ContradictoryOptions(
            "--rows-are-people says that each row is one person, and "
            f"--{'count' if person is None else 'person'} says that it isn't",
            "keep one of them",
        )
    chosen = seeing(columns, bands, levels, decimals, missing, empty, count, weight, person, key)
    if engine not in HERE and not is_spark(engine):
        raise InputError(f"there is no engine {engine!r}", f"there are: {', '.join(ENGINES)}")
    if threads is not None and threads < 1:
        raise InputError("--threads needs at least 1")
    refuse_contradictions(table, engine, table_name, query)
    written = Writing(encoding, delimiter, decimal, sheet, header)
    if is_elsewhere(table, engine):
        from reidrisk.records.sql.remote import Asked, counted_elsewhere

        asked = Asked(table, engine, table_name, query, password, written)
        used = threads or parallel.available()
        return Table(*counted_elsewhere(asked, chosen, rows_are_people, used, progress))
    limit = memory.parsed_size(memory_limit) or memory.usual_limit()
    source = open_source(table, written, progress, limit)
    chosen.check(source.names)
    warnings: list[str] = []
    looks: list[Look] = []
    if not chosen.columns:
        candidates = [name for name in source.names if name not in chosen.aside]
        looks = first_look(source, candidates, chosen.empty)
        chosen, warnings = likely_columns(looks, chosen)
    unit = unit_of(source, chosen, rows_are_people, looks)
    when_read = state_of(source.paths)
    counting = _engine(source, chosen, engine, limit, threads, progress)
    said = (*source.warnings, *warnings, *counting.warnings)
    there = tuple(source.names)
    return Table(counting, source.format, source.paths, source.notes, said, when_read, there, unit)


def _engine(
    source: Source,
    chosen: Seeing,
    engine: str,
    limit: int,
    threads: int | None,
    progress: Progress,
) -> Engine:
    """Packed codes while they fit, DuckDB's spilling otherwise."""
    used = threads or parallel.available()
    if engine == "duckdb" or (engine == "embedded" and not _fits(source, chosen, limit, used)):
        from reidrisk.records.sql.duckdb import DuckDBEngine

        return DuckDBEngine(source, chosen, limit, used, progress)
    if engine == "codes":
        return coded_records(source, chosen, used, progress)
    fitting = memory.rows_that_fit(limit, len(chosen.needed), used)
    try:
        with at_most(source, fitting):
            return coded_records(source, chosen, used, progress)
    except TooManyRows:
        if source.sql(chosen.needed) is None:
            raise more_rows_than_fit(fitting, len(chosen.needed)) from None
        give_back()
    return _engine(source, chosen, "duckdb", limit, threads, progress)


def _fits(source: Source, chosen: Seeing, limit: int, threads: int) -> bool:
    rows = source.rows
    if rows is None:
        # Delimited text: a row takes at least two bytes a column, and usually some seven.
        size = sum(path.stat().st_size for path in source.paths)
        compressed = any(path.suffix.lower() in COMPRESSION_SUFFIXES for path in source.paths)
        rows = size * (6 if compressed else 1) // (4 * len(source.names))
    named = chosen.needed
    return source.sql(named) is None or memory.needed_for_codes(rows, len(named), threads) <= limit
