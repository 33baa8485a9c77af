"""The layout of a small table: where its labels, its cells and its totals are.

Two columns are one attribute's counts. Three columns with labels in the first two are a pair table,
one cell per row, and four with labels in the first three a triple table. Anything else is a
cross-table: one attribute down, one across. A column of a cross-table that is the sum of the others
is its total, whatever its heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from reidrisk.errors import UnreadableInput
from reidrisk.records import ReadOptions
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
from reidrisk.statistics.tables.grid import YEAR, Grid, Row, grid_of, names_in
from reidrisk.statistics.value_matching import normalised

_NAMED = re.compile(r"(.+?)[_\-\s]+(?:by|x|×|nach|par|per)[_\-\s]+(.+)", re.IGNORECASE)


@dataclass(frozen=True)
class Layout:
    """A table's texts by their labels; `attributes` are the one, two or three it counts."""

    file: str
    attributes: tuple[str, ...]
    texts: Mapping[Place, str]
    # What a heading says the numbers are: shares, or nothing.
    says_share: bool = False
    notes: tuple[str, ...] = ()
    # What the numbers have to be multiplied by: 1,000 where they are in thousands.
    times: int = 1


def layout_of(path: Path, writing: ReadOptions) -> Layout:
    """Read a file, find its table and what the columns are."""
    grid = grid_of(path, writing)
    heading, body = grid.heading, grid.body
    bare = [without_unit(cell) for cell in heading]
    if len(heading) == 2:
        return _marginal(path, grid, 1)
    if len(names_in(bare[0])) == 2:
        return _cross(path, grid)
    counting = [at for at in range(1, len(heading)) if is_count(bare[at])]
    # One cell per row: labels in the second column too, or the first one's repeat or are blank.
    first = [row[0] for row in body]
    named = [label for label in first if label]
    if _has_three_labels(bare, body):
        return _long(path, grid, 3, labels=3)
    texts = any(row[1] and not is_number(row[1]) for row in body)
    if texts or len(set(named)) < len(named) or first.count("") > 1:
        return _long(path, grid, _counted(path, heading, counting, 2))
    if counting and not _counts_across(path, grid, counting):
        return _marginal(path, grid, _counted(path, heading, counting, 1))
    return _cross(path, grid, counting)


def _has_three_labels(heading: Sequence[str], body: Sequence[Row]) -> bool:
    """Whether rows have three labels and a number, the fourth column."""
    if len(heading) < 4 or any(is_count(name) or is_share(name) for name in heading[1:3]):
        return False
    others = [name for name in heading[4:] if not is_share(name)]
    if others or not (is_count(heading[3]) or len(heading) == 4):
        return False
    if any(row[2] and not is_number(row[2]) for row in body):
        return any(row[1] and not is_number(row[1]) for row in body) or is_count(heading[3])
    pairs, above = [], ""
    for row in body:
        above = row[0] or above
        pairs.append((above, row[1]))
    return is_count(heading[3]) and len(set(pairs)) < len(pairs)


def _counts_across(path: Path, grid: Grid, counting: Sequence[int]) -> bool:
    """Whether a column that says it counts is the total of a cross-table, or one of its labels.

    Males, Females, Persons: the last is the sum of the others. N in age_by_region.csv is the north.
    """
    heading = grid.heading
    others = [at for at in range(1, len(heading)) if at not in counting]
    if len(counting) > 1 or not others or any(is_share(heading[at]) for at in others):
        return False
    if _is_sum(grid.body, counting[0], others):
        return True
    is_north = normalised(heading[counting[0]]) == "n"
    return is_north and bool(grid.over or _NAMED.fullmatch(path.stem))


def _is_sum(body: Sequence[Row], total: int, others: Sequence[int]) -> bool:
    """Whether a column is the sum of others in every row, whichever mark its numbers have; rows
    suppressed in part don't count.
    """
    texts = [row[at] for row in body for at in (total, *others)]
    width = len(others) + 1
    for numerals in readings(texts):
        rows = [numerals.numbers[at : at + width] for at in range(0, len(texts), width)]
        known = [
            [number for number in row if isinstance(number, Decimal)]
            for row in rows
            if all(isinstance(number, Decimal) for number in row)
        ]
        if known and all(row[0] == sum(row[1:]) for row in known):
            return True
    return False


def _counted(path: Path, heading: Row, counting: Sequence[int], first: int) -> int:
    """The column of numbers: the one that says so, else the only one left."""
    candidates = [at for at in counting if at >= first]
    if len(candidates) == 1:
        return candidates[0]
    left = [at for at in range(first, len(heading)) if not is_share(heading[at])]
    if len(heading) == first + 1 or len(left) == 1:
        return left[0] if len(left) == 1 else first
    raise UnreadableInput(
        f"{path.name} has {len(heading)} columns, and it isn't clear which one counts people",
        "name that column count, or keep that one only",
    )


def _marginal(path: Path, grid: Grid, counted: int) -> Layout:
    labels = labelled(row[0] for row in grid.body)
    cells = (((labels[row[0]],), row[counted]) for row in grid.body)
    return _laid_out(path, grid, (grid.heading[0] or path.stem,), cells, counted)


def _long(path: Path, grid: Grid, counted: int, labels: int = 2) -> Layout:
    heading, body = grid.heading, grid.body
    if is_number(heading[counted]) and not YEAR.fullmatch(heading[counted]):
        raise UnreadableInput(f"{path.name}: its first line isn't a heading", "name the columns")
    cells: list[tuple[Place, str]] = []
    known = [labelled(row[side] for row in body) for side in range(labels)]
    above = [""] * labels
    for row in body:
        # Labels that are written once for the rows below them; not the last one, which may be none.
        for side in range(labels - 1):
            above[side] = row[side] or above[side]
        above[-1] = row[labels - 1]
        place = tuple(of.get(label) for of, label in zip(known, above, strict=True))
        cells.append((place, row[counted]))
    return _laid_out(path, grid, tuple(heading[:labels]), cells, counted)


def _cross(path: Path, grid: Grid, counting: Sequence[int] = ()) -> Layout:
    heading, body = grid.heading, grid.body
    down = labelled(row[0] for row in body)
    across = labelled(heading[1:])
    others = [at for at in range(1, len(heading)) if at not in counting]
    if len(counting) == 1 and _is_sum(body, counting[0], others):
        across[heading[counting[0]]] = Sum.ALL
    cells = (
        ((down[row[0]], across[label]), text)
        for row in body
        for label, text in zip(heading[1:], row[1:], strict=True)
    )
    names = _names(path, without_unit(grid.over), without_unit(heading[0]))
    return _laid_out(path, grid, names, cells)


def _laid_out(
    path: Path,
    grid: Grid,
    names: tuple[str, ...],
    cells: Iterable[tuple[Place, str]],
    counted: int | None = None,
) -> Layout:
    """`counted` is the column of numbers; None where they are below every label across."""
    texts: dict[Place, str] = {}
    for place, text in cells:
        if place in texts:
            named = " and ".join(
                "the total" if label is Sum.ALL else "no value" if label is None else repr(label)
                for label in place
            )
            raise UnreadableInput(f"{path.name} has two cells for {named}", "each has one count")
        texts[place] = text
    notes, heading = grid.notes, grid.heading
    about = [heading[0], grid.over] if counted is None else [heading[counted]]
    if counted is not None:
        used = (*range(len(names)), counted)
        unused = [cell for at, cell in enumerate(heading) if at not in used]
        notes = [*notes, *([f"columns left out: {', '.join(unused)}"] if unused else [])]
    times = max(times_of(text) for text in (*about, *grid.around))
    return Layout(path.name, names, texts, any(map(is_share, about)), tuple(notes), times)


def _names(path: Path, over: str, corner: str) -> tuple[str, str]:
    """Both attributes' names: from the corner, the line above the labels, or the file's name."""
    named = names_in(corner)
    if len(named) == 2:
        return named[0], named[1]
    if over and corner and not is_count(over) and not is_share(over):
        return corner, over
    if by_file := _NAMED.fullmatch(path.stem):
        first, second = by_file.groups()
        return (corner or first), second
    raise UnreadableInput(
        f"{path.name} is a cross-table, and the attribute across has no name",
        f"write the corner cell as '{corner or 'age'} \\ sex', or name the file age_by_sex.csv",
    )
