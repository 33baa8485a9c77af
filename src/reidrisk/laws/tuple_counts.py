"""TupleCounts: of n people, n_j hold the tuple's value of attribute j. Checked, sorted, summed up.

What follows from the counts in closed form: the ends of the support, the mean and the variance.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from reidrisk.errors import ImpossibleCounts

# Twice their product and a little more has to be told apart in 64 bits near a law's middle.
MOST_PEOPLE = 10**10


class Stage(NamedTuple):
    """X_j = |S_1 ∩ … ∩ S_j|: support, mean and variance."""

    holders: int
    low: int
    high: int
    mean: float
    variance: float


@dataclass(frozen=True)
class TupleCounts:
    """n people and the sorted counts of a tuple's values."""

    n: int
    counts: tuple[int, ...]

    @classmethod
    def of(cls, n: float, counts: Iterable[float]) -> TupleCounts:
        """Check whole numbers 0 ≤ n_j ≤ n ≤ 10^10; at least one of them."""
        people = whole(n, "the number of people")
        if not 0 <= people <= MOST_PEOPLE:
            raise ImpossibleCounts(f"{people} people: it has to be between 0 and {MOST_PEOPLE}")
        listed = tuple(sorted(whole(count, "a count") for count in counts))
        if not listed:
            raise ImpossibleCounts("a tuple needs the count of at least one value")
        if listed[0] < 0 or listed[-1] > people:
            wrong = listed[0] if listed[0] < 0 else listed[-1]
            raise ImpossibleCounts(f"a count of {wrong}: it has to be between 0 and n = {people}")
        return cls(people, listed)

    @property
    def telling(self) -> tuple[int, ...]:
        """The counts below n: a value that everybody holds tells nothing."""
        return tuple(count for count in self.counts if count < self.n)

    def stages(self) -> Iterator[Stage]:
        """X_1, X_2, … attribute after attribute, smallest count first.

        With p = n_j/n, μ the mean and V the variance of X_{j−1}:

            E[X_j] = p·μ,   Var X_j = V·p·(n_j − 1)/(n − 1) + p(1 − p)·μ(n − μ)/(n − 1),

        sums of positive terms only, where mean + E[X(X−1)] − mean² cancels for large crowds.
        """
        n, low = self.n, self.n
        mean, missing, variance = float(n), 0.0, 0.0
        for count in self.counts:
            p, q = count / n if n else 0.0, (n - count) / n if n else 0.0
            if n > 1:
                variance *= p * max(count - 1, 0) / (n - 1)
                variance += p * q * mean * (missing / (n - 1))
            # n − μ of the attributes so far, without a difference.
            missing += mean * q
            mean *= p
            low = max(low + count - n, 0)
            yield Stage(count, low, self.counts[0], mean, variance)

    @property
    def last(self) -> Stage:
        """X itself."""
        *_, last = self.stages()
        return last


def whole(number: float, what: str) -> int:
    """A whole number as int; anything else is refused."""
    try:
        if math.isfinite(number) and number == int(number):
            return int(number)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ImpossibleCounts(
        f"{what} is {number!r}, no whole number",
        "crowds_of_tuples takes counts with fractions too",
    )
