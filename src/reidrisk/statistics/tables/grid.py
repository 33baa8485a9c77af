"""The grid: which lines of a small file are its table, and which are titles, notes and sources.

**Heading.** The first line as wide as most; a narrower one above it is a title, unless it names the
attribute across, as a cell merged over its labels does. A second heading over each group of columns
makes three attributes, which a table here doesn't have.

**Body.** What is left out is reported, and never holds numbers in the table's columns: those would
be people.
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
    ReadOptions,
    TextFormat,
    decoded,
    find_encoding,
    holds_nul,
    sheet_rows,
)
from reidrisk.statistics.tables.cells import (
    is_count,
    is_note,
    is_number,
    is_share,
    is_source,
    is_total,
    speaks_of_total,
)

LARGEST_BYTES = 20 * 10**6
YEAR = re.compile(r"(?:1[89]|20)[0-9]{2}")
_CORNER = re.compile(r"\s*(?:\\|/|×|\||\s+by\s+|\s+x\s+)\s*")
_ENUMERATED = re.compile(r"\(?[a-z0-9]{1,2}\)\s", re.IGNORECASE)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} 00:00:00")
_LONGEST_LABEL = 40

Row = list[str]


@dataclass(frozen=True)
class Grid:
    """A table's heading and body, the name over its labels across, and what was left out."""

    heading: Row
    over: str
    body: list[Row]
    notes: list[str]
    # The texts of the lines around the table, which may say what its numbers are.
    around: list[str]


def grid_of(path: Path, writing: ReadOptions) -> Grid:
    """Find a small CSV or Excel file's heading, its body and what belongs to neither."""
    rows = _rows(path, writing)
    heading, over, above, begins, notes = _heading(path, rows)
    width = len(heading)
    inside, outside = _body(path, rows[begins:], width)
    notes = [*_left_out(above, "above the heading"), *notes, *_left_out(outside, "below the table")]
    if not inside:
        raise UnreadableInput(f"{path.name} has a heading and nothing below it")
    is_spreadsheet = path.suffix.lower() in SPREADSHEETS
    body = [_fitted(path, row, width, is_spreadsheet) for row in inside]
    if is_spreadsheet:
        notes += _oddities(path, heading, body)
    kept = [at for at in range(width) if heading[at] or any(row[at] for row in body)]
    if 0 in kept:
        heading, body = [heading[at] for at in kept], [[row[at] for at in kept] for row in body]
    around = [",".join(filter(None, row)) for row in (*above, *outside) if row]
    return Grid(heading, over, body, notes, around)


def _rows(path: Path, writing: ReadOptions) -> list[Row]:
    """The rows of the file, cells stripped; a blank row is an empty list."""
    beginning = _beginning(path)
    if path.suffix.lower() in SPREADSHEETS:
        rows = sheet_rows(path, writing.sheet)
    elif beginning.startswith((b"PK\x03\x04", b"PAR1", b"ARROW1")):
        raise UnreadableInput(
            f"{path.name} isn't text, judging by its first bytes",
            "a small table is CSV, or Excel with a name that ends in .xlsx",
        )
    else:
        rows = _delimited(path, writing)
    stripped = [[cell.strip().strip("\ufeff") for cell in row] for row in rows]
    # Gaps at the end of a row stay, as they may be suppressed; a row of nothing but gaps is blank.
    grid = [row if any(row) else [] for row in stripped]
    if not any(grid):
        raise UnreadableInput(f"{path.name} is empty")
    # A table needn't begin in a sheet's first column.
    begins = min(next(at for at, cell in enumerate(row) if cell) for row in grid if row)
    return [row[begins:] for row in grid]


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
            f"{path.name} is a statistics file already",
            f"reidrisk check {path} says whether it is consistent",
        )
    return beginning


def _delimited(path: Path, writing: ReadOptions) -> list[Row]:
    content = path.read_bytes()
    text = decoded(content, writing.encoding or find_encoding(content), path.name)
    if "\0" in text:
        raise holds_nul(path.name)
    delimiters = [writing.delimiter] if writing.delimiter else DELIMITERS
    try:
        readings = [
            list(TextFormat(delimiter).reader(io.StringIO(text, newline="")))
            for delimiter in delimiters
        ]
    except csv.Error:
        raise UnreadableInput(f"{path.name}: a quote is left open") from None
    return max(readings, key=_evenness)


def _evenness(rows: Sequence[Row]) -> tuple[bool, float, int]:
    """Most rows equally wide, and wide: titles above and notes below are outvoted."""
    widths = Counter(len(row) for row in rows if any(row))
    if not widths:
        return False, 0.0, 0
    width, times = max(widths.items(), key=lambda counted: (counted[1], counted[0]))
    return width > 1, round(times / sum(widths.values()), 2), width


_Heading = tuple[Row, str, Sequence[Row], int, list[str]]


def _heading(path: Path, rows: Sequence[Row]) -> _Heading:
    """The heading, the name across, the lines above, where the body begins, and a note."""
    at = _heading_line(path, rows)
    upper = rows[at - 1] if at and _extent(rows[at - 1]) > 1 else []
    if upper and (upper[0] == "" or rows[at][0] == ""):
        return _of_two_lines(path, rows, at - 1)
    if _is_upper(rows, at):
        return _of_two_lines(path, rows, at)
    _refuse_repeated_groups(path, rows, at)
    cells = rows[at][: max(_extent(rows[at]), 2)]
    if len(cells) == 2 and is_number(cells[1]) and not YEAR.fullmatch(cells[1]):
        note = f"the first line isn't a heading; the attribute is named {path.stem!r}"
        return [path.stem, ""], "", rows[:at], at, [note]
    return cells, "", rows[:at], at + 1, []


def _heading_line(path: Path, rows: Sequence[Row]) -> int:
    """The first line with two cells, or a wider one below it where that one is a title."""
    filled = [at for at, row in enumerate(rows) if sum(map(bool, row)) > 1]
    if not filled:
        raise UnreadableInput(
            f"{path.name} has one column only", "labels and counts need a column each"
        )
    times = Counter(_extent(rows[at]) for at in filled)
    width = max(times, key=lambda extent: (times[extent], -extent))
    for at, following in itertools.pairwise(filled):
        corner = rows[following][0]
        names = not corner or len(names_in(corner)) == 2 or not _holds_numbers(rows[following])
        if _extent(rows[at]) < width and (names or following > at + 1):
            continue
        if (
            not _names_numbers(rows[at])
            and _names_numbers(rows[following])
            and not _holds_numbers(rows[following])
        ):
            continue
        return at
    return filled[-1]


def names_in(corner: str) -> list[str]:
    """Both attributes of a corner cell such as age \\ sex; one name alone elsewhere."""
    return [part for part in _CORNER.split(corner) if part]


def _names_numbers(row: Row) -> bool:
    """Whether a column says that it counts, or holds shares."""
    return any(is_count(cell) or is_share(cell) for cell in row[1:])


def _holds_numbers(row: Row, width: int | None = None) -> bool:
    return any(cell and is_number(cell) for cell in row[1:width])


def _extent(row: Row) -> int:
    """Up to the last cell that isn't empty."""
    return max((at + 1 for at, cell in enumerate(row) if cell), default=0)


def _is_upper(rows: Sequence[Row], at: int) -> bool:
    """Whether the line has gaps that the line below it fills, and that one none of its own name."""
    lower = rows[at + 1] if at + 1 < len(rows) else []
    upper = rows[at] + [""] * len(lower)
    if not lower or lower[0] or not upper[0]:
        return False
    return any(below and not upper[column] for column, below in enumerate(lower) if column > 1)


def _of_two_lines(path: Path, rows: Sequence[Row], at: int) -> _Heading:
    """The lower line's labels under the upper line's name, and upper ones with nothing below."""
    width = max(_extent(rows[at]), _extent(rows[at + 1]), 2)
    upper, lower = ((row + [""] * width)[:width] for row in (rows[at], rows[at + 1]))
    groups = [up for up, low in zip(upper[1:], lower[1:], strict=True) if up and low]
    if len(groups) > 1:
        raise _three_way(path, groups)
    cells = [low or up for up, low in zip(upper, lower, strict=True)]
    return cells, "".join(groups), rows[:at], at + 2, []


def _refuse_repeated_groups(path: Path, rows: Sequence[Row], at: int) -> None:
    """North, North, South, South above f, m, f, m: merged cells that were filled."""
    upper = [cell for cell in rows[at][1:] if cell]
    lower = rows[at + 1][1:] if at + 1 < len(rows) else []
    if len(set(upper)) < len(upper) and len(lower) > 2 and not any(map(is_number, lower)):
        raise _three_way(path, list(dict.fromkeys(upper)))


def _three_way(path: Path, groups: Sequence[str]) -> UnreadableInput:
    return UnreadableInput(
        f"{path.name}: its columns come in {len(groups)} groups ({', '.join(groups[:5])}), which "
        "makes a table of three attributes",
        "two are the most: keep one group's columns, or add the groups up",
    )


def _body(path: Path, below: Sequence[Row], width: int) -> tuple[list[Row], list[Row]]:
    """The table's rows and those left out; refused where it isn't clear which a row is."""
    inside: list[Row] = []
    outside: list[Row] = []
    blanks, first = 0, True
    for is_blank, lines in itertools.groupby(below, key=lambda row: not row):
        block = list(lines)
        if is_blank:
            blanks = len(block)
            continue
        rows, notes = _without_notes(block, width)
        all_numbers = bool(rows) and all(_holds_numbers(row, width) for row in rows)
        goes_on = len(rows) > 1 or (rows and _is_total(rows[0]))
        ended = len(inside) > 1 and _is_total(inside[-1])
        if first or (all_numbers and goes_on and blanks == 1 and not ended):
            inside += rows
            outside += notes
        else:
            outside += block
        first = False
    behind = [row for row in outside if _holds_numbers(row, width) and not is_source(row[0])]
    if behind:
        several = len(behind) > 1
        raise UnreadableInput(
            f"{path.name}: {f'{len(behind)} lines' if several else 'a line'} below the table, "
            f"after a blank line or a note, {'have' if several else 'has'} numbers too",
            "remove the blank line or the note if they belong to the table, or else remove them",
        )
    return inside, outside


def _without_notes(block: list[Row], width: int) -> tuple[list[Row], list[Row]]:
    """A block's rows, and the notes at its end."""
    begin_notes = (
        at
        for at, row in enumerate(block)
        if is_source(row[0]) or (not any(row[1:]) and is_note(row[0]))
    )
    end = next(begin_notes, len(block))
    while end and not _holds_numbers(block[end - 1], width) and _is_footnote(block[:end], width):
        end -= 1
    return block[:end], block[end:]


def _is_footnote(rows: list[Row], width: int) -> bool:
    """Whether the last line, which holds no number, is text below a table and no value's row.

    After the total nothing is a value. Elsewhere an empty cell may be suppressed, so that only a
    text unlike the labels above it is a note.
    """
    *others, last = rows
    counted = [row for row in others if _holds_numbers(row, width)]
    if len(counted) > 1 and _is_total(counted[-1]):
        return True
    labels = [row[0] for row in counted]
    if not labels or (width > 2 and any(last[1:])):
        return False
    text = last[0]
    unlike = (
        (":" in text and not any(":" in label for label in labels)),
        (text.endswith(".") and not any(label.endswith(".") for label in labels)),
        len(text) > max(_LONGEST_LABEL, 2 * max(map(len, labels))),
        bool(_ENUMERATED.match(text)) and not any(map(_ENUMERATED.match, labels)),
        len(last) == 1 and " " in text and not any(" " in label for label in labels),
    )
    return any(unlike)


def _is_total(row: Row) -> bool:
    return is_total(row[0]) or speaks_of_total(row[0])


def _left_out(rows: Sequence[Row], where: str) -> list[str]:
    """What to say of the lines that aren't part of the table."""
    lines = sum(map(bool, rows))
    if not lines:
        return []
    return [f"{lines} lines {where} were left out" if lines > 1 else f"a line {where} was left out"]


def _fitted(path: Path, row: Row, width: int, is_spreadsheet: bool) -> Row:
    if any(row[width:]) and is_spreadsheet:
        raise UnreadableInput(
            f"{path.name}: a line has cells right of the heading's {width} columns",
            "name every column, and remove what is next to the table",
        )
    if any(row[width:]):
        raise UnreadableInput(
            f"{path.name}: a line has {len(row)} cells where the heading has {width}",
            "put a number with a comma in quotes, or say --delimiter; a title is followed by a "
            "blank line",
        )
    return row[:width] + [""] * (width - len(row))


def _oddities(path: Path, heading: Row, body: list[Row]) -> list[str]:
    """Where a spreadsheet's cells aren't what somebody sees on the screen."""
    empty = [at for at in range(1, len(heading)) if not any(row[at] for row in body)]
    if len(empty) == len(heading) - 1:
        raise UnreadableInput(
            f"{path.name} has labels and no numbers: its cells are empty",
            "if they hold formulas, these were never calculated: save it once in a spreadsheet",
        )
    notes = [
        f"the column {heading[at]!r} is empty (formulas need to be calculated and saved)"
        for at in empty
        if heading[at]
    ]
    days = [cell[:10] for row in (heading, *body) for cell in row if _DAY.fullmatch(cell)]
    if days:
        dates = f"{len(days)} labels are dates" if len(days) > 1 else "a label is a date"
        notes.append(f"{dates} ({days[0]}): spreadsheets make dates of labels such as 1-5")
    return notes
