"""Exact triples: a drawn table is changed until it has the known pair counts and triple counts.

As `exact_margins` with triple tables as well: what a change of a value costs is added up over the
pair tables and the triple tables of its attribute, and rows in triple cells with too many people
are offered a value whose cell with their other two values has too few.

A triple cell that nobody holds isn't kept (`triple_table`), so that all of them are one place: each
row there is taken to be the only one in its cell.

Where it fails: as `exact_margins`, and sooner: three-way cells leave a row fewer ways to go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Floats, Ints, Places, Rows
from reidrisk.models.exact_margins import (
    EMPTY,
    FEWEST_SWEEPS,
    MOST_LOOKS,
    MOST_SWEEPS,
    Ledger,
    Seen,
    Side,
    crowded_rows,
    held_by,
    offers,
    pair_sides,
    take,
)
from reidrisk.models.knowledge import Knowledge, all_counted
from reidrisk.models.triple_table import Triple, TripleTable

# The last sweeps are so many that together gain less than this share of what is off.
LOOKED_BACK, LEAST_GAIN = 5, 0.05


class TripleSide(NamedTuple):
    """A triple table seen from its side `own`; its cells begin at `base`, and past them is a place
    for all that nobody holds. `order` are its cells by the values of the other two, `others`.
    """

    of: Triple
    own: int
    table: TripleTable
    base: int
    order: Places
    others: Ints

    @classmethod
    def sides(cls, of: Triple, table: TripleTable, base: int) -> tuple[TripleSide, ...]:
        """All three."""
        found = []
        for own in range(3):
            others = _others(table, own, table.codes.T)
            order = np.argsort(others, kind="stable")
            found.append(cls(of, own, table, base, order, others[order]))
        return tuple(found)

    @property
    def attribute(self) -> int:
        """The attribute it is seen from."""
        return self.of[self.own]

    @property
    def empty(self) -> int:
        """The place of cells that nobody holds."""
        return self.base + len(self.table.keys)

    def cells(self, values: Places, columns: Sequence[Places], rows: Places) -> Places:
        """The cells of rows, had they these values."""
        seen = [columns[attribute][rows] for attribute in self.of]
        seen[self.own] = values
        return self.base + self.table.places(seen)

    def offers(
        self, ledger: Ledger, columns: Sequence[Places], rng: np.random.Generator
    ) -> tuple[Places, Places]:
        """As `exact_margins.offers`."""
        over = ledger.over[self.base : self.empty + 1]
        people = np.append(self.table.people, 0.0)
        cells = self.table.places([columns[attribute] for attribute in self.of])
        rows = np.flatnonzero((over >= 1.0)[cells] | (cells == len(self.table.keys)))
        share = over / np.maximum(over + people, 1.0)
        share[-1] = 1.0
        rows = rows[rng.random(len(rows)) < share[cells[rows]]]
        wanted = _others(self.table, self.own, [columns[a][rows] for a in self.of])
        too_few = np.floor(np.maximum(-over[:-1][self.order], 0.0)).astype(np.intp)
        lacking = rng.permutation(np.repeat(np.arange(len(self.order)), too_few))
        lacking = lacking[np.argsort(self.others[lacking], kind="stable")]
        theirs = self.others[lacking]
        by_value = np.argsort(wanted, kind="stable")
        rows, wanted = rows[by_value], wanted[by_value]
        nth = np.arange(len(rows)) - np.searchsorted(wanted, wanted)
        at = np.searchsorted(theirs, wanted) + nth
        some = at < np.searchsorted(theirs, wanted, side="right")
        values = self.table.codes[self.order[lacking[at[some]]], self.own]
        return rows[some], values


def _others(table: TripleTable, own: int, values: Sequence[Places] | Ints) -> Ints:
    """The values of the other two attributes as one number."""
    one, other = (side for side in range(3) if side != own)
    first = np.asarray(values[one], dtype=np.int64)
    return np.asarray(first * table.shape[other] + values[other])


def with_exact_triples(knowledge: Knowledge, rows: Rows, rng: np.random.Generator) -> Rows:
    """The rows with values changed until counted tables are those of `knowledge`, nearly."""
    columns = [column.astype(np.intp) for column in rows.T]
    for place in set(range(len(columns))).difference(*knowledge.pairs, *knowledge.triples):
        # Nothing depends on it: its values are dealt.
        values = np.arange(len(knowledge.counts[place]))
        columns[place] = rng.permutation(np.repeat(values, knowledge.counts[place]))
    pairs, triples = pair_sides(knowledge), _triple_sides(knowledge)
    ledger = _ledger(knowledge, columns, pairs, triples)
    every: list[Sequence[Seen]] = [*pairs, *triples]
    of = [[side for table in every for side in table if side.attribute == place]
          for place in range(len(columns))]  # fmt: skip
    counted = [*knowledge.pairs.values(), *(table.people for table in knowledge.triples.values())]
    tables = [table for table, cells in zip(every, counted, strict=True) if all_counted(cells)]
    sweeps, offs = MOST_LOOKS // max(len(rows) * len(tables), 1), [np.inf] * LOOKED_BACK
    for _ in range(min(max(sweeps, FEWEST_SWEEPS), MOST_SWEEPS)):
        offs.append(ledger.off)
        if not offs[-1] or offs[-1] > offs[-1 - LOOKED_BACK] * (1.0 - LEAST_GAIN):
            break
        for at in rng.permutation(len(tables)):
            side = tables[at][rng.integers(len(tables[at]))]
            if isinstance(side, Side):
                crowded = crowded_rows(ledger, side, columns)
                which, value = offers(ledger, side, columns, crowded, rng)
            else:
                assert isinstance(side, TripleSide)
                which, value = side.offers(ledger, columns, rng)
            take(ledger, of[side.attribute], columns, which, value)
            _each_alone(ledger, triples)
    return np.stack(columns, axis=1, dtype=np.int32) if columns else rows


class Deviations(NamedTuple):
    """How far a table is off: the worst cell of all pairs and of all triples, in people, and the
    share of people that are in a wrong cell, on average over the tables.
    """

    largest_pair: float
    largest_triple: float
    misplaced: float


def deviations(knowledge: Knowledge, rows: Rows) -> Deviations:
    """Hold the table's counts against those known."""
    pairs, triples, shares = [0.0], [0.0], [0.0]
    for of, cells in knowledge.pairs.items():
        flat = rows[:, of[0]].astype(np.intp) * cells.shape[1] + rows[:, of[1]]
        apart = np.abs(np.bincount(flat, minlength=cells.size) - cells.ravel())
        pairs.append(float(apart.max()))
        shares.append(float(apart.sum()) / (2.0 * knowledge.n))
    for three, table in knowledge.triples.items():
        places = table.places([rows[:, attribute] for attribute in three])
        held = np.bincount(places, minlength=len(table.keys) + 1)
        apart = np.abs(held - np.append(table.people, 0.0))
        triples.append(float(apart[:-1].max(initial=0.0)))
        shares.append(float(apart.sum()) / (2.0 * knowledge.n))
    return Deviations(max(pairs), max(triples), float(np.mean(shares[1:] or [0.0])))


def _triple_sides(knowledge: Knowledge) -> list[tuple[TripleSide, ...]]:
    base = sum(cells.size for cells in knowledge.pairs.values())
    found = []
    for of, table in knowledge.triples.items():
        found.append(TripleSide.sides(of, table, base))
        base = found[-1][0].empty + 1
    return found


def _ledger(
    knowledge: Knowledge,
    columns: list[Places],
    pairs: list[tuple[Side, Side]],
    triples: list[tuple[TripleSide, ...]],
) -> Ledger:
    """The cells of pair tables, then those of triple tables."""
    whole = [knowledge.drawn or all_counted(cells) for cells in knowledge.pairs.values()]
    parts = [held_by(knowledge, columns, pairs, whole)]
    for side, *_ in triples:
        held = np.bincount(
            side.table.places([columns[attribute] for attribute in side.of]),
            minlength=len(side.table.keys) + 1,
        ).astype(np.float64)
        people = np.append(side.table.people, 0.0)
        parts.append(Ledger.of(people, held, np.full(len(held), all_counted(people))))
    ledger = Ledger(*(np.concatenate(each) for each in zip(*map(_columns, parts), strict=True)))
    _each_alone(ledger, triples)
    return ledger


def _columns(ledger: Ledger) -> tuple[Floats, ...]:
    return ledger.people, ledger.over, ledger.weight, ledger.more, ledger.less


def _each_alone(ledger: Ledger, triples: list[tuple[TripleSide, ...]]) -> None:
    """A row in a cell that nobody holds costs what the first one does, and leaving saves that."""
    for side, *_ in triples:
        ledger.more[side.empty], ledger.less[side.empty] = EMPTY / 2.0, -EMPTY / 2.0
