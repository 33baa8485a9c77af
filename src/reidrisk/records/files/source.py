"""A source: where a table's columns come from, in whatever format, and how much of it is read.

Little on disk may be endless once it is decompressed, so what is read of a text is counted.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO, TypeVar

import pyarrow as pa

from reidrisk.errors import InputError, OutOfRoom, UnreadableInput, UnusableColumn
from reidrisk.machine import Progress
from reidrisk.records.text_forms import sql_literal, sql_name

# DuckDB would let the name of a folder, sex=f, take the place of a column.
AS_IT_IS = "hive_partitioning=false"
# Of characters; what is longer is no category.
LONGEST_VALUE = 100_000
# A first look at more would take hours, and nobody would read its verdicts.
MOST_COLUMNS = 10_000
BLOCK = 1 << 20
# A row may hold long texts in columns that aren't read; beyond this it is no row.
LONGEST_ROW = 64 << 20
Used = TypeVar("Used")
Use = Callable[[str, Iterable[pa.Array]], Used]


@dataclass(frozen=True)
class FoundFile:
    """A file, and the keys that its folders name; None is the empty cell."""

    path: Path
    keys: tuple[tuple[str, str | None], ...] = ()


class Source(ABC):
    """Columns of one table. Nothing is read before it is asked for."""

    # What people call the format: CSV, Parquet, Excel.
    format: str
    # The columns, in order.
    names: tuple[str, ...]
    # None for a table in memory.
    paths: tuple[Path, ...]
    # Whether 39,5 is a number here.
    decimal_comma: bool
    # How many rows, and what types, where the file says so without being read.
    rows: int | None
    types: Mapping[str, pa.DataType]

    @property
    def notes(self) -> tuple[str, ...]:
        """What was detected: delimiter, encoding, sheet."""
        return ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What looks wrong about the file, in sentences."""
        return ()

    @abstractmethod
    def each_column(
        self, names: Sequence[str], use: Use[Used], threads: int, progress: Progress
    ) -> list[Used]:
        """`use` on each named column's chunks, which are let go of as they are used."""

    @abstractmethod
    def head(self, names: Sequence[str], rows: int) -> pa.Table:
        """About the first `rows` rows, for a first look."""

    @abstractmethod
    def sql(self, names: Sequence[str]) -> str | None:
        """SQL by which DuckDB reads the named columns as c0, c1 …; None where it can't.

        Names of our own, because DuckDB takes Age and age for one name.
        """


def refuse_many(names: Sequence[str]) -> None:
    """Of a table as wide as this somebody has to name the quasi-identifiers."""
    if len(names) > MOST_COLUMNS:
        raise InputError(
            f"the table has {len(names):,} columns: at most {MOST_COLUMNS:,} are profiled",
            "name the quasi-identifiers: reidrisk measure --columns",
        )


def no_category(name: str, how_long: str) -> UnusableColumn:
    """The error for a value that is too long."""
    return UnusableColumn(
        f"column {name!r} has {how_long}: that is no category",
        "leave the column out, or check whether a quote is left open in the file",
    )


def selected(relation: str, columns: Sequence[str]) -> str:
    """SELECT columns of a relation (named as there) as c0, c1 …"""
    taken = ", ".join(f"{sql_name(name)} AS c{place}" for place, name in enumerate(columns))
    return f"SELECT {taken} FROM {relation}"


def sql_path(path: Path) -> str:
    """A path as an SQL literal that DuckDB won't take for a pattern of several files."""
    return sql_literal(re.sub(r"([*?\[])", r"[\1]", str(path)))


class TooManyRows(Exception):
    """More rows than were asked for; nobody's fault."""


class LongRow(Exception):
    """A line without an end, as far as anybody reads."""


class CountedStream:
    """A stream of bytes that ends in `TooManyRows` once it has more than so many lines."""

    closed = False

    def __init__(self, stream: Any, most: int) -> None:
        self._stream, self._most, self._lines = stream, most, 0

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        block = bytes(self._stream.read(size))
        self._lines += block.count(b"\n")
        if self._lines > self._most:
            raise TooManyRows
        return block

    def readable(self) -> bool:
        """It is."""
        return True

    def close(self) -> None:
        """Let go of the file."""
        self.closed = True
        self._stream.close()


def counted(stream: Any, most: int | None) -> Any:
    """The stream, and its end where a number of lines is given."""
    return stream if most is None else pa.PythonFile(CountedStream(stream, most), mode="r")


@contextmanager
def at_most(source: Any, rows: int) -> Iterator[None]:
    """Compressed texts end in `TooManyRows` within this block if they hold more."""
    files = [getattr(part, "file", part) for part in getattr(source, "parts", (source,))]
    texts = [file for file in files if hasattr(file, "most_rows")]
    for part in texts:
        part.most_rows = rows
    try:
        yield
    except TooManyRows:
        # Memory of what was read in vain, which Arrow would keep for later.
        pa.default_memory_pool().release_unused()
        raise
    finally:
        for part in texts:
            part.most_rows = None


def more_rows_than_fit(rows: int, columns: int) -> OutOfRoom:
    """The error for a table that nothing but memory could hold."""
    return OutOfRoom(
        f"the table has more rows than memory is given for: {rows:,} of {columns} columns",
        "give more by --memory-limit",
    )


def lines_up_to(path: Path, enough: int) -> int:
    """Lines of a text, compressed or not; counting ends once there are more than `enough`."""
    lines, since = 1, 0
    for block in _blocks(path):
        ends = block.count(b"\n")
        lines, since = lines + ends, 0 if ends else since + len(block)
        if since > LONGEST_ROW:
            raise long_row(path, lines)
        if lines > enough:
            break
    return lines


def bytes_up_to(path: Path, enough: int) -> int:
    """Bytes of a text once it is decompressed; counting ends as soon."""
    size = 0
    for block in _blocks(path):
        size += len(block)
        if size > enough:
            break
    return size


def _blocks(path: Path) -> Iterator[bytes]:
    with pa.input_stream(str(path), compression="detect") as stream:
        while block := stream.read(BLOCK):
            yield block


def long_row(path: Path, line: int) -> UnreadableInput:
    """The error for a line that is none."""
    return UnreadableInput(
        f"{path.name}, line {line}: longer than {LONGEST_ROW >> 20} MB",
        "is it a table of lines? --encoding says how it is written",
    )


def lines_of(text: TextIO) -> Iterator[str]:
    """The lines of a text, none of them endless."""
    while line := text.readline(LONGEST_ROW):
        if len(line) == LONGEST_ROW:
            raise LongRow
        yield line
