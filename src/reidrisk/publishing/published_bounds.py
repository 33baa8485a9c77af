"""Published bounds: what statistics files say of each count before anything is derived.

Where the bounds start, by the file's protection (b its base, y the number listed):

- rounding: from y − b + 1 to y + b − 1; a cell of two listed values that isn't listed was rounded
  to 0, from 0 to b − 1; a value listed has at least b + 1 people; values that aren't listed have at
  most 2b − 1 people each, and their number was rounded too, or all of them together to 0;
- and who knows the program knows more: a cell that holds everybody of a value carries that value's
  number, so one with another number leaves somebody of the value elsewhere (`_apart`);
- who has the codebook may know how many values aren't listed (`unnamed`), or that there are none
  but those listed: an attribute without `other` is taken to be such (`attacked`), as long as the
  numbers allow it;
- exact numbers: y; a number that isn't listed lies between 0 and what its row and column hold;
- noise: nowhere, as it has no bounds.

An attribute published as a map has no numbers of its own: its cells are sums. A sum is one number
only where all its parts are, unless what is left over of a row says more than the parts do; so it
takes part as an attribute without numbers, with zeros where the map has no label.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Mask
from reidrisk.publishing.joint_bounds import Interval, JointBounds, Pair, Triple
from reidrisk.statistics import (
    Attribute,
    Determined,
    KeyedRounding,
    PairCounts,
    Statistics,
    Suppressed,
    TripleCounts,
    Value,
)

# Cells of a pair table, empty ones too.
MOST_CELLS = 8_000_000
# Those of a published triple table.
MOST_TRIPLE_CELLS = 40_000_000


class Side(NamedTuple):
    """An attribute as a file lists it; the people of all other values stand behind its values."""

    name: str
    values: tuple[Value, ...]
    has_rest: bool
    # By the attribute it is determined by; empty where it has numbers of its own.
    by: str = ""

    @property
    def size(self) -> int:
        """How many numbers the attribute has."""
        return len(self.values) + self.has_rest

    def is_listed_as(self, other: Side) -> bool:
        """Whether two files list the same values of an attribute."""
        return (self.name, self.has_rest, self.by, set(self.values)) == (
            other.name, other.has_rest, other.by, set(other.values),
        )  # fmt: skip

    @classmethod
    def of(
        cls, attribute: Attribute, statistics: Statistics, closed: bool, unnamed: int | None = None
    ) -> Side:
        """One with numbers; where they are rounded, other values may have been rounded to 0, unless
        the values listed are taken for all there are (`closed`), or it is known how many there are.
        """
        rounds = isinstance(statistics.protection, KeyedRounding) and not closed
        has_rest = rounds or attribute.other is not None
        return cls(
            attribute.name, tuple(attribute.stated), has_rest if unnamed is None else unnamed > 0
        )

    @classmethod
    def of_map(cls, name: str, determined: Determined, root: Side) -> Side:
        """One without numbers: the labels of the values listed of the one that determines it."""
        labels = dict.fromkeys(determined.labels[value] for value in root.values)
        return cls(name, tuple(labels), root.has_rest, determined.by)


# Which values of one attribute may go with which of another; None where all may.
Linked = Callable[[Side, Side], Mask | None]


class PublishedBounds:
    """Files as bounds: their attributes (`sides`), and where each number starts.

    An attribute that two files list alike is one; one that they list otherwise is two, `linked` by
    who says which values of both one person may have.
    """

    def __init__(
        self,
        files: Sequence[Statistics],
        linked: Linked | None = None,
        closed: bool = False,
        unnamed: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        """Nothing is narrowed yet. `unnamed`: how many values of attributes aren't listed."""
        self._closed, self._unnamed = closed, unnamed
        self.files = [_FileBounds(statistics) for statistics in files]
        self.sides: list[Side] = []
        self._number = [self._numbered(statistics) for statistics in files]
        self._linked = linked
        self.left_out = 0
        # Of each attribute, and each pair of them: the numbers that a file shows exactly.
        self.exact: dict[tuple[int, ...], Mask] = {}
        # Pairs whose numbers say nothing that one attribute's don't.
        self.structural: set[Pair] = set()
        self.published: set[Pair] = set()
        # Cells that don't hold everybody of their row, and of their column.
        self._apart: dict[Pair, tuple[Mask, Mask]] = {}
        self.published_triples: set[Triple] = set()
        people = self._meeting(file.people() for file in self.files)
        margins = tuple(self._margin(i, people) for i in range(len(self.sides)))
        sums_of = {
            i: number[self.sides[i].by]
            for number in self._number
            for i in number.values()
            if self.sides[i].by
        }
        tables = dict(self._tables(margins))
        listed = dict(self._triples(tables))
        self.bounds = JointBounds(people, margins, tables, sums_of, self._apart, listed)

    def counts(self) -> Iterator[tuple[tuple[int, ...], Interval, Mask]]:
        """Each triple and pair table's counts, and each attribute's: of which attributes, their
        bounds, which are exact in the file.
        """
        for three, cells in self.bounds.listed.items():
            yield three, cells, self.exact[three]
        for of, table in self.bounds.tables.items():
            if of not in self.structural:
                yield of, table, self.exact[of]
        for i, margin in enumerate(self.bounds.margins):
            yield (i,), margin, self.exact[i,]

    def _numbered(self, statistics: Statistics) -> dict[str, int]:
        """{attribute: its number among the sides}; those of an earlier file where listed alike."""
        of = {
            each.name: Side.of(each, statistics, self._closed, self._unnamed.get(each.name))
            for each in statistics.published.attributes
        }
        maps = {
            name: Side.of_map(name, determined, of[determined.by])
            for name, determined in statistics.determined.items()
            if name not in of
        }
        return {name: self._place(side) for name, side in (of | maps).items()}

    def _place(self, side: Side) -> int:
        for number, known in enumerate(self.sides):
            if side.is_listed_as(known):
                return number
        self.sides.append(side)
        return len(self.sides) - 1

    @staticmethod
    def _meeting(several: Iterator[Interval]) -> Interval:
        first = next(several)
        for other in several:
            first.narrow(other.least, other.most)
        return first

    def _margin(self, i: int, people: Interval) -> Interval:
        side, everybody = self.sides[i], int(people.most[0])
        none = np.zeros(side.size, dtype=np.int64)
        margin = Interval.between(none, none + everybody)
        self.exact[i,] = np.zeros(side.size, dtype=bool)
        for file, number in zip(self.files, self._number, strict=True):
            if number.get(side.name) == i and not side.by:
                attribute = file.numbers.attribute(side.name)
                stated = file.margin(attribute, side, everybody, self._unnamed.get(side.name))
                margin.narrow(stated.least, stated.most)
                self.exact[i,] |= file.exact(attribute, side)
        return margin

    def _tables(self, margins: tuple[Interval, ...]) -> Iterator[tuple[Pair, Interval]]:
        numbers = self.files[0].numbers
        if len(self.files) == 1 and not (numbers.pairs or numbers.triples):
            return
        for i, j in combinations(range(len(margins)), 2):
            if self.sides[i].size * self.sides[j].size > MOST_CELLS:
                self.left_out += 1
                continue
            most = np.minimum(margins[i].most[:, None], margins[j].most[None, :])
            table = Interval.between(np.zeros_like(most), most)
            self.exact[i, j] = np.zeros(most.shape, dtype=bool)
            self._state(table, (i, j))
            yield (i, j), table

    def _triples(self, tables: Mapping[Pair, Interval]) -> Iterator[tuple[Triple, Interval]]:
        """Published triple tables of attributes whose pairs have bounds."""
        found: dict[Triple, Interval] = {}
        for file, number in zip(self.files, self._number, strict=True):
            for triple in file.numbers.triples:
                i, j, k = sorted(number[name] for name in triple.of)
                of, sides = (i, j, k), [self.sides[at] for at in (i, j, k)]
                cells = math.prod(side.size for side in sides)
                if cells > MOST_TRIPLE_CELLS or not {(i, j), (i, k), (j, k)} <= tables.keys():
                    self.left_out += 1
                    continue
                if of not in found:
                    found[of] = _of_pairs(tables[i, j], tables[i, k], tables[j, k])
                    self.exact[of] = np.zeros(found[of].most.shape, dtype=bool)
                turned = triple.turned([side.name for side in sides])
                self.exact[of] |= file.state_triple(found[of], turned, sides)
                self.published_triples.add(of)
        yield from found.items()

    def _state(self, table: Interval, of: Pair) -> None:
        """What files list of two attributes, and which values go with which."""
        one, other = (self.sides[side] for side in of)
        possible = [
            file.map_between(one, other)
            for file, number in zip(self.files, self._number, strict=True)
            if number.get(one.name) == of[0] and number.get(other.name) == of[1]
        ]
        if one.name == other.name and self._linked is not None:
            possible.append(self._linked(one, other))
        for mask in possible:
            if mask is not None:
                table.most[~mask] = 0
                self.structural.add(of)
        for file, number in zip(self.files, self._number, strict=True):
            if (number.get(one.name), number.get(other.name)) == of and not (one.by or other.by):
                pair = file.numbers.pair(one.name, other.name)
                if pair is not None:
                    self.exact[of] |= file.state(table, pair, one, other)
                    self.published.add(of)
                    if file.rounding is not None:
                        self._add_apart(of, file.apart(pair, one, other))

    def _add_apart(self, of: Pair, apart: tuple[Mask, Mask]) -> None:
        known = self._apart.get(of)
        if known is not None:
            apart = known[0] | apart[0], known[1] | apart[1]
        self._apart[of] = apart


class _FileBounds:
    """What the numbers of one file say, each alone."""

    def __init__(self, statistics: Statistics) -> None:
        self.numbers, self.determined = statistics.published, statistics.determined
        protection = statistics.protection
        self.reach = (statistics.rounded_to or 0) // 2
        if protection is not None and protection.reach is not None:
            self.reach = protection.reach
        self.rounding = protection if isinstance(protection, KeyedRounding) else None

    def people(self) -> Interval:
        """Around everybody."""
        everybody = np.array([self.numbers.records])
        return Interval.between(everybody - self.reach, everybody + self.reach)

    def margin(
        self, attribute: Attribute, side: Side, everybody: int, unnamed: int | None = None
    ) -> Interval:
        """Of each value, those of other values last; of so many if that is known."""
        stated = attribute.stated
        bounds = [self._of_count(stated[value], everybody) for value in side.values]
        if self.rounding is not None:
            bounds = [(max(least, self.rounding.named_from), most) for least, most in bounds]
        other = attribute.other
        if side.has_rest and unnamed is not None:
            bounds.append(self._of_unnamed(other.count if other else 0, unnamed))
        elif other is not None:
            bounds.append(self._of_other(other.count, other.values))
        elif side.has_rest:
            bounds.append((0, self.reach))
        least, most = np.array(bounds, dtype=np.int64).reshape(-1, 2).T
        return Interval.between(least, most)

    def _of_other(self, count: int, values: int) -> tuple[int, int]:
        """Each value merged has somebody; of those rounded, none is listed from 2b people."""
        least, most = max(count - self.reach, values - self.reach, 1), count + self.reach
        if self.rounding is not None:
            most = min(most, (values + self.reach) * (2 * self.rounding.base - 1))
        return min(least, most), most

    def _of_unnamed(self, count: int, values: int) -> tuple[int, int]:
        """The same where it is known how many values they are."""
        least, most = max(count - self.reach, values), count + self.reach
        if self.rounding is not None:
            most = min(most, values * (2 * self.rounding.base - 1))
        return min(least, most), most

    def _of_count(self, count: int | Suppressed, everybody: int) -> tuple[int, int]:
        if isinstance(count, int):
            return max(count - self.reach, 0), count + self.reach
        return count.least, everybody if count.most is None else count.most

    def exact(self, attribute: Attribute, side: Side) -> Mask:
        """Which numbers of an attribute are the counts themselves."""
        stated = attribute.stated
        exact = [isinstance(stated[value], int) and not self.reach for value in side.values]
        return np.array([*exact, *([not self.reach] * side.has_rest)], dtype=bool)

    def state(self, table: Interval, pair: PairCounts, one: Side, other: Side) -> Mask:
        """Narrow a table by a file's cells; which of them are the counts themselves."""
        places = [{value: at for at, value in enumerate(side.values)} for side in (one, other)]
        stated = Interval.between(table.least, table.most)
        if self.rounding is not None:
            of_listed = stated.most[: len(one.values), : len(other.values)]
            np.minimum(of_listed, self.rounding.reach, out=of_listed)
        exact = np.zeros(table.most.shape, dtype=bool)
        everybody = int(table.most.max(initial=0))
        for (a, b), count in pair.counts.items():
            at = places[0][a], places[1][b]
            stated.least[at], most = self._of_count(count, everybody)
            stated.most[at] = min(most, table.most[at]) if not isinstance(count, int) else most
            exact[at] = isinstance(count, int) and not self.reach
        table.narrow(stated.least, stated.most)
        return exact

    def apart(self, pair: PairCounts, one: Side, other: Side) -> tuple[Mask, Mask]:
        """Cells whose number isn't their row's, and those whose number isn't their column's."""
        places = [{value: at for at, value in enumerate(side.values)} for side in (one, other)]
        found = np.zeros((2, one.size, other.size), dtype=bool)
        numbers = [self.numbers.attribute(side.name).stated for side in (one, other)]
        for (a, b), count in pair.counts.items():
            at = places[0][a], places[1][b]
            found[0][at], found[1][at] = count != numbers[0][a], count != numbers[1][b]
        return found[0], found[1]

    def state_triple(self, cells: Interval, triple: TripleCounts, sides: Sequence[Side]) -> Mask:
        """Narrow a triple table by a file's cells, as `state` does; which of them are counts."""
        places = [{value: at for at, value in enumerate(side.values)} for side in sides]
        stated = Interval.between(cells.least, cells.most)
        if self.rounding is not None:
            named = tuple(slice(len(side.values)) for side in sides)
            np.minimum(stated.most[named], self.rounding.reach, out=stated.most[named])
        exact = np.zeros(cells.most.shape, dtype=bool)
        everybody = int(cells.most.max(initial=0))
        for values, count in triple.counts.items():
            at = tuple(place[value] for place, value in zip(places, values, strict=True))
            stated.least[at], most = self._of_count(count, everybody)
            stated.most[at] = most if isinstance(count, int) else min(most, cells.most[at])
            exact[at] = isinstance(count, int) and not self.reach
        cells.narrow(stated.least, stated.most)
        return exact

    def map_between(self, one: Side, other: Side) -> Mask | None:
        """Where a map lets two attributes' values go together; None where it says nothing."""
        if other.by == one.name and not one.by:
            return _possible(one, other, self.determined[other.name].labels)
        if one.by == other.name and not other.by:
            turned = _possible(other, one, self.determined[one.name].labels)
            return None if turned is None else turned.T
        return None


def _of_pairs(ab: Interval, ac: Interval, bc: Interval) -> Interval:
    """Nobody to all who have each two of the values."""
    most = np.minimum(ab.most[:, :, None], ac.most[:, None, :])
    np.minimum(most, bc.most[None, :, :], out=most)
    return Interval(np.zeros_like(most), most)


def _possible(root: Side, follows: Side, labels: Mapping[Value, Value]) -> Mask:
    """A value goes with its label; those that aren't listed with any."""
    place = {label: at for at, label in enumerate(follows.values)}
    mask = np.zeros((root.size, follows.size), dtype=bool)
    mask[np.arange(len(root.values)), [place[labels[value]] for value in root.values]] = True
    mask[len(root.values) :] = True
    return mask
