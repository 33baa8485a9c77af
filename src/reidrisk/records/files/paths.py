"""Finding: the files that a path, a pattern or a folder names, and the keys of their folders.

lake/year=2020/county=x/part-0.parquet, found by `lake/`, has the keys year and county.

Addresses: where a table is, told from how it is named.

postgresql+psycopg://…, sqlite:///…   a database that SQLAlchemy speaks to
--engine spark, spark://…, sc://…     a cluster; TABLE is what it reads
s3://…, gs://…, az://…                objects in a store, copied here first
anything else                         a file or a table here
"""

from __future__ import annotations

import glob
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from reidrisk.errors import ContradictoryOptions, InputError, UnreadableInput
from reidrisk.printable import shell_word

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


@dataclass(frozen=True)
class Found:
    """A file, and the keys that its folders name; None is the empty cell."""

    path: Path
    keys: tuple[tuple[str, str | None], ...] = ()


def files_behind(named: str) -> list[Found]:
    """The files a path, a pattern or a folder names, in the order of their names."""
    path = Path(named)
    if named == "-" or path.is_fifo() or path.is_char_device():
        return [Found(_spooled(Path("/dev/stdin") if named == "-" else path))]
    if path.is_dir():
        return _in_folder(path, named)
    if path.exists():
        return [Found(path)]
    if glob.has_magic(named):
        return _of_pattern(named)
    raise UnreadableInput(f"there is no file {named}", _lookalikes(path))


def _of_pattern(pattern: str) -> list[Found]:
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


def _in_folder(folder: Path, named: str) -> list[Found]:
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


def _as_one_kind(files: list[Path], root: Path, named: str) -> list[Found]:
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
    return [Found(file, _keys(file, root)) for file in sorted(files)]


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
    import shutil

    from reidrisk.output_files import temporary_folder

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


_SCHEME = re.compile(r"([a-z][a-z0-9+._-]*)://", re.IGNORECASE)
# Read here (`sources.stores`) as well as by a cluster, and by a cluster alone.
OBJECT_STORES = ("s3", "s3a", "s3n", "gs", "gcs", "az", "abfs", "abfss")
STORES = (*OBJECT_STORES, "hdfs", "wasb", "wasbs", "viewfs", "adl")
SPARK = "spark"


def scheme_of(table: Any) -> str | None:
    """postgresql of postgresql+psycopg://…; None where it is no address."""
    found = _SCHEME.match(table) if isinstance(table, str) else None
    return found[1].lower().split("+")[0] if found else None


def is_spark(engine: str) -> bool:
    """spark, spark://host:port, sc://host:port."""
    return engine == SPARK or engine.startswith(("spark://", "sc://"))


def is_in_store(table: Any) -> bool:
    """An address of objects that this machine reads, after copying them."""
    return scheme_of(table) in OBJECT_STORES


def is_database(table: Any) -> bool:
    """An address that isn't one of files."""
    scheme = scheme_of(table)
    return scheme is not None and scheme not in (*STORES, "file")


def is_elsewhere(table: Any, engine: str) -> bool:
    """Whether records stay where they are and only counts travel."""
    return is_database(table) or is_spark(engine)


def refuse_unnamed_records(table: Any, engine: str, key: str | None, person: str | None) -> None:
    """A file of records needs names for them where they have no order."""
    if is_elsewhere(table, engine) and key is None and person is None:
        raise InputError(
            "--risk-file needs --key COL: records there have no row numbers",
            "name the column that tells records apart; only it, crowd and risk leave",
        )


def refuse_records_elsewhere(table: Any, engine: str, what: str) -> None:
    """What needs each record's values here can't be had of records that stay."""
    if is_elsewhere(table, engine):
        raise InputError(
            f"{what} needs each record's values here, and these records stay where they are",
            "export the columns to a file first, if they may leave",
        )


def refuse_contradictions(table: Any, engine: str, of: str | None, query: str | None) -> None:
    """--table and --query are about databases; a file store needs a cluster that reads it."""
    if of is not None and query is not None:
        raise ContradictoryOptions("--table and --query can't both hold")
    database = is_database(table)
    if database and engine != "embedded":
        raise ContradictoryOptions(
            f"--engine {engine}: a database counts its own records", "leave --engine out"
        )
    if not database and (of is not None or query is not None):
        raise ContradictoryOptions(
            "--table and --query say what to count in a database, and TABLE is no address of one",
            "as in: reidrisk measure postgresql+psycopg://host/db --table public.people",
        )
    if scheme_of(table) in set(STORES) - set(OBJECT_STORES) and not is_spark(engine):
        raise InputError(
            "TABLE is in a store that this machine doesn't read by itself",
            "let a cluster read it: --engine spark (here), or --engine spark://host:7077",
        )
