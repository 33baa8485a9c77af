"""Rare values: which counts of an attribute may be listed exactly.

Values held by fewer than m people are merged into `other`, and then the smallest remaining ones
until `other` holds at least two values, at least m people, and more than one way to share the
people out among its values, none of m or more people being larger than the values listed. Too few
people without a value join them.

Where it stops: pair tables (`certified_suppression`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reidrisk.errors import UnusableColumn
from reidrisk.statistics import Attribute, Other, Value, totals_that_join


@dataclass(frozen=True)
class PublishedAttribute:
    """An attribute as it may be published, and which of its values are listed."""

    attribute: Attribute
    listed: tuple[Value, ...]


def published_attribute(
    name: str, counts: Mapping[Value, int], at_least: int
) -> PublishedAttribute:
    """Merge small counts into other; None among the values is the missing one."""
    people_of = {value: people for value, people in counts.items() if people}
    rising = sorted(people_of, key=lambda value: (people_of[value], value is not None, value or ""))
    in_other = _number_in_other([people_of[value] for value in rising], at_least)
    if in_other == len(rising) and in_other and sum(people_of.values()) < at_least:
        raise UnusableColumn(
            f"column {name!r} is about fewer than {at_least} people: nothing can be published",
            "lower --at-least if that is allowed",
        )
    away = set(rising[:in_other])
    listed = tuple(value for value in people_of if value not in away)
    other = Other(sum(people_of[value] for value in away), len(away)) if away else None
    missing = people_of.get(None, 0) if None not in away else 0
    kept = {value: people_of[value] for value in listed if value is not None}
    return PublishedAttribute(Attribute(name, kept, missing, other), listed)


def _number_in_other(rising: list[int], m: int) -> int:
    """How many of the counts, smallest first, have to be merged into other."""
    in_other = sum(1 for people in rising if people < m)
    while 0 < in_other < len(rising) and not _is_hidden(rising[:in_other], m, rising[in_other]):
        in_other += 1
    return in_other


def _is_hidden(in_other: list[int], m: int, next_one: int) -> bool:
    """Two values, m people, and not the one way in which all are 1, or all are m − 1; nor does it
    tell that those of m people or more hold no more than the next one.
    """
    total, values = sum(in_other), len(in_other)
    if values < 2 or total < m or total in (values, values * (m - 1)):
        return False
    small = sum(1 for people in in_other if people < m)
    joined = values - small
    if not joined or total <= values * (m - 1):
        return True
    possible = [
        few for few in totals_that_join(small, m) if joined * m <= total - few <= joined * next_one
    ]
    determined = small == 1 or possible[0] in (small, small * (m - 1))
    return len(possible) > 1 or not determined
