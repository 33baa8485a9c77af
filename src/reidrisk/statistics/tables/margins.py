"""Margins: each attribute's counts, in people, from the most exact table that holds them.

**People.** Shares of N people become whole numbers by largest remainders, so that they add up to N;
a share with its last decimal u is known to within u·N/2 people, and the statistics say so
(`rounded_to`).

**Margins.** An attribute may have a table of its own, and be a side of several pair tables. Counts
are taken before shares, its own table before a side; what the others say has to agree.

**Spelling.** Age in one table and age in another are one attribute, as the first table spells it;
20–24 and [20-25) are one value.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from reidrisk.crowds import apportioned
from reidrisk.errors import InputError
from reidrisk.statistics.statistics import Attribute, Count, Suppressed
from reidrisk.statistics.tables.cells import Label, Number, Place, Sum
from reidrisk.statistics.tables.figures import Figures
from reidrisk.statistics.value_matching import KnownValues, normalised

Margin = Mapping[Label, Count]


@dataclass(frozen=True)
class People:
    """A table in people; `step` is how finely its counts are known, 1 being exactly."""

    figures: Figures
    cells: Mapping[Place, Count]
    totals: Mapping[Place, int]
    step: int = 1

    @property
    def attributes(self) -> tuple[str, ...]:
        """The one, two or three it counts."""
        return self.figures.attributes

    def everyone(self) -> int | None:
        """How many people it is about: as stated, else by what adds up; None where nothing does."""
        stated = self.totals.get((Sum.ALL,) * len(self.attributes))
        if stated is not None:
            return stated
        whole = _sum(self.cells.values())
        if whole is not None or len(self.attributes) == 1:
            return whole
        sides = [_sum(self.margin(side).values()) for side in range(len(self.attributes))]
        return next((people for people in sides if people is not None), None)

    def pair_of_totals(self, sides: tuple[int, int]) -> dict[Place, Count]:
        """Of a three-way table: what is stated of two sides whatever the third."""
        third = 3 - sum(sides)
        return {
            (place[sides[0]], place[sides[1]]): people
            for place, people in self.totals.items()
            if place[third] is Sum.ALL and place.count(Sum.ALL) == 1
        }

    def _sum_of_pairs(self, side: int, label: Label) -> int | None:
        """People of one label of a three-way table, by the totals of it with all labels of another
        side; None where none has them all.
        """
        for other in range(3):
            if other == side:
                continue
            labels = {place[other] for place in self.cells if place[side] == label}
            stated = self.pair_of_totals((side, other))
            if labels and all((label, each) in stated for each in labels):
                return _sum([stated[label, each] for each in labels])
        return None

    def margin(self, side: int) -> dict[Label, Count]:
        """People per label of one side: its totals where stated, else the sums of its cells."""
        if len(self.attributes) == 1:
            return {place[0]: count for place, count in self.cells.items()}
        cells: dict[Label, list[Count]] = {}
        for place, count in self.cells.items():
            cells.setdefault(place[side], []).append(count)
        margin: dict[Label, Count] = {}
        for label, counts in cells.items():
            total = tuple(label if at == side else Sum.ALL for at in range(len(self.attributes)))
            people = self.totals.get(total, _sum(counts))
            if people is None and len(self.attributes) == 3:
                people = self._sum_of_pairs(side, label)
            margin[label] = Suppressed() if people is None else people
        return margin


def _sum(counts: Collection[Count]) -> int | None:
    """Their sum; None where one is suppressed."""
    known = [count for count in counts if isinstance(count, int)]
    return sum(known) if len(known) == len(counts) else None


def counts_as_people(figures: Figures) -> People:
    """Counts are people already."""
    totals = {p: int(n) for p, n in figures.totals.items() if isinstance(n, Decimal)}
    cells = {p: int(n) if isinstance(n, Decimal) else n for p, n in figures.cells.items()}
    return People(figures, cells, totals, figures.known_to)


def shares_as_people(figures: Figures, records: int, margin: Margin) -> People:
    """Shares of `records` people, or of the people of each label in `margin`."""
    assert figures.whole is not None
    groups: dict[Label, list[Place]] = {}
    for place in figures.cells:
        label = Sum.ALL if figures.over == "all" else place[figures.side]
        groups.setdefault(label, []).append(place)
    cells: dict[Place, Count] = {}
    largest = 0
    for label, places in groups.items():
        people = records if figures.over == "all" else margin.get(label)
        if people is None:
            raise InputError(
                f"{figures.file}: its labels aren't those of the counts it has shares of",
                f"{figures.attributes[figures.side]} needs the same labels in both tables",
            )
        if isinstance(people, Suppressed):
            cells |= dict.fromkeys(places, Suppressed())
            continue
        largest = max(largest, people)
        numbers = [figures.cells[place] for place in places]
        cells |= dict(zip(places, _spread(numbers, figures.whole, people), strict=True))
    step = math.ceil(largest * figures.step / figures.whole)
    ordered = {place: cells[place] for place in figures.cells}
    return People(figures, ordered, {}, max(step, 1))


def _spread(numbers: Sequence[Number], whole: Decimal, people: int) -> list[Count]:
    known = [Fraction(number) for number in numbers if isinstance(number, Decimal)]
    if len(known) == len(numbers):
        return list(apportioned(known, people))
    return [
        Suppressed()
        if isinstance(number, Suppressed)
        else round(Fraction(number) * people / Fraction(whole))
        for number in numbers
    ]


def named_alike(tables: Sequence[Figures]) -> tuple[list[Figures], list[str]]:
    """The tables with one spelling per attribute, and what was taken for the same."""
    spelling: dict[str, str] = {}
    notes: list[str] = []
    renamed: list[Figures] = []
    for table in tables:
        names = tuple(spelling.setdefault(normalised(name), name) for name in table.attributes)
        notes += [
            f"{table.file}: the attribute {old} was taken as {new}"
            for old, new in zip(table.attributes, names, strict=True)
            if old != new
        ]
        renamed.append(replace(table, attributes=names))
    return renamed, notes


def overlaps(attribute: Attribute) -> Iterator[str]:
    """Where a number would lie in two of an attribute's bands."""
    pairs = KnownValues(attribute.counts).overlapping()
    if pairs:
        first, second = pairs[0]
        more = f", and {len(pairs) - 1} more" if len(pairs) > 1 else ""
        yield f"{attribute.name}: the bands {first} and {second} overlap{more}"


def spelled_by(labels: Iterable[Label], margin: Margin) -> dict[Label, Label]:
    """Another table's labels as the attribute spells them; unchanged where it has no such value."""
    known = KnownValues([label for label in margin if isinstance(label, str)])
    return {label: known.same(label) if isinstance(label, str) else label for label in labels}


def margin_by(labels: Iterable[Label], margin: Margin) -> dict[Label, Count]:
    """A margin's counts under another table's labels; those it doesn't have are left out."""
    spelling = spelled_by(labels, margin)
    return {label: margin[own] for label, own in spelling.items() if own in margin}


@dataclass(frozen=True)
class Side:
    """What one table says of an attribute."""

    file: str
    counts: Margin
    step: int
    own: bool
    cells_per_label: int

    @property
    def whole(self) -> bool:
        """No count was suppressed."""
        return not any(isinstance(count, Suppressed) for count in self.counts.values())


def sides_of(people: Sequence[People]) -> dict[str, list[Side]]:
    """Every attribute's sides, the one to take first."""
    by_name: dict[str, list[Side]] = {}
    for table in people:
        for at, name in enumerate(table.attributes):
            counts = table.margin(at)
            per_label = max(len(table.cells) // max(len(counts), 1), 1)
            own = len(table.attributes) == 1
            side = Side(table.figures.file, counts, table.step, own, per_label)
            by_name.setdefault(name, []).append(side)
    for name, sides in by_name.items():
        if sum(side.own for side in sides) > 1:
            raise InputError(f"two tables give the counts of {name!r}", "keep one of them")
        sides.sort(key=lambda side: (not side.whole, side.step, not side.own))
    return by_name


def disagreeing_sides(name: str, sides: Sequence[Side], rounded_to: int | None) -> Iterator[str]:
    """Where another table's counts of an attribute differ by more than rounding allows."""
    taken, *others = sides
    for other in others:
        same = margin_by(other.counts, taken.counts)
        for label in other.counts:
            if label not in same:
                yield f"{other.file}: {name!r} has no value {_named(label)} in {taken.file}"
        steps = [max(side.step, rounded_to or 1) * side.cells_per_label for side in (taken, other)]
        slack = sum(step for step in steps if step > 1) / 2
        for label, count in same.items():
            here = other.counts[label]
            if isinstance(here, Suppressed) or isinstance(count, Suppressed):
                continue
            if abs(here - count) > slack + (slack > 0):
                yield (
                    f"{other.file} has {here:,} people with {_named(label)} of {name!r}, "
                    f"{taken.file} has {count:,}"
                )


def _named(label: Label) -> str:
    return "no value" if label is None else repr(label)
