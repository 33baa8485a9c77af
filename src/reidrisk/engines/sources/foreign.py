"""Formats other programs own: Excel, SPSS, SAS and Stata. Read whole, then held."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from reidrisk.engines.sources.columnar import TableInMemory
from reidrisk.engines.sources.in_memory import arrow_column
from reidrisk.errors import MissingExtra, UnreadableInput

_STATISTICAL = {
    ".sav": ("SPSS", "read_sav"),
    ".zsav": ("SPSS", "read_sav"),
    ".por": ("SPSS", "read_por"),
    ".sas7bdat": ("SAS", "read_sas7bdat"),
    ".xpt": ("SAS", "read_xport"),
    ".dta": ("Stata", "read_dta"),
}


def open_spreadsheet(path: Path, sheet: str | None = None) -> TableInMemory:
    """The first sheet, or the one named; its first row holds the column names."""
    try:
        import fastexcel
    except ImportError:
        raise MissingExtra("Excel files", "formats") from None
    try:
        book = fastexcel.read_excel(str(path))
    except fastexcel.FastExcelError:
        raise UnreadableInput(f"{path.name} can't be read as a spreadsheet") from None
    if not book.sheet_names:
        raise UnreadableInput(f"{path.name} has no sheets")
    if sheet is not None and sheet not in book.sheet_names:
        listed = ", ".join(book.sheet_names)
        raise UnreadableInput(f"{path.name} has no sheet {sheet!r}", f"there are: {listed}")
    chosen = sheet or book.sheet_names[0]
    try:
        batch = book.load_sheet(chosen).to_arrow()
    except fastexcel.FastExcelError:
        raise UnreadableInput(f"{path.name}: the sheet {chosen!r} is empty") from None
    table = pa.Table.from_batches([batch])
    others = len(book.sheet_names) - 1
    note = f"Excel: sheet {chosen!r}" + (f", {others} more not read" if others else "")
    names = tuple(name.strip() for name in table.column_names)
    return TableInMemory(table.rename_columns(list(names)), names, "Excel", (path,), notes=(note,))


def open_statistical(path: Path) -> TableInMemory:
    """SPSS, SAS and Stata: codes as recorded, not their labels; user-missing is missing."""
    program, reader = _STATISTICAL[path.suffix.lower()]
    try:
        import pyreadstat
    except ImportError:
        raise MissingExtra(f"{program} files", "formats") from None
    try:
        columns, described = getattr(pyreadstat, reader)(str(path), output_format="dict")
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeDecodeError):
        raise UnreadableInput(f"{path.name} can't be read as a {program} file") from None
    table = pa.table({name: _statistical_column(columns[name]) for name in columns})
    note = f"{program}: {described.file_encoding or 'encoding not stated'}, codes not labels"
    return TableInMemory(table, tuple(table.column_names), program, (path,), notes=(note,))


def _statistical_column(values: Any) -> pa.Array:
    """A cell without a value is not-a-number among numbers and an empty text among texts."""
    return arrow_column(list(values))
