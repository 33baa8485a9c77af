"""Opening: from a path, a glob or a table in memory to a source, by content before suffix."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reidrisk.engines.sources.source import Source
from reidrisk.errors import InputError, UnreadableInput

# Formats are imported when a file asks for them: most commands meet one.
SPREADSHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
_STATISTICAL = (".sav", ".zsav", ".por", ".sas7bdat", ".xpt", ".dta")
_ARROW_SUFFIXES = (".arrow", ".feather", ".ipc", ".arrows")
_JSON_SUFFIXES = (".json", ".jsonl", ".ndjson")
COMPRESSION_SUFFIXES = (".gz", ".zst", ".zstd", ".bz2")


@dataclass(frozen=True)
class Writing:
    """What the caller says about how a file is written; None is found out."""

    encoding: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    sheet: str | None = None
    header: bool = True


def open_source(table: Any, writing: Writing | None = None) -> Source:
    """The source behind a path, a glob or a table in memory."""
    writing = writing or Writing()
    if writing.decimal not in (None, ".", ","):
        raise InputError("--decimal is either . or ,")
    if isinstance(table, (str, os.PathLike)):
        files = [_open_file(path, writing) for path in _paths(os.fspath(table))]
        source = files[0] if len(files) == 1 else _as_one(files)
    else:
        from reidrisk.engines.sources.in_memory import open_in_memory

        source = open_in_memory(table)
    return _with_usable_names(source)


def _as_one(files: list[Source]) -> Source:
    from reidrisk.engines.sources.several import as_one

    return as_one(files)


def _paths(named: str) -> list[Path]:
    path = Path(named)
    if named == "-" or path.is_fifo() or path.is_char_device():
        return [_spooled(Path("/dev/stdin") if named == "-" else path)]
    if not path.exists() and glob.has_magic(named):
        found = sorted(Path(match) for match in glob.glob(named, recursive=True))
        files = [match for match in found if match.is_file()]
        if not files:
            raise UnreadableInput(f"no file matches {named}")
        return files
    if not path.exists():
        raise UnreadableInput(f"there is no file {named}", _lookalikes(path))
    if path.is_dir():
        raise UnreadableInput(
            f"{named} is a directory", f"name the files in it: '{named.rstrip('/')}/*.parquet'"
        )
    return [path]


def _spooled(path: Path) -> Path:
    """What comes through a pipe, kept in a file: formats are told from their beginning and end."""
    import shutil

    from reidrisk.writing import temporary_folder

    kept = temporary_folder() / "standard-input"
    with path.open("rb") as stream, kept.open("wb") as file:
        shutil.copyfileobj(stream, file)
    return kept


def _lookalikes(path: Path) -> str:
    """Files beside the missing one that differ only in their ending or in case."""
    if not path.parent.is_dir():
        return f"there is no directory {path.parent} either"
    near = [
        other.name
        for other in path.parent.iterdir()
        if other.stem.casefold() == path.stem.casefold() and other.is_file()
    ]
    return f"there is: {', '.join(sorted(near)[:5])}" if near else ""


def _open_file(path: Path, writing: Writing) -> Source:
    try:
        with path.open("rb") as file:
            beginning = file.read(4096)
    except PermissionError:
        raise UnreadableInput(f"{path} may not be read", "check the file's permissions") from None
    except OSError as error:
        raise UnreadableInput(f"{path} can't be read: {error.strerror}") from None
    if not beginning:
        raise UnreadableInput(f"{path.name} is empty")
    return _by_content(path, beginning, writing)


def _by_content(path: Path, beginning: bytes, writing: Writing) -> Source:
    suffix, compressed = _format_suffix(path)
    if suffix in (*SPREADSHEETS, *_STATISTICAL, *_ARROW_SUFFIXES) and compressed:
        raise UnreadableInput(
            f"{path.name}: only text tables are read compressed", "decompress it first"
        )
    if beginning.startswith(b"PK\x03\x04") and suffix not in SPREADSHEETS:
        raise UnreadableInput(
            f"{path.name} is a spreadsheet or another zip archive, by its first bytes",
            "if it is an Excel file, end its name in .xlsx; else unpack it",
        )
    if beginning.startswith(b"PAR1") or suffix == ".parquet":
        from reidrisk.engines.sources.columnar import open_parquet

        return open_parquet(path)
    if beginning.startswith(b"ARROW1") or suffix in _ARROW_SUFFIXES:
        from reidrisk.engines.sources.columnar import open_arrow

        return open_arrow(path)
    if suffix in SPREADSHEETS or suffix in _STATISTICAL:
        return _open_foreign(path, suffix, writing)
    if suffix in _JSON_SUFFIXES or (not suffix and beginning.lstrip()[:1] == b"{"):
        _refuse_statistics(path, beginning)
        from reidrisk.engines.sources.json_lines import open_json_lines

        return open_json_lines(path)
    from reidrisk.engines.sources.delimited_opening import open_delimited

    return open_delimited(
        path, writing.encoding, writing.delimiter, writing.decimal, writing.header
    )


def _format_suffix(path: Path) -> tuple[str, bool]:
    """The ending that tells the format, and whether one of compression stands behind it."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compressed = bool(suffixes) and suffixes[-1] in COMPRESSION_SUFFIXES
    if compressed:
        suffixes.pop()
    return suffixes[-1] if suffixes else "", compressed


def _open_foreign(path: Path, suffix: str, writing: Writing) -> Source:
    from reidrisk.engines.sources.foreign import open_spreadsheet, open_statistical

    if suffix in SPREADSHEETS:
        return open_spreadsheet(path, writing.sheet)
    return open_statistical(path)


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
