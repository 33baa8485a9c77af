"""Suppression: which counts may be published, so that none below m follows from one table's sums.

**An attribute.** Values held by fewer than m people are merged into `other`, and then the
smallest remaining ones until `other` holds at least two values, at least m people, and more than
one way to share the people out among its values, none of m or more people being larger than the
values listed. Too few people without a value join them.

**A pair table.** Cells below m are left out; the attributes' counts are known, so what is left out
of a row or column is known in total. Two rules decide which further cells go:

- what is left out of a row or column is nobody, or at least m people;
- no cell of 1 to m − 1 people is determined by the totals. Given the table itself, a cell (i, j)
  can be another number just when a cycle of left-out cells runs through it along which people can
  be moved (below).

Where it stops: what several pair tables say together (three-way reasoning), and ranges: a cell may
be known to be small, never which small number it is.

Two-way tables of whole numbers with known row and column sums: which cells these determine.

Given one table with these sums, a cell (i, j) can be another number just when a cycle of open cells
runs through it along which people can be moved: draw i → j for every open cell, and j → i where it
holds people. A cell lies on such a cycle exactly if i and j are in one strongly connected component
(Gusfield's condition) and, where it holds people, taking it away doesn't tear that component apart:
its own two arrows make no cycle (Boesch and Tindell, on bridges of mixed graphs). A table with the
sums is found as a maximum flow from rows to columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from reidrisk.arrays import Ints, Mask
from reidrisk.errors import UnusableColumn
from reidrisk.records import PairTable
from reidrisk.statistics.hidden_counts import totals_that_join
from reidrisk.statistics.statistics import Attribute, Other, PairCounts, Value

# scipy's flows are 32-bit.
LARGEST_FLOW = (1 << 31) - 1


def fixed_cells(open_: Mask, holds: Mask) -> Mask:
    """Cells that no other table with the same sums has otherwise; `holds`: those with people."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows, columns = open_.shape
    to_column, to_row = np.nonzero(open_), np.nonzero(open_ & holds)
    start = np.concatenate([to_column[0], to_row[1] + rows])
    end = np.concatenate([to_column[1] + rows, to_row[0]])
    size = rows + columns
    graph = coo_array((np.ones(len(start), dtype=np.int8), (start, end)), shape=(size, size))
    component = connected_components(graph, directed=True, connection="strong")[1]
    of_row, of_column = np.split(np.asarray(component), [rows])
    apart = of_row[:, None] != of_column[None, :]
    return np.asarray(apart | _bridges(open_ & ~apart))


def _bridges(cells: Mask) -> Mask:
    """Cells whose removal cuts rows and columns apart that only they connect.

    Along a spanning forest, a tree edge is a bridge just when no other edge leads from below it to
    above: random 64-bit numbers on the other edges cancel out in the exclusive-or over the vertices
    below (they fail to with a chance of 2^−64).
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order, connected_components

    rows, columns = cells.shape
    i, j = np.nonzero(cells)
    size = rows + columns
    graph = coo_array((np.ones(len(i), dtype=np.int8), (i, j + rows)), shape=(size, size)).tocsr()
    tree_of = connected_components(graph, directed=False)[1]
    parent = np.full(size, -1)
    order: list[int] = []
    for root in np.unique(tree_of, return_index=True)[1]:
        visited, before = breadth_first_order(graph, root, directed=False)
        parent[visited[1:]] = before[visited[1:]]
        order += visited.tolist()
    in_tree = (parent[i] == j + rows) | (parent[j + rows] == i)
    marks = np.random.default_rng(0).integers(1, 1 << 63, len(i), dtype=np.int64)
    below = np.zeros(size, dtype=np.int64)
    np.bitwise_xor.at(below, i[~in_tree], marks[~in_tree])
    np.bitwise_xor.at(below, j[~in_tree] + rows, marks[~in_tree])
    for vertex in reversed(order):
        if parent[vertex] >= 0:
            below[parent[vertex]] ^= below[vertex]
    bridges = np.zeros(cells.shape, dtype=bool)
    child = np.where(parent[i] == j + rows, i, j + rows)
    bridge = in_tree & (below[child] == 0)
    bridges[i[bridge], j[bridge]] = True
    return bridges


def cells_that_can_hold(open_: Mask, row_sums: Ints, column_sums: Ints) -> Mask:
    """Open cells in which somebody may sit; all of them where no table has these sums."""
    table = a_table(open_, row_sums, column_sums)
    if table is None:
        return open_
    determined = fixed_cells(open_, table > 0) & (table == 0)
    return np.asarray(open_ & ~determined)


def a_table(open_: Mask, row_sums: Ints, column_sums: Ints) -> Ints | None:
    """Some table of whole numbers in the open cells with these sums; None where there is none."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import maximum_flow

    total = int(row_sums.sum())
    if total != int(column_sums.sum()) or total > LARGEST_FLOW:
        return None
    rows, columns = open_.shape
    source, sink = rows + columns, rows + columns + 1
    i, j = np.nonzero(open_)
    start = np.concatenate([np.full(rows, source), i, rows + np.arange(columns)])
    end = np.concatenate([np.arange(rows), j + rows, np.full(columns, sink)])
    room = np.concatenate([row_sums, np.minimum(row_sums[i], column_sums[j]), column_sums])
    graph = coo_array((room.astype(np.int32), (start, end)), shape=(sink + 1, sink + 1)).tocsr()
    flow_table = maximum_flow(graph, source, sink)
    if flow_table.flow_value < total:
        return None
    table = np.zeros(open_.shape, dtype=np.int64)
    table[i, j] = np.asarray(flow_table.flow[i, j + rows]).ravel()
    return table


@dataclass(frozen=True)
class PublishedAttribute:
    """An attribute as it may be published, and which of its values are listed."""

    attribute: Attribute
    listed: tuple[Value, ...]


def published_attribute(
    name: str, counts: Mapping[Value, int], at_least: int
) -> PublishedAttribute:
    """Merge small counts into other; None among the values is the missing one."""
    people_of = {value: people for value, people in counts.items() if people}
    rising = sorted(people_of, key=lambda value: (people_of[value], value is not None, value or ""))
    in_other = _number_in_other([people_of[value] for value in rising], at_least)
    if in_other == len(rising) and in_other and sum(people_of.values()) < at_least:
        raise UnusableColumn(
            f"column {name!r} is about fewer than {at_least} people: nothing can be published",
            "lower --at-least if that is allowed",
        )
    away = set(rising[:in_other])
    listed = tuple(value for value in people_of if value not in away)
    other = Other(sum(people_of[value] for value in away), len(away)) if away else None
    missing = people_of.get(None, 0) if None not in away else 0
    kept = {value: people_of[value] for value in listed if value is not None}
    return PublishedAttribute(Attribute(name, kept, missing, other), listed)


def _number_in_other(rising: list[int], m: int) -> int:
    """How many of the counts, smallest first, have to be merged into other."""
    in_other = sum(1 for people in rising if people < m)
    while 0 < in_other < len(rising) and not _is_hidden(rising[:in_other], m, rising[in_other]):
        in_other += 1
    return in_other


def _is_hidden(in_other: list[int], m: int, next_one: int) -> bool:
    """Two values, m people, and not the one way in which all are 1, or all are m − 1; nor does it
    tell that those of m people or more hold no more than the next one.
    """
    total, values = sum(in_other), len(in_other)
    if values < 2 or total < m or total in (values, values * (m - 1)):
        return False
    small = sum(1 for people in in_other if people < m)
    joined = values - small
    if not joined or total <= values * (m - 1):
        return True
    possible = [
        few for few in totals_that_join(small, m) if joined * m <= total - few <= joined * next_one
    ]
    determined = small == 1 or possible[0] in (small, small * (m - 1))
    return len(possible) > 1 or not determined


def published_pair(
    counted: PairTable, first: PublishedAttribute, second: PublishedAttribute, at_least: int
) -> PairCounts:
    """The cells of a pair table that may be published beside the attributes' counts."""
    table = _table(counted, first, second)
    shown = _shown(table, len(first.listed), len(second.listed), at_least)
    rows, columns = (places.tolist() for places in np.nonzero(shown))
    cells = {
        (first.listed[i], second.listed[j]): people
        for i, j, people in zip(rows, columns, table[shown].tolist(), strict=True)
    }
    return PairCounts(counted.of, cells)


def _table(counted: PairTable, first: PublishedAttribute, second: PublishedAttribute) -> Ints:
    """The cells as a matrix; the last row and column hold what was merged into other."""
    table = np.zeros((len(first.listed) + 1, len(second.listed) + 1), dtype=np.int64)
    rows, columns = (
        _places(values, side)[codes]
        for values, codes, side in zip(counted.values, counted.codes, (first, second), strict=True)
    )
    np.add.at(table, (rows, columns), counted.people)
    return table


def _places(values: pa.Array, side: PublishedAttribute) -> Ints:
    """Where each value is listed, the missing one last; what isn't listed is merged into other."""
    place_of = {value: place for place, value in enumerate(side.listed)}
    return np.array([place_of.get(value, len(place_of)) for value in (*values.to_pylist(), None)])


def _shown(table: Ints, rows: int, columns: int, m: int) -> Mask:
    """Cells of at least m between listed values, fewer and fewer until nothing small follows."""
    shown = table >= max(m, 1)
    shown[rows:], shown[:, columns:] = False, False
    if m <= 1:
        return shown
    while True:
        exposed = _lines_left_small(table, shown, m) or _lines_that_tell(table, shown, m)
        if not exposed:
            return shown
        for axis, line in exposed:
            _hide_smallest(table, shown, axis, line)


def _lines_left_small(table: Ints, shown: Mask, m: int) -> list[tuple[int, int]]:
    """Rows (axis 0) and columns (1) whose left-out people are few, yet somebody."""
    lines = []
    for axis in (0, 1):
        left = np.where(shown, 0, table).sum(axis=1 - axis)
        some_shown = shown.any(axis=1 - axis)
        lines += [
            (axis, int(line)) for line in np.flatnonzero((left > 0) & (left < m) & some_shown)
        ]
    return lines


def _lines_that_tell(table: Ints, shown: Mask, m: int) -> list[tuple[int, int]]:
    """For each small cell that the totals determine, a line in which one cell more has to go."""
    if not shown.any():
        return []
    left = np.where(shown, 0, table)
    open_rows, open_columns = left.sum(axis=1) > 0, left.sum(axis=0) > 0
    may_hold = ~shown & open_rows[:, None] & open_columns[None, :]
    told = may_hold & fixed_cells(may_hold, left > 0) & (left > 0) & (left < m)
    return list(dict.fromkeys(_line_to_thin(table, shown, i, j) for i, j in np.argwhere(told)))


def _line_to_thin(table: Ints, shown: Mask, i: int, j: int) -> tuple[int, int]:
    """The cell's own row or column, else the row of the smallest cell still shown."""
    if shown[i].any():
        return 0, int(i)
    if shown[:, j].any():
        return 1, int(j)
    smallest = np.argmin(np.where(shown, table, np.iinfo(np.int64).max))
    return 0, int(np.unravel_index(smallest, table.shape)[0])


def _hide_smallest(table: Ints, shown: Mask, axis: int, line: int) -> None:
    cells = shown[line] if axis == 0 else shown[:, line]
    people = table[line] if axis == 0 else table[:, line]
    places = np.flatnonzero(cells)
    if len(places):
        cells[places[np.argmin(people[places])]] = False
