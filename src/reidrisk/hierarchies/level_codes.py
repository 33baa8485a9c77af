"""LevelCodes: what each attribute's codes become at each level of its hierarchy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Ints
from reidrisk.hierarchies.hierarchy import Hierarchy
from reidrisk.records import summed


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
