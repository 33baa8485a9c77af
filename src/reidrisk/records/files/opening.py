"""Opening: from a path, a pattern, a folder or a table in memory to a source, by content first."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reidrisk.errors import InputError, UnreadableInput
from reidrisk.parallel import Progress, no_progress
from reidrisk.records.files.paths import (
    ARROW_SUFFIXES,
    JSON_SUFFIXES,
    SPREADSHEETS,
    STATISTICAL,
    Found,
    files_behind,
    format_suffix,
    is_in_store,
)
from reidrisk.records.files.source import Source


@dataclass(frozen=True)
class Writing:
    """What the caller says about how a file is written; None is found out."""

    encoding: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    sheet: str | None = None
    header: bool = True


def open_source(
    table: Any,
    writing: Writing | None = None,
    progress: Progress = no_progress,
    memory_limit: int | None = None,
) -> Source:
    """The source behind a path, a pattern, a folder, objects in a store or a table in memory."""
    writing = writing or Writing()
    if writing.decimal not in (None, ".", ","):
        raise InputError("--decimal is either . or ,")
    if isinstance(table, (str, os.PathLike)):
        found = _found(table, progress)
        source = _as_one([_open_keyed(each, writing, memory_limit) for each in found])
    else:
        from reidrisk.records.files.in_memory import open_in_memory

        source = open_in_memory(table)
    return _with_usable_names(source)


def _found(table: str | os.PathLike[str], progress: Progress) -> list[Found]:
    if not is_in_store(table):
        return files_behind(os.fspath(table))
    from reidrisk.records.files.object_stores import files_in_store

    return files_in_store(str(table), progress)


def _as_one(files: list[Source]) -> Source:
    if len(files) == 1:
        return files[0]
    from reidrisk.records.files.partitions import as_one

    return as_one(files)


def _open_keyed(found: Found, writing: Writing, limit: int | None) -> Source:
    source = _open_file(found.path, writing, limit)
    if not found.keys:
        return source
    from reidrisk.records.files.partitions import with_keys

    return with_keys(source, found.keys)


def _open_file(path: Path, writing: Writing, limit: int | None) -> Source:
    try:
        with path.open("rb") as file:
            beginning = file.read(4096)
    except PermissionError:
        raise UnreadableInput(f"{path} may not be read", "check the file's permissions") from None
    except OSError as error:
        raise UnreadableInput(f"{path} can't be read: {error.strerror}") from None
    if not beginning:
        raise UnreadableInput(f"{path.name} is empty")
    return _by_content(path, beginning, writing, limit)


def _by_content(path: Path, beginning: bytes, writing: Writing, limit: int | None) -> Source:
    suffix, compressed = format_suffix(path)
    if suffix in (*SPREADSHEETS, *STATISTICAL, *ARROW_SUFFIXES) and compressed:
        raise UnreadableInput(
            f"{path.name}: only text tables are read compressed", "decompress it first"
        )
    if beginning.startswith(b"PK\x03\x04") and suffix not in SPREADSHEETS:
        raise UnreadableInput(
            f"{path.name} is a spreadsheet or another zip archive, by its first bytes",
            "if it is an Excel file, end its name in .xlsx; else unpack it",
        )
    if beginning.startswith(b"PAR1") or suffix == ".parquet":
        from reidrisk.records.files.parquet import open_parquet

        return open_parquet(path)
    if beginning.startswith(b"ARROW1") or suffix in ARROW_SUFFIXES:
        from reidrisk.records.files.parquet import open_arrow

        return open_arrow(path)
    if suffix in SPREADSHEETS or suffix in STATISTICAL:
        return _open_foreign(path, suffix, writing, limit)
    if suffix in JSON_SUFFIXES or (not suffix and beginning.lstrip()[:1] == b"{"):
        _refuse_statistics(path, beginning)
        from reidrisk.records.files.json_lines import open_json_lines

        return open_json_lines(path, limit)
    from reidrisk.records.files.csv_file import open_delimited

    return open_delimited(
        path, writing.encoding, writing.delimiter, writing.decimal, writing.header
    )


def _open_foreign(path: Path, suffix: str, writing: Writing, limit: int | None) -> Source:
    from reidrisk.records.files.foreign import open_spreadsheet, open_statistical

    if suffix in SPREADSHEETS:
        return open_spreadsheet(path, writing.sheet, limit)
    return open_statistical(path, limit)


def _refuse_statistics(path: Path, beginning: bytes) -> None:
    if b"reidrisk-statistics/" in beginning:
        raise UnreadableInput(
            f"{path.name} holds statistics, not records",
            "this command counts records; give it a table",
        )


def _with_usable_names(source: Source) -> Source:
    if not source.names:
        raise UnreadableInput("the table has no columns")
    refuse_repeated(source.names)
    return source


def refuse_repeated(names: Iterable[str]) -> None:
    """A name stands for one column."""
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        listed = ", ".join(repr(name) for name in repeated[:5])
        raise UnreadableInput(
            f"column names occur more than once: {listed}", "rename them so that each is one column"
        )
