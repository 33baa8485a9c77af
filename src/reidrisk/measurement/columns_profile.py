"""`columns`: what is in a table, before anything is measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from reidrisk.crowds import Answer, Envelope, Input, InputHash, RowUnit, named
from reidrisk.errors import UnreadableInput, UnusableColumn
from reidrisk.input_hash import state_of
from reidrisk.machine import Progress, no_progress
from reidrisk.printable import shell_word
from reidrisk.records import (
    CONSTANT,
    ERROR,
    QUASI_IDENTIFIER,
    WEIGHT,
    CodedColumn,
    Labelling,
    Look,
    ReadOptions,
    Source,
    code_column,
    column_estimates,
    first_look,
    is_elsewhere,
    is_long,
    judge,
    likely_units,
    marks_warnings,
    missing_marks,
    open_source,
)


@dataclass(frozen=True)
class ColumnProfile:
    """One column: its counts, and what it is likely to be.

    In a long table `distinct` of a column of many values is `approximate`; 99 of 100 are off by
    less than `distinct_error` of it.
    """

    name: str
    distinct: int
    empty: int
    kind: str
    role: str
    why: str
    approximate: bool = False
    distinct_error: float | None = None

    def seen(self, rows: int) -> Look:
        """As one look over all rows; what may be as many values as rows is taken to be."""
        present = rows - self.empty
        near = self.distinct_error or 0.0
        values = present if abs(self.distinct - present) <= near * present else self.distinct
        return Look(self.name, self.kind, self.role, self.why, rows, values, present)


# Rows, the columns, and the marks of missing values found in each.
Counted = tuple[int, list[ColumnProfile], Mapping[str, Mapping[str, int]]]


@dataclass(frozen=True, eq=False)
class ColumnsProfile(Answer):
    """The answer of `columns`."""

    envelope: Envelope
    columns: tuple[ColumnProfile, ...]
    rows: int

    @property
    def unit(self) -> RowUnit:
        """What the columns say a row may stand for."""
        return RowUnit(likely=likely_units([column.seen(self.rows) for column in self.columns]))

    @property
    def columns_option(self) -> str:
        """The options to copy: every likely quasi-identifier, and what a row likely stands for."""
        unit = self.unit.likely[:1]
        told = {each.column for each in unit}
        chosen = [c.name for c in self.columns if c.role == QUASI_IDENTIFIER and c.name not in told]
        if not chosen:
            return ""
        aside = [f" --{each.kind} {shell_word(each.column)}" for each in unit] + [
            f" --{WEIGHT} {shell_word(column.name)}"
            for column in self.columns
            if column.role == WEIGHT
        ]
        if any("," in name or name != name.strip() for name in chosen):
            named = " ".join(f"--column {shell_word(name)}" for name in chosen)
        else:
            named = f"--columns {shell_word(','.join(chosen))}"
        return named + "".join(aside[:1])

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        listed = [vars(column).copy() for column in self.columns]
        told = self.envelope.to_dict()
        told["input"]["unit"] = self.unit.to_dict()
        return told | {
            "rows": self.rows,
            "columns": listed,
            "columns_option": self.columns_option,
        }


def columns(
    table: Any,
    *,
    empty: Iterable[str] = (),
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    header: bool = True,
    threads: int | None = None,
    engine: str = "embedded",
    table_name: str | None = None,
    query: str | None = None,
    password: str | None = None,
    progress: Progress = no_progress,
) -> ColumnsProfile:
    """Distinct values, empty cells, kind and likely role of each column of a table.

    Parameters:
        table: anything `read` takes.
        empty: texts to treat as empty too.
        encoding: of a text table; detected by default, as are the next two.
        delimiter: one character, or ``"tab"``.
        decimal: the decimal mark, ``"."`` or ``","``.
        sheet: of a spreadsheet; the first by default.
        header: False where the first line of a text table is a record.
        threads: how many; all cores by default.
        engine: as in `read`.
        table_name: the table of a database, ``"schema.name"``.
        query: or a query, which the database runs and counts.
        password: of the database.
        progress: called with what is being done, how much of it is done, and of how much.
    """
    options = ReadOptions.of(
        empty=empty,
        encoding=encoding,
        delimiter=delimiter,
        decimal=decimal,
        sheet=sheet,
        header=header,
        threads=threads,
        engine=engine,
        table_name=table_name,
        query=query,
        password=password,
    )
    options.refuse_for(table)
    if is_elsewhere(table, engine):
        return _elsewhere(table, options, progress)
    source = open_source(table, options, progress)
    first = {look.name: look for look in first_look(source, source.names, options.empty)}
    labelling = Labelling(options.empty, source.decimal_comma)
    when_read = state_of(source.paths)
    counting = _about if is_long(source) else _exactly
    rows, profiles, marks = counting(source, first, labelling, options.cores, progress)
    if not rows:
        raise UnreadableInput("the table has no rows")
    hashed = Input(
        rows,
        source.names,
        InputHash(source.paths, when_read),
        named(source.paths, source.format),
        source.notes,
    )
    said = (*source.warnings, *marks_warnings({n: marks[n] for n in source.names if n in marks}))
    envelope = Envelope("columns", "records", hashed, "own", "embedded", warnings=said)
    return ColumnsProfile(envelope, tuple(profiles), rows)


def _exactly(
    source: Source,
    first: Mapping[str, Look],
    labelling: Labelling,
    threads: int,
    progress: Progress,
) -> Counted:
    """Every different value of every column."""
    marks: dict[str, dict[str, int]] = {}

    def counted(name: str, chunks: Iterable[pa.Array]) -> tuple[int, ColumnProfile]:
        look = first[name]
        try:
            column = code_column(name, chunks, labelling)
        except UnusableColumn:
            # Lists and structures: nothing to count.
            return 0, ColumnProfile(name, 0, 0, look.kind, look.role, look.why)
        marks[name] = missing_marks(column)
        return len(column.codes), _of_values(column, look)

    found = source.each_column(source.names, counted, threads, progress)
    return max(rows for rows, _ in found), [profile for _, profile in found], marks


def _about(
    source: Source,
    first: Mapping[str, Look],
    labelling: Labelling,
    threads: int,
    progress: Progress,
) -> Counted:
    """Columns of few values exactly, about how many values the others have."""
    single = [name for name in source.names if first[name].kind != "nested"]
    rows, found = column_estimates(source, single, labelling, threads, progress)
    profiles, marks = [], {}
    for name, look in first.items():
        column = found.get(name)
        if isinstance(column, CodedColumn):
            marks[name] = missing_marks(column)
            profiles.append(_of_values(column, look))
            continue
        values, empty, marks[name] = column or (0, 0, {})
        role, why = (look.role, look.why) if look.role != CONSTANT else (QUASI_IDENTIFIER, "")
        sketched = column is not None
        error = ERROR if sketched else None
        profiles.append(ColumnProfile(name, values, empty, look.kind, role, why, sketched, error))
    return rows, profiles, marks


def _of_values(column: CodedColumn, first: Look) -> ColumnProfile:
    """What was one value in the first rows may be more in the whole table."""
    look = judge(column) if first.role == CONSTANT else first
    empty = int(column.held[-1])
    return ColumnProfile(look.name, len(column.values), empty, look.kind, look.role, look.why)


def _elsewhere(table: str, options: ReadOptions, progress: Progress) -> ColumnsProfile:
    """The same where the records stay: counted there, no row comes here."""
    from reidrisk.records import profiled

    place, rows, found = profiled(table, options, progress)
    if not rows:
        raise UnreadableInput("the table has no rows")
    profiles = [
        ColumnProfile(look.name, values, gaps, look.kind, look.role, look.why)
        for look, values, gaps, _ in found
    ]
    names = tuple(column.name for column in profiles)
    about = Input(rows, names, named=f"the table from {place.called}")
    name = place.stored.dialect.name
    said = (*place.warnings, *marks_warnings({each.look.name: each.marks for each in found}))
    envelope = Envelope("columns", "records", about, "own", name, warnings=said)
    return ColumnsProfile(envelope, tuple(profiles), rows)
