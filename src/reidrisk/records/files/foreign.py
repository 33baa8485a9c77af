"""Formats other programs own: Excel, SPSS, SAS and Stata, read by a process of their own.

The libraries that read them hold a table whole, end the process where memory runs out, and trust
what a file says of its size. So a process under a limit sends the table as it is read; its end is
not ours.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from reidrisk import errors, machine
from reidrisk.errors import MissingExtra, OutOfRoom, ReidriskError, UnreadableInput
from reidrisk.records.files.csv_format import title_rows, title_said
from reidrisk.records.files.in_memory import arrow_column
from reidrisk.records.files.parquet import TableInMemory
from reidrisk.records.read_options import ReadOptions

# A table is held here while the rest of it is still held there.
SHARE = 0.75
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


class ForeignTable(NamedTuple):
    """A table, what was detected, and what looks wrong."""

    table: pa.Table
    note: str = ""
    warnings: Sequence[str] = ()


def open_spreadsheet(path: Path, options: ReadOptions) -> TableInMemory:
    """The first sheet, or the one named; its first row, but for a title, holds the names."""
    _refuse_without("fastexcel", "Excel files")
    return _in_memory("Excel", path, _read_apart("spreadsheet", path, options, options.sheet))


def sheet_rows(path: Path, sheet: str | None = None) -> list[list[str]]:
    """Every row of a sheet as texts, the first one too; an empty cell is an empty text."""
    _refuse_without("fastexcel", "Excel files")
    return _texts(_read_apart("cells", path, ReadOptions(), sheet).table)


def open_statistical(path: Path, options: ReadOptions) -> TableInMemory:
    """SPSS, SAS and Stata: codes as recorded, not their labels; user-missing is missing."""
    program, _ = _STATISTICAL[path.suffix.lower()]
    _refuse_without("pyreadstat", f"{program} files")
    return _in_memory(program, path, _read_apart("statistical", path, options))


def _in_memory(program: str, path: Path, read: ForeignTable) -> TableInMemory:
    names = tuple(read.table.column_names)
    return TableInMemory(
        read.table, names, program, (path,), notes=(read.note,), warnings=tuple(read.warnings)
    )


def _refuse_without(library: str, what: str) -> None:
    """Looked for, not imported: it is imported where the file is read."""
    try:
        there = find_spec(library) is not None
    except ValueError:
        there = False
    if not there:
        raise MissingExtra(what, "formats")


def _spreadsheet(path: Path, sheet: str | None) -> ForeignTable:
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
    return ForeignTable(pa.Table.from_arrays(columns, names=list(names)), note, said)


def _cells(path: Path, sheet: str | None) -> ForeignTable:
    book, chosen = _opened(path, sheet)
    try:
        held = book.load_sheet(chosen, header_row=None, dtypes="string").to_arrow()
    except _faults_of_excel():
        raise UnreadableInput(f"{path.name}: the sheet {chosen!r} is empty") from None
    return ForeignTable(pa.Table.from_batches([held]))


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


def _statistical(path: Path, _: str | None) -> ForeignTable:
    import pyreadstat

    program, reader = _STATISTICAL[path.suffix.lower()]
    try:
        columns, described = getattr(pyreadstat, reader)(str(path), output_format="dict")
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeDecodeError):
        raise UnreadableInput(f"{path.name} can't be read as a {program} file") from None
    # A cell without a value is not-a-number among numbers and an empty text among texts.
    table = pa.table({name: arrow_column(list(columns[name])) for name in columns})
    note = f"{program}: {described.file_encoding or 'encoding not stated'}, codes not labels"
    return ForeignTable(table, note)


READERS: dict[str, Callable[..., ForeignTable]] = {
    "spreadsheet": _spreadsheet,
    "cells": _cells,
    "statistical": _statistical,
}


def _read_apart(
    reader: str, path: Path, options: ReadOptions, sheet: str | None = None
) -> ForeignTable:
    """What one of `READERS` reads in a process of its own, under the limit on memory."""
    if not sys.executable:
        return READERS[reader](path, sheet)
    limit = int(SHARE * options.bytes_allowed)
    question = {"reader": reader, "path": str(path), "limit": limit, "sheet": sheet}
    process = subprocess.Popen(
        [sys.executable, "-m", __name__],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(question).encode() + b"\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline() or b"null")
        if answer is None:
            raise _ended_early(path)
        if "error" in answer:
            raise _fault(answer)
        table = pa.ipc.open_stream(process.stdout).read_all()
        return ForeignTable(table, answer["note"], answer["warnings"])
    except (BrokenPipeError, pa.ArrowInvalid):
        raise _ended_early(path) from None
    finally:
        process.kill()
        process.stdin.close()
        process.stdout.close()
        process.wait()


def _ended_early(path: Path) -> ReidriskError:
    return UnreadableInput(
        f"{path.name} can't be read: it takes more memory than is given, or is damaged",
        "give more by --memory-limit, or save it as CSV or Parquet and try that",
    )


def _fault(answer: dict[str, Any]) -> ReidriskError:
    if answer["error"] == "MemoryError":
        return OutOfRoom(
            f"reading {answer['message']} takes more memory than is given",
            "give more by --memory-limit, or save it as CSV or Parquet",
        )
    kind = getattr(errors, answer["error"], None)
    if kind is None:
        return UnreadableInput(f"{answer['message']} is damaged: it can't be read")
    fault: ReidriskError = kind(answer["message"], answer["hint"])
    return fault


def main() -> None:
    """Read what is asked for, and send it."""
    sent = sys.stdout.buffer
    sys.stdout = sys.stderr
    question = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_who_asked, daemon=True).start()
    path = Path(question["path"])
    machine.hold_to(question["limit"])
    answer: dict[str, Any]
    try:
        read = READERS[question["reader"]](path, question["sheet"])
    except ReidriskError as error:
        answer = {
            "error": type(error).__name__, "message": error.message, "hint": error.hint,
        }  # fmt: skip
    except Exception as error:
        answer = {"error": type(error).__name__, "message": path.name, "hint": ""}
    else:
        answer = {"note": read.note, "warnings": list(read.warnings)}
    sent.write(json.dumps(answer).encode() + b"\n")
    if "note" in answer:
        with pa.ipc.new_stream(sent, read.table.schema) as stream:
            stream.write_table(read.table)
    sent.flush()


def _end_with_who_asked() -> None:
    """Nothing more is ever asked; whoever asked is gone when this ends."""
    sys.stdin.buffer.read(1)
    os._exit(1)


if __name__ == "__main__":
    main()
