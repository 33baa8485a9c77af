"""Yardstick: a measure as a search needs it: how it moves, how little has to be counted for it.

Symbols: N_s crowds of size s, n people. Seeing more splits crowds: Σ N_s never falls, the smallest
and the largest crowd never grow, and Σ_{s≤m} s·N_s, the people in crowds of at most m, never falls
(a piece of a small crowd is small). So every measure of a histogram is monotone, except `people`,
which no view changes.

For the people in crowds of at most m it is enough to keep each tuple c = m + 1 times: a crowd with
c of them or more is no small crowd in any coarser view either. `cap` is that c: two for people
alone and for the number of crowds, None where the whole histogram is needed.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from reidrisk.crowds import WAYS, is_a_count, limit_value, parsed_measure, safer_when_larger
from reidrisk.errors import InputError

Kind = Literal["crowds", "alone", "smallest", "small", "large", "whole"]

# More copies than this aren't worth keeping apart from the whole histogram.
MOST_COPIES = 64


@dataclass(frozen=True)
class Yardstick:
    """A measure by name, and the value from which on it is risky (None without one)."""

    name: str
    allowable: float | None
    kind: Kind
    cap: int | None

    @property
    def rising(self) -> bool:
        """Whether larger is riskier."""
        return not safer_when_larger(self.name)

    def risky(self, value: float) -> bool:
        """Beyond what is allowable: above it, or below it where larger is safer."""
        assert self.allowable is not None
        return value > self.allowable if self.rising else value < self.allowable

    def value(self, capped: Sequence[int], people: int) -> float:
        """From crowds by size 0, 1, … c, the last of c or more people."""
        if self.kind == "alone":
            return capped[1] / people
        if self.kind == "crowds":
            held = sum(capped)
            return held / people if self.name == "overall_risk" else float(held)
        if self.kind == "smallest":
            smallest = next(size for size, crowds in enumerate(capped) if crowds)
            return smallest if self.name == "smallest_crowd" else 1.0 / smallest
        small = sum(size * crowds for size, crowds in enumerate(capped[:-1]))
        # Of whole numbers: 1 − small/people may miss a threshold by a rounding error.
        return small / people if self.kind == "small" else (people - small) / people

    @property
    def always_exact(self) -> bool:
        """Whether `value` is exact whatever the crowds: smallest ones of c or more look alike."""
        return self.kind != "smallest"

    def exact(self, capped: Sequence[int]) -> bool:
        """Whether `value` is, or only known to be no riskier."""
        return self.always_exact or any(capped[:-1])

    def worst(self, crowds: float, people: int) -> float | None:
        """The riskiest value a view with at most so many crowds can have; None: any."""
        if self.kind == "crowds":
            return crowds / people if self.name == "overall_risk" else crowds
        if self.kind == "alone":
            return min(crowds / people, 1.0)
        if self.kind in ("small", "large"):
            assert self.cap is not None
            small = min((self.cap - 1) * crowds, people)
            return small / people if self.kind == "small" else (people - small) / people
        return None


def yardstick(
    name: str, allowable: float | None = None, option: str = "--allowable-risk"
) -> Yardstick:
    """The measure called `name`, with the value up to which it is allowable."""
    plain, _, parameter = name.partition(":")
    parsed_measure(name)
    if plain == "people":
        raise InputError(
            "people is the same in every view, so no view is riskier than another by it",
            "judge by highest_risk, overall_risk, alone_share or share_above:0.2",
        )
    if allowable is not None:
        _check(plain, allowable, option)
    kind, cap = _kind(plain, parameter, allowable)
    if cap is not None and cap > MOST_COPIES:
        return Yardstick(name, allowable, "whole", None)
    return Yardstick(name, allowable, kind, cap)


def _check(plain: str, allowable: float, option: str) -> None:
    if math.isnan(allowable) or allowable <= 0 or math.isinf(allowable):
        raise InputError(f"{option} {allowable:g}: it is a number above 0", WAYS)
    if not is_a_count(plain) and allowable > 1:
        raise InputError(
            f"{option} {allowable:g}: {plain} lies between 0 and 1",
            "write 5 % as 0.05, crowds of five as 1/5 or k=5",
        )
    if plain == "smallest_crowd" and allowable < 1:
        raise InputError(
            f"{option} {allowable:g}: the smallest crowd is a number of people",
            "as in 5: views with a crowd below five are risky",
        )


def _kind(plain: str, parameter: str, allowable: float | None) -> tuple[Kind, int | None]:
    if plain in ("overall_risk", "expected_reidentifications", "distinct"):
        return "crowds", 2
    if plain == "alone_share":
        return "alone", 2
    if plain == "share_above":
        # The first size that isn't above the risk: people in smaller crowds are counted.
        risk = limit_value(parameter, "share_above")
        return ("small", first_size(risk)) if 0 < risk < 1 else ("whole", None)
    if plain == "share_in_crowds_of_at_least":
        return ("large", int(parameter)) if int(parameter) >= 2 else ("whole", None)
    if plain in ("highest_risk", "smallest_crowd") and allowable is not None:
        least = allowable if plain == "smallest_crowd" else first_size(allowable)
        return "smallest", max(math.ceil(least), 2)
    return "whole", None


def first_size(risk: float) -> int:
    """The smallest s with 1/s ≤ risk, compared as the measures compare; none below 10^-12."""
    if risk < 1e-12:
        return sys.maxsize
    size = max(math.floor(1.0 / risk) - 1, 1)
    while 1.0 / size > risk:
        size += 1
    return size
