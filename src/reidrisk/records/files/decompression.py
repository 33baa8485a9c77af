"""Decompressed: how much a text holds, counted as it comes. Little on disk may be endless."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa

from reidrisk.errors import OutOfRoom, UnreadableInput

BLOCK = 1 << 20
# A row may hold long texts in columns that aren't looked at; beyond this it is no row.
LONGEST_ROW = 64 << 20


class TooManyRows(Exception):
    """More rows than were asked for; a fault of nobody's."""


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
    finally:
        for part in texts:
            part.most_rows = None


def give_back() -> None:
    """Memory of what was read in vain, which Arrow would keep for later."""
    pa.default_memory_pool().release_unused()


def more_rows_than_fit(rows: int, columns: int, hint: str = "") -> OutOfRoom:
    """The error for a table that nothing but memory could hold."""
    return OutOfRoom(
        f"the table has more rows than memory is given for: {rows:,} of {columns} columns",
        hint or "give more by --memory-limit",
    )


def lines_up_to(path: Path, enough: int) -> int:
    """Lines of a text, compressed or not; counting ends once there are more than `enough`."""
    lines, since = 1, 0
    with pa.input_stream(str(path), compression="detect") as stream:
        while lines <= enough and (block := stream.read(BLOCK)):
            found = block.count(b"\n")
            lines, since = lines + found, 0 if found else since + len(block)
            if since > LONGEST_ROW:
                raise long_row(path, lines)
    return lines


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


def bytes_up_to(path: Path, enough: int) -> int:
    """The same of its bytes."""
    held = 0
    with pa.input_stream(str(path), compression="detect") as stream:
        while held <= enough and (block := stream.read(BLOCK)):
            held += len(block)
    return held
