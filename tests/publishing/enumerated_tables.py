"""All tables of a few people: how likely each of them makes a given rounded file.

P(file | table) is a product over the numbers of different names, P(y | x) = 1 − |x − y|/b each, and
nought where the program would have decided otherwise than the file shows. With every table equally
likely beforehand, what somebody believes who knows the file, the program and all tables there can
be is the posterior.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Floats, Ints, Mask
from reidrisk.publishing.counted_tables import NEARLY_EVERYBODY, Cells, CountedTables
from reidrisk.publishing.random_rounding import RoundedCounts

Cell = tuple[int, int, int, int]


def every_table(cells: int, people: int) -> Ints:
    """All ways to put so many people into so many cells, a row each."""
    ways = np.array(list(combinations(range(people + cells - 1), cells - 1)))
    ends = np.full((len(ways), 1), people + cells - 1)
    return np.diff(np.concatenate([np.full((len(ways), 1), -1), ways, ends], axis=1), axis=1) - 1


def counted_of(codes: Ints) -> CountedTables:
    """A row a person: the tables that `publish` starts from, values named by their codes."""
    held, margins, places = [], [], []
    for column in codes.T:
        present, place, people = np.unique(column, return_inverse=True, return_counts=True)
        held.append(tuple(f"v{value}" for value in present.tolist()))
        margins.append(people)
        places.append(place)
    pairs = {}
    for i, j in combinations(range(codes.shape[1]), 2):
        both = np.stack([places[i], places[j]], axis=1)
        cells, people = np.unique(both, axis=0, return_counts=True)
        pairs[i, j] = Cells(cells[:, 0], cells[:, 1], people)
    names = tuple(f"a{i}" for i in range(codes.shape[1]))
    return CountedTables(len(codes), names, tuple(held), tuple(margins), pairs)


class Numbers(NamedTuple):
    """What a file says: −1 for a value that isn't named, and for its cells."""

    people: int
    margins: list[Ints]
    others: list[tuple[int, int] | None]
    pairs: dict[tuple[int, int], Ints]


def numbers_of(codes: Ints, sizes: list[int], key: bytes, base: int) -> Numbers | None:
    """The file of these records under a key; None where some attribute is published as a map."""
    counted = counted_of(codes)
    file = RoundedCounts(counted, key, base).statistics()
    if file.determined:
        return None
    margins, others = [], []
    for attribute, size in zip(file.attributes, sizes, strict=True):
        margins.append(np.array([attribute.counts.get(f"v{a}", -1) for a in range(size)]))
        other = attribute.other
        others.append((other.count, other.values) if other else None)
    pairs = {}
    for i, j in combinations(range(len(sizes)), 2):
        held = file.pair(f"a{i}", f"a{j}")
        table = np.zeros((sizes[i], sizes[j]), dtype=np.int64)
        for (a, b), people in (held.counts if held else {}).items():
            table[int(str(a)[1:]), int(str(b)[1:])] = people
        table[margins[i] < 0] = -1
        table[:, margins[j] < 0] = -1
        pairs[i, j] = table
    return Numbers(file.records, margins, others, pairs)


def allows(file: Numbers, codes: Ints, base: int) -> bool:
    """Whether a file is possible for these records: number by number, without likelihoods."""
    counted = counted_of(codes)
    named = []
    for i, numbers in enumerate(file.margins):
        held = dict(zip(counted.values[i], counted.margins[i].tolist(), strict=True))
        listed = {f"v{a}": number for a, number in enumerate(numbers.tolist()) if number >= 0}
        rest = [people for value, people in held.items() if value not in listed]
        told = file.others[i] or (0, 0)
        if any(abs(held.get(value, 0) - number) >= base for value, number in listed.items()):
            return False
        if any(people >= 2 * base for people in rest) or abs(sum(rest) - told[0]) >= base:
            return False
        named.append(np.array([value in listed for value in counted.values[i]]))
    if counted.determined(named) or abs(counted.people - file.people) >= base:
        return False
    return all(_allows_pair(file, counted, pair, base) for pair in file.pairs)


def _allows_pair(file: Numbers, counted: CountedTables, pair: tuple[int, int], base: int) -> bool:
    cells = counted.pairs[pair]
    left = file.pairs[pair].copy()
    for first, second, people in zip(cells.first, cells.second, cells.people, strict=True):
        at = [int(str(counted.values[side][place])[1:])
              for side, place in zip(pair, (first, second), strict=True)]  # fmt: skip
        number, left[at[0], at[1]] = left[at[0], at[1]], 0
        if number < 0:
            continue
        if abs(people - number) >= base:
            return False
        of_values = [file.margins[side][a] for side, a in zip(pair, at, strict=True)]
        everybody = [counted.margins[side][place] == people
                     for side, place in zip(pair, (first, second), strict=True)]  # fmt: skip
        # The second attribute's number stands where it is everybody of both.
        told = [n for n, is_all in zip(of_values, everybody, strict=True) if is_all]
        if told and told[-1] != number:
            return False
    return not (left > 0).any()


class Believed(NamedTuple):
    """Of one small cell: its true count, and how likely each count is to who has seen the file."""

    true: int
    of_counts: Floats


class Tables:
    """All tables of up to `most` people, with their sums."""

    def __init__(self, sizes: list[int], least: int, most: int, base: int) -> None:
        self.sizes, self.base = sizes, base
        cells = int(np.prod(sizes))
        rows = [every_table(cells, n).astype(np.int16) for n in range(least, most + 1)]
        self.rows = np.concatenate(rows)
        places = np.indices(sizes).reshape(len(sizes), -1).T
        self.people = self.rows.sum(axis=1, dtype=np.int16)
        self.margins = [
            np.stack([self._sum(places[:, i] == a) for a in range(size)], axis=1)
            for i, size in enumerate(sizes)
        ]
        self.cells: dict[Cell, Ints] = {
            (i, j, a, b): self._sum((places[:, i] == a) & (places[:, j] == b))
            for i, j in combinations(range(len(sizes)), 2)
            for a in range(sizes[i])
            for b in range(sizes[j])
        }
        self.codes_of_row = places

    def _sum(self, of: Mask) -> Ints:
        return np.asarray(self.rows[:, of].sum(axis=1, dtype=np.int16))

    def records(self, row: int) -> Ints:
        """One table as records."""
        return np.repeat(self.codes_of_row, self.rows[row], axis=0)

    def likelihood(self, file: Numbers) -> tuple[Ints, Floats]:
        """The tables for which this file is possible, and how likely each makes it."""
        base = self.base
        found = _rounds(self.people, file.people, base)
        for i, numbers in enumerate(file.margins):
            found *= self._of_attribute(i, numbers, file)
        alive = np.flatnonzero(found > 0.0)
        found = found[alive]
        held = [margin[alive] for margin in self.margins]
        able = self._able(alive, held, file)
        for (i, j), numbers in file.pairs.items():
            some = np.zeros(len(alive), dtype=np.int64)
            for a, b in np.ndindex(numbers.shape):
                exact = self.cells[i, j, a, b][alive]
                some += exact > 0
                if numbers[a, b] >= 0:
                    found *= self._of_cell(
                        exact, int(numbers[a, b]), (held[i][:, a], int(file.margins[i][a])),
                        (held[j][:, b], int(file.margins[j][b])),
                    )  # fmt: skip
            # Else one of the two would be a map.
            values = [(held[side] > 0).sum(axis=1) for side in (i, j)]
            found *= ~(able[i] & (some == values[0]) & (values[1] > 1))
            found *= ~(able[j] & (some == values[1]) & (values[0] > 1))
        return alive[found > 0.0], found[found > 0.0]

    def _of_attribute(self, i: int, numbers: Ints, file: Numbers) -> Floats:
        other = file.others[i]
        found = np.ones(len(self.rows))
        unnamed, values = self._unnamed(i, file), np.zeros_like(self.people)
        several = np.ones(len(self.rows))
        for a, number in enumerate(numbers.tolist()):
            exact = self.margins[i][:, a]
            if number >= 0:
                found *= _rounds(exact, number, self.base)
            else:
                found *= exact < 2 * self.base
                several *= _rounds(exact, 0, self.base) + _rounds(exact, self.base, self.base)
                values += exact > 0
        told = 0 if other is None else other[0]
        # Those of one value by the value's own number, which is why it isn't named.
        found *= np.where(values == 1, float(told < 2 * self.base), several)
        chance = _rounds(unnamed, told, self.base)
        for j in range(i):
            if (file.margins[j] < 0).any():
                same = self._share(i, j, file) & (unnamed > 0)
                earlier = file.others[j]
                is_equal = told == (0 if earlier is None else earlier[0])
                chance = np.where(same, float(is_equal), chance)
        found *= np.where(unnamed == self.people, float(told == file.people), chance)
        if other is not None:
            # Values that round to none are told as one.
            of_values = 0 if other[1] == 1 else other[1]
            found *= _rounds(values, of_values, self.base)
        return found

    def _unnamed(self, i: int, file: Numbers) -> Ints:
        return np.asarray(self.margins[i][:, file.margins[i] < 0].sum(axis=1))

    def _share(self, i: int, j: int, file: Numbers) -> Mask:
        """Whether the same people have the unnamed values of two attributes."""
        both = np.zeros(len(self.rows), dtype=np.int64)
        for a in np.flatnonzero(file.margins[i] < 0).tolist():
            for b in np.flatnonzero(file.margins[j] < 0).tolist():
                both += self.cells[j, i, b, a]
        return np.asarray((both == self._unnamed(i, file)) & (both == self._unnamed(j, file)))

    def _able(self, alive: Ints, held: list[Ints], file: Numbers) -> list[Ints]:
        named = [margin[:, numbers >= 0].sum(axis=1)
                 for margin, numbers in zip(held, file.margins, strict=False)]  # fmt: skip
        return [each >= NEARLY_EVERYBODY * self.people[alive] for each in named]

    def _of_cell(
        self, exact: Ints, number: int, row: tuple[Ints, int], column: tuple[Ints, int]
    ) -> Floats:
        """Everybody of a value carries the value's own number."""
        found = _rounds(exact, number, self.base)
        for people, of_value in (row, column):
            found = np.where(exact == people, float(number == of_value), found)
        return found

    def believed(self, truth: int, file: Numbers) -> list[Believed]:
        """What is believed of each cell of named values that holds 1 to b − 1 people."""
        alive, likely = self.likelihood(file)
        assert truth in alive
        found = []
        for (i, j, a, b), exact in self.cells.items():
            if 0 < exact[truth] < self.base and file.pairs[i, j][a, b] >= 0:
                of_counts = np.bincount(exact[alive], likely)
                found.append(Believed(int(exact[truth]), of_counts / of_counts.sum()))
        return found


def _rounds(exact: Ints, number: int, base: int) -> Floats:
    """P(y | x) = 1 − |x − y|/b, of multiples of b."""
    return np.asarray(np.maximum(1.0 - np.abs(exact - number) / base, 0.0))
