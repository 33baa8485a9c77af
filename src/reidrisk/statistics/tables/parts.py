"""Parts: which lines of a small file are its table, and which are titles, notes and sources.

What is left out is said, and never holds numbers in the table's columns: those would be people.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from reidrisk.errors import UnreadableInput
from reidrisk.records import SPREADSHEETS
from reidrisk.statistics.tables.cells import (
    is_note,
    is_number,
    is_source,
    is_total,
    speaks_of_total,
)
from reidrisk.statistics.tables.grid import Row, heading_of

_ENUMERATED = re.compile(r"\(?[a-z0-9]{1,2}\)\s", re.IGNORECASE)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} 00:00:00")
_LONGEST_LABEL = 40


@dataclass(frozen=True)
class Parts:
    """A table's heading and body, what stands over its labels across, and what was left out."""

    heading: Row
    over: str
    body: list[Row]
    notes: list[str]
    # The texts of the lines around the table, which may say what its numbers are.
    around: list[str]


def parts_of(path: Path, rows: Sequence[Row]) -> Parts:
    """Find the heading, the body and what belongs to neither."""
    heading = heading_of(path, rows)
    width = len(heading.cells)
    below = list(rows[heading.below :])
    inside, outside = _inside(path, below, width)
    notes = [
        *_lines(heading.above, "above the heading"),
        *([heading.note] if heading.note else []),
        *_lines(outside, "below the table"),
    ]
    if not inside:
        raise UnreadableInput(f"{path.name} has a heading and nothing below it")
    body = [_fitted(path, row, width) for row in inside]
    around = [",".join(filter(None, row)) for row in (*heading.above, *outside) if row]
    if _is_spreadsheet(path):
        notes += _oddities(path, heading.cells, body)
    kept = [at for at in range(width) if heading.cells[at] or any(row[at] for row in body)]
    cells = [heading.cells[at] for at in kept] if 0 in kept else heading.cells
    narrow = [[row[at] for at in kept] for row in body] if 0 in kept else body
    return Parts(cells, heading.over, narrow, notes, around)


def _inside(path: Path, below: list[Row], width: int) -> tuple[list[Row], list[Row]]:
    """The table's rows and those left out; refused where it isn't clear which a row is."""
    blocks = _blocks(below)
    if not blocks:
        return [], []
    (_, first), *others = blocks
    inside, outside = _without_notes(first, width)
    for blanks, block in others:
        rows, notes = _without_notes(block, width)
        numbers = [row for row in rows if _holds_numbers(row, width)]
        goes_on = len(rows) > 1 or (rows and _is_total(rows[0]))
        ended = bool(inside) and _is_total(inside[-1]) and len(inside) > 1
        if numbers and len(numbers) == len(rows) and goes_on and blanks == 1 and not ended:
            inside += rows
            outside += notes
        else:
            outside += block
    behind = [row for row in outside if _holds_numbers(row, width) and not is_source(row[0])]
    if behind:
        many = f"{len(behind)} lines" if len(behind) > 1 else "a line"
        raise UnreadableInput(
            f"{path.name}: {many} below the table, behind a blank line or a note, "
            f"hold{'' if len(behind) > 1 else 's'} numbers too",
            "take out the blank line or the note if they belong to the table, else take them out",
        )
    return inside, outside


def _blocks(below: Sequence[Row]) -> list[tuple[int, list[Row]]]:
    """Runs of lines between blank ones, each with the number of blank lines before it."""
    found: list[tuple[int, list[Row]]] = []
    blanks = 0
    for row in below:
        if not row:
            blanks += 1
        elif blanks or not found:
            found.append((blanks, [row]))
            blanks = 0
        else:
            found[-1][1].append(row)
    return found


def _without_notes(block: list[Row], width: int) -> tuple[list[Row], list[Row]]:
    """A block's rows, and the notes at its end."""
    begun = [at for at, row in enumerate(block) if _begins_notes(row)]
    end = begun[0] if begun else len(block)
    while end and not _holds_numbers(block[end - 1], width) and _is_footnote(block[:end], width):
        end -= 1
    return block[:end], block[end:]


def _begins_notes(row: Row) -> bool:
    return is_source(row[0]) or (not any(row[1:]) and is_note(row[0]))


def _is_footnote(rows: list[Row], width: int) -> bool:
    """Whether the last line, which holds no number, is text below a table and no value's row.

    Behind the total nothing is a value. Elsewhere an empty cell may be held back, so that only a
    text unlike the labels above it is a note.
    """
    *others, last = rows
    held = [row for row in others if _holds_numbers(row, width)]
    if len(held) > 1 and _is_total(held[-1]):
        return True
    labels = [row[0] for row in held]
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


def _holds_numbers(row: Row, width: int) -> bool:
    return any(cell and is_number(cell) for cell in row[1:width])


def _lines(rows: Sequence[Row], where: str) -> list[str]:
    """What to say of the lines that aren't part of the table."""
    lines = sum(1 for row in rows if row)
    if not lines:
        return []
    return [f"{lines} lines {where} were left out" if lines > 1 else f"a line {where} was left out"]


def _fitted(path: Path, row: Row, width: int) -> Row:
    if any(row[width:]) and _is_spreadsheet(path):
        raise UnreadableInput(
            f"{path.name}: a line has cells right of the heading's {width} columns",
            "name every column, and take out what stands beside the table",
        )
    if any(row[width:]):
        raise UnreadableInput(
            f"{path.name}: a line has {len(row)} cells where the heading has {width}",
            "a number with a comma in it has to stand in quotes, or say --delimiter; "
            "a title stands above a blank line",
        )
    return row[:width] + [""] * (width - len(row))


def _is_spreadsheet(path: Path) -> bool:
    return path.suffix.lower() in SPREADSHEETS


def _oddities(path: Path, heading: Row, body: list[Row]) -> list[str]:
    """Where a spreadsheet's cells aren't what somebody sees on the screen."""
    empty = [at for at in range(1, len(heading)) if not any(row[at] for row in body)]
    if len(empty) == len(heading) - 1:
        raise UnreadableInput(
            f"{path.name} has labels and no numbers: its cells are empty",
            "if they hold formulas, these were never calculated: save it once in a spreadsheet",
        )
    said = [
        f"the column {heading[at]!r} is empty (formulas need to be calculated and saved)"
        for at in empty
        if heading[at]
    ]
    days = [cell[:10] for row in (heading, *body) for cell in row if _DAY.fullmatch(cell)]
    if days:
        count = f"{len(days)} labels are dates" if len(days) > 1 else "a label is a date"
        said.append(f"{count} ({days[0]}): spreadsheets make dates of labels such as 1-5")
    return said
