"""Hierarchy: how an attribute's values become coarser, level after level.

Level 0 is the value as recorded; each level is a function of the one below, so crowds only grow on
the way up; the last level is `*`, where the attribute says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reidrisk.errors import InputError

HIDDEN = "*"


class UnusableHierarchy(InputError):
    """A hierarchy that doesn't fit its attribute, or contradicts itself."""

    kind = "unusable_hierarchy"


class HoleInHierarchy(UnusableHierarchy):
    """Values of the column that a hierarchy has no label for.

    The message counts them; only a file that the user asks for names them.
    """

    def __init__(self, hierarchy: Hierarchy, values: Sequence[str], level: int) -> None:
        labels = hierarchy.levels[level - 1]
        uncovered = sum(1 for value in values if value not in labels)
        super().__init__(
            f"hierarchy of {hierarchy.name!r}: level {level} has no label for {uncovered:,} of "
            f"the {len(values):,} values of the column",
            "--save-hierarchies FOLDER writes it with a line for each of them, to be completed",
        )
        self.hierarchy = hierarchy
        self.values = tuple(values)


@dataclass(frozen=True)
class Hierarchy:
    """One attribute's levels above the recorded value: each maps values to labels.

    The level that hides the attribute is not listed; it comes after the last.
    """

    name: str
    levels: tuple[Mapping[str, str], ...]

    @property
    def height(self) -> int:
        """The highest level: the one that hides the attribute."""
        return len(self.levels) + 1

    def label(self, value: str, level: int) -> str:
        """A value as it is seen at a level."""
        if level == 0:
            return value
        return HIDDEN if level >= self.height else self.levels[level - 1][value]

    def labels(self, values: Sequence[str], level: int) -> list[str]:
        """All values as they are seen at a level."""
        return [self.label(value, level) for value in values]

    def checked(self, values: Sequence[str]) -> Hierarchy:
        """Refuse values it doesn't cover and levels that aren't functions of those below.

        The table's own values aren't named; the hierarchy's labels may be.
        """
        for level, labels in enumerate(self.levels, start=1):
            if any(value not in labels for value in values):
                raise HoleInHierarchy(self, values, level)
        split = self._split(values)
        if split is not None:
            level, label = split
            named = "a value" if label in values else repr(label)
            raise UnusableHierarchy(
                f"hierarchy of {self.name!r}: {named} of level {level} belongs to several labels "
                f"of level {level + 1}",
                "each level has to be a function of the one below",
            )
        return self

    def _split(self, values: Sequence[str]) -> tuple[int, str] | None:
        """A label whose values part again one level higher."""
        for level in range(1, len(self.levels)):
            above: dict[str, str] = {}
            for value in values:
                here, next_ = self.label(value, level), self.label(value, level + 1)
                if above.setdefault(here, next_) != next_:
                    return level, here
        return None

    def without_idle_levels(self, values: Sequence[str]) -> Hierarchy:
        """Without levels that change nothing for these values, or hide everything already."""
        kept: list[Mapping[str, str]] = []
        before = len(set(values))
        for level in self.levels:
            now = len({level[value] for value in values})
            if now < before and now > 1:
                kept.append(level)
                before = now
        return Hierarchy(self.name, tuple(kept))
