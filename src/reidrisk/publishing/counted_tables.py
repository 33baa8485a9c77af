"""Counted tables: everybody, each attribute, pairs and triples of attributes, exactly, as arrays.

What every protection starts from. It stays inside: nothing here is fit to be published.

Determined attributes: b is determined by a where everybody of one value of a has one value of b
(postcode and county, an age and its band, two spellings of one attribute). All counts of b are then
sums of counts of a, and rounding both would say each of them twice; so b is published once, as the
map from a's values to its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from reidrisk.arrays import Counts, Mask, Places
from reidrisk.models import TripleTable
from reidrisk.records import PairTable, Table, in_order
from reidrisk.statistics import SharedCounts

Value = str | None
Pair = tuple[int, int]
Triple = tuple[int, int, int]
# The share of people that named values have to hold for a map of them to stand for an attribute.
NEARLY_EVERYBODY = 0.95


@dataclass(frozen=True, eq=False)
class Cells:
    """A pair table's cells that hold somebody: cell i has `people[i]` people, who have value
    number `first[i]` of the one attribute and `second[i]` of the other.
    """

    first: Places
    second: Places
    people: Counts

    def turned(self) -> Cells:
        """The two attributes exchanged."""
        order = np.lexsort((self.first, self.second))
        return Cells(self.second[order], self.first[order], self.people[order])


@dataclass(frozen=True, eq=False)
class CountedTables:
    """`people` people; for each attribute its values (None: no value) and how many have each; for
    pairs of attributes, by their numbers i < j, the cells.
    """

    people: int
    names: tuple[str, ...]
    values: tuple[tuple[Value, ...], ...]
    margins: tuple[Counts, ...]
    pairs: Mapping[Pair, Cells]
    # For triples of attributes, by their numbers i < j < k.
    triples: Mapping[Triple, TripleTable] = field(default_factory=dict)
    # People who share all of some attributes.
    shared: SharedCounts | None = None

    @classmethod
    def of(cls, table: Table, chosen: Iterable[tuple[str, str]] | None = None) -> CountedTables:
        """Counted by the table's engine; all pairs of its columns, or those chosen by name."""
        names = table.columns
        values, margins = [], []
        for name in names:
            marginal = table.engine.marginal(name)
            held = zip(marginal.values, marginal.counts.tolist(), strict=True)
            # One order whatever engine counted.
            listed: list[tuple[Value, int]] = sorted(held, key=lambda pair: in_order(pair[0] or ""))
            if marginal.missing:
                listed.append((None, marginal.missing))
            values.append(tuple(value for value, _ in listed))
            margins.append(np.array([people for _, people in listed], dtype=np.int64))
        number = {name: i for i, name in enumerate(names)}
        place = [{value: at for at, value in enumerate(each)} for each in values]
        wanted = list(combinations(names, 2)) if chosen is None else list(chosen)
        pairs = {}
        for counted in table.engine.pair_tables(wanted):
            i, j = (number[name] for name in counted.of)
            cells = _cells(counted, place[i], place[j])
            pairs[min(i, j), max(i, j)] = cells if i < j else cells.turned()
        return cls(table.people, names, tuple(values), tuple(margins), pairs)

    def with_triples(self, table: Table, chosen: Iterable[Sequence[str]]) -> CountedTables:
        """The same with the triples chosen by name, counted by the table's engine."""
        number = {name: i for i, name in enumerate(self.names)}
        found = {}
        for of in chosen:
            i, j, k = sorted(number[name] for name in of)
            found[i, j, k] = self.triple(table, (i, j, k))
        return replace(self, triples=found)

    def triple(self, table: Table, of: Triple) -> TripleTable:
        """Three attributes counted."""
        names = [self.names[i] for i in of]
        counted = table.engine.coded_tuples(names)
        columns = []
        for i, values, codes in zip(of, counted.values, counted.codes, strict=True):
            place = {value: at for at, value in enumerate(self.values[i])}
            # A code past the end of the values stands for the missing one.
            places = [place.get(value, -1) for value in (*values.to_pylist(), None)]
            columns.append(np.array(places, dtype=np.int64)[codes])
        people = np.ones(counted.rows) if counted.people is None else counted.people
        first, second, third = (len(self.values[i]) for i in of)
        codes = np.stack(columns, axis=1)
        return TripleTable.of((first, second, third), codes, people.astype(np.float64))

    def determined(self, named: Sequence[Mask]) -> dict[int, int]:
        """{attribute: the one that determines it}, which isn't determined itself.

        An attribute determines others only where the values that are `named` of it hold nearly
        everybody: a map of values that nobody is told of says nothing. Of attributes that determine
        each other the first one stays; of several that determine an attribute, the one with the
        fewest values. An attribute with one value is no structure.
        """
        able = [self._tells(i, named[i]) for i in range(len(self.names))]
        by: dict[int, list[int]] = {}
        for (i, j), cells in self.pairs.items():
            if able[i] and len(cells.people) == len(self.margins[i]) and len(self.margins[j]) > 1:
                by.setdefault(j, []).append(i)
            if able[j] and len(cells.people) == len(self.margins[j]) and len(self.margins[i]) > 1:
                by.setdefault(i, []).append(j)
        free = [i for i in range(len(self.names)) if not self._yields(i, by)]
        return {
            i: min((j for j in by[i] if j in free), key=lambda j: (len(self.margins[j]), j))
            for i in range(len(self.names))
            if i not in free
        }

    def _tells(self, i: int, named: Mask) -> bool:
        return int(self.margins[i][named].sum()) >= NEARLY_EVERYBODY * self.people

    def _yields(self, i: int, by: Mapping[int, Sequence[int]]) -> bool:
        """Whether one that isn't its equal determines an attribute, or an equal before it."""
        return any(i not in by.get(j, ()) or j < i for j in by.get(i, ()))

    def map_of(self, determined: int, by: int) -> dict[Value, Value]:
        """For each value of the attribute that determines it, the value of the determined one."""
        pair = (min(by, determined), max(by, determined))
        cells = self.pairs[pair] if by < determined else self.pairs[pair].turned()
        ours, theirs = self.values[determined], self.values[by]
        return {theirs[a]: ours[b] for a, b in zip(cells.first, cells.second, strict=True)}


def _cells(counted: PairTable, first: Mapping[Value, int], second: Mapping[Value, int]) -> Cells:
    sides = []
    for values, codes, place in zip(counted.values, counted.codes, (first, second), strict=True):
        # A code past the end of the values stands for the missing one.
        places = [place.get(value, -1) for value in (*values.to_pylist(), None)]
        sides.append(np.array(places, dtype=np.intp)[codes])
    # In one order, which says nothing of the records'.
    order = np.lexsort((sides[1], sides[0]))
    return Cells(sides[0][order], sides[1][order], counted.people[order])
