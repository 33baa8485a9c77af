"""Tables that are worked out when they are first asked for.

What is unsure of a pair table has as many numbers as the table, and most questions ask for few of
the tables or none: a prediction of a whole table for none at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

Held = TypeVar("Held")
Sides = tuple[int, int]


class WhenAsked(Mapping[Sides, Held]):
    """By the places of two attributes; each is worked out once."""

    def __init__(self, places: Iterable[Sides], of: Callable[[Sides], Held]) -> None:
        self._places = dict.fromkeys(places)
        self._of = of
        self._found: dict[Sides, Held] = {}

    def __getitem__(self, sides: Sides) -> Held:
        if sides not in self._places:
            raise KeyError(sides)
        if sides not in self._found:
            self._found[sides] = self._of(sides)
        return self._found[sides]

    def __contains__(self, sides: object) -> bool:
        return sides in self._places

    def __iter__(self) -> Iterator[Sides]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled with all of them worked out."""
        return dict, (dict(self),)
