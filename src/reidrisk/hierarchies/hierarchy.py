"""Hierarchy: how an attribute's values become coarser, level after level.

Level 0 is the value as recorded; each level is a function of the one below, so crowds only grow on
the way up; the last level is `*`, where the attribute says nothing.

Hierarchies by rules: a TOML file with a table for each column.

    [age]
    bands = [5, 10, 20]          # widths of numbers, level after level
    bottom = 18                  # below it: <18
    top = 85                     # from it on: 85+

    [born]
    bands = ["1m", "1y", "10y"]  # months, years, weeks, days of a date
    bottom = 1930-01-01

    [postcode]
    digits = [3, 2]              # characters kept

    [education]
    groups = [{ school = ["9th", "10th"], college = ["Bachelors", "Masters"] }]

`groups` is a list of levels, each {label: [labels of the level below]}; what isn't named keeps its
label. Rules of several kinds don't mix in one column, except top and bottom with bands; alone they
are one level that leaves everything between them as recorded.
"""

from __future__ import annotations

import datetime
import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reidrisk.errors import InputError, UnreadableInput
from reidrisk.records import (
    DateOrder,
    date_order,
    fitted,
    number_of,
    parsed_bands,
    parsed_digits,
    value_form,
    written_date,
)

HIDDEN = "*"


class UnusableHierarchy(InputError):
    """A hierarchy that doesn't fit its attribute, or contradicts itself."""

    kind = "unusable_hierarchy"


class HoleInHierarchy(UnusableHierarchy):
    """Values of the column that a hierarchy has no label for.

    The message counts them; only a file that the user asks for names them.
    """

    def __init__(self, hierarchy: Hierarchy, values: Sequence[str], level: int) -> None:
        labels = hierarchy.levels[level - 1]
        uncovered = sum(1 for value in values if value not in labels)
        super().__init__(
            f"hierarchy of {hierarchy.name!r}: level {level} has no label for {uncovered:,} of "
            f"the {len(values):,} values of the column",
            "--save-hierarchies FOLDER writes it with a line for each of them, to be completed",
        )
        self.hierarchy = hierarchy
        self.values = tuple(values)


@dataclass(frozen=True)
class Hierarchy:
    """One attribute's levels above the recorded value: each maps values to labels.

    The level that hides the attribute is not listed; it comes after the last.
    """

    name: str
    levels: tuple[Mapping[str, str], ...]

    @property
    def height(self) -> int:
        """The highest level: the one that hides the attribute."""
        return len(self.levels) + 1

    def label(self, value: str, level: int) -> str:
        """A value as it is seen at a level."""
        if level == 0:
            return value
        return HIDDEN if level >= self.height else self.levels[level - 1][value]

    def labels(self, values: Sequence[str], level: int) -> list[str]:
        """All values as they are seen at a level."""
        return [self.label(value, level) for value in values]

    def checked(self, values: Sequence[str]) -> Hierarchy:
        """Refuse values it doesn't cover and levels that aren't functions of those below.

        The table's own values aren't named; the hierarchy's labels may be.
        """
        for level, labels in enumerate(self.levels, start=1):
            if any(value not in labels for value in values):
                raise HoleInHierarchy(self, values, level)
        split = self._split(values)
        if split is not None:
            level, label = split
            named = "a value" if label in values else repr(label)
            raise UnusableHierarchy(
                f"hierarchy of {self.name!r}: {named} of level {level} belongs to several labels "
                f"of level {level + 1}",
                "each level has to be a function of the one below",
            )
        return self

    def _split(self, values: Sequence[str]) -> tuple[int, str] | None:
        """A label whose values part again one level higher."""
        for level in range(1, len(self.levels)):
            above: dict[str, str] = {}
            for value in values:
                here, next_ = self.label(value, level), self.label(value, level + 1)
                if above.setdefault(here, next_) != next_:
                    return level, here
        return None

    def without_idle_levels(self, values: Sequence[str]) -> Hierarchy:
        """Without levels that change nothing for these values, or hide everything already."""
        kept: list[Mapping[str, str]] = []
        before = len(set(values))
        for level in self.levels:
            now = len({level[value] for value in values})
            if now < before and now > 1:
                kept.append(level)
                before = now
        return Hierarchy(self.name, tuple(kept))


KINDS = ("bands", "digits", "groups")
ENDS = ("top", "bottom")
Label = Callable[[str], str | None]


def hierarchies_by_rules(
    path: Path, values: Mapping[str, Sequence[str]], every: Sequence[str]
) -> list[Hierarchy]:
    """A hierarchy for each quasi-identifier that has a table in the file; `every` column."""
    try:
        rules = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableInput(f"{path} can't be read: {type(error).__name__}") from None
    except tomllib.TOMLDecodeError as error:
        raise UnreadableInput(f"{path.name} isn't TOML: {error}") from None
    found = []
    for name, rule in rules.items():
        if name not in every:
            listed = ", ".join(every)
            raise UnusableHierarchy(
                f"{path.name} has rules for {name!r}, which is no column", f"there are: {listed}"
            )
        if not isinstance(rule, dict):
            raise UnusableHierarchy(f"{path.name}: {name} is no table of rules", "write [column]")
        if name in values:
            found.append(by_rule(name, rule, values[name]))
    return found


def by_rule(name: str, rule: Mapping[str, Any], values: Sequence[str]) -> Hierarchy:
    """One column's hierarchy."""
    unknown = set(rule) - {*KINDS, *ENDS}
    kinds = [kind for kind in KINDS if kind in rule]
    if unknown:
        raise UnusableHierarchy(f"rules of {name!r}: {sorted(unknown)[0]!r} is none", _known())
    ended = any(end in rule for end in ENDS)
    if ended and not kinds:
        return Hierarchy(name, _labelled(name, [_capped(str, name, rule, values)], values))
    if len(kinds) != 1:
        raise UnusableHierarchy(f"rules of {name!r}: one of {', '.join(KINDS)} is needed")
    if ended and kinds != ["bands"]:
        raise UnusableHierarchy(f"rules of {name!r}: top and bottom go with bands")
    steps = rule[kinds[0]]
    if not isinstance(steps, list) or not steps:
        raise UnusableHierarchy(f"rules of {name!r}: {kinds[0]} is a list, a level each")
    if kinds == ["groups"]:
        return Hierarchy(name, _grouped(name, steps, values))
    labels: list[Label]
    if kinds == ["digits"]:
        labels = [parsed_digits(name, str(digits)).label for digits in steps]
    else:
        ways = [fitted(parsed_bands(name, str(width)), name, values)[0] for width in steps]
        labels = [_capped(way.label, name, rule, values) for way in ways]
    return Hierarchy(name, _labelled(name, labels, values))


def _known() -> str:
    return f"there are: {', '.join((*KINDS, *ENDS))}"


def _capped(label: Label, name: str, rule: Mapping[str, Any], values: Sequence[str]) -> Label:
    """Below `bottom` and from `top` on, one label each; both are numbers, or both dates."""
    ends = {end: rule[end] for end in ENDS if end in rule}
    if not ends:
        return label
    kinds = {_kind_of_end(name, end, value) for end, value in ends.items()}
    top, bottom = (_place(value) for value in (rule.get("top"), rule.get("bottom")))
    if len(kinds) > 1 or (top is not None and bottom is not None and top < bottom):
        raise UnusableHierarchy(f"rules of {name!r}: top isn't above bottom")
    place_of = _day_in(date_order(values)) if kinds == {datetime.date} else number_of

    def capped(text: str) -> str | None:
        place: Any = place_of(text)
        if place is None:
            return None
        if top is not None and place >= top:
            return f"{rule['top']}+"
        return f"<{rule['bottom']}" if bottom is not None and place < bottom else label(text)

    return capped


def _kind_of_end(name: str, end: str, value: Any) -> type:
    """float or datetime.date."""
    if type(value) is datetime.date:
        return datetime.date
    if type(value) not in (int, float) or not math.isfinite(value):
        raise UnusableHierarchy(
            f"rules of {name!r}: {end} is neither a number nor a date",
            f"as in {end} = 85 or {end} = 1930-01-01",
        )
    return float


def _place(end: Any) -> Any:
    """A date as its text, by which ISO dates are ordered too."""
    return end.isoformat() if isinstance(end, datetime.date) else end


def _day_in(order: DateOrder) -> Callable[[str], str | None]:
    """The day of a value, as ISO writes it."""

    def day_of(text: str) -> str | None:
        day = written_date(text, order)
        return None if day is None else day.isoformat()

    return day_of


def _labelled(
    name: str, steps: Sequence[Label], values: Sequence[str]
) -> tuple[dict[str, str], ...]:
    levels = []
    for step in steps:
        labels = {value: step(value) for value in values}
        without = sum(1 for label in labels.values() if label is None)
        if without:
            raise UnusableHierarchy(
                f"rules of {name!r}: {without:,} of its {len(values):,} values are no number "
                "or date"
            )
        levels.append({value: label for value, label in labels.items() if label is not None})
    return tuple(levels)


def _grouped(name: str, steps: Sequence[Any], values: Sequence[str]) -> tuple[dict[str, str], ...]:
    """Each level from the labels of the one below."""
    levels: list[dict[str, str]] = []
    below = {value: value for value in values}
    for step in steps:
        if not isinstance(step, dict) or not all(isinstance(held, list) for held in step.values()):
            raise UnusableHierarchy(f"rules of {name!r}: a level of groups is {{label = [labels]}}")
        into: dict[str, str] = {}
        for label, members in step.items():
            for member in members:
                if into.setdefault(value_form(member) or "", label) != label:
                    raise UnusableHierarchy(
                        f"rules of {name!r}: {member!r} is in two groups of one level"
                    )
        below = {value: into.get(label, label) for value, label in below.items()}
        levels.append(below)
    return tuple(levels)
