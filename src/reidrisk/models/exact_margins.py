"""Exact margins: a drawn table is changed, value by value, until it has the known pair counts.

Cells that were worked out, not counted, hold nobody to a number: their tables are left as drawn.

Rows drawn one by one from a law have pair counts that scatter around those given: a pair that one
person holds is held by nobody in 37 of 100 drawn tables, by several in 26. Such a table has larger
crowds than tables that have the counts, in which nobody of that pair shares anything beyond it.

Symbols: x people hold a pair of values, y rows of the drawn table do, o = y − x rows too many. The
table is off by

    E = ½ Σ_cells w·o²,   w = 1/√x, and 2 for a cell that nobody holds.

For each pair table of attributes j and k in turn, rows in cells with too many (o ≥ 1) are taken at
random, as many as are too many, and offered a value of j whose cell with their value of k has too
few; then the same with j and k exchanged. Changing a row's value a to b costs, over all pair tables
of j, c the row's value of the other attribute,

    ΔE = Σ w_bc·(o_bc + ½) − w_ac·(o_ac − ½),

and is done where ΔE < 0. The pairwise law makes all tables with the same pair counts equally
likely, whatever its parameters: none are needed here. The square root lets pairs of few people
weigh more than their squares would, but not so much that large ones stay as drawn. Cells that
nobody holds aren't forbidden: a row often gets to a pair that is missing by way of one.

Where it fails: a descent isn't a fair draw among all tables with the counts, and it ends near the
counts, not at them, with a few rows where nobody is. Against such tables, ORR of views of three to
five attributes is off by 0.0001 where it was by −0.003 as drawn; that of all nine by −0.004 still,
instead of −0.005 (30,162 people).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from reidrisk.arrays import Floats, Mask, Places, Rows
from reidrisk.models.knowledge import Knowledge, all_counted

# What a row in a cell that nobody holds weighs: twice as much as one too many where one person is.
EMPTY = 2.0
# Looks at a row of a table, over all sweeps (a quarter of a second); the fewest sweeps, and the
# most: the longer the descent, the less it is a fair draw. Sweeps end where so many of them gained
# less than this share of E.
MOST_LOOKS, FEWEST_SWEEPS, MOST_SWEEPS = 20_000_000, 3, 64
PATIENCE, LEAST_GAIN = 10, 0.03


class Seen(Protocol):
    """A table seen from one of its attributes."""

    @property
    def attribute(self) -> int:
        """That attribute."""

    def cells(self, values: Places, columns: Sequence[Places], rows: Places) -> Places:
        """The cells of rows, had they these values of it."""


def in_order(values: Places, number: int) -> Places:
    """Where values from 0 to `number` stand in their order, equal ones as they stand: numbers of 16
    bits are sorted digit by digit, ten times as fast.
    """
    short = values.astype(np.uint16) if number <= 1 << 16 else values
    return np.argsort(short, kind="stable")


class Side(NamedTuple):
    """A pair table seen from one of its attributes: a row with value a of it and c of the other
    one is in the cell base + own·a + its·c.
    """

    attribute: int
    other: int
    base: int
    own: int
    its: int
    shape: tuple[int, int]

    def between(self, values: Places, others: Places) -> Places:
        """The cells of these values of both."""
        return np.asarray(self.base + self.own * values + self.its * others)

    def of(self, cells: Floats) -> Floats:
        """Its own among the cells of all tables: a row for each value of the other one."""
        table = cells[self.base : self.base + self.shape[0] * self.shape[1]]
        return table.reshape(self.shape).T if self.its == 1 else table.reshape(self.shape[::-1])

    def cells(self, values: Places, columns: Sequence[Places], rows: Places) -> Places:
        """The cells of rows, had they these values of it."""
        return self.between(values, columns[self.other][rows])


@dataclass
class Ledger:
    """The cells of all pair tables in one line: people wanted, rows too many, weight, and what one
    row more or one less costs.
    """

    people: Floats
    over: Floats
    weight: Floats
    more: Floats
    less: Floats

    @classmethod
    def of(cls, people: Floats, held: Floats, counted: Mask) -> Ledger:
        """From the people and the rows in each cell; cells that weren't counted weigh nothing."""
        weight = np.where(counted, 1.0 / np.sqrt(np.maximum(people, 1.0)), 0.0)
        weight[people <= 0.0] = EMPTY
        over = held - people
        return cls(people, over, weight, weight * (over + 0.5), weight * (0.5 - over))

    def move(self, left: Places, entered: Places) -> None:
        """A row less in each cell of `left`, one more in each of `entered`."""
        np.subtract.at(self.over, left, 1.0)
        np.add.at(self.over, entered, 1.0)
        for cells in (left, entered):
            self.more[cells] = self.weight[cells] * (self.over[cells] + 0.5)
            self.less[cells] = self.weight[cells] * (0.5 - self.over[cells])

    @property
    def off(self) -> float:
        """E = ½ Σ w·o²."""
        return 0.5 * float(np.sum(self.weight * self.over * self.over))


def with_exact_margins(
    knowledge: Knowledge, rows: Rows, rng: np.random.Generator, looks: int = MOST_LOOKS
) -> Rows:
    """The rows with values changed until the pair tables are those of `knowledge`, nearly.

    At most so many `looks` at a row of a table are spent, however far off it then is.
    """
    columns = [column.astype(np.intp) for column in rows.T]
    for place in set(range(len(columns))).difference(*knowledge.pairs):
        # Nothing depends on it: its values are dealt.
        values = np.arange(len(knowledge.counts[place]))
        columns[place] = rng.permutation(np.repeat(values, knowledge.counts[place]))
    counted = [knowledge.drawn or all_counted(cells) for cells in knowledge.pairs.values()]
    every = pair_sides(knowledge)
    ledger = held_by(knowledge, columns, every, counted)
    tables = [table for table, whole in zip(every, counted, strict=True) if whole]
    of = [[side for table in every for side in table if side.attribute == place]
          for place in range(len(columns))]  # fmt: skip
    most = int(np.clip(looks // max(len(rows) * len(tables), 1), FEWEST_SWEEPS, MOST_SWEEPS))
    off = [ledger.off]
    while off[-1] and len(off) <= most and not stalled(off):
        for at in rng.permutation(len(tables)):
            crowded = crowded_rows(ledger, tables[at][0], columns)
            for turn in rng.permutation(2):
                side = tables[at][turn]
                which, value = offers(ledger, side, columns, crowded, rng)
                take(ledger, of[side.attribute], columns, which, value)
        off.append(ledger.off)
    return np.stack(columns, axis=1, dtype=np.int32)


def stalled(off: Sequence[float]) -> bool:
    """Whether the last sweeps gained next to nothing."""
    return len(off) > PATIENCE and off[-1] > (1.0 - LEAST_GAIN) * off[-1 - PATIENCE]


def pair_sides(knowledge: Knowledge) -> list[tuple[Side, Side]]:
    """Both sides of each pair table."""
    tables, base = [], 0
    for (i, j), cells in knowledge.pairs.items():
        high, wide = cells.shape
        tables.append((Side(i, j, base, wide, 1, (high, wide)),
                      Side(j, i, base, 1, wide, (wide, high))))  # fmt: skip
        base += cells.size
    return tables


def held_by(
    knowledge: Knowledge,
    columns: list[Places],
    tables: list[tuple[Side, Side]],
    counted: Sequence[bool],
) -> Ledger:
    """The cells of all pair tables, and how many rows each of them has."""
    every = [np.rint(cells.ravel()) for cells in knowledge.pairs.values()]
    people = np.concatenate([np.zeros(0), *every])
    weighing = np.repeat(np.array(counted, dtype=bool), [cells.size for cells in every])
    held = np.zeros(len(people))
    for side, _ in tables:
        cells = side.between(columns[side.attribute], columns[side.other])
        held += np.bincount(cells, minlength=len(held))
    return Ledger.of(people, held, weighing)


def crowded_rows(ledger: Ledger, side: Side, columns: list[Places]) -> Places:
    """Rows in cells with too many."""
    table = ledger.over[side.base : side.base + side.shape[0] * side.shape[1]] >= 1.0
    cells = side.between(columns[side.attribute], columns[side.other])
    cells -= side.base
    return np.flatnonzero(table[cells])


def offers(
    ledger: Ledger, side: Side, columns: list[Places], crowded: Places, rng: np.random.Generator
) -> tuple[Places, Places]:
    """Of rows in cells with too many about as many as are, each with a value that has too few."""
    cells = side.between(columns[side.attribute][crowded], columns[side.other][crowded])
    over = np.maximum(ledger.over[cells], 0.0)
    share = over / np.maximum(over + ledger.people[cells], 1.0)
    rows = crowded[(over >= 1.0) & (rng.random(len(crowded)) < share)]
    column = columns[side.other][rows]
    # Cells with too few, as often as rows are missing; all in the order of the other's values.
    too_few = np.floor(np.maximum(-side.of(ledger.over), 0.0)).astype(np.intp)
    lacking = rng.permutation(np.repeat(np.arange(too_few.size), too_few.ravel()))
    lacking = lacking[in_order(lacking // side.shape[0], side.shape[1])]
    first = np.concatenate([[0], np.cumsum(too_few.sum(axis=1))])
    # The first row with a value takes the first such cell, and so on while there are some.
    order = in_order(column, side.shape[1])
    rows, column = rows[order], column[order]
    at = first[column] + np.arange(len(rows)) - np.searchsorted(column, column)
    some = at < first[column + 1]
    return rows[some], lacking[at[some]] % side.shape[0]


def take(
    ledger: Ledger, sides: Sequence[Seen], columns: list[Places], rows: Places, value: Places
) -> None:
    """Change the rows that bring the table nearer, all tables of the attribute considered."""
    column = columns[sides[0].attribute]
    cost, old = np.zeros(len(rows)), column[rows]
    for side in sides:
        new, left = side.cells(value, columns, rows), side.cells(old, columns, rows)
        cost += ledger.more[new] + ledger.less[left]
    nearer = cost < 0.0
    rows, value, old = rows[nearer], value[nearer], old[nearer]
    for side in sides:
        ledger.move(side.cells(old, columns, rows), side.cells(value, columns, rows))
    column[rows] = value
