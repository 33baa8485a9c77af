"""The layout of a small table: where its labels, its cells and its totals are.

Two columns are one attribute's counts. Three columns with labels in the first two are a pair table,
a cell a row. Anything else is a cross-table: one attribute down, one across.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Literal

from reidrisk.compiling.grid import Row
from reidrisk.compiling.numerals import is_number
from reidrisk.compiling.words import is_count, is_missing, is_note, is_share, is_total
from reidrisk.engines.text_form import text_form
from reidrisk.errors import UnreadableInput
from reidrisk.statistics.statistics import Value


class Sum(Enum):
    """Stands where a total stands for a label."""

    ALL = "all"


Label = Value | Literal[Sum.ALL]
Place = tuple[Label, ...]
_CORNER = re.compile(r"\s*(?:\\|/|×|\||\s+by\s+|\s+x\s+)\s*")
_NAMED = re.compile(r"(.+?)[_\-\s]+(?:by|x|×|nach|par|per)[_\-\s]+(.+)", re.IGNORECASE)
_YEAR = re.compile(r"(?:1[89]|20)[0-9]{2}")


@dataclass(frozen=True)
class Layout:
    """A table's texts by their labels; `attributes` are the one or two it counts."""

    file: str
    attributes: tuple[str, ...]
    texts: Mapping[Place, str]
    # What a heading says the numbers are: shares, or nothing.
    says_share: bool = False
    notes: tuple[str, ...] = field(default=())


def laid_out(path: Path, grid: Sequence[Row]) -> Layout:
    """Find heading, body and what the columns are."""
    above, heading, body, notes = _parts(path, grid)
    width = len(heading)
    if width == 2:
        return _marginal(path, heading, body, notes, 1)
    counting = [place for place in range(1, width) if is_count(heading[place])]
    if _is_long(body):
        return _long(path, heading, body, notes, _counted(path, heading, counting, 2))
    if counting:
        return _marginal(path, heading, body, notes, _counted(path, heading, counting, 1))
    return _cross(path, above, heading, body, notes)


def _parts(path: Path, grid: Sequence[Row]) -> tuple[Row, Row, list[Row], list[str]]:
    """The line above the heading, the heading, the rows below it, and what was left out."""
    rows = list(grid)
    first = next((i for i, row in enumerate(rows) if sum(map(bool, row)) > 1), None)
    if first is None:
        raise UnreadableInput(
            f"{path.name} has one column only", "labels and counts need a column each"
        )
    above = rows[first - 1] if first else []
    if above and above[0] == "" and sum(map(bool, above)) == 1:
        notes = _lines(rows[: first - 1], "above the heading")
    else:
        notes, above = _lines(rows[:first], "above the heading"), []
    heading = _narrowed(rows[first])
    if len(heading) == 2 and is_number(heading[1]) and not _YEAR.fullmatch(heading[1]):
        notes.append(f"the first line is no heading; the attribute is named {path.stem!r}")
        heading, body = [path.stem, ""], rows[first:]
    else:
        body = rows[first + 1 :]
    inside = _inside(body)
    notes += _lines(body[len(inside) :], "below the table")
    kept = [row for row in inside if row]
    if not kept:
        raise UnreadableInput(f"{path.name} has a heading and nothing below it")
    return above, heading, [_fitted(path, row, len(heading)) for row in kept], notes


def _lines(rows: Sequence[Row], where: str) -> list[str]:
    """What to say of the lines that aren't part of the table."""
    lines = sum(1 for row in rows if row)
    if not lines:
        return []
    return [f"{lines} lines {where} were left out" if lines > 1 else f"a line {where} was left out"]


def _narrowed(heading: Row) -> Row:
    """Without the empty cells at its end."""
    width = max(place + 1 for place, cell in enumerate(heading) if cell)
    return heading[: max(width, 2)]


def _inside(body: Sequence[Row]) -> Sequence[Row]:
    """Up to the first blank line behind a row, or the first note."""
    begun = False
    for place, row in enumerate(body):
        if (begun and not row) or (row and not any(row[1:]) and is_note(row[0])):
            return body[:place]
        begun = begun or bool(row)
    return body


def _fitted(path: Path, row: Row, width: int) -> Row:
    if any(row[width:]):
        raise UnreadableInput(
            f"{path.name}: a line has {len(row)} cells where the heading has {width}",
            "a number with a comma in it has to stand in quotes, or say --delimiter",
        )
    return row[:width] + [""] * (width - len(row))


def _is_long(body: Sequence[Row]) -> bool:
    """A cell a row: labels in the second column too, or the first one's repeat or are blank."""
    first = [row[0] for row in body]
    named = [label for label in first if label]
    texts = any(row[1] and not is_number(row[1]) for row in body)
    return texts or len(set(named)) < len(named) or first.count("") > 1


def _counted(path: Path, heading: Row, counting: Sequence[int], first: int) -> int:
    """The column of numbers: the one that says so, else the only one left."""
    behind = [place for place in counting if place >= first]
    if len(behind) == 1:
        return behind[0]
    left = [place for place in range(first, len(heading)) if not is_share(heading[place])]
    if len(heading) == first + 1 or len(left) == 1:
        return left[0] if len(left) == 1 else first
    raise UnreadableInput(
        f"{path.name} has {len(heading)} columns, and it isn't clear which one counts people",
        "name that column count, or keep that one only",
    )


def _left_out(heading: Row, used: Sequence[int]) -> list[str]:
    unused = [heading[place] for place in range(len(heading)) if place not in used]
    return [f"columns left out: {', '.join(unused)}"] if unused else []


def _marginal(path: Path, heading: Row, body: list[Row], notes: list[str], counted: int) -> Layout:
    cells = [((_label(row[0]),), row[counted]) for row in body]
    said = (*notes, *_left_out(heading, (0, counted)))
    share = is_share(heading[counted])
    return Layout(path.name, (heading[0] or path.stem,), _by_place(path, cells), share, said)


def _long(path: Path, heading: Row, body: list[Row], notes: list[str], counted: int) -> Layout:
    if is_number(heading[counted]) and not _YEAR.fullmatch(heading[counted]):
        raise UnreadableInput(f"{path.name}: its first line is no heading", "name the columns")
    cells: list[tuple[Place, str]] = []
    above = ""
    for row in body:
        # A label that stands once for the rows below it.
        above = row[0] or above
        cells.append(((_label(above), _label(row[1])), row[counted]))
    said = (*notes, *_left_out(heading, (0, 1, counted)))
    share = is_share(heading[counted])
    return Layout(path.name, (heading[0], heading[1]), _by_place(path, cells), share, said)


def _cross(path: Path, above: Row, heading: Row, body: list[Row], notes: list[str]) -> Layout:
    cells = [
        ((_label(row[0]), _label(label)), text)
        for row in body
        for label, text in zip(heading[1:], row[1:], strict=True)
    ]
    names = _names(path, above, heading[0])
    share = is_share(heading[0]) or any(is_share(cell) for cell in above)
    return Layout(path.name, names, _by_place(path, cells), share, tuple(notes))


def _names(path: Path, above: Row, corner: str) -> tuple[str, str]:
    """Both attributes' names: from the corner, the line above the labels, or the file's name."""
    parts = [part for part in _CORNER.split(corner) if part]
    if len(parts) == 2:
        return parts[0], parts[1]
    by_file = _NAMED.fullmatch(path.stem)
    over = [cell for cell in above if cell]
    if over and corner:
        return corner, over[0]
    if by_file:
        first, second = by_file.groups()
        return (corner or first), second
    raise UnreadableInput(
        f"{path.name} is a cross-table, and the attribute across has no name",
        f"write the corner cell as '{corner or 'age'} \\ sex', or name the file age_by_sex.csv",
    )


def _label(text: str) -> Label:
    if is_total(text):
        return Sum.ALL
    return None if is_missing(text) else text_form(text)


def _by_place(path: Path, cells: Sequence[tuple[Place, str]]) -> dict[Place, str]:
    found: dict[Place, str] = {}
    for place, text in cells:
        if place in found:
            named = " and ".join(
                "the total" if label is Sum.ALL else "no value" if label is None else repr(label)
                for label in place
            )
            raise UnreadableInput(f"{path.name} has two cells for {named}", "each has one count")
        found[place] = text
    return found
