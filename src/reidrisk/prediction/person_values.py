"""Someone: a person's values, found among those the statistics list.

Which values of an attribute are listed: N counts them all, whether or not somebody holds them.

Koot et al. compare with the uniform law over all values an attribute may have (ages 0 … 94), never
over those that happen to occur in one group. Without a list, these are the values that the
statistics or the whole table know. A list (`--values age=0-94`) adds values nobody holds, and
leaves out people who hold others, as the paper leaves out those above 94.

Where it is coarse: statistics seen in bands leave out whole bands only; a band that holds one of
the values listed stays, with all its people.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reidrisk.crowds import Assumption, assumed
from reidrisk.errors import InputError, UnknownColumn
from reidrisk.records import Recoding, Table, value_form
from reidrisk.statistics import CompleteAttribute, KnownValues, Value

NO_SUCH = "the table has no such value"


class UnknownValue(InputError):
    """A value that an attribute doesn't have."""

    kind = "unknown_value"


@dataclass(frozen=True)
class Found:
    """Where a value stands in its attribute; the value itself isn't kept."""

    attribute: str
    place: int
    said: tuple[str, ...] = ()


def values_matched(sentences: Iterable[str]) -> tuple[Assumption, ...]:
    """How values that were given in other words were understood."""
    return assumed("value-matched", "person", sentences)


def by_name(names: Sequence[str], person: Mapping[str, object]) -> dict[str, object]:
    """What was given, under the attributes' own names and in their order."""
    if not person:
        raise InputError("no value was given", f"as in {names[0]}=…; or use --ask")
    known = KnownValues(names)
    wanted: dict[str, object] = {}
    for name, value in person.items():
        match = known.match(name)
        if match is None:
            raise UnknownColumn(f"there is no attribute {name!r}", f"there are: {', '.join(names)}")
        if match.value in wanted:
            raise InputError(f"{match.value!r} was given twice")
        wanted[match.value] = value
    return {name: wanted[name] for name in names if name in wanted}


def found_value(attribute: CompleteAttribute, value: object) -> Found:
    """One value. Nothing is the missing one; what isn't listed is one of those in other."""
    name = attribute.name
    if value_form(value) is None:
        return Found(name, _missing_place(attribute))
    match = attribute.known.match(value)
    if match is not None:
        said = match.said(name)
        return Found(name, attribute.place[match.value], (said,) if said else ())
    several = attribute.known.fitting(value)
    if len(several) > 1:
        raise UnknownValue(
            f"{name}: {len(several)} of its bands contain the value given",
            f"which: {', '.join(several)}",
        )
    if attribute.in_other and attribute.known.fits_kind(value, among_words=True):
        return Found(
            name,
            len(attribute.values),
            (
                f"{name}: the value given isn't listed, so it is taken as one of the "
                f"{attribute.in_other:,} values merged into other.",
            ),
        )
    many = len(attribute.known.values)
    raise UnknownValue(
        f"{name}: the value given isn't one of its {many:,} values", _near(attribute, value)
    )


def found_in_table(
    table: Table, person: Mapping[str, object]
) -> tuple[dict[str, str | None], list[str]]:
    """A person's values as the table writes them, in the order of its columns.

    A number that nobody has, among numbers, stays as it was given, and the nearest are named; what
    can be nobody's value (a word among numbers, a misspelt one) is refused.
    """
    values: dict[str, str | None] = {}
    notes: list[str] = []
    for name, value in by_name(table.columns, person).items():
        values[name] = value_form(value)
        if values[name] is None:
            continue
        known = KnownValues(table.engine.marginal(name).values)
        match = known.match(_as_seen(table, name, str(values[name]))) or known.match(value)
        if match is None:
            notes.append(_nobody_has(name, known, value))
            continue
        values[name] = match.value
        sentence = match.said(name)
        notes += [sentence] if sentence else []
    return values, notes


def _nobody_has(name: str, known: KnownValues, value: object) -> str:
    near = known.near(value)
    close = f"close to it: {', '.join(near)}" if near else ""
    if known.fits_kind(value):
        return f"{name}: {NO_SUCH}{f', and {close}' if close else ''}."
    # An error goes into logs, and tells no value of the table; an answer may.
    raise UnknownValue(
        f"{name}: the value {str(value)!r} is unknown: nobody in the table has it",
        "--ask lists the values there are",
    )


def _as_seen(table: Table, name: str, text: str) -> str:
    """The value as the column is seen: in its band, by its first characters."""
    how = table.engine.options.recoding.get(name)
    return (how.label(text) or text) if how is not None else text


def _missing_place(attribute: CompleteAttribute) -> int:
    missing: Value = None
    if missing not in attribute.place:
        raise UnknownValue(
            f"{attribute.name}: no value was given, and everybody in the statistics has one",
            "leave the attribute out if it isn't known",
        )
    return attribute.place[missing]


def _near(attribute: CompleteAttribute, asked: object) -> str:
    near = attribute.known.near(asked)
    if near:
        return f"close to it: {', '.join(near)}"
    some = ", ".join(attribute.known.values[:10])
    return f"there are: {some}" + (", …" if len(attribute.known.values) > 10 else "")


_RANGE = re.compile(r"(-?[0-9]+)-(-?[0-9]+)")
MOST_LISTED = 10_000_000


@dataclass(frozen=True, eq=False)
class Listed:
    """How many values are listed, and which of those known are among them."""

    number: int
    keep: NDArray[np.bool_]


def parsed_values(given: Mapping[str, object] | None) -> dict[str, tuple[str, ...]]:
    """{column: its values}: 0-94 for whole numbers, f/m for others, or anything iterable."""
    return {name: _parsed(name, values) for name, values in (given or {}).items()}


def _parsed(name: str, values: object) -> tuple[str, ...]:
    if isinstance(values, str):
        forms = [value for part in values.split("/") for value in _range(name, part.strip())]
    elif isinstance(values, Iterable):
        forms = [form for form in map(value_form, values) if form is not None]
    else:
        forms = []
    if not forms:
        raise InputError(f"--values {name}: no values are listed", "as in age=0-94 or sex=f/m")
    return tuple(dict.fromkeys(forms))


def _range(name: str, part: str) -> list[str]:
    between = _RANGE.fullmatch(part)
    if between is None:
        form = value_form(part)
        return [] if form is None else [form]
    low, high = int(between[1]), int(between[2])
    if high < low or high - low >= MOST_LISTED:
        raise InputError(
            f"--values {name}: a range goes up, by at most {MOST_LISTED:,}", "as in age=0-94"
        )
    return [str(number) for number in range(low, high + 1)]


def listed(
    labels: Sequence[str | None],
    in_other: int,
    values: Sequence[str] | None,
    how: Recoding | None = None,
) -> Listed:
    """What is listed of an attribute's `labels` (None the missing one) and values `in_other`.

    `values` are seen as coarse as the attribute is, and matched with its labels: 22 finds 20-24.
    """
    if values is None:
        return Listed(len(labels) + in_other, np.ones(len(labels) + in_other, dtype=bool))
    seen = dict.fromkeys(value if how is None else how.label(value) or value for value in values)
    known = KnownValues([label for label in labels if label is not None])
    found = {value if (match := known.match(value)) is None else match.value for value in seen}
    keep = np.array([label in found for label in labels] + [False] * in_other, dtype=bool)
    return Listed(len(found), keep)
