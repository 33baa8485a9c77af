"""Naming: Age in one table and age in another are one attribute, as the first table spells it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reidrisk.compiling.figures import Figures
from reidrisk.statistics.matching import KnownValues, folded
from reidrisk.statistics.statistics import Attribute


def named_alike(read: Sequence[Figures]) -> tuple[list[Figures], list[str]]:
    """The tables with one spelling an attribute, and what was taken for the same."""
    spelt: dict[str, str] = {}
    notes: list[str] = []
    found: list[Figures] = []
    for each in read:
        names = tuple(spelt.setdefault(folded(name), name) for name in each.attributes)
        for old, new in zip(each.attributes, names, strict=True):
            if old != new:
                notes.append(f"{each.file}: the attribute {old} was taken as {new}")
        found.append(replace(each, attributes=names))
    return found, notes


def overlaps(attribute: Attribute) -> Iterator[str]:
    """Where a number would lie in two of an attribute's bands."""
    pairs = KnownValues(attribute.counts).overlapping()
    if pairs:
        first, second = pairs[0]
        more = f", and {len(pairs) - 1} more" if len(pairs) > 1 else ""
        yield f"{attribute.name}: the bands {first} and {second} overlap{more}"
