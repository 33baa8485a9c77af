"""Yardstick: a measure with the value up to which it is allowable, and how little a search counts.

For the people in crowds of at most m it is enough to keep each tuple c = m + 1 times: a crowd with
c of them or more is no small crowd in any coarser view either. `cap` is that c: two for people
alone and for the number of crowds, None where the whole histogram is needed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from reidrisk.crowds import WAYS, Measure, measure_named
from reidrisk.errors import InputError

# More copies than this aren't worth keeping apart from the whole histogram.
MOST_COPIES = 64


@dataclass(frozen=True)
class Yardstick:
    """A measure, and the value from which on it is risky (None without one)."""

    measure: Measure
    allowable: float | None = None

    @property
    def name(self) -> str:
        """The measure's."""
        return self.measure.name

    @property
    def rising(self) -> bool:
        """Whether larger is riskier."""
        return not self.measure.safer_when_larger

    def risky(self, value: float) -> bool:
        """Beyond what is allowable: above it, or below it where larger is safer."""
        assert self.allowable is not None
        return self.measure.worse(value, self.allowable)

    @cached_property
    def cap(self) -> int | None:
        """How many copies of a tuple are told apart; None: all of them."""
        part = self.measure.part
        if part is None:
            return None
        least = 2 if part.of == "crowds" else part.size
        if part.of == "smallest":
            size = None if self.allowable is None else self.measure.least_crowd(self.allowable)
            least = max(size or MOST_COPIES + 1, 2)
        return least if 2 <= least <= MOST_COPIES else None

    def value(self, capped: Sequence[int], people: int) -> float:
        """From crowds by size 0, 1, … c, the last of c or more people."""
        part = self.measure.part
        assert part is not None
        if part.of == "crowds":
            return part.measure(sum(capped), people)
        if part.of == "smallest":
            smallest = next(size for size, crowds in enumerate(capped) if crowds)
            return part.measure(smallest, people)
        return part.measure(sum(size * crowds for size, crowds in enumerate(capped[:-1])), people)

    @property
    def always_exact(self) -> bool:
        """Whether `value` is exact whatever the crowds: smallest ones of c or more look alike."""
        return self.measure.part is None or self.measure.part.of != "smallest"

    def exact(self, capped: Sequence[int]) -> bool:
        """Whether `value` is, or only known to be no riskier."""
        return self.always_exact or any(capped[:-1])

    def worst(self, crowds: float, people: int) -> float | None:
        """The riskiest value a view with at most so many crowds can have; None: any."""
        part = self.measure.part
        if part is None or part.of == "smallest":
            return None
        if part.of == "crowds":
            return part.measure(crowds, people)
        return part.measure(min((part.size - 1) * crowds, people), people)


def yardstick(
    name: str, allowable: float | None = None, option: str = "--allowable-risk"
) -> Yardstick:
    """The measure called `name`, with the value up to which it is allowable; it is monotone."""
    measure = measure_named(name)
    measure.refuse_unless_monotone()
    if allowable is not None:
        _check(measure, allowable, option)
    return Yardstick(measure, allowable)


def _check(measure: Measure, allowable: float, option: str) -> None:
    if math.isnan(allowable) or allowable <= 0 or math.isinf(allowable):
        raise InputError(f"{option} {allowable:g}: it is a number above 0", WAYS)
    plain = measure.name.partition(":")[0]
    if allowable > measure.bounds[1]:
        raise InputError(
            f"{option} {allowable:g}: {plain} lies between 0 and 1",
            "write 5 % as 0.05, crowds of five as 1/5 or k=5",
        )
    if measure.unit == "crowd size" and allowable < 1:
        raise InputError(
            f"{option} {allowable:g}: the smallest crowd is a number of people",
            "as in 5: views with a crowd below five are risky",
        )
