"""Opening: from a path, a pattern, a folder or a table in memory to a source, by content first.

lake/year=2020/county=x/part-0.parquet, found by `lake/`, has the keys year and county.
"""

from __future__ import annotations

import glob
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from reidrisk.errors import UnreadableInput
from reidrisk.machine import Progress, no_progress
from reidrisk.output_files import temporary_folder
from reidrisk.printable import shell_word
from reidrisk.records.files.source import FoundFile, Source
from reidrisk.records.read_options import OBJECT_STORES, ReadOptions, scheme_of

COMPRESSION_SUFFIXES = (".gz", ".zst", ".zstd", ".bz2")
SPREADSHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
STATISTICAL = (".sav", ".zsav", ".por", ".sas7bdat", ".xpt", ".dta")
ARROW_SUFFIXES = (".arrow", ".feather", ".ipc", ".arrows")
JSON_SUFFIXES = (".json", ".jsonl", ".ndjson")
_TEXT_SUFFIXES = ("", ".csv", ".tsv", ".tab", ".txt", ".dat", ".psv")
_OF_TABLES = (".parquet", ".pq", *ARROW_SUFFIXES, *JSON_SUFFIXES, *_TEXT_SUFFIXES, *SPREADSHEETS,
              *STATISTICAL)  # fmt: skip
# As Hive, Spark and DuckDB write a key without a value.
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
# What keeps older versions of a table beside the one that counts: Delta, Hudi, Iceberg.
_VERSIONS = ("_delta_log", ".hoodie", "metadata/*.metadata.json", "metadata/version-hint.text")


def open_source(
    table: Any, options: ReadOptions | None = None, progress: Progress = no_progress
) -> Source:
    """The source behind a path, a pattern, a folder, objects in a store or a table in memory."""
    options = options or ReadOptions()
    if isinstance(table, (str, os.PathLike)):
        source = _as_one([_open_keyed(found, options) for found in _found(table, progress)])
    else:
        from reidrisk.records.files.in_memory import open_in_memory

        source = open_in_memory(table)
    if not source.names:
        raise UnreadableInput("the table has no columns")
    refuse_repeated(source.names)
    return source


def _found(table: str | os.PathLike[str], progress: Progress) -> list[FoundFile]:
    if scheme_of(table) not in OBJECT_STORES:
        return files_behind(os.fspath(table))
    from reidrisk.records.files.object_stores import files_in_store

    return files_in_store(str(table), files_behind, progress)


def _as_one(files: list[Source]) -> Source:
    if len(files) == 1:
        return files[0]
    from reidrisk.records.files.partitions import as_one

    return as_one(files)


def _open_keyed(found: FoundFile, options: ReadOptions) -> Source:
    source = _open_file(found.path, options)
    if not found.keys:
        return source
    from reidrisk.records.files.partitions import with_keys

    return with_keys(source, found.keys)


def _open_file(path: Path, options: ReadOptions) -> Source:
    try:
        with path.open("rb") as file:
            beginning = file.read(4096)
    except PermissionError:
        raise UnreadableInput(f"{path} may not be read", "check the file's permissions") from None
    except OSError as error:
        raise UnreadableInput(f"{path} can't be read: {error.strerror}") from None
    if not beginning:
        raise UnreadableInput(f"{path.name} is empty")
    return _by_content(path, beginning, options)


def _by_content(path: Path, beginning: bytes, options: ReadOptions) -> Source:
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
    if suffix in SPREADSHEETS:
        from reidrisk.records.files.foreign import open_spreadsheet

        return open_spreadsheet(path, options)
    if suffix in STATISTICAL:
        from reidrisk.records.files.foreign import open_statistical

        return open_statistical(path, options)
    if suffix in JSON_SUFFIXES or (not suffix and beginning.lstrip()[:1] == b"{"):
        if b"reidrisk-statistics/" in beginning:
            raise UnreadableInput(
                f"{path.name} holds statistics, not records",
                "this command counts records; give it a table",
            )
        from reidrisk.records.files.json_lines import open_json_lines

        return open_json_lines(path, options)
    from reidrisk.records.files.csv_file import open_delimited

    return open_delimited(path, options)


def refuse_repeated(names: Iterable[str]) -> None:
    """A name stands for one column."""
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        listed = ", ".join(repr(name) for name in repeated[:5])
        raise UnreadableInput(
            f"column names occur more than once: {listed}", "rename them so that each is one column"
        )


def files_behind(named: str) -> list[FoundFile]:
    """The files a path, a pattern or a folder names, in the order of their names."""
    path = Path(named)
    if named == "-" or path.is_fifo() or path.is_char_device():
        return [FoundFile(_spooled(Path("/dev/stdin") if named == "-" else path))]
    if path.is_dir():
        return _in_folder(path, named)
    if path.exists():
        return [FoundFile(path)]
    if glob.has_magic(named):
        return _of_pattern(named)
    raise UnreadableInput(f"there is no file {named}", _lookalikes(path))


def _of_pattern(pattern: str) -> list[FoundFile]:
    root = _fixed_part(pattern)
    asked_for = any(part.startswith(("_", ".")) for part in Path(pattern).relative_to(root).parts)
    matches = [Path(match) for match in glob.glob(pattern, recursive=True)]
    folders = [match for match in matches if match.is_dir()]
    files = _each_once(match for match in matches if not match.is_dir())
    if not files:
        files = _each_once(file for folder in folders for file in _files_under(folder))
    files = [file for file in files if asked_for or _seen(file, root)]
    if not files:
        raise UnreadableInput(f"no file matches {pattern}", _there(root))
    _refuse_versions(root, (file.parent for file in files))
    return _as_one_kind(files, root, pattern)


def _in_folder(folder: Path, named: str) -> list[FoundFile]:
    files = list(_files_under(folder))
    _refuse_versions(folder, (file.parent for file in files))
    seen = [file for file in files if _seen(file, folder)]
    if not any(format_suffix(file)[0] in _OF_TABLES for file in seen):
        if not files:
            raise UnreadableInput(f"{named} is an empty folder")
        raise UnreadableInput(
            f"{named} holds no table: there {'is' if len(files) == 1 else 'are'} "
            f"{_listed(files, folder)}",
            "a table's name ends in .parquet, .csv, .arrow, .jsonl or .xlsx, among others; "
            "a single file may have any name",
        )
    return _as_one_kind(seen, folder, named)


def _files_under(folder: Path) -> Iterator[Path]:
    """Every file in a folder, those behind links to folders once."""
    visited = {folder.resolve()}

    def stopped(error: OSError) -> None:
        raise UnreadableInput(f"{error.filename} can't be read: {error.strerror}") from None

    for place, folders, names in os.walk(folder, onerror=stopped, followlinks=True):
        kept = []
        for name in folders:
            real = (Path(place) / name).resolve()
            if real not in visited:
                visited.add(real)
                kept.append(name)
        folders[:] = kept
        yield from (Path(place) / name for name in names)


def _each_once(files: Iterable[Path]) -> list[Path]:
    """Without those that a link leads to again: a folder within itself has no end."""
    way_to: dict[Path, Path] = {}
    nearest = sorted(files, key=lambda file: len(file.parts))
    real = {folder: folder.resolve() for folder in {file.parent for file in nearest}}
    found = [f for f in nearest if way_to.setdefault(real[f.parent], f.parent) == f.parent]
    return list(dict.fromkeys(found))


def _as_one_kind(files: list[Path], root: Path, named: str) -> list[FoundFile]:
    """Files of one kind, with their keys; a file that isn't there, or is none, is refused."""
    for file in files:
        if not file.is_file():
            raise UnreadableInput(f"{file} can't be read: it is a broken link or no file")
    kinds = Counter(format_suffix(file)[0] for file in files)
    if len(kinds) > 1:
        raise UnreadableInput(
            f"{named} holds files of different kinds: {_listed(files, root)}",
            _pattern_of(files, kinds, root),
        )
    return [FoundFile(file, _keys(file, root)) for file in sorted(files)]


def _pattern_of(files: list[Path], kinds: Counter[str], root: Path) -> str:
    """A pattern of the commonest kind of table, if it finds just those."""
    tables = [(held, kind) for kind, held in kinds.items() if kind and kind in _OF_TABLES]
    if not tables:
        return ""
    kind = max(tables)[1]
    of_kind = [file for file in files if format_suffix(file)[0] == kind]
    compressed = any(format_suffix(file)[1] for file in of_kind)
    nested = "**/" if any(file.parent != root for file in of_kind) else ""
    pattern = f"{glob.escape(str(root))}/{nested}*{kind}{'*' if compressed else ''}"
    found = {Path(match) for match in glob.glob(pattern, recursive=True)}
    if {file for file in found if _seen(file, root)} != set(of_kind):
        return ""
    return f"to read those of one kind, name them: {shell_word(pattern)}"


def _listed(files: Iterable[Path], root: Path) -> str:
    """12 .parquet, 1 .md and 2 hidden files."""
    files = list(files)
    endings = Counter(format_suffix(file)[0] or "without an ending" for file in files
                      if _seen(file, root))  # fmt: skip
    told = [f"{held:,} {ending}" for ending, held in endings.most_common(5)]
    others = sum(endings.values()) - sum(held for _, held in endings.most_common(5))
    told += [f"{others:,} others"] if others else []
    hidden = len(files) - sum(endings.values())
    told += [f"{hidden:,} hidden file{'' if hidden == 1 else 's'}"] if hidden else []
    return ", ".join(told)


def _there(root: Path) -> str:
    """What the folder holds in which a pattern found nothing."""
    if not root.is_dir():
        return f"there is no directory {root} either"
    files = [file for file in root.iterdir() if file.is_file()]
    return f"{root} holds: {_listed(files, root)}" if files else f"{root} holds no file itself"


def _fixed_part(pattern: str) -> Path:
    """The folder that a pattern names before its first wildcard."""
    parts = Path(pattern).parts
    first = next(place for place, part in enumerate(parts) if glob.has_magic(part))
    return Path(*parts[:first])


def _seen(file: Path, root: Path) -> bool:
    """Whether neither it nor a folder of it is hidden: _SUCCESS, .part.crc, _temporary."""
    return not any(part.startswith(("_", ".")) for part in file.relative_to(root).parts)


def _keys(file: Path, root: Path) -> tuple[tuple[str, str | None], ...]:
    pairs = [part.partition("=") for part in file.relative_to(root).parts[:-1]]
    return tuple(
        (_unquoted(key), None if value == _NO_VALUE else _unquoted(value))
        for key, equals, value in pairs
        if key and equals
    )


def _unquoted(text: str) -> str:
    """%2F is /; what is no text in UTF-8 is written out."""
    return unquote(text, errors="surrogateescape").encode("utf-8", "backslashreplace").decode()


def _refuse_versions(root: Path, folders: Iterable[Path]) -> None:
    """A table with older versions beside it isn't simply the files that lie there."""
    below = {folder.absolute() for folder in (root, *folders)}
    for place in sorted(below.union(*(folder.parents for folder in below))):
        for mark in _VERSIONS:
            if any(place.glob(mark)):
                raise UnreadableInput(
                    f"{place} is a table that keeps its older versions ({mark.partition('/')[0]}): "
                    "its files may hold records that were changed or deleted since",
                    "let the program that wrote it export the version you mean to a file",
                )


def format_suffix(path: Path) -> tuple[str, bool]:
    """The ending that tells the format, and whether one of compression stands behind it."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compressed = bool(suffixes) and suffixes[-1] in COMPRESSION_SUFFIXES
    if compressed:
        suffixes.pop()
    return suffixes[-1] if suffixes else "", compressed


def _spooled(path: Path) -> Path:
    """What comes through a pipe, kept in a file: formats are told from their beginning and end."""
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
