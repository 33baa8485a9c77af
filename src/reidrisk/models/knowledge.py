"""Knowledge: all that a model predicts from, as arrays.

n people; for each attribute how many hold each of its values, which add up to n; and for some pairs
of attributes how many hold each pair of values, whose rows and columns add up to the attributes'
counts; for some triples of attributes the same (`triple_table`). Values are numbered; what they are
called doesn't matter here.

ValueCounts: how many values of an attribute are held by how many people.

All that an independent law asks of an attribute. Equal counts are one entry, so an attribute with
a million values held by one or two people each costs no more than a yes/no question.

Attributes that another determines are left out of a fit, and put back afterwards.

Where every value a of one attribute goes with a single value f(a) of another (a town lies in one
province), the other says nothing of its own: its counts and pair tables are sums of those of the
first, x_bk = Σ_{a: f(a) = b} x_ak. A law fitted without it is the same law, in fewer sweeps over
fewer tables; a value of the first can be changed without the other one standing in the way, and no
count narrows a crowd twice (`narrowing`).

An attribute stays where one of its pair tables isn't the sum of another one: it then adds to what
is known, or the tables contradict each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Codes, Counts, Floats, Rows
from reidrisk.crowds import histogram
from reidrisk.models.triple_table import Triple, TripleTable

# How close to a whole number of people a cell is that was counted, not worked out.
WHOLE = 1e-6


@dataclass(frozen=True, eq=False)
class Knowledge:
    """n people, their attributes' counts, and tables by the places of two (i < j) or three
    attributes (i < j < k).

    A pair table has a row for each value of attribute i, a column for each of j; its cells are
    people, whole numbers where they were counted, expectations where they were worked out.

    `drawn`: cells are whole numbers drawn for those that aren't known, but for what brought them to
    the attributes' counts.
    """

    n: int
    names: tuple[str, ...]
    counts: tuple[Counts, ...]
    pairs: Mapping[tuple[int, int], Floats] = field(default_factory=dict)
    drawn: bool = False
    triples: Mapping[Triple, TripleTable] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, counts in zip(self.names, self.counts, strict=True):
            if int(counts.sum()) != self.n:
                raise ValueError(f"the counts of {name!r} add up to {counts.sum()}, not {self.n}")
        for (i, j), cells in self.pairs.items():
            if not i < j or cells.shape != (len(self.counts[i]), len(self.counts[j])):
                raise ValueError(f"the pair table of {i} and {j} doesn't fit its attributes")
        for of, table in self.triples.items():
            values = tuple(len(self.counts[place]) for place in of)
            if not of[0] < of[1] < of[2] or table.shape != values:
                raise ValueError(f"the triple table of {of} doesn't fit its attributes")

    @property
    def counted(self) -> bool:
        """Whether cells stand for numbers of people, none for an expectation."""
        return self.drawn or all(all_counted(cells) for cells in self.pairs.values())

    @property
    def shares(self) -> tuple[Floats, ...]:
        """p_j(v) = n_j(v)/n."""
        return tuple(counts / self.n for counts in self.counts)

    def counts_of(self, codes: Codes) -> Floats:
        """How many people hold each value of each tuple, n_j(t_j)."""
        columns = [counts[codes[:, place]] for place, counts in enumerate(self.counts)]
        return np.stack(columns, axis=1).astype(np.float64)

    def pair(self, i: int, j: int) -> Floats | None:
        """The pair table with attribute i's values as rows; None without one."""
        if i < j:
            return self.pairs.get((i, j))
        turned = self.pairs.get((j, i))
        return None if turned is None else turned.T

    def of(self, places: Sequence[int]) -> Knowledge:
        """What is known of some of the attributes, in the order given."""
        pairs = {}
        for a in range(len(places)):
            for b in range(a + 1, len(places)):
                cells = self.pair(places[a], places[b])
                if cells is not None:
                    pairs[a, b] = cells
        return Knowledge(
            self.n,
            tuple(self.names[place] for place in places),
            tuple(self.counts[place] for place in places),
            pairs,
            self.drawn,
            dict(self._triples_of(places)),
        )

    def _triples_of(self, places: Sequence[int]) -> Iterator[tuple[Triple, TripleTable]]:
        """The triple tables of some of the attributes, by their places among these."""
        at = {place: new for new, place in enumerate(places)}
        for of, table in self.triples.items():
            if all(place in at for place in of):
                order = sorted(range(3), key=lambda side: at[of[side]])
                first, second, third = (at[of[side]] for side in order)
                yield (first, second, third), table.turned(order)

    def has_finer(self, of: Triple, found: Determined) -> bool:
        """Whether a triple table of a determined attribute says no more than others do: the
        attribute that determines it is in it, or takes its place in one that is known.
        """
        finer = {found.by if place == found.place else place for place in of}
        return len(finer) < 3 or tuple(sorted(finer)) in self.triples

    @property
    def of_pairs(self) -> Knowledge:
        """The same without triple tables."""
        return replace(self, triples={}) if self.triples else self


@dataclass(frozen=True)
class ValueCounts:
    """`values[i]` values of the attribute are held by `counts[i]` people each, of n in all."""

    counts: NDArray[np.int64]
    values: NDArray[np.int64]
    n: int

    @classmethod
    def of(cls, each_value: NDArray[np.int64], n: int) -> ValueCounts:
        """From the count of each value; a value nobody holds is no value."""
        counts, values = histogram(np.asarray(each_value, dtype=np.int64))
        held = int(np.dot(counts, values))
        if held != n:
            raise ValueError(f"the counts of an attribute add up to {held}, not to {n} people")
        return cls(counts, values, n)

    @property
    def number(self) -> int:
        """How many values there are."""
        return int(self.values.sum())

    @property
    def mass(self) -> Floats:
        """Share of all people who hold a value of each count, counts·values/n."""
        return self.counts * self.values / self.n

    @property
    def entropy(self) -> float:
        """H(A) = −Σ_v p_v log2 p_v, in bits."""
        return float(-np.dot(self.mass, np.log2(self.counts / self.n))) + 0.0


def distinguishing_attributes(each: Sequence[NDArray[np.int64]], n: int) -> list[ValueCounts]:
    """The attributes that tell people apart, from the count of each of their values."""
    return distinguishing([ValueCounts.of(counts, n) for counts in each])


def distinguishing(attributes: Sequence[ValueCounts]) -> list[ValueCounts]:
    """The attributes with two values or more, most values first; the others split nobody."""
    several = [attribute for attribute in attributes if attribute.number > 1]
    return sorted(several, key=lambda attribute: attribute.number, reverse=True)


def all_counted(cells: Floats) -> bool:
    """Whether every cell is a number of people, none worked out."""
    return bool(np.all(np.abs(cells - np.rint(cells)) < WHOLE))


Coded = TypeVar("Coded", Codes, Rows)


class Determined(NamedTuple):
    """The attribute in `place` has the value `values[a]` wherever that in `by` has value a."""

    place: int
    by: int
    values: Rows


@dataclass(frozen=True, eq=False)
class Free:
    """What is known of the attributes that stay, their places, and how the others follow."""

    knowledge: Knowledge
    places: tuple[int, ...]
    determined: tuple[Determined, ...]

    @classmethod
    def all_of(cls, knowledge: Knowledge) -> Free:
        """All attributes stay."""
        return cls(knowledge, tuple(range(len(knowledge.names))), ())

    def of(self, rows: Coded) -> Coded:
        """The columns that stay."""
        return rows[:, list(self.places)] if self.determined else rows

    def whole(self, rows: Rows) -> Rows:
        """Rows of the attributes that stay, with all others put back."""
        if not self.determined:
            return rows
        every = np.empty((len(rows), len(self.places) + len(self.determined)), dtype=np.int32)
        every[:, list(self.places)] = rows
        for place, by, values in reversed(self.determined):
            every[:, place] = values[every[:, by]]
        return every

    def possible(self, codes: Codes) -> NDArray[np.bool_]:
        """Whether each tuple's determined values are those that follow from the others."""
        possible = np.ones(len(codes), dtype=bool)
        for place, by, values in self.determined:
            possible &= codes[:, place] == values[codes[:, by]]
        return possible


def free_attributes(knowledge: Knowledge) -> Free:
    """Leave out one determined attribute after the other."""
    places, determined = list(range(len(knowledge.names))), []
    while (next_one := _determined(knowledge, places)) is not None:
        places.remove(next_one.place)
        determined.append(next_one)
    if not determined:
        return Free.all_of(knowledge)
    return Free(knowledge.of(places), tuple(places), tuple(determined))


def _determined(knowledge: Knowledge, places: list[int]) -> Determined | None:
    """The first attribute among some that one of the others determines."""
    for place in places:
        for by in places:
            cells = knowledge.pair(by, place) if by != place else None
            if cells is None or np.any(np.count_nonzero(cells, axis=1) > 1):
                continue
            values = np.argmax(cells, axis=1).astype(np.int32)
            if _follows(knowledge, places, Determined(place, by, values)):
                return Determined(place, by, values)
    return None


def _follows(knowledge: Knowledge, places: list[int], found: Determined) -> bool:
    """Whether all that is known of an attribute are sums of what is known of the other one."""
    counts = knowledge.counts[found.place], knowledge.counts[found.by]
    tables = [(counts[0].astype(np.float64), counts[1].astype(np.float64))]
    if any(found.place in of and not knowledge.has_finer(of, found) for of in knowledge.triples):
        return False
    for other in places:
        cells = knowledge.pair(found.place, other) if other not in found[:2] else None
        if cells is not None:
            finer = knowledge.pair(found.by, other)
            if finer is None:
                return False
            tables.append((cells, finer))
    return all(np.allclose(_summed(finer, found.values, len(cells)), cells, rtol=0.0, atol=WHOLE)
               for cells, finer in tables)  # fmt: skip


def _summed(cells: Floats, values: Rows, rows: int) -> Floats:
    total = np.zeros((rows, *cells.shape[1:]))
    np.add.at(total, values, cells)
    return total
