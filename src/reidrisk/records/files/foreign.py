"""Formats other programs own: Excel, SPSS, SAS and Stata. Read whole, apart, then held."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from reidrisk.errors import MissingExtra, UnreadableInput
from reidrisk.records.files.csv_format import title_rows, title_said
from reidrisk.records.files.in_memory import arrow_column
from reidrisk.records.files.parquet import TableInMemory
from reidrisk.records.files.separate_process import ReadApart, read_apart

# Of a sheet, to see whether a title stands above the column names.
FIRST_ROWS = 500

_STATISTICAL = {
    ".sav": ("SPSS", "read_sav"),
    ".zsav": ("SPSS", "read_sav"),
    ".por": ("SPSS", "read_por"),
    ".sas7bdat": ("SAS", "read_sas7bdat"),
    ".xpt": ("SAS", "read_xport"),
    ".dta": ("Stata", "read_dta"),
}


def open_spreadsheet(
    path: Path, sheet: str | None = None, memory_limit: int | None = None
) -> TableInMemory:
    """The first sheet, or the one named; its first row, but for a title, holds the names."""
    _refuse_without("fastexcel", "Excel files")
    return _held("Excel", path, read_apart("spreadsheet", path, memory_limit, sheet=sheet))


def sheet_rows(path: Path, sheet: str | None = None) -> list[list[str]]:
    """Every row of a sheet as texts, the first one too; an empty cell is an empty text."""
    _refuse_without("fastexcel", "Excel files")
    return _texts(read_apart("cells", path, None, sheet=sheet).table)


def open_statistical(path: Path, memory_limit: int | None = None) -> TableInMemory:
    """SPSS, SAS and Stata: codes as recorded, not their labels; user-missing is missing."""
    program, _ = _STATISTICAL[path.suffix.lower()]
    _refuse_without("pyreadstat", f"{program} files")
    return _held(program, path, read_apart("statistical", path, memory_limit))


def _held(program: str, path: Path, found: ReadApart) -> TableInMemory:
    table, note, said = found
    names = tuple(table.column_names)
    return TableInMemory(table, names, program, (path,), notes=(note,), warnings=tuple(said))


def _refuse_without(library: str, what: str) -> None:
    """Looked for, not imported: it is imported where the file is read."""
    try:
        there = find_spec(library) is not None
    except ValueError:
        there = False
    if not there:
        raise MissingExtra(what, "formats")


def _spreadsheet(path: Path, sheet: str | None) -> ReadApart:
    book, chosen = _opened(path, sheet)
    try:
        top = book.load_sheet(chosen, header_row=None, n_rows=FIRST_ROWS, dtypes="string")
        first = _texts(top.to_arrow())
        titles = title_rows(first)
        _refuse_repeated(path, first[titles] if first else [])
        # Types from all rows: a text further down would else become an empty cell.
        skipped = {"header_row": titles} if titles else {}
        batch = book.load_sheet(chosen, schema_sample_rows=None, **skipped).to_arrow()
    except _faults_of_excel():
        raise UnreadableInput(f"{path.name}: the sheet {chosen!r} is empty") from None
    table = _without_blank_rows(pa.Table.from_batches([batch]))
    others = len(book.sheet_names) - 1
    note = f"Excel: sheet {chosen!r}" + (f", {others} more not read" if others else "")
    names = tuple(name.strip() for name in table.column_names)
    columns = [_time_of_day(column) for column in table.columns]
    said = [title_said(titles, names)] if titles else []
    return ReadApart(pa.Table.from_arrays(columns, names=list(names)), note, said)


def _cells(path: Path, sheet: str | None) -> ReadApart:
    book, chosen = _opened(path, sheet)
    try:
        held = book.load_sheet(chosen, header_row=None, dtypes="string").to_arrow()
    except _faults_of_excel():
        raise UnreadableInput(f"{path.name}: the sheet {chosen!r} is empty") from None
    return ReadApart(pa.Table.from_batches([held]))


def _texts(batch: Any) -> list[list[str]]:
    return [[text or "" for text in row.values()] for row in batch.to_pylist()]


def _opened(path: Path, sheet: str | None) -> tuple[Any, str]:
    """The workbook and the sheet to read."""
    import fastexcel

    try:
        book = fastexcel.read_excel(str(path))
    except fastexcel.FastExcelError:
        raise UnreadableInput(f"{path.name} can't be read as a spreadsheet") from None
    if not book.sheet_names:
        raise UnreadableInput(f"{path.name} has no sheets")
    if sheet is not None and sheet not in book.sheet_names:
        listed = ", ".join(book.sheet_names)
        raise UnreadableInput(f"{path.name} has no sheet {sheet!r}", f"there are: {listed}")
    # It writes to the log when a column is empty, which is nobody's concern.
    logging.getLogger("fastexcel").setLevel(logging.ERROR)
    return book, sheet or book.sheet_names[0]


def _faults_of_excel() -> type[Exception]:
    import fastexcel

    fault: type[Exception] = fastexcel.FastExcelError
    return fault


def _refuse_repeated(path: Path, header: Sequence[str]) -> None:
    """The reader would rename repeated column names in silence."""
    names = [name for name in header if name]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        listed = ", ".join(repr(name) for name in repeated[:5])
        raise UnreadableInput(
            f"{path.name}: column names occur more than once: {listed}",
            "rename them so that each is one column",
        )


def _without_blank_rows(table: pa.Table) -> pa.Table:
    """A row with nothing in it is a gap in the sheet, not a person."""
    blank = np.ones(len(table), dtype=bool)
    for column in table.columns:
        blank &= np.asarray(column.is_null())
    return table.filter(pa.array(~blank)) if blank.any() else table


def _time_of_day(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A time without a date is stored as one of the first days of Excel's calendar."""
    if not pa.types.is_timestamp(column.type):
        return column
    texts = column.cast(pa.string()).to_pylist()
    first_days = ("1899-12-30 ", "1899-12-31 ")
    if not any(text and text.startswith(first_days) for text in texts):
        return column
    return pa.chunked_array(
        [[t[11:] if t and t.startswith(first_days) else t for t in texts]], type=pa.string()
    )


def _statistical(path: Path) -> ReadApart:
    import pyreadstat

    program, reader = _STATISTICAL[path.suffix.lower()]
    try:
        columns, described = getattr(pyreadstat, reader)(str(path), output_format="dict")
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeDecodeError):
        raise UnreadableInput(f"{path.name} can't be read as a {program} file") from None
    table = pa.table({name: _statistical_column(columns[name]) for name in columns})
    note = f"{program}: {described.file_encoding or 'encoding not stated'}, codes not labels"
    return ReadApart(table, note)


def _statistical_column(values: Any) -> pa.Array:
    """A cell without a value is not-a-number among numbers and an empty text among texts."""
    return arrow_column(list(values))


# What can be asked for apart.
READERS: dict[str, Callable[..., ReadApart]] = {
    "spreadsheet": _spreadsheet,
    "cells": _cells,
    "statistical": _statistical,
}
