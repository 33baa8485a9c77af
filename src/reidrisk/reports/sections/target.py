"""The target in a report: which limits the table was to keep, and whether it does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reidrisk.crowds import (
    Limit,
    checked_threshold,
    is_a_count,
    limit_value,
    parsed_measure,
    rounding_note,
    safer_when_larger,
)
from reidrisk.errors import InputError
from reidrisk.reports.discretion import Discretion, Told
from reidrisk.reports.document import Section
from reidrisk.reports.findings import Found
from reidrisk.reports.words.blocks import Grid
from reidrisk.reports.words.layout import listed, number, share
from reidrisk.searches import Yardstick, first_size

Limits = tuple[Yardstick, ...]


def checked_limits(given: Mapping[str, Limit]) -> Limits:
    """{measure: limit} as yardsticks, refused before anything is counted."""
    limits = []
    for name, each in given.items():
        value = limit_value(each, name, name)
        parsed_measure(name)
        if not safer_when_larger(name):
            checked_threshold(name, value)
        limits.append(Yardstick(name, value, "whole", None))
    return tuple(limits)


def refuse_telling_limits(limits: Limits, at_least: int) -> None:
    """Whether a crowd below what may be told is there can't be told either.

    Nor whether any other exact measure is within a limit: two limits would enclose it.
    """
    for each in limits:
        size = _size(each)
        if size is None:
            raise InputError(
                f"whether {each.name} is within a limit tells more of it than may be published",
                f"a --publishable report judges crowds of at least {at_least}: -k {at_least}",
            )
        if size is not None and 1 < size < at_least:
            raise InputError(
                f"whether crowds of {size} are reached tells of crowds below {at_least}",
                f"a --publishable report judges crowds of at least {at_least}",
            )


def _size(limit: Yardstick) -> int | None:
    """The crowd that a limit asks for; None where it asks for none."""
    assert limit.allowable is not None
    if limit.name == "highest_risk" and limit.allowable > 0:
        return first_size(limit.allowable)
    return round(limit.allowable) if limit.name == "smallest_crowd" else None


def target_section(found: Found, told: Discretion, limits: Limits) -> Section | None:
    """Each limit with what was found; None where none was given."""
    if not limits:
        return None
    crossed = [each for each in limits if each.risky(float(found.risk.value(each.name)))]
    rows = tuple(
        (_asked(each), _found(found, told, each).text, "no" if each in crossed else "yes")
        for each in limits
    )
    return Section(
        "target",
        "Is the target met?",
        tuple(_sentences(limits, crossed)),
        (),
        (Grid(("target", "found", "met"), rows, (0, 2)),),
        {each.name: _found(found, told, each) for each in limits},
        "met: the measure is at most its limit, compared as fractions; at least, where larger is "
        "safer",
        "A target says nothing about columns that weren't looked at, and nothing about what is "
        "learned of people within a crowd.",
    )


def _sentences(limits: Limits, crossed: list[Yardstick]) -> list[str]:
    asked = listed([_asked(each) for each in limits])
    said = [f"The target is {asked}."]
    if not crossed:
        said.append("It is met.")
    elif len(crossed) == len(limits):
        said.append("It isn't met.")
    else:
        said.append(f"It isn't met: {listed([_asked(each) for each in crossed])} isn't reached.")
    notes = (rounding_note(each.name, each.allowable or 0.0) for each in limits)
    return [*said, *(note for note in notes if note)]


def _asked(limit: Yardstick) -> str:
    size = _size(limit)
    if size is not None:
        return f"crowds of at least {number(size)}"
    assert limit.allowable is not None
    value = number(limit.allowable) if is_a_count(limit.name) else share(limit.allowable)
    return f"{limit.name} {'up to' if limit.rising else 'at least'} {value}"


def _found(found: Found, told: Discretion, limit: Yardstick) -> Told:
    value: Any = found.risk.value(limit.name)
    if _size(limit) is not None:
        return told.least(found.risk.smallest_crowd)
    if limit.name == "lowest_risk":
        return told.ratio(float(value))
    return told.people(value) if is_a_count(limit.name) else told.share(float(value))
