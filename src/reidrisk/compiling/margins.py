"""Margins: each attribute's counts, from the most exact table that holds them.

An attribute may have a table of its own, and be a side of several pair tables. Counts are
taken before shares, its own table before a side; what the others say has to agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reidrisk.compiling.labels import Label
from reidrisk.compiling.people import People
from reidrisk.compiling.spelling import Margin, margin_by
from reidrisk.errors import InputError
from reidrisk.statistics.statistics import Suppressed


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
        """No count was held back."""
        return not any(isinstance(count, Suppressed) for count in self.counts.values())


def sides_of(people: Sequence[People]) -> dict[str, list[Side]]:
    """Every attribute's sides, the one to take first."""
    found: dict[str, list[Side]] = {}
    for each in people:
        for side, name in enumerate(each.attributes):
            found.setdefault(name, []).append(_side(each, side))
    for name, sides in found.items():
        if sum(side.own for side in sides) > 1:
            raise InputError(f"two tables give the counts of {name!r}", "keep one of them")
        sides.sort(key=lambda side: (not side.whole, side.step, not side.own))
    return found


def _side(people: People, side: int) -> Side:
    own = len(people.attributes) == 1
    counts: Margin = (
        {place[0]: count for place, count in people.cells.items()} if own else people.margin(side)
    )
    per_label = max(len(people.cells) // max(len(counts), 1), 1)
    return Side(people.figures.file, counts, people.step, own, per_label)


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
