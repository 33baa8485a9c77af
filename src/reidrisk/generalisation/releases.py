"""Releases: all ways to give attributes away coarser, one level for each.

A release is a tuple of levels, one for each attribute: 0 as recorded, up to the height of its
hierarchy, where the attribute is hidden. Release v is finer than w, v ≤ w, when no level of v is
higher: it splits the crowds of w. As views (`views.view`) they are counted from the other end.

LevelCodes: what each attribute's codes become at each level of its hierarchy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Ints
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.generalisation.hierarchy import Hierarchy
from reidrisk.records import summed, unknown_column

Levels = tuple[int, ...]


@dataclass(frozen=True)
class Releases:
    """Attributes with the heights of their hierarchies, and the levels that may be taken."""

    names: tuple[str, ...]
    heights: Levels
    lowest: Levels
    highest: Levels

    @classmethod
    def of(
        cls,
        heights: Mapping[str, int],
        at_least: Mapping[str, int] | None = None,
        at_most: Mapping[str, int] | None = None,
    ) -> Releases:
        """Every level of every attribute, or those from `at_least` to `at_most`."""
        lowest = _limits("--at-least", heights, at_least or {}, dict.fromkeys(heights, 0))
        highest = _limits("--at-most", heights, at_most or {}, heights)
        for name in heights:
            if lowest[name] > highest[name]:
                raise ContradictoryOptions(
                    f"{name!r} would have to be at level {lowest[name]} at least and "
                    f"{highest[name]} at most"
                )
        return cls(
            tuple(heights),
            tuple(heights.values()),
            tuple(lowest[name] for name in heights),
            tuple(highest[name] for name in heights),
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """How many levels each attribute may take."""
        return tuple(high - low + 1 for low, high in zip(self.lowest, self.highest, strict=True))

    @property
    def number(self) -> int:
        """How many releases there are."""
        return math.prod(self.shape)

    def named(self, levels: Sequence[int]) -> dict[str, int]:
        """{attribute: level}."""
        return dict(zip(self.names, map(int, levels), strict=True))


def _limits(
    option: str, heights: Mapping[str, int], given: Mapping[str, int], else_: Mapping[str, int]
) -> dict[str, int]:
    for name, level in given.items():
        if name not in heights:
            raise unknown_column(name, list(heights))
        if not 0 <= level <= heights[name]:
            raise InputError(
                f"{option} {name}={level}: its levels go from 0 (as recorded) to {heights[name]} "
                "(hidden)"
            )
    return {name: given.get(name, else_[name]) for name in heights}


def rank(levels: Levels) -> tuple[int, Levels]:
    """Of releases that lose the same: lowest summed levels first, then by column order."""
    return sum(levels), levels


class LevelCodes(NamedTuple):
    """One attribute: `codes[l][c]` is the number of code c's label at level l.

    Labels at level l are numbered below `widths[l]`; a missing value keeps a label of its own
    until the attribute is hidden.
    """

    codes: tuple[Ints, ...]
    widths: tuple[int, ...]

    @property
    def height(self) -> int:
        """The level that hides the attribute."""
        return len(self.codes) - 1

    def counts(self, held: Ints) -> list[Ints]:
        """People per label at each level, from people per code."""
        each = zip(self.codes, self.widths, strict=True)
        return [summed(codes, width, held) for codes, width in each]


def level_codes(hierarchy: Hierarchy, values: Sequence[str], cardinality: int) -> LevelCodes:
    """The levels of an attribute whose first codes stand for `values`.

    Further codes, up to the cardinality, are a missing value or values nobody names: each is a
    label of its own.
    """
    codes, widths = [], []
    for level in range(hierarchy.height):
        number: dict[str, int] = {}
        found = [number.setdefault(label, len(number)) for label in hierarchy.labels(values, level)]
        unnamed = range(len(number), len(number) + cardinality - len(values))
        codes.append(np.array([*found, *unnamed], dtype=np.int64))
        widths.append(len(number) + len(unnamed))
    codes.append(np.zeros(cardinality, dtype=np.int64))
    return LevelCodes(tuple(codes), (*widths, 1))


def all_levels(
    hierarchies: Mapping[str, Hierarchy],
    values: Mapping[str, Sequence[str]],
    cardinalities: Mapping[str, int],
) -> tuple[LevelCodes, ...]:
    """Those of several attributes, in the order of `values`."""
    return tuple(
        level_codes(hierarchies[name], values[name], cardinalities[name]) for name in values
    )
