"""The grid: a small file as rows of text cells, nothing understood yet.

Headings: which line names a small table's columns, below a title and in one line or two.

The heading is the first line as wide as most; a narrower one above it is a title, unless it names
the attribute across, as a cell merged over its labels does. A second heading over each group of
columns makes three attributes, which a table here doesn't have.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from reidrisk.errors import UnreadableInput
from reidrisk.records import (
    DELIMITERS,
    SPREADSHEETS,
    Dialect,
    Writing,
    decoded,
    find_encoding,
    holds_nul,
    sheet_rows,
)
from reidrisk.statistics.tables.cells import is_count, is_number, is_share

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


_CORNER = re.compile(r"\s*(?:\\|/|×|\||\s+by\s+|\s+x\s+)\s*")
YEAR = re.compile(r"(?:1[89]|20)[0-9]{2}")


@dataclass(frozen=True)
class Heading:
    """A table's columns; `over` stands above the labels across, the body begins at `below`."""

    cells: Row
    over: str
    # The lines above it that aren't part of the table.
    above: Sequence[Row]
    below: int
    note: str = ""


def heading_of(path: Path, rows: Sequence[Row]) -> Heading:
    """The heading, its name across and where the body begins."""
    place = _place(path, rows)
    upper = rows[place - 1] if place and _extent(rows[place - 1]) > 1 else []
    if upper and (upper[0] == "" or rows[place][0] == ""):
        return _of_two_lines(path, rows, place - 1)
    if _is_upper(rows, place):
        return _of_two_lines(path, rows, place)
    _refuse_repeated_groups(path, rows, place)
    cells = _narrowed(rows[place])
    if len(cells) == 2 and is_number(cells[1]) and not YEAR.fullmatch(cells[1]):
        note = f"the first line is no heading; the attribute is named {path.stem!r}"
        return Heading([path.stem, ""], "", rows[:place], place, note)
    return Heading(cells, "", rows[:place], place + 1)


def _place(path: Path, rows: Sequence[Row]) -> int:
    """The first line with two cells, or a wider one below it where that one is a title."""
    filled = [place for place, row in enumerate(rows) if sum(map(bool, row)) > 1]
    if not filled:
        raise UnreadableInput(
            f"{path.name} has one column only", "labels and counts need a column each"
        )
    times = Counter(_extent(rows[place]) for place in filled)
    width = max(times, key=lambda extent: (times[extent], -extent))
    for place, following in itertools.pairwise(filled):
        corner = rows[following][0]
        named = not corner or len(names_in(corner)) == 2 or not _numbers(rows[following])
        if _extent(rows[place]) < width and (named or following > place + 1):
            continue
        if not _says(rows[place]) and _says(rows[following]) and not _numbers(rows[following]):
            continue
        return place
    return filled[-1]


def names_in(corner: str) -> list[str]:
    """Both attributes of a corner cell such as age \\ sex; one name alone elsewhere."""
    return [part for part in _CORNER.split(corner) if part]


def _says(row: Row) -> bool:
    """Whether a column says that it counts, or holds shares."""
    return any(is_count(cell) or is_share(cell) for cell in row[1:])


def _numbers(row: Row) -> bool:
    return any(cell and is_number(cell) for cell in row[1:])


def _extent(row: Row) -> int:
    """Up to the last cell that isn't empty."""
    return max((place + 1 for place, cell in enumerate(row) if cell), default=0)


def _is_upper(rows: Sequence[Row], place: int) -> bool:
    """Whether the line has gaps that the line below it fills, and that one none of its own name."""
    lower = rows[place + 1] if place + 1 < len(rows) else []
    upper = rows[place] + [""] * len(lower)
    if not lower or lower[0] or not upper[0]:
        return False
    return any(below and not upper[at] for at, below in enumerate(lower) if at > 1)


def _of_two_lines(path: Path, rows: Sequence[Row], place: int) -> Heading:
    """The lower line's labels under the upper line's name, and upper ones with nothing below."""
    width = max(_extent(rows[place]), _extent(rows[place + 1]), 2)
    upper, lower = ((row + [""] * width)[:width] for row in (rows[place], rows[place + 1]))
    groups = [up for up, low in zip(upper[1:], lower[1:], strict=True) if up and low]
    if len(groups) > 1:
        raise _three_way(path, groups)
    cells = [low or up for up, low in zip(upper, lower, strict=True)]
    return Heading(cells, "".join(groups), rows[:place], place + 2)


def _refuse_repeated_groups(path: Path, rows: Sequence[Row], place: int) -> None:
    """North, North, South, South above f, m, f, m: merged cells that were filled."""
    upper = [cell for cell in rows[place][1:] if cell]
    lower = rows[place + 1][1:] if place + 1 < len(rows) else []
    repeated = len(set(upper)) < len(upper)
    if repeated and len(lower) > 2 and not any(is_number(cell) for cell in lower):
        raise _three_way(path, list(dict.fromkeys(upper)))


def _three_way(path: Path, groups: Sequence[str]) -> UnreadableInput:
    return UnreadableInput(
        f"{path.name}: its columns stand in {len(groups)} groups ({', '.join(groups[:5])}), which "
        "makes a table of three attributes",
        "two are the most: keep one group's columns, or add the groups up",
    )


def _narrowed(heading: Row) -> Row:
    """Without the empty cells at its end."""
    return heading[: max(_extent(heading), 2)]
