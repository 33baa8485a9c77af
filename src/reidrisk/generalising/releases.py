"""Releases: all ways to give attributes away coarser, one level for each.

A release is a tuple of levels, one for each attribute: 0 as recorded, up to the height of its
hierarchy, where the attribute is hidden. Release v is finer than w, v ≤ w, when no level of v is
higher: it splits the crowds of w. As views (`views.view`) they are counted from the other end.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reidrisk.engines.seeing import unknown_column
from reidrisk.errors import ContradictoryOptions, InputError

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
