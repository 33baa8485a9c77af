"""Hierarchies by rules: a TOML file with a table for each column.

    [age]
    bands = [5, 10, 20]          # widths of numbers, level after level
    bottom = 18                  # below it: <18
    top = 85                     # from it on: 85+

    [born]
    bands = ["1m", "1y", "10y"]  # months, years, weeks, days of a date

    [postcode]
    digits = [3, 2]              # characters kept

    [education]
    groups = [{ school = ["9th", "10th"], college = ["Bachelors", "Masters"] }]

`groups` is a list of levels, each {label: [labels of the level below]}; what isn't named keeps its
label. Rules of several kinds don't mix in one column, except top and bottom with bands.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from reidrisk.engines.coarsening import parsed_bands, parsed_digits
from reidrisk.engines.text_form import number_of
from reidrisk.errors import UnreadableInput
from reidrisk.generalising.hierarchy import Hierarchy, UnusableHierarchy

KINDS = ("bands", "digits", "groups")
Label = Callable[[str], str | None]


def hierarchies_by_rules(
    path: Path, values: Mapping[str, Sequence[str]], every: Sequence[str]
) -> list[Hierarchy]:
    """A hierarchy for each table of the file whose column is looked at; `every` column there is."""
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
    unknown = set(rule) - {*KINDS, "top", "bottom"}
    kinds = [kind for kind in KINDS if kind in rule]
    if unknown:
        raise UnusableHierarchy(f"rules of {name!r}: {sorted(unknown)[0]!r} is none", _known())
    if len(kinds) != 1:
        raise UnusableHierarchy(f"rules of {name!r}: one of {', '.join(KINDS)} is needed")
    if {"top", "bottom"} & set(rule) and kinds != ["bands"]:
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
        widths = [parsed_bands(name, str(width)).label for width in steps]
        labels = [_capped(each, name, rule) for each in widths]
    return Hierarchy(name, _labelled(name, labels, values))


def _known() -> str:
    return f"there are: {', '.join(KINDS)}, top, bottom"


def _capped(label: Label, name: str, rule: Mapping[str, Any]) -> Label:
    """Below `bottom` and from `top` on, one label each."""
    top, bottom = rule.get("top"), rule.get("bottom")
    for mark, number in (("top", top), ("bottom", bottom)):
        if number is not None and type(number) not in (int, float):
            raise UnusableHierarchy(f"rules of {name!r}: {mark} is a number")

    def capped(text: str) -> str | None:
        number = number_of(text)
        if number is not None and top is not None and number >= top:
            return f"{top}+"
        if number is not None and bottom is not None and number < bottom:
            return f"<{bottom}"
        return label(text)

    return capped


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
                if into.setdefault(str(member), label) != label:
                    raise UnusableHierarchy(
                        f"rules of {name!r}: {member!r} is in two groups of one level"
                    )
        below = {value: into.get(label, label) for value, label in below.items()}
        levels.append(below)
    return tuple(levels)
