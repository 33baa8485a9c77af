"""People: figures turned into counts of people.

Shares of N people become whole numbers by largest remainders, so that they add up to N; a share
with its last decimal u is known to within u·N/2 people, and the statistics say so (`rounded_to`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from reidrisk.compiling.figures import Figures
from reidrisk.compiling.labels import Label, Place, Sum
from reidrisk.compiling.numerals import Number
from reidrisk.errors import InputError
from reidrisk.statistics.apportioning import apportioned
from reidrisk.statistics.statistics import Count, Suppressed


@dataclass(frozen=True)
class People:
    """A table in people; `step` is how finely its counts are known, 1 being exactly."""

    figures: Figures
    cells: Mapping[Place, Count]
    totals: Mapping[Place, int]
    step: int = 1

    @property
    def attributes(self) -> tuple[str, ...]:
        """The one or two it counts."""
        return self.figures.attributes

    def everyone(self) -> int | None:
        """How many people it is about: as stated, else by what adds up; None where nothing does."""
        stated = self.totals.get((Sum.ALL,) * len(self.attributes))
        if stated is not None:
            return stated
        whole = _added(self.cells.values())
        if whole is not None or len(self.attributes) == 1:
            return whole
        sides = [_added(self.margin(side).values()) for side in range(2)]
        return next((people for people in sides if people is not None), None)

    def margin(self, side: int) -> dict[Label, Count]:
        """People per label of one side: its totals where stated, else the sums of its cells."""
        cells: dict[Label, list[Count]] = {}
        for place, count in self.cells.items():
            cells.setdefault(place[side], []).append(count)
        found: dict[Label, Count] = {}
        for label, counts in cells.items():
            stated = self.totals.get(tuple(label if s == side else Sum.ALL for s in range(2)))
            people = stated if stated is not None else _added(counts)
            found[label] = Suppressed() if people is None else people
        return found


def _added(counts: Collection[Count]) -> int | None:
    """Their sum; None where one was held back."""
    known = [count for count in counts if isinstance(count, int)]
    return sum(known) if len(known) == len(counts) else None


def counts_as_people(figures: Figures) -> People:
    """Counts are people already."""
    totals = {p: int(n) for p, n in figures.totals.items() if isinstance(n, Decimal)}
    cells = {place: _count(n) for place, n in figures.cells.items()}
    return People(figures, cells, totals, figures.known_to)


def _count(number: Number) -> Count:
    return number if isinstance(number, Suppressed) else int(number)


def shares_as_people(figures: Figures, records: int, margin: Mapping[Label, Count]) -> People:
    """Shares of `records` people, or of the people of each label in `margin`."""
    assert figures.whole is not None
    cells: dict[Place, Count] = {}
    largest = 0
    for label, places in _groups(figures).items():
        people = records if figures.over == "all" else margin.get(label)
        if people is None:
            raise InputError(
                f"{figures.file}: its labels aren't those of the counts it has shares of",
                f"{_named(figures)} needs the same labels in both tables",
            )
        if isinstance(people, Suppressed):
            cells |= dict.fromkeys(places, Suppressed())
            continue
        largest = max(largest, people)
        numbers = [figures.cells[place] for place in places]
        cells |= dict(zip(places, _spread(numbers, figures.whole, people), strict=True))
    step = math.ceil(largest * figures.step() / figures.whole)
    ordered = {place: cells[place] for place in figures.cells}
    return People(figures, ordered, {}, max(step, 1))


def _groups(figures: Figures) -> dict[Label, list[Place]]:
    side = 1 if figures.over == "second" else 0
    groups: dict[Label, list[Place]] = {}
    for place in figures.cells:
        groups.setdefault(Sum.ALL if figures.over == "all" else place[side], []).append(place)
    return groups


def _named(figures: Figures) -> str:
    return figures.attributes[1 if figures.over == "second" else 0]


def _spread(numbers: Sequence[Number], whole: Decimal, people: int) -> list[Count]:
    held = [number for number in numbers if isinstance(number, Decimal)]
    if len(held) == len(numbers):
        return list(apportioned([Fraction(number) for number in held], people))
    return [
        Suppressed()
        if isinstance(number, Suppressed)
        else round(Fraction(number) * people / Fraction(whole))
        for number in numbers
    ]
