"""What is wrong with a delimited file, found without quoting a row."""

from __future__ import annotations

import csv
import io
from mmap import ACCESS_READ, mmap
from pathlib import Path

import pyarrow as pa

from reidrisk.engines.sources.decompressed import LongRow, lines_of, long_row
from reidrisk.engines.sources.dialect import Dialect


def ends_inside_quotes(path: Path, dialect: Dialect) -> bool:
    """Whether a quote is left open: the rows behind it would be swallowed into one value.

    Quotes come in pairs, so an even number of them raises no doubt; an odd one may still be
    right (5" pipe) and is settled by reading the file strictly.
    """
    quotes = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            quotes += block.count(dialect.quote.encode())
    if quotes % 2 == 0:
        return False
    with path.open(encoding=dialect.encoding, errors="replace", newline="") as text:
        try:
            for _ in dialect.reader(lines_of(text), strict=True):
                pass
        except LongRow:
            return True
        except csv.Error as error:
            return "unexpected end" in str(error) or "field limit" in str(error)
    return False


def holds_quotes(path: Path, dialect: Dialect, compression: str | None) -> bool:
    """Whether a quote occurs anywhere; taken for granted where finding out is slow."""
    if compression or dialect.encoding.startswith(("utf-16", "utf-32")):
        return True
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as held:
        return held.find(dialect.quote.encode()) >= 0


def first_ragged_row(
    path: Path, dialect: Dialect, compression: str | None
) -> tuple[int, int] | None:
    """The line and field count of the first row that doesn't fit the header."""
    with pa.input_stream(str(path), compression=compression) as stream:
        text = io.TextIOWrapper(stream, encoding=dialect.encoding, errors="replace", newline="")
        reader = dialect.reader(lines_of(text))
        try:
            for row in reader:
                below = reader.line_num >= dialect.header_lines
                if row and below and len(row) != len(dialect.header):
                    return reader.line_num, len(row)
        except LongRow:
            raise long_row(path, reader.line_num + 1) from None
        except csv.Error:
            return None
    return None
