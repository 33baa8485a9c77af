"""Releases: all ways to give attributes away coarser, one level for each.

A release is a tuple of levels, one for each attribute: 0 as recorded, up to the height of its
hierarchy, where the attribute is hidden. Release v is finer than w, v ≤ w, when no level of v is
higher: it splits the crowds of w. As views (`views.view`) they are counted from the other end.

Released: a table's tuples at the levels chosen, without the people who are left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Ints
from reidrisk.crowds import CrowdSizes
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.hierarchies import LevelCodes
from reidrisk.records import (
    CodedPeople,
    CodedPersons,
    CodedTuples,
    unknown_column,
)

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


class Released(NamedTuple):
    """The crowds of a release: label numbers of each, and the people who stay and who go.

    Where a person is several rows, a number stands for each multiset of them.
    """

    tuples: CodedTuples
    stay: Ints
    go: Ints

    @property
    def crowd_sizes(self) -> CrowdSizes:
        """Of those who stay."""
        return CrowdSizes.of(self.stay)

    @property
    def left_out(self) -> int:
        """How many people go."""
        return int(self.go.sum())

    def without(self, out: int) -> Released:
        """The same crowds; `out` people go, the smallest crowds first.

        Of crowds of one size those go first whose tuple comes first by its codes.
        """
        people = self.stay + self.go
        order = np.argsort(people, kind="stable")
        before = np.cumsum(people[order]) - people[order]
        go = np.zeros(len(people), dtype=np.int64)
        go[order] = np.clip(out - before, 0, people[order])
        return Released(self.tuples, people - go, go)

    def leaving(self, go: Ints) -> Released:
        """The same crowds; so many people of each go."""
        return Released(self.tuples, self.stay + self.go - go, go)

    def staying(self) -> CodedTuples:
        """The tuples that somebody still has."""
        kept = self.stay > 0
        codes = tuple(each[kept] for each in self.tuples.codes)
        return CodedTuples.of_codes(
            self.tuples.columns, codes, self.tuples.cardinalities, self.stay[kept]
        )


def released(people: CodedPeople, levels: Sequence[LevelCodes], chosen: Levels) -> Released:
    """The release at these levels; nobody goes yet."""
    tuples, stay = seen_at(people, levels, chosen).each_once()
    return Released(tuples, stay, np.zeros_like(stay))


def seen_at(people: CodedPeople, levels: Sequence[LevelCodes], chosen: Levels) -> CodedPeople:
    """The same people with labels' numbers instead of codes."""
    if isinstance(people, CodedPersons):
        return people.seen(at_levels(people.tuples, levels, chosen))
    return at_levels(people, levels, chosen)


def at_levels(tuples: CodedTuples, levels: Sequence[LevelCodes], chosen: Levels) -> CodedTuples:
    """The same rows with labels' numbers instead of codes."""
    each = list(zip(levels, chosen, tuples.codes, strict=True))
    return CodedTuples.of_codes(
        tuples.columns,
        [one.codes[level][codes] for one, level, codes in each],
        [one.widths[level] for one, level, _ in each],
        tuples.people,
    )
