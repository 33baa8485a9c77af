"""Someone: a person's values, found among those the statistics list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reidrisk.engines.text_form import value_form
from reidrisk.errors import InputError, UnknownColumn
from reidrisk.statistics.matching import KnownValues
from reidrisk.statistics.settling import Settled, SettledAttribute
from reidrisk.statistics.statistics import Value


class UnknownValue(InputError):
    """A value that an attribute doesn't have."""

    kind = "unknown_value"


@dataclass(frozen=True)
class Found:
    """Where a value stands in its attribute; the value itself isn't kept."""

    attribute: str
    place: int
    said: tuple[str, ...] = ()


def found_values(settled: Settled, person: Mapping[str, object]) -> list[Found]:
    """A person's values in the order of the attributes; what can't be found is refused."""
    if not person:
        raise InputError("no value was given", f"as in {settled.names[0]}=…; or use --ask")
    names = KnownValues(settled.names)
    asked: dict[str, object] = {}
    for name, value in person.items():
        match = names.match(name)
        if match is None:
            listed = ", ".join(settled.names)
            raise UnknownColumn(f"there is no attribute {name!r}", f"there are: {listed}")
        if match.value in asked:
            raise InputError(f"{match.value!r} was given twice")
        asked[match.value] = value
    return [
        found_value(each, asked[each.name]) for each in settled.attributes if each.name in asked
    ]


def found_value(attribute: SettledAttribute, asked: object) -> Found:
    """One value. Nothing is the missing one; what isn't listed is one of those lumped together."""
    name = attribute.name
    if value_form(asked) is None:
        return Found(name, _missing_place(attribute))
    match = attribute.known.match(asked)
    if match is not None:
        said = match.said(name)
        return Found(name, attribute.place[match.value], (said,) if said else ())
    if attribute.lumped:
        return Found(
            name,
            len(attribute.values),
            (
                f"{name}: the value given isn't listed, so it is taken as one of the "
                f"{attribute.lumped:,} values lumped together.",
            ),
        )
    raise UnknownValue(
        f"{name}: the value given is none of its {_many(attribute)}", _near(attribute, asked)
    )


def _missing_place(attribute: SettledAttribute) -> int:
    missing: Value = None
    if missing not in attribute.place:
        raise UnknownValue(
            f"{attribute.name}: no value was given, and everybody in the statistics has one",
            "leave the attribute out if it isn't known",
        )
    return attribute.place[missing]


def _many(attribute: SettledAttribute) -> str:
    return f"{len(attribute.known.values):,} values"


def _near(attribute: SettledAttribute, asked: object) -> str:
    near = attribute.known.near(asked)
    if near:
        return f"close to it: {', '.join(near)}"
    some = ", ".join(attribute.known.values[:10])
    return f"there are: {some}" + (", …" if len(attribute.known.values) > 10 else "")
