"""Writing: an output appears whole or not at all, and takes nobody else's place.

A file is written beside its place under another name and renamed at the end; whatever goes wrong
before that, an interrupt included, removes what was written. Through a link it is its target that
is written. What is no file (a device, a pipe, /dev/stdout) is written into, never replaced.

Overwriting: whose file an output may replace.

An existing file is replaced where it is what the same command wrote there, unchanged since, or
where that is asked for (--force); an input never is. What was written is remembered by size and
time, in a small file of this user's own for each place: a table has no room for a mark of ours, and
a mark would outlive an edit. What is no file (a device, a pipe) is written into, never replaced.
"""

from __future__ import annotations

import atexit
import errno
import hashlib
import json
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa

from reidrisk.errors import MissingExtra, UnwritableOutput


@dataclass(frozen=True)
class _Asked:
    """Who writes, whether others' files may be replaced, and what is read (looked up late)."""

    command: str = "python"
    force: bool = False
    inputs: Callable[[], Iterable[Path]] = tuple


_ANYBODY = _Asked()
_asked: ContextVar[_Asked] = ContextVar("asked", default=_ANYBODY)


@contextmanager
def overwriting(
    force: bool = True, command: str = "python", inputs: Callable[[], Iterable[Path]] = tuple
) -> Iterator[None]:
    """Within the block files of others may be replaced (`force`), but none of the `inputs`."""
    token = _asked.set(_Asked(command, force, inputs))
    try:
        yield
    finally:
        _asked.reset(token)


def refuse_input_as_output(target: str | os.PathLike[str], inputs: Iterable[Path]) -> None:
    """An answer never takes the place of the table it came from, nor of anybody else's file."""
    place = Path(target)
    for path in inputs:
        if path.is_dir() and place.resolve().is_relative_to(path.resolve()):
            raise UnwritableOutput(
                f"{place} would become part of the table, which is the folder {path}",
                "name a file outside it",
            )
        if place.is_file() and path.exists() and place.samefile(path):
            raise UnwritableOutput(
                f"{place} is the table itself, and would be lost", "name another file"
            )
    refuse_unwritable(place)


def refuse_unwritable(target: str | os.PathLike[str]) -> None:
    """What can't be written, or would take another file's place, is refused before any work."""
    place = Path(target)
    if place.is_dir():
        raise UnwritableOutput(f"{place} is a directory", "name another place")
    if written_into(place):
        return
    parent = Path(os.path.realpath(place)).parent if place.is_symlink() else place.parent
    if not parent.is_dir():
        raise UnwritableOutput(
            f"{place} can't be written: there is no directory {parent}", "make it first"
        )
    if not place.exists():
        return
    if any(_reads(path, place) for path in _asked.get().inputs()):
        raise UnwritableOutput(
            f"{place} is the table itself, or another input, and would be lost",
            "name another file",
        )
    if not _asked.get().force and not _is_own(place):
        raise UnwritableOutput(
            f"{place} exists, and isn't what this command wrote there: it was written by somebody "
            "else, or changed since",
            "name another file, or replace it with --force",
        )


def _reads(given: Path, place: Path) -> bool:
    """Whether an input is that file, or the folder it lies in."""
    try:
        return given.samefile(place) or (given.is_dir() and given.samefile(place.parent))
    except OSError:
        return False


def written_into(place: Path) -> bool:
    """Whether something is there that is no file to be replaced."""
    if own_descriptor(place) is not None:
        return True
    try:
        return not stat.S_ISREG(place.stat().st_mode) and not place.is_dir()
    except OSError:
        return False


def own_descriptor(place: Path) -> int | None:
    """1 for /dev/stdout, /dev/fd/1 and /proc/self/fd/1, which the shell may have made a file."""
    text = os.path.abspath(place)
    named = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
    found = re.fullmatch(rf"/dev/fd/(\d+)|/proc/(?:self|{os.getpid()})/fd/(\d+)", text)
    return int(found[1] or found[2]) if found else named.get(text)


def _record_of(place: Path) -> Path:
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    name = hashlib.sha256(os.path.realpath(place).encode()).hexdigest()
    return Path(home) / "reidrisk" / "written" / name


def _state(place: Path) -> str:
    held = place.stat()
    return f"{_asked.get().command} {held.st_size} {held.st_mtime_ns}"


def remember(place: Path) -> None:
    """Note what was written here; where that can't be kept, it counts as somebody else's later."""
    with suppress(OSError, RuntimeError):
        record = _record_of(place)
        record.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        record.write_text(_state(place), encoding="utf-8")


def _is_own(place: Path) -> bool:
    try:
        return _record_of(place).read_text(encoding="utf-8") == _state(place)
    except (OSError, RuntimeError):
        return False


__all__ = [
    "TABLE_KINDS", "made_at", "refuse_input_as_output", "refuse_unwritable",
    "remove_temporary_folders", "table_kind", "table_writer", "temporary_folder", "whole_file",
]  # fmt: skip

TABLE_KINDS = ("parquet", "csv", "tsv", "arrow", "jsonl", "xlsx")
# What Excel reads, the header included.
SHEET_ROWS = 1 << 20
_temporary: list[Path] = []


# Files that this process has written to the end, for what is said when it is interrupted.
COMPLETE: list[Path] = []


@contextmanager
def whole_file(
    target: str | os.PathLike[str], ending: str = "", private: bool = False
) -> Iterator[Path]:
    """A path to write to, which becomes `target` when the block ends well.

    It ends in `ending`, for who reads it back before that. What is said of single people is
    `private`: readable for its owner alone.
    """
    given = Path(target)
    refuse_unwritable(given)
    into = written_into(given)
    # Through a link to the file itself.
    place = Path(os.path.realpath(given)) if given.is_symlink() and not into else given
    folder = temporary_folder() if into else place.parent
    try:
        handle, name = tempfile.mkstemp(
            prefix=f".{place.name}.", suffix=f".part{ending}", dir=folder
        )
    except OSError as error:
        raise _told(place, error) from None
    os.close(handle)
    beside = Path(name)
    try:
        yield beside
        if into:
            _pour(beside, place)
            COMPLETE.append(place)
            return
        os.chmod(beside, _mode(place, private))
        os.replace(beside, place)
        remember(place)
        COMPLETE.append(place)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _told(place, error) from None
    finally:
        with suppress(OSError):
            beside.unlink()


def made_at() -> datetime:
    """Now, with its zone; where SOURCE_DATE_EPOCH is set, that second, for output to repeat."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if epoch.isascii() and epoch.isdigit():
        with suppress(OverflowError, ValueError, OSError):
            return datetime.fromtimestamp(int(epoch), UTC)
    return datetime.now().astimezone().replace(microsecond=0)


def _mode(place: Path, private: bool) -> int:
    held = place.stat().st_mode & 0o777 if place.exists() else 0o666 & ~_umask()
    return held & 0o600 | 0o600 if private else held


def _pour(beside: Path, place: Path) -> None:
    own = own_descriptor(place)
    sys.stdout.flush()
    with beside.open("rb") as held, open(place if own is None else os.dup(own), "wb") as device:
        shutil.copyfileobj(held, device)


def temporary_folder() -> Path:
    """A folder for work that may outgrow memory; it goes when the process does."""
    folder = Path(tempfile.mkdtemp(prefix="reidrisk-"))
    if not _temporary:
        atexit.register(remove_temporary_folders)
    _temporary.append(folder)
    return folder


def remove_temporary_folders() -> None:
    """Remove them now: a command that leaves at once runs no exit handlers."""
    while _temporary:
        shutil.rmtree(_temporary.pop(), ignore_errors=True)


def table_kind(place: Path) -> str:
    """parquet, csv, tsv, arrow, jsonl or xlsx, by the name's ending."""
    kind = place.suffix.lower().lstrip(".")
    kind = {"feather": "arrow", "ndjson": "jsonl"}.get(kind, kind)
    if kind not in TABLE_KINDS and written_into(place):
        return "csv"
    if kind not in TABLE_KINDS:
        endings = ", ".join(f".{each}" for each in TABLE_KINDS[:-1])
        raise UnwritableOutput(
            f"{place.name} doesn't say how its table is to be written",
            f"end its name in {endings} or .{TABLE_KINDS[-1]}",
        )
    if kind == "xlsx" and find_spec("xlsxwriter") is None:
        raise MissingExtra("Excel files", "formats", "writing")
    return kind


@contextmanager
def table_writer(path: Path, kind: str, schema: pa.Schema) -> Iterator[Callable[[Any], None]]:
    """A function that writes record batches to `path`."""
    if kind == "parquet":
        import pyarrow.parquet as pq

        with pq.ParquetWriter(str(path), schema, compression="zstd") as parquet:
            yield parquet.write_batch
    elif kind == "arrow":
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, schema) as arrow:
            yield arrow.write_batch
    elif kind == "jsonl":
        with path.open("w", encoding="utf-8") as lines:
            yield lambda batch: lines.writelines(
                json.dumps(row, ensure_ascii=False) + "\n" for row in batch.to_pylist()
            )
    elif kind == "xlsx":
        with _sheet(path, schema) as write:
            yield write
    else:
        with _delimited(path, schema, "\t" if kind == "tsv" else ",") as write:
            yield write


@contextmanager
def _sheet(path: Path, schema: pa.Schema) -> Iterator[Callable[[Any], None]]:
    """A sheet row by row. A text stays a text: one that begins with = is no formula.

    What is not written yet lies in a folder of ours, not in everybody's.
    """
    import xlsxwriter

    options = {"constant_memory": True, "tmpdir": str(temporary_folder())}
    book = xlsxwriter.Workbook(str(path), options)
    book.set_properties({"created": made_at().astimezone(UTC).replace(tzinfo=None)})
    sheet = book.add_worksheet()
    written = 0

    def write_row(row: Iterable[Any]) -> None:
        nonlocal written
        if written >= SHEET_ROWS:
            raise UnwritableOutput(
                f"a sheet holds at most {SHEET_ROWS - 1:,} rows below its header",
                "end the name in .csv or .parquet",
            )
        for place, value in enumerate(row):
            _write_cell(sheet, written, place, value)
        written += 1

    write_row(schema.names)

    def write_batch(batch: Any) -> None:
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            write_row(row)

    yield write_batch
    try:
        book.close()
    except xlsxwriter.exceptions.FileCreateError as error:
        raise UnwritableOutput("the sheet can't be written", f"{error}") from None


def _write_cell(sheet: Any, row: int, place: int, value: Any) -> None:
    """An empty cell, a number, or a text as it is."""
    if value is None:
        return
    # Excel's numbers have 53 bits.
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1 << 53:
        fault = sheet.write_number(row, place, value)
    else:
        fault = sheet.write_string(row, place, str(value))
    if fault:
        raise UnwritableOutput(
            "a sheet can't hold this table: it has more columns, or longer texts, than fit",
            "end the name in .csv or .parquet",
        )


@contextmanager
def _delimited(path: Path, schema: pa.Schema, mark: str) -> Iterator[Callable[[Any], None]]:
    import pyarrow.csv as arrow_csv

    # Arrow would quote every name of the header, needed or not.
    options = arrow_csv.WriteOptions(include_header=False, quoting_style="needed", delimiter=mark)
    with pa.OSFile(str(path), "wb") as file:
        names = (_quoted_if_needed(name, mark) for name in schema.names)
        file.write((mark.join(names) + "\n").encode())
        with arrow_csv.CSVWriter(file, schema, write_options=options) as text:
            yield text.write_batch


def _quoted_if_needed(name: str, mark: str) -> str:
    plain = not any(each in name for each in f'{mark}"\r\n')
    return name if plain else '"' + name.replace('"', '""') + '"'


def _told(place: Path, error: OSError) -> UnwritableOutput:
    if error.errno == errno.ENOSPC or "No space left" in str(error):
        return UnwritableOutput(
            f"{place} can't be written: the disk is full", "nothing was written; free some space"
        )
    return UnwritableOutput(f"{place} can't be written: {error.strerror or type(error).__name__}")


def _umask() -> int:
    held = os.umask(0)
    os.umask(held)
    return held
