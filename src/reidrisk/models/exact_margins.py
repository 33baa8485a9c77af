"""Exact margins: a drawn table is changed, value by value, until it has the known pair counts.

Rows drawn one by one from a law have pair counts that scatter around those given: a pair that one
person holds is held by nobody in 37 of 100 drawn tables, by several in 26. Such a table has larger
crowds than tables that have the counts, in which nobody of that pair shares anything beyond it.

Symbols: x people hold a pair of values, y rows of the drawn table do, o = y − x rows too many. The
table is off by

    E = ½ Σ_cells w·o²,   w = 1/√x, and 2 for a cell that nobody holds.

For each pair table of attributes j and k in turn, rows in cells with too many (o ≥ 1) are taken at
random, as many as are too many, and offered a value of j whose cell with their value of k has too
few. Changing a row's value a to b costs, over all pair tables of j, c the row's value of the other
attribute,

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

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Floats, Places, Rows
from reidrisk.models.knowledge import Knowledge, all_counted

# What a row in a cell that nobody holds weighs: twice as much as one too many where one person is.
EMPTY = 2.0
# Sweeps over the tables, as many as look at so many rows of a table in all (half a second), but
# between these bounds.
MOST_LOOKS, FEWEST_SWEEPS, MOST_SWEEPS = 15_000_000, 3, 64


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

    def cells(self, values: Places, others: Places) -> Places:
        """The cells of rows with these values."""
        return np.asarray(self.base + self.own * values + self.its * others)


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
    def of(cls, people: Floats, held: Floats, counted: NDArray[np.bool_]) -> Ledger:
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
        return 0.5 * float(np.dot(self.weight, self.over**2))


def with_exact_margins(knowledge: Knowledge, rows: Rows, rng: np.random.Generator) -> Rows:
    """The rows with values changed until counted pair tables are those of `knowledge`, nearly."""
    columns = [column.astype(np.intp) for column in rows.T]
    for place in set(range(len(columns))).difference(*knowledge.pairs):
        # Nothing depends on it: its values are dealt.
        values = np.arange(len(knowledge.counts[place]))
        columns[place] = rng.permutation(np.repeat(values, knowledge.counts[place]))
    tables = _tables(knowledge)
    ledger = _ledger(knowledge, columns, tables)
    of = [[side for table in tables for side in table if side.attribute == place]
          for place in range(len(columns))]  # fmt: skip
    counted = [table for table, cells in zip(tables, knowledge.pairs.values(), strict=True)
               if all_counted(cells)]  # fmt: skip
    sweeps = MOST_LOOKS // max(len(rows) * len(counted), 1)
    for _ in range(min(max(sweeps, FEWEST_SWEEPS), MOST_SWEEPS)):
        if not ledger.off:
            break
        for at in rng.permutation(len(counted)):
            side = counted[at][rng.integers(2)]
            which, value = _offers(ledger, side, columns, rng)
            _take(ledger, of[side.attribute], columns, which, value)
    return np.stack(columns, axis=1, dtype=np.int32)


def _tables(knowledge: Knowledge) -> list[tuple[Side, Side]]:
    """Both sides of each pair table."""
    tables, base = [], 0
    for (i, j), cells in knowledge.pairs.items():
        high, wide = cells.shape
        tables.append((Side(i, j, base, wide, 1, (high, wide)),
                      Side(j, i, base, 1, wide, (wide, high))))  # fmt: skip
        base += cells.size
    return tables


def _ledger(knowledge: Knowledge, columns: list[Places], tables: list[tuple[Side, Side]]) -> Ledger:
    every = list(knowledge.pairs.values())
    people = np.concatenate([np.zeros(0), *(cells.ravel() for cells in every)])
    counted = np.concatenate([np.zeros(0, bool), *(np.full(cells.size, all_counted(cells))
                                                   for cells in every)])  # fmt: skip
    held = np.zeros(len(people))
    for side, _ in tables:
        cells = side.cells(columns[side.attribute], columns[side.other])
        held += np.bincount(cells, minlength=len(held))
    return Ledger.of(people, held, counted)


def _offers(
    ledger: Ledger, side: Side, columns: list[Places], rng: np.random.Generator
) -> tuple[Places, Places]:
    """Rows in cells with too many, about as many as are, each with a value that has too few."""
    table = slice(side.base, side.base + side.shape[0] * side.shape[1])
    over, cells = ledger.over[table], side.cells(columns[side.attribute], columns[side.other])
    cells -= side.base
    rows = np.flatnonzero((over >= 1.0)[cells])
    share = over / np.maximum(over + ledger.people[table], 1.0)
    rows = rows[rng.random(len(rows)) < share[cells[rows]]]
    column = columns[side.other][rows]
    # Cells with too few, as often as rows are missing; all in the order of the other's values.
    own, its = np.arange(side.shape[0]), np.arange(side.shape[1])
    grid = side.cells(own[None, :], its[:, None])
    too_few = np.floor(np.maximum(-ledger.over[grid], 0.0)).astype(np.intp)
    lacking = rng.permutation(np.repeat(np.arange(grid.size), too_few.ravel()))
    lacking = lacking[np.argsort(lacking // side.shape[0], kind="stable")]
    first = np.concatenate([[0], np.cumsum(too_few.sum(axis=1))])
    # The first row with a value takes the first such cell, and so on while there are some.
    order = np.argsort(column, kind="stable")
    rows, column = rows[order], column[order]
    at = first[column] + np.arange(len(rows)) - np.searchsorted(column, column)
    some = at < first[column + 1]
    return rows[some], lacking[at[some]] % side.shape[0]


def _take(
    ledger: Ledger, sides: list[Side], columns: list[Places], rows: Places, value: Places
) -> None:
    """Change the rows that bring the table nearer, all tables of the attribute considered."""
    column = columns[sides[0].attribute]
    cost, old = np.zeros(len(rows)), column[rows]
    for side in sides:
        others = columns[side.other][rows]
        cost += ledger.more[side.cells(value, others)] + ledger.less[side.cells(old, others)]
    nearer = cost < 0.0
    rows, value, old = rows[nearer], value[nearer], old[nearer]
    for side in sides:
        others = columns[side.other][rows]
        ledger.move(side.cells(old, others), side.cells(value, others))
    column[rows] = value
