"""The shape of the statistics file: its schema, which the JSON Schema is made from.

A further kind of count gets its shape here, and its object in `statistics`; a protection says
itself how it stands in the file.
"""

from __future__ import annotations

import re
from dataclasses import asdict
from itertools import islice
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, FailFast, Field

from reidrisk.statistics.consistency import with_one_spelling
from reidrisk.statistics.protection import stated_protection
from reidrisk.statistics.statistics import (
    Attribute,
    Count,
    Determined,
    Other,
    PairCounts,
    SharedCounts,
    Statistics,
    Suppressed,
    TripleCounts,
)

FORMAT = "reidrisk-statistics/2"
# Written by earlier versions: without a protection and maps.
EARLIER = "reidrisk-statistics/1"
# More people than there are: such numbers are a mistake, and floats still tell them apart.
LARGEST_COUNT = 10**15
# Each is given a place, in the models too: all surnames of the largest countries are fewer.
MOST_OTHER_VALUES = 10**7
MOST_ATTRIBUTES = 10_000
MOST_WRONG = 30
_BELOW = re.compile(r"\s*<\s*([0-9]{1,15})\s*")


def _whole(value: Any) -> Any:
    """39.0 is the whole number 39; true is no number."""
    if isinstance(value, bool):
        raise ValueError("a whole number is needed, not true or false")
    return int(value) if isinstance(value, float) and value.is_integer() else value


Whole = Annotated[int, BeforeValidator(_whole), Field(ge=0, le=LARGEST_COUNT, strict=True)]
Below = Annotated[
    str, Field(pattern=r"^\s*<\s*[0-9]{1,15}\s*$", description="suppressed: below a number")
]
Cell = Whole | Below | None


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


def _mostly_counts(counts: Any) -> Any:
    """Where most cells are no counts one fault is told, not one for each of millions."""
    if isinstance(counts, dict):
        wrong = (cell for cell in counts.values() if not _may_be_a_count(cell))
        if len(list(islice(wrong, MOST_WRONG))) == MOST_WRONG:
            raise ValueError(f"{MOST_WRONG} or more of its cells aren't counts")
    return counts


def _may_be_a_count(cell: Any) -> bool:
    if isinstance(cell, str):
        return _BELOW.fullmatch(cell) is not None
    if cell is None or isinstance(cell, bool):
        return cell is None
    return isinstance(cell, (int, float)) and 0 <= cell <= LARGEST_COUNT and cell == int(cell)


class OtherShape(_Strict):
    """Values merged into other."""

    count: Whole = Field(description="how many people have one of them")
    values: Annotated[
        int, BeforeValidator(_whole), Field(ge=0, le=MOST_OTHER_VALUES, strict=True)
    ] = Field(description="how many values were merged")


class AttributeShape(_Strict):
    """One attribute."""

    name: str = Field(min_length=1, description="its name; each name once")
    counts: Annotated[dict[str, Cell], BeforeValidator(_mostly_counts)] = Field(
        description="people per value; null or '<5' where suppressed"
    )
    missing: Cell = Field(default=0, description="people without a value")
    other: OtherShape | None = Field(default=None, description="values merged into other")


class PairShape(_Strict):
    """A pair table, whole or in part."""

    of: tuple[str, str] = Field(description="the two attributes")
    counts: Annotated[list[tuple[str | None, str | None, Cell]], FailFast()] = Field(
        description="[value of the first, value of the second, people]; null is the missing value"
    )


class TripleShape(_Strict):
    """A triple table, whole or in part."""

    of: tuple[str, str, str] = Field(description="the three attributes")
    counts: Annotated[list[tuple[str | None, str | None, str | None, Cell]], FailFast()] = Field(
        description="[a value of each attribute in turn, people]; null is the missing value"
    )


class SharedShape(_Strict):
    """People who share all of some attributes, as members of a household do."""

    of: Annotated[list[str], Field(min_length=3, max_length=MOST_ATTRIBUTES)] = Field(
        description="the attributes, three or more"
    )
    combinations: Whole = Field(description="how many combinations of their values occur")
    in_groups: Whole = Field(
        description="how many people are in groups of two and more that share all of them"
    )


class DeterminedShape(_Strict):
    """An attribute that follows from another one: its counts are sums of that one's."""

    name: str = Field(min_length=1, description="its name; it has no counts of its own")
    by: str = Field(min_length=1, description="the attribute it follows from")
    place: Whole = Field(description="where it stands among all attributes, from 0")
    labels: list[tuple[str | None, str | None]] = Field(
        description="[value of that one, value of this one]; null is the missing value"
    )


class FileShape(_Strict):
    """Statistics about people: counts, no records."""

    format: Literal["reidrisk-statistics/1", "reidrisk-statistics/2"] = Field(
        description="identifies this kind of file"
    )
    title: str = Field(default="", description="what the statistics are about")
    records: Annotated[int, BeforeValidator(_whole), Field(ge=1, le=LARGEST_COUNT, strict=True)] = (
        Field(description="how many people the counts are about")
    )
    attributes: list[AttributeShape] = Field(
        min_length=1,
        max_length=MOST_ATTRIBUTES,
        description="the attributes, each with the people of its values",
    )
    pairs: Annotated[list[PairShape], FailFast()] = Field(
        default_factory=list, description="two-way tables: how many people have both values"
    )
    triples: Annotated[list[TripleShape], FailFast()] = Field(
        default_factory=list, description="three-way tables: how many people have all three values"
    )
    shared: SharedShape | None = Field(
        default=None, description="people who share all of some attributes; null where nobody says"
    )
    sample_of: Whole | None = Field(default=None, description="size of the population sampled")
    rounded_to: Whole | None = Field(default=None, description="counts are multiples of this")
    at_least: Whole | None = Field(
        default=None, description="counts below this were suppressed or rounded"
    )
    protection: dict[str, Any] | None = Field(
        default=None,
        description="what was done to the counts, with its law; null where nobody says",
    )
    determined: list[DeterminedShape] = Field(
        default_factory=list, description="attributes published as a map"
    )


def count_of(cell: int | str | None) -> Count:
    """A cell as a count: a number, or suppressed."""
    if cell is None:
        return Suppressed()
    if isinstance(cell, str):
        below = _BELOW.fullmatch(cell)
        return Suppressed(int(below[1]) if below else None)
    return cell


def cell_of(count: Count) -> int | str | None:
    """A count as a cell."""
    if isinstance(count, int):
        return count
    return None if count.below is None else f"<{count.below}"


def statistics_of(shape: FileShape) -> Statistics:
    """What the file says, as an object. Repeated cells are refused before."""
    attributes = tuple(
        Attribute(
            each.name,
            {value: count_of(cell) for value, cell in each.counts.items()},
            count_of(each.missing),
            Other(each.other.count, each.other.values) if each.other else None,
        )
        for each in shape.attributes
    )
    pairs = tuple(
        PairCounts(each.of, {(a, b): count_of(cell) for a, b, cell in each.counts})
        for each in shape.pairs
    )
    published = Statistics(
        shape.records,
        attributes,
        pairs,
        shape.title,
        shape.sample_of,
        shape.rounded_to or None,
        shape.at_least or None,
        None if shape.protection is None else stated_protection(shape.protection),
        triples=tuple(
            TripleCounts(each.of, {(a, b, c): count_of(cell) for a, b, c, cell in each.counts})
            for each in shape.triples
        ),
        shared=None if shape.shared is None else _shared_counts(shape.shared),
    )
    return with_one_spelling(published)


def _shared_counts(shape: SharedShape) -> SharedCounts:
    return SharedCounts(tuple(shape.of), shape.combinations, shape.in_groups)


def maps_of(shape: FileShape) -> dict[str, Determined]:
    """The attributes that were published as maps."""
    return {each.name: Determined(each.by, dict(each.labels)) for each in shape.determined}


def shape_of(statistics: Statistics) -> dict[str, Any]:
    """The object as JSON; attributes that follow from others as maps."""
    published = statistics.published
    shape = {
        "format": FORMAT,
        "title": published.title,
        "records": published.records,
        "attributes": [_attribute_shape(each) for each in published.attributes],
        "pairs": [
            {"of": list(each.of), "counts": [[*v, cell_of(c)] for v, c in each.counts.items()]}
            for each in published.pairs
        ],
        "sample_of": published.sample_of,
        "rounded_to": published.rounded_to,
        "at_least": published.at_least,
        "protection": None if published.protection is None else published.protection.stated(),
    }
    if published.triples:
        shape["triples"] = [
            {"of": list(each.of), "counts": [[*v, cell_of(c)] for v, c in each.counts.items()]}
            for each in published.triples
        ]
    if published.shared is not None:
        shape["shared"] = {**asdict(published.shared), "of": list(published.shared.of)}
    if statistics.determined:
        shape["determined"] = [
            {
                "name": name,
                "by": of.by,
                "place": statistics.names.index(name),
                "labels": [list(each) for each in of.labels.items()],
            }
            for name, of in statistics.determined.items()
        ]
    return shape


def _attribute_shape(attribute: Attribute) -> dict[str, Any]:
    shape: dict[str, Any] = {
        "name": attribute.name,
        "counts": {value: cell_of(count) for value, count in attribute.counts.items()},
    }
    if attribute.missing != 0:
        shape["missing"] = cell_of(attribute.missing)
    if attribute.other is not None:
        shape["other"] = {"count": attribute.other.count, "values": attribute.other.values}
    return shape
