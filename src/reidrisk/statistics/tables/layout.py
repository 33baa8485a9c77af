"""The layout of a small table: where its labels, its cells and its totals are.

Two columns are one attribute's counts. Three columns with labels in the first two are a pair table,
a cell a row. Anything else is a cross-table: one attribute down, one across.

Sums: a column of texts that adds others up, whichever mark its numbers have.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from reidrisk.errors import UnreadableInput
from reidrisk.statistics.tables.cells import (
    Place,
    Sum,
    is_count,
    is_number,
    is_share,
    labelled,
    readings,
    times_of,
    without_unit,
)
from reidrisk.statistics.tables.grid import YEAR, Row, names_in
from reidrisk.statistics.tables.parts import Parts, parts_of
from reidrisk.statistics.value_matching import normalised


def is_sum(body: Sequence[Row], total: int, others: Sequence[int]) -> bool:
    """Whether a column is the sum of others in every row; rows held back in part don't count."""
    texts = [row[at] for row in body for at in (total, *others)]
    width = len(others) + 1
    for reading in readings(texts):
        rows = [reading.numbers[at : at + width] for at in range(0, len(texts), width)]
        known = [
            [number for number in row if isinstance(number, Decimal)]
            for row in rows
            if all(isinstance(number, Decimal) for number in row)
        ]
        if known and all(row[0] == sum(row[1:]) for row in known):
            return True
    return False


_NAMED = re.compile(r"(.+?)[_\-\s]+(?:by|x|×|nach|par|per)[_\-\s]+(.+)", re.IGNORECASE)


@dataclass(frozen=True)
class Layout:
    """A table's texts by their labels; `attributes` are the one or two it counts."""

    file: str
    attributes: tuple[str, ...]
    texts: Mapping[Place, str]
    # What a heading says the numbers are: shares, or nothing.
    says_share: bool = False
    notes: tuple[str, ...] = field(default=())
    # What the numbers have to be multiplied by: 1,000 where they are in thousands.
    times: int = 1


def laid_out(path: Path, grid: Sequence[Row]) -> Layout:
    """Find heading, body and what the columns are."""
    parts = parts_of(path, grid)
    heading = parts.heading
    if len(heading) == 2:
        return _marginal(path, parts, 1)
    if len(names_in(without_unit(heading[0]))) == 2:
        return _cross(path, parts)
    counting = [place for place in range(1, len(heading)) if is_count(without_unit(heading[place]))]
    if _is_long(parts.body):
        return _long(path, parts, _counted(path, heading, counting, 2))
    if counting and not _counts_across(path, parts, counting):
        return _marginal(path, parts, _counted(path, heading, counting, 1))
    return _cross(path, parts, counting)


def _counts_across(path: Path, parts: Parts, counting: Sequence[int]) -> bool:
    """Whether a column that says it counts is the total of a cross-table, or one of its labels.

    Males, Females, Persons: the last is the sum of the others. N in age_by_region.csv is the north.
    """
    heading = parts.heading
    others = [at for at in range(1, len(heading)) if at not in counting]
    if len(counting) > 1 or not others or any(is_share(heading[at]) for at in others):
        return False
    if is_sum(parts.body, counting[0], others):
        return True
    return normalised(heading[counting[0]]) == "n" and bool(
        parts.over or _NAMED.fullmatch(path.stem)
    )


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


def _marginal(path: Path, parts: Parts, counted: int) -> Layout:
    heading = parts.heading
    labels = labelled(row[0] for row in parts.body)
    cells: list[tuple[Place, str]] = [((labels[row[0]],), row[counted]) for row in parts.body]
    said = (*parts.notes, *_left_out(heading, (0, counted)))
    share = is_share(heading[counted])
    times = _times(parts, heading[counted])
    named = (heading[0] or path.stem,)
    return Layout(path.name, named, _by_place(path, cells), share, said, times)


def _long(path: Path, parts: Parts, counted: int) -> Layout:
    heading, body = parts.heading, parts.body
    if is_number(heading[counted]) and not YEAR.fullmatch(heading[counted]):
        raise UnreadableInput(f"{path.name}: its first line is no heading", "name the columns")
    cells: list[tuple[Place, str]] = []
    first, second = (labelled(row[side] for row in body) for side in range(2))
    above = ""
    for row in body:
        # A label that stands once for the rows below it.
        above = row[0] or above
        cells.append(((first.get(above), second[row[1]]), row[counted]))
    said = (*parts.notes, *_left_out(heading, (0, 1, counted)))
    share = is_share(heading[counted])
    times = _times(parts, heading[counted])
    named = (heading[0], heading[1])
    return Layout(path.name, named, _by_place(path, cells), share, said, times)


def _cross(path: Path, parts: Parts, counting: Sequence[int] = ()) -> Layout:
    heading, body = parts.heading, parts.body
    down = labelled(row[0] for row in body)
    across = labelled(heading[1:])
    others = [at for at in range(1, len(heading)) if at not in counting]
    if len(counting) == 1 and is_sum(body, counting[0], others):
        across[heading[counting[0]]] = Sum.ALL
    cells = [
        ((down[row[0]], across[label]), text)
        for row in body
        for label, text in zip(heading[1:], row[1:], strict=True)
    ]
    names = _names(path, without_unit(parts.over), without_unit(heading[0]))
    share = is_share(heading[0]) or is_share(parts.over)
    times = _times(parts, heading[0], parts.over)
    return Layout(path.name, names, _by_place(path, cells), share, tuple(parts.notes), times)


def _times(parts: Parts, *headings: str) -> int:
    return max(times_of(text) for text in (*headings, *parts.around, ""))


def _names(path: Path, over: str, corner: str) -> tuple[str, str]:
    """Both attributes' names: from the corner, the line above the labels, or the file's name."""
    named = names_in(corner)
    if len(named) == 2:
        return named[0], named[1]
    by_file = _NAMED.fullmatch(path.stem)
    if over and corner and not is_count(over) and not is_share(over):
        return corner, over
    if by_file:
        first, second = by_file.groups()
        return (corner or first), second
    raise UnreadableInput(
        f"{path.name} is a cross-table, and the attribute across has no name",
        f"write the corner cell as '{corner or 'age'} \\ sex', or name the file age_by_sex.csv",
    )


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
