"""Attackers who have a file: linear programs over all records that it allows; of rounded files in
whole numbers, by somebody who knows the program.

A variable is how many people have one combination of all values, those of values that aren't named
together as one more. Every number of the file bounds a sum of variables. A small cell is pinned
where its least and its most leave one whole number.

After rounding a value that is named has more than b people, and a cell with another number than its
row's doesn't hold everybody of the row.

Where it stops: the ends of exact files' programs needn't be whole, so they leave more than whole
numbers would.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

import reidrisk as rr
from reidrisk.arrays import Floats, Ints, Mask
from reidrisk.statistics import PairCounts, Statistics, Value
from tests.publishing.populations import Population

Cell = tuple[str, Value, str, Value]
CLOSE = 1e-6


def records_of(made: Population) -> rr.Table:
    """A generated population as people's records."""
    held = {
        f"a{i}": [f"v{code}" for code in column.tolist()] for i, column in enumerate(made.codes.T)
    }
    return rr.read(held, list(held), rows_are_people=True)


def small_cells(table: rr.Table, file: Statistics, below: int) -> dict[Cell, int]:
    """The counts of 1 to m − 1 people in the pair tables of values that a file names."""
    true = rr.publish(table, unprotected=True)
    found = {}
    for pair in true.pairs:
        # Others are sums of those that have numbers.
        if not set(pair.of) <= set(file.names):
            continue
        one, other = pair.of
        named = [file.attribute(name).stated for name in pair.of]
        for (a, b), people in pair.counts.items():
            if isinstance(people, int) and people < below and a in named[0] and b in named[1]:
                found[one, a, other, b] = people
    return found


def without_small_cells(file: Statistics, below: int) -> Statistics:
    """What isn't enough: exact margins, and every cell below m left out."""
    pairs = (
        PairCounts(pair.of, {of: n for of, n in pair.counts.items()
                             if isinstance(n, int) and n >= below})
        for pair in file.pairs
    )  # fmt: skip
    return replace(file, pairs=tuple(pairs), at_least=below, protection=None)


class Range(NamedTuple):
    """What programs leave of a count, or more than that: a part of it was enough to see."""

    least: float
    most: float

    @property
    def whole(self) -> int:
        """How many whole numbers lie in it."""
        return int(np.floor(self.most + CLOSE) - np.ceil(self.least - CLOSE)) + 1


class Programs:
    """Linear programs over everything that one file says."""

    def __init__(self, file: Statistics) -> None:
        self.file = file.published
        protection = self.file.protection
        self.reach = (protection.reach or 0) if protection is not None else 0
        self.values = [list(attribute.stated) for attribute in self.file.attributes]
        # Everybody of no value that is named comes last.
        sizes = [len(values) + 1 for values in self.values]
        self.places = np.indices(sizes).reshape(len(sizes), -1)
        self.sums: list[Ints] = []
        self.least: list[float] = []
        self.most: list[float] = []
        self._state()
        self.rows = self._matrix()

    def _matrix(self) -> csr_array:
        lengths = [len(each) for each in self.sums]
        ones = np.ones(sum(lengths))
        ends = np.cumsum([0, *lengths])
        shape = (len(lengths), self.places.shape[1])
        return csr_array((ones, np.concatenate(self.sums), ends), shape=shape)

    def _somebody(self, of: Mask, at_least: int = 1) -> None:
        self.sums.append(np.flatnonzero(of))
        self.least.append(at_least)
        self.most.append(np.inf)

    def _bound(self, of: Mask, number: int, at_least: int = 0) -> None:
        self.sums.append(np.flatnonzero(of))
        self.least.append(max(number - self.reach, at_least))
        self.most.append(number + self.reach)

    def _state(self) -> None:
        self._bound(np.ones(self.places.shape[1], dtype=bool), self.file.records)
        for i, attribute in enumerate(self.file.attributes):
            for a, number in enumerate(attribute.stated.values()):
                assert isinstance(number, int)
                self._bound(self.places[i] == a, number)
                if self.reach:
                    self._somebody(self.places[i] == a, self.reach + 2)
            rest = attribute.other.count if attribute.other is not None else 0
            self._bound(self.places[i] == len(self.values[i]), rest)
        for i, j in combinations(range(len(self.values)), 2):
            pair = self.file.pair(self.file.names[i], self.file.names[j])
            if pair is not None:
                self._state_cells(i, j, pair)

    def _state_cells(self, i: int, j: int, pair: PairCounts) -> None:
        for a, one in enumerate(self.values[i]):
            for b, other in enumerate(self.values[j]):
                number = pair.counts.get((one, other), 0)
                assert isinstance(number, int)
                # With rounding what isn't listed was rounded to 0; else it may be any number.
                if number or self.reach:
                    self._bound((self.places[i] == a) & (self.places[j] == b), number)
                if number and self.reach:
                    of_row, of_column = self.places[i] == a, self.places[j] == b
                    if number != self.file.attributes[i].stated[one]:
                        self._somebody(of_row & ~of_column)
                    if number != self.file.attributes[j].stated[other]:
                        self._somebody(of_column & ~of_row)

    def _cells(self, cells: Iterable[Cell]) -> list[Ints]:
        found = []
        for one, a, other, b in cells:
            i, j = self.file.names.index(one), self.file.names.index(other)
            at = (self.places[i] == self.values[i].index(a)) & (
                self.places[j] == self.values[j].index(b)
            )
            found.append(np.flatnonzero(at))
        return found

    def ranges(self, cells: Sequence[Cell]) -> dict[Cell, Range]:
        """Of each cell what is left; programs end where two whole numbers are seen to be."""
        of = self._cells(cells)
        together = np.zeros(self.places.shape[1])
        for each in of:
            together[each] += 1.0
        both = self._solved(together), self._solved(-together)
        seen = np.array([[found[each].sum() for each in of] for found in both])
        ranges = {}
        for at, cell in enumerate(cells):
            for sign in (1.0, -1.0):
                if Range(seen[:, at].min(), seen[:, at].max()).whole < 2:
                    asked = np.zeros(self.places.shape[1])
                    asked[of[at]] = sign
                    found = self._solved(asked)
                    seen = np.vstack([seen, [found[each].sum() for each in of]])
            ranges[cell] = Range(float(seen[:, at].min()), float(seen[:, at].max()))
        return ranges

    def _solved(self, asked: Floats) -> Floats:
        solved = milp(
            asked, constraints=LinearConstraint(self.rows, self.least, self.most),
            bounds=Bounds(0, np.inf), integrality=np.full(len(asked), int(self.reach > 0)),
        )  # fmt: skip
        assert solved.success
        return np.asarray(solved.x)
