"""Other tables of records for which a rounded file is possible too: proof that nothing is pinned.

One person gets another value of one attribute, or two people exchange theirs. Each number of the
file then changes by one at most, and the file stays possible where every changed count can still be
rounded to the number published, |x' − y| < b, and nothing that the program decides by the counts is
decided otherwise: which values are named, which cells are everybody of a value and carry its
number, which attributes are published as maps. The small counts that this person belonged to, or
comes to, are then other numbers, whatever an attacker computes from the file and the program.

Where it stops: what is called unproven may still have another table, which several changes make.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import reidrisk as rr
from reidrisk.arrays import Counts, Ints, Mask
from reidrisk.publishing.counted_tables import NEARLY_EVERYBODY, CountedTables
from reidrisk.publishing.random_rounding import RoundedCounts

Pair = tuple[int, int]
ROWS_AT_ONCE, VALUES_TRIED, ARRIVALS_TRIED, EXCHANGES_TRIED = 4096, 24, 400, 1000


class Told(NamedTuple):
    """How many counts of 1 to b − 1 people a file leaves out or rounds; for how many no other table
    was found.
    """

    small: int
    unproven: int


def without_alternative(table: rr.Table, rounded: RoundedCounts, seed: int = 0) -> Told:
    """Look for another table for every small cell of named values."""
    search = Search(table, rounded, np.random.default_rng(seed))
    return search.told()


class Search:
    """One file, and the records it is of."""

    def __init__(self, table: rr.Table, rounded: RoundedCounts, rng: np.random.Generator) -> None:
        self.counted, self.base, self.rng = rounded.counted, rounded.base, rng
        self.file = rounded.statistics().published
        self.codes = _codes(table, self.counted)
        names = self.counted.names
        self.kept = [names.index(name) for name in self.file.names]
        self.exact = _tables(self.counted, self.kept)
        self.numbers = {pair: self._number(pair, rounded) for pair in self.exact}
        self.fixed = self._decisions_are_near(rounded)
        self.leaves, self.comes = {}, {}
        for i in self.kept:
            self.leaves[i, i], self.comes[i, i] = self._margin(i, rounded)
            for j in self.kept:
                if i != j:
                    self.leaves[i, j], self.comes[i, j] = self._cells(i, j, rounded)

    def told(self) -> Told:
        open_ = self.small()
        if self.fixed:
            return Told(len(open_), len(open_))
        moves = np.stack([self._may_change(i) for i in self.kept], axis=1)
        left = [each for each in open_ if not self._leaves(moves, *each)]
        left = [each for each in left if not self._comes(*each)]
        return Told(len(open_), sum(not self._exchanged(*each) for each in left))

    def small(self) -> list[tuple[Pair, int, int]]:
        """The cells of 1 to b − 1 people."""
        return [(pair, *cell) for pair in self._pairs() for cell in self._small(pair)]

    def _pairs(self) -> list[Pair]:
        return [(i, j) for i, j in self.exact if i < j]

    def _small(self, pair: Pair) -> list[tuple[int, int]]:
        exact = self.exact[pair]
        small = (exact > 0) & (exact < self.base) & self.named[pair[0]][:, None]
        return [(int(a), int(b)) for a, b in np.argwhere(small & self.named[pair[1]][None, :])]

    # -- what may change by one -------------------------------------------------------------------

    def _number(self, pair: Pair, rounded: RoundedCounts) -> Counts:
        """What is published of each cell; −1 of values that aren't named."""
        i, j = pair
        names, values = self.counted.names, self.counted.values
        found = np.zeros_like(self.exact[pair])
        held = self.file.pair(names[i], names[j])
        place = [{value: at for at, value in enumerate(values[side])} for side in pair]
        for (a, b), people in (held.counts if held else {}).items():
            assert isinstance(people, int)
            found[place[0][a], place[1][b]] = people
        found[~rounded.named[i]] = -1
        found[:, ~rounded.named[j]] = -1
        return found

    def _decisions_are_near(self, rounded: RoundedCounts) -> bool:
        """Whether one person might decide which attributes can stand for others."""
        self.named = rounded.named
        held = [int(m[n].sum()) for m, n in zip(self.counted.margins, self.named, strict=True)]
        return any(abs(each - NEARLY_EVERYBODY * self.counted.people) < 2 for each in held
                   if each < self.counted.people)  # fmt: skip

    def _margin(self, i: int, rounded: RoundedCounts) -> tuple[Mask, Mask]:
        """Whose count may be one less, and one more; of unnamed values `other` too."""
        exact, named, base = self.counted.margins[i], self.named[i], self.base
        other = self.file.attribute(self.counted.names[i]).other
        off = int(exact[~named].sum()) - (other.count if other else 0)
        numbers = rounded.margins[i]
        less = np.where(named, abs(exact - 1 - numbers) < base, (exact > 1) & (off > 1 - base))
        more = np.where(
            named, abs(exact + 1 - numbers) < base, (exact < 2 * base - 1) & (off < base - 1)
        )
        return less, more

    def _cells(self, i: int, j: int, rounded: RoundedCounts) -> tuple[Mask, Mask]:
        """Cells (a, c) that somebody of c may leave for another a, and may come to from one."""
        exact, number = self.exact[i, j], self.numbers[i, j]
        said = number >= 0
        rows, columns = self.counted.margins[i][:, None], self.counted.margins[j][None, :]
        of_row, of_column = rounded.margins[i][:, None], rounded.margins[j][None, :]
        held = exact > 0
        not_last = (held.sum(axis=1)[:, None] > 2) & (held.sum() > max(exact.shape) + 2)
        less = (exact > 1) | ((exact == 1) & not_last)
        near = (abs(exact - 1 - number) < self.base) & ((exact != rows) | (number == of_row))
        near_above = abs(exact + 1 - number) < self.base
        near_above &= (exact + 1 != columns) | (number == of_column)
        return less & (near | ~said), near_above | ~said

    # -- who may change ---------------------------------------------------------------------------

    def _may_leave(self, i: int, rows: Ints) -> Mask:
        own = self.codes[rows]
        found = self.leaves[i, i][own[:, i]]
        for j in self.kept:
            if j != i:
                found &= self.leaves[i, j][own[:, i], own[:, j]]
        return np.asarray(found)

    def _may_come(self, i: int, rows: Ints, values: Ints) -> Mask:
        """(row, value): whether the row's person may have that value of i."""
        own = self.codes[rows]
        found = self.comes[i, i][values] & (values != own[:, [i]])
        for j in self.kept:
            if j != i:
                found &= self.comes[i, j][values, own[:, [j]]]
        return np.asarray(found)

    def _may_change(self, i: int) -> Mask:
        """Whether a row's person may have some other value of i, of a few that are tried."""
        found = np.zeros(len(self.codes), dtype=bool)
        size = len(self.counted.margins[i])
        for begin in range(0, len(self.codes), ROWS_AT_ONCE):
            rows = np.arange(begin, min(begin + ROWS_AT_ONCE, len(self.codes)))
            rows = rows[self._may_leave(i, rows)]
            tried = self.rng.integers(0, size, (len(rows), VALUES_TRIED))
            found[rows] = self._may_come(i, rows, tried).any(axis=1)
        return found

    def changes(self, number: int) -> list[tuple[int, int, int]]:
        """Some changes that leave the file possible: a row, an attribute, and its new value."""
        found = []
        while len(found) < number:
            i, row = int(self.rng.choice(self.kept)), int(self.rng.integers(len(self.codes)))
            value = int(self.rng.integers(len(self.counted.margins[i])))
            of = np.array([row])
            if self._may_leave(i, of)[0] and self._may_come(i, of, np.array([[value]]))[0, 0]:
                found.append((row, i, value))
        return found

    def _leaves(self, moves: Mask, pair: Pair, a: int, b: int) -> bool:
        i, j = pair
        rows = np.flatnonzero((self.codes[:, i] == a) & (self.codes[:, j] == b))
        return bool(moves[np.ix_(rows, [self.kept.index(i), self.kept.index(j)])].any())

    def _exchanged(self, pair: Pair, a: int, b: int) -> bool:
        """Whether exchanging a value of one of the two attributes takes one away, or adds one."""
        for (i, j), (own, at) in ((pair, (a, b)), (pair[::-1], (b, a))):
            has, goes_with = self.codes[:, i] == own, self.codes[:, j] == at
            if self._may_exchange(i, has & goes_with, ~has & ~goes_with):
                return True
            if self._may_exchange(i, has & ~goes_with, ~has & goes_with):
                return True
        return False

    def _may_exchange(self, i: int, first: Mask, second: Mask) -> bool:
        """Whether somebody of the first and somebody of the second may exchange their i."""
        rows, others = (self.rng.permutation(np.flatnonzero(each))[:EXCHANGES_TRIED, None]
                        for each in (first, second))  # fmt: skip
        one, other = self.codes[rows], self.codes[others.T]
        found = np.ones((len(rows), len(others)), dtype=bool)
        for j in self.kept:
            if j != i:
                less, more = self.leaves[i, j], self.comes[i, j]
                mine, theirs = (one[..., i], one[..., j]), (other[..., i], other[..., j])
                may = (
                    less[mine] & less[theirs] & more[theirs[0], mine[1]] & more[mine[0], theirs[1]]
                )
                found &= may | (mine[1] == theirs[1])
        return bool(found.any())

    def _comes(self, pair: Pair, a: int, b: int) -> bool:
        for (i, j), (to, at) in ((pair, (a, b)), (pair[::-1], (b, a))):
            rows = np.flatnonzero((self.codes[:, j] == at) & (self.codes[:, i] != to))
            rows = self.rng.permutation(rows)[:ARRIVALS_TRIED]
            rows = rows[self._may_leave(i, rows)]
            if self._may_come(i, rows, np.full((len(rows), 1), to)).any():
                return True
        return False


def _codes(table: rr.Table, counted: CountedTables) -> Ints:
    """Each different row as the places of its values, for however many people it stands."""
    tuples, _ = table.engine.coded_tuples(counted.names).each_once()
    columns = []
    for values, texts, codes in zip(counted.values, tuples.values, tuples.codes, strict=True):
        place = {value: at for at, value in enumerate(values)}
        of_code = np.array([place.get(text, -1) for text in (*texts.to_pylist(), None)])
        columns.append(of_code[codes])
    return np.stack(columns, axis=1)


def _tables(counted: CountedTables, kept: list[int]) -> dict[Pair, Counts]:
    found = {}
    for (i, j), cells in counted.pairs.items():
        if i in kept and j in kept:
            table = np.zeros((len(counted.margins[i]), len(counted.margins[j])), dtype=np.int64)
            table[cells.first, cells.second] = cells.people
            found[i, j], found[j, i] = table, table.T
    return found
