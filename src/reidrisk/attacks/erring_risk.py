"""The risk from an attacker with errors: exact, or drawn, and always between its limits.

Where what may be known can't be listed, the part without errors is exact and only the rest is
drawn:

    risk = (1 − e)^m·ORR(K) + (1 − (1 − e)^m)·E[[t ∈ T(y)]/N(y) | some value is wrong]

m the attributes that can be wrong (`erring` has the symbols). The mean is over drawn targets and
errors, its interval Wilson's. Where it fails: the interval holds 95 times in 100, the limits
always.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reidrisk.attacks.erring import can_be_listed, can_be_wrong, risk_of_each, told
from reidrisk.attacks.matching import candidates
from reidrisk.attacks.proportion import Interval, wilson
from reidrisk.attacks.random_knowledge import known_at_random, listed_exactly
from reidrisk.attacks.tuples import Tuples
from reidrisk.crowds import CrowdSizes
from reidrisk.engines.contract import Progress, no_progress

# Targets drawn for the part with errors: as many as so many comparisons allow, within limits.
MOST_COMPARED = 10_000_000_000
LEAST_DRAWN, MOST_DRAWN = 4000, 40_000
# Views times tuples counted for the upper limit alone.
WORTH_A_LIMIT = 100_000_000
Counted = Callable[[Sequence[str]], CrowdSizes]


@dataclass(frozen=True)
class ErringRisk:
    """The overall risk when each known value is wrong with probability `error`.

    `interval` is None where the risk is exact; `limits` always hold.
    """

    error: float
    overall_risk: float
    interval: Interval | None
    limits: Interval
    # Targets drawn; none where the risk is exact.
    drawn: int = 0

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "error": self.error,
            "overall_risk": self.overall_risk,
            "exact": self.interval is None,
            "interval": None if self.interval is None else list(self.interval),
            "limits": list(self.limits),
            "drawn": self.drawn,
        }


def erring_risk(
    tuples: Tuples,
    error: float,
    counted: Counted,
    rng: np.random.Generator,
    threads: int = 1,
    progress: Progress = no_progress,
) -> ErringRisk:
    """The risk on these tuples; `counted` counts the crowds of some of their attributes."""
    limits = _limits(tuples, error, counted)
    if limits[0] == limits[1]:
        return ErringRisk(error, limits[0], None, limits)
    if can_be_listed(tuples):
        each = risk_of_each(tuples, error)
        return ErringRisk(error, float(np.dot(each, tuples.people) / tuples.n), None, limits)
    drawn = _worth_drawing(tuples)
    targets = tuples.drawn(drawn, rng)
    known = told(tuples, targets, error, rng, some_wrong=True)
    found = candidates(tuples, known.values, None, threads, progress)
    among = found.agreement == len(tuples.columns) - known.wrong
    mean = float(np.mean(among / found.people))
    some_wrong = 1 - (1 - error) ** len(can_be_wrong(tuples))
    low, high = (
        min(max(limits[0] + some_wrong * part, limits[0]), limits[1])
        for part in wilson(mean, drawn)
    )
    return ErringRisk(error, limits[0] + some_wrong * mean, (low, high), limits, drawn)


def _worth_drawing(tuples: Tuples) -> int:
    compared = len(tuples) * len(tuples.columns)
    return min(max(MOST_COMPARED // compared, LEAST_DRAWN), MOST_DRAWN)


def _limits(tuples: Tuples, error: float, counted: Counted) -> Interval:
    """The least and the most that the risk can be."""
    names = [column.name for column in tuples.columns]
    open_ = [names[j] for j in can_be_wrong(tuples)]
    everything = len(tuples) / tuples.n
    least = (1 - error) ** len(open_) * everything
    if not open_ or error == 0:
        return everything, everything
    if listed_exactly(len(open_), len(tuples), WORTH_A_LIMIT):
        return least, known_at_random(open_, 1 - error, counted, tuples.n).overall_risk
    # Without W is without one of W: what two or more errors leave is no more than one leaves.
    without = [
        counted([name for name in names if name != other]).overall_risk if len(names) > 1
        else 1 / tuples.n
        for other in open_
    ]  # fmt: skip
    one = error * (1 - error) ** (len(open_) - 1)
    several = max(1 - (1 - error) ** len(open_) - len(open_) * one, 0.0)
    return least, min(least + one * sum(without) + several * max(without), everything)
