"""The shape of a statistics file: which JSON it may hold. The JSON Schema is made from it."""

from __future__ import annotations

import re
from itertools import islice
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, FailFast, Field

from reidrisk.statistics.statistics import (
    Attribute,
    Count,
    Other,
    PairCounts,
    Statistics,
    Suppressed,
)

FORMAT = "reidrisk-statistics/1"
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
    str, Field(pattern=r"^\s*<\s*[0-9]{1,15}\s*$", description="held back: below a number")
]
Cell = Whole | Below | None


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


def _mostly_counts(held: Any) -> Any:
    """Where most cells are no counts one fault is told, not one for each of millions."""
    if isinstance(held, dict):
        wrong = (cell for cell in held.values() if not _may_be_a_count(cell))
        if len(list(islice(wrong, MOST_WRONG))) == MOST_WRONG:
            raise ValueError(f"{MOST_WRONG} of its cells, or more, are no counts")
    return held


def _may_be_a_count(cell: Any) -> bool:
    if isinstance(cell, str):
        return _BELOW.fullmatch(cell) is not None
    if cell is None or isinstance(cell, bool):
        return cell is None
    return isinstance(cell, (int, float)) and 0 <= cell <= LARGEST_COUNT and cell == int(cell)


class OtherShape(_Strict):
    """Values lumped together."""

    count: Whole = Field(description="how many people hold one of them")
    values: Annotated[
        int, BeforeValidator(_whole), Field(ge=0, le=MOST_OTHER_VALUES, strict=True)
    ] = Field(description="how many values they are")


class AttributeShape(_Strict):
    """One attribute."""

    name: str = Field(min_length=1, description="what it is called; no name twice")
    counts: Annotated[dict[str, Cell], BeforeValidator(_mostly_counts)] = Field(
        description="people per value; null or '<5' where held back"
    )
    missing: Cell = Field(default=0, description="people without a value")
    other: OtherShape | None = Field(default=None, description="values lumped together")


class PairShape(_Strict):
    """A pair table, whole or in part."""

    of: tuple[str, str] = Field(description="the two attributes")
    counts: Annotated[list[tuple[str | None, str | None, Cell]], FailFast()] = Field(
        description="[value of the first, value of the second, people]; null is the missing value"
    )


class FileShape(_Strict):
    """Statistics about people: counts, no records."""

    format: Literal["reidrisk-statistics/1"] = Field(description="tells this kind of file")
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
        default_factory=list, description="pair tables: how many people hold both values"
    )
    sample_of: Whole | None = Field(default=None, description="size of the population sampled")
    rounded_to: Whole | None = Field(default=None, description="counts are multiples of this")
    at_least: Whole | None = Field(default=None, description="counts below this were folded")


def count_of(cell: int | str | None) -> Count:
    """A cell as a count: a number, or held back."""
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
    """What the file says, as an object. Repeated cells are looked for before (`checking`)."""
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
    return Statistics(
        shape.records,
        attributes,
        pairs,
        shape.title,
        shape.sample_of,
        shape.rounded_to or None,
        shape.at_least or None,
    )


def shape_of(statistics: Statistics) -> dict[str, Any]:
    """The object as JSON."""
    return {
        "format": FORMAT,
        "title": statistics.title,
        "records": statistics.records,
        "attributes": [_attribute_shape(each) for each in statistics.attributes],
        "pairs": [
            {"of": list(each.of), "counts": [[*v, cell_of(c)] for v, c in each.counts.items()]}
            for each in statistics.pairs
        ],
        "sample_of": statistics.sample_of,
        "rounded_to": statistics.rounded_to,
        "at_least": statistics.at_least,
    }


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
