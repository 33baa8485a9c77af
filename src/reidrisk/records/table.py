"""Table: records that can be asked about. `read` makes one from a path or a table in memory."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypedDict

from reidrisk import machine
from reidrisk.crowds import RowUnit
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.input_hash import sha256_of, state_of
from reidrisk.machine import Progress, no_progress
from reidrisk.printable import printable
from reidrisk.records.contract import Engine
from reidrisk.records.files.opening import COMPRESSION_SUFFIXES, open_source
from reidrisk.records.files.source import Source, TooManyRows, at_most, more_rows_than_fit
from reidrisk.records.memory.reading import coded_records
from reidrisk.records.read_options import ReadOptions, is_elsewhere
from reidrisk.records.roles import Look, first_look, likely_columns, unit_of

LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Table:
    """Records, their quasi-identifiers, and the engine that answers questions about them."""

    engine: Engine
    format: str
    paths: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    when_read: tuple[str, ...] = ()
    # Every column there is, quasi-identifier or not.
    there: tuple[str, ...] = ()
    unit: RowUnit = field(default_factory=RowUnit)

    @property
    def columns(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return self.engine.options.columns

    @property
    def people(self) -> int:
        """How many people the records stand for."""
        return self.engine.people

    @cached_property
    def sha256(self) -> str | None:
        """Of the file's bytes; None for a table in memory or a file changed since."""
        return sha256_of(self.paths, self.when_read)

    def by_rows(self) -> Table:
        """The same with each row taken for one person: for figures that never leave the answer."""
        return self if not self.unit.unanswered else replace(self, unit=RowUnit(stated=True))

    def refuse_unread(self, sensitive: Iterable[str]) -> None:
        """An error where a column wasn't read as sensitive."""
        for name in sensitive:
            if name not in self.engine.options.sensitive:
                raise InputError(
                    f"the table was read without {name!r} as sensitive",
                    "name it when reading: rr.read(…, sensitive=[…])",
                )

    def close(self) -> None:
        """Let go of a database's snapshot; nothing to do for other tables."""
        self.engine.close()

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        named = self.paths[0].name if self.paths else f"a table from {self.format}"
        return printable(f"<Table {named}: {self.people:,} people, {', '.join(self.columns)}>")


class ReadingBesides(TypedDict, total=False):
    """The options of `read` but columns, bands and levels: for functions that have these."""

    decimals: Mapping[str, object] | None
    missing: str
    empty: Iterable[str]
    count: str | None
    weight: str | None
    person: str | None
    rows_are_people: bool
    household: str | None
    key: str | None
    encoding: str | None
    delimiter: str | None
    decimal: str | None
    sheet: str | None
    header: bool
    engine: str
    memory_limit: str | int | None
    threads: int | None
    table_name: str | None
    query: str | None
    password: str | None


class ReadingColumns(ReadingBesides, total=False):
    """The options of `read` but bands and levels."""

    columns: Sequence[str] | None


class Reading(ReadingColumns, total=False):
    """The options of `read`, which other functions take for records that aren't a `Table` yet."""

    bands: Mapping[str, object] | None
    levels: Mapping[str, object] | None


def as_table(
    source: Any,
    reading: Mapping[str, Any] | None = None,
    progress: Progress = no_progress,
    **own: Any,
) -> Table:
    """A table as it is, or records read with these options of `read`.

    `own` are such options that the caller has itself, and that choose of a table as well.
    """
    if not isinstance(source, Table):
        return read(source, **_known(reading or {}), **own, progress=progress)
    refuse_reading("the table has been read already", reading)
    return source


def refuse_reading(why: str, reading: Mapping[str, Any] | None) -> None:
    """An error where options say how to read what isn't read any more."""
    if reading:
        *most, last = _known(reading)
        names = f"{', '.join(most)} and {last}" if most else last
        verb = "say" if most else "says"
        raise ContradictoryOptions(
            f"{names} {verb} how records are read, and {why}", "give them to rr.read"
        )


def _known(reading: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in reading:
        if name not in Reading.__annotations__:
            raise TypeError(f"there is no argument {name!r}")
    return reading


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
    corrections: bool = False,
    weight: str | None = None,
    person: str | None = None,
    rows_are_people: bool = False,
    household: str | None = None,
    sensitive: str | Sequence[str] = (),
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

    Parameters:
        table: a path, a glob, a folder, ``s3://…``, a database's address, or a table in memory.
        columns: the quasi-identifiers. By default all columns but likely identifiers, free texts,
            measurements, counts and weights, which the table's `warnings` name.
        bands: {column: width} groups a number or date into bands, as in ``{"age": 5}`` or
            ``{"born": "10y"}`` (``3m``, ``2w``, ``7d``).
        levels: {column: digits} keeps the first characters of a code.
        decimals: {column: decimals} rounds a number.
        missing: ``"own"``, an empty cell is a value of its own, or ``"wildcard"``, it matches
            anything.
        empty: texts to treat as empty too.
        count: the column that says how many people a row stands for.
        corrections: rows of a count below 0, which correct an earlier release, are left out; they
            are refused by default.
        weight: the column of survey weights, kept for estimates of the population.
        person: the column that tells persons apart, who may have several rows.
        rows_are_people: each row is one person, even if a column suggests otherwise; where one does
            and nothing is stated, the table's `unit` asks for it.
        household: the column whose equal values are people who live together, for `population`.
        sensitive: the columns that somebody may learn from the table, for `learn`; they are never
            quasi-identifiers.
        key: the column that names the records in a file of them.
        encoding: of a text table; detected by default, as are the next two.
        delimiter: one character, or ``"tab"``.
        decimal: the decimal mark, ``"."`` or ``","``.
        sheet: of a spreadsheet; the first by default.
        header: False where the first line of a text table is a record.
        engine: ``"codes"`` counts in memory, ``"duckdb"`` on disk, ``"embedded"`` in either;
            ``"spark"``, ``"spark://host:port"`` and ``"sc://host:port"`` are clusters.
        memory_limit: bytes, or ``"4GB"``: beyond it counting moves to disk. By default 60 % of
            the machine's memory.
        threads: how many; all cores by default.
        table_name: the table of a database, ``"schema.name"``.
        query: or a query, which the database runs and counts.
        password: of the database; by default from .pgpass or PGPASSWORD.
        progress: called with what is being done, how much of it is done, and of how much.
    """
    options = ReadOptions.of(
        columns,
        bands=bands,
        levels=levels,
        decimals=decimals,
        missing=missing,
        empty=empty,
        count=count,
        corrections=corrections,
        weight=weight,
        person=person,
        rows_are_people=rows_are_people,
        household=household,
        sensitive=sensitive,
        key=key,
        encoding=encoding,
        delimiter=delimiter,
        decimal=decimal,
        sheet=sheet,
        header=header,
        engine=engine,
        memory_limit=memory_limit,
        threads=threads,
        table_name=table_name,
        query=query,
        password=password,
    )
    options.refuse_for(table)
    if is_elsewhere(table, engine):
        return _counted_elsewhere(table, options, progress)
    source = open_source(table, options, progress)
    options.check(source.names)
    warnings: list[str] = []
    looks: list[Look] = []
    if not options.columns:
        candidates = [
            name for name in source.names if name not in (*options.unit_columns, *options.sensitive)
        ]
        looks = first_look(source, candidates, options.empty)
        options, warnings = likely_columns(looks, options)
    if source.decimal_comma and options.decimal is None:
        options = options.decided("--decimal")
    unit = unit_of(source, options, looks)
    when_read = state_of(source.paths)
    counting = _engine(source, options, progress)
    LOG.info("%s: %s columns, engine %s", source.format, len(options.columns), counting.name)
    return Table(
        counting,
        source.format,
        source.paths,
        source.notes,
        (*source.warnings, *warnings, *counting.warnings),
        when_read,
        tuple(source.names),
        unit,
    )


def _counted_elsewhere(table: str, options: ReadOptions, progress: Progress) -> Table:
    from reidrisk.records.sql.remote import counted_elsewhere

    counted = counted_elsewhere(table, options, progress)
    return Table(
        counted.engine,
        counted.place.called,
        notes=(f"counted in {counted.place.called}",),
        warnings=counted.warnings,
        there=tuple(counted.place.stored.kinds),
        unit=counted.unit,
    )


def _engine(source: Source, options: ReadOptions, progress: Progress) -> Engine:
    """Packed codes while they fit, DuckDB's spilling otherwise."""
    if options.engine == "codes":
        return coded_records(source, options, progress)
    if options.engine == "embedded" and _fits(source, options):
        fitting = machine.rows_that_fit(options.bytes_allowed, len(options.needed), options.cores)
        try:
            with at_most(source, fitting):
                return coded_records(source, options, progress)
        except TooManyRows:
            if source.sql(options.needed) is None:
                raise more_rows_than_fit(fitting, len(options.needed)) from None
    from reidrisk.records.sql.duckdb import DuckDBEngine

    return DuckDBEngine(source, options, progress)


def _fits(source: Source, options: ReadOptions) -> bool:
    rows = source.rows
    if rows is None:
        # Delimited text: a row takes at least two bytes a column, and usually some seven.
        size = sum(path.stat().st_size for path in source.paths)
        compressed = any(path.suffix.lower() in COMPRESSION_SUFFIXES for path in source.paths)
        rows = size * (6 if compressed else 1) // (4 * len(source.names))
    needed = machine.needed_for_codes(rows, len(options.needed), options.cores)
    return source.sql(options.needed) is None or needed <= options.bytes_allowed
