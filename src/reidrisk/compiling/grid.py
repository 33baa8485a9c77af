"""The grid: a small file as rows of text cells, nothing understood yet."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from reidrisk.engines.sources.dialect import DELIMITERS, Dialect, decoded, find_encoding, holds_nul
from reidrisk.engines.sources.finding import SPREADSHEETS
from reidrisk.engines.sources.foreign import sheet_rows
from reidrisk.engines.sources.opening import Writing
from reidrisk.errors import UnreadableInput

LARGEST_BYTES = 20 * 10**6

Row = list[str]


def grid_of(path: Path, writing: Writing) -> list[Row]:
    """The rows of a CSV or Excel file, cells stripped; a blank row is an empty list."""
    beginning = _beginning(path)
    if path.suffix.lower() in SPREADSHEETS:
        rows = sheet_rows(path, writing.sheet)
    elif beginning.startswith((b"PK\x03\x04", b"PAR1", b"ARROW1")):
        raise UnreadableInput(
            f"{path.name} is no text, by its first bytes",
            "a small table is CSV, or Excel with a name that ends in .xlsx",
        )
    else:
        rows = _delimited(path, writing)
    stripped = [[cell.strip().strip("\ufeff") for cell in row] for row in rows]
    grid = [_without_trailing_gaps(row) for row in stripped]
    if not any(grid):
        raise UnreadableInput(f"{path.name} is empty")
    return _without_leading_gaps(grid)


def _beginning(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            beginning = file.read(4096)
    except FileNotFoundError:
        raise UnreadableInput(f"there is no file {path}") from None
    except OSError as error:
        raise UnreadableInput(f"{path} can't be read: {error.strerror}") from None
    if size > LARGEST_BYTES:
        raise UnreadableInput(
            f"{path.name} has {size / 1e6:,.0f} MB: too large for a small table of counts",
            f"at most {LARGEST_BYTES / 1e6:,.0f} MB; are these records? then use `publish`",
        )
    if b"reidrisk-statistics/" in beginning:
        raise UnreadableInput(
            f"{path.name} holds statistics already", f"reidrisk check {path} says if they agree"
        )
    return beginning


def _delimited(path: Path, writing: Writing) -> list[Row]:
    held = path.read_bytes()
    text = decoded(held, writing.encoding or find_encoding(held))
    if "\0" in text:
        raise holds_nul()
    delimiters = [writing.delimiter] if writing.delimiter else DELIMITERS
    try:
        tried = [_parsed(text, delimiter) for delimiter in delimiters]
    except csv.Error:
        raise UnreadableInput(f"{path.name}: a quote is left open") from None
    return max(tried, key=_evenness)


def _parsed(text: str, delimiter: str) -> list[Row]:
    return list(Dialect(delimiter).reader(io.StringIO(text, newline="")))


def _evenness(rows: Sequence[Row]) -> tuple[bool, float, int]:
    """Most rows equally wide, and wide: titles above and notes below are outvoted."""
    widths = Counter(len(row) for row in rows if any(row))
    if not widths:
        return False, 0.0, 0
    width, times = max(widths.items(), key=lambda held: (held[1], held[0]))
    return width > 1, round(times / sum(widths.values()), 2), width


def _without_leading_gaps(grid: list[Row]) -> list[Row]:
    """A table needn't begin in a sheet's first column."""
    begins = min(next(at for at, cell in enumerate(row) if cell) for row in grid if row)
    return [row[begins:] for row in grid]


def _without_trailing_gaps(row: Row) -> Row:
    """A row of nothing but gaps is blank; other rows keep theirs, which may be held back."""
    return row if any(row) else []
