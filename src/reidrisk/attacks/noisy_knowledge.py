"""Noisy knowledge: an attacker some of whose values are wrong.

Each of the d values known of target t is wrong with probability e, independently; a wrong one is
another value of the column, drawn by frequency, so with n people, n_j(v) of them holding v,

    P(y | t) = Π_j [1 − e where y_j = t_j, else e·n_j(y_j)/(n − n_j(t_j))]

A column with one value can't be wrong. The attacker picks one of the people who agree with y on
most attributes, each equally likely. With T(y) those tuples and N(y) = Σ_{r ∈ T(y)} n_r their
people,

    Pr(re-id | t) = Σ_y P(y | t)·[t ∈ T(y)] / N(y)

exactly, if every y can be listed (`risk_of_each`). Let W be the wrong attributes: t agrees with y
on exactly d − |W|, and so do all who share t's values outside W, at least. Hence t ∈ T(y) only if
nobody agrees on more, and then 1/N(y) ≤ 1/crowd of t seen without W:

    (1 − e)^d·ORR(K)  ≤  risk  ≤  Σ_W e^|W| (1 − e)^(d−|W|) ORR(K ∖ W)

The upper limit is the risk from somebody who knows which values are wrong, the attacker who knows
each attribute with probability 1 − e (`random_knowledge`).

The risk from an attacker with errors: exact, or drawn, and always between its limits.

Where what may be known can't be listed, the part without errors is exact and only the rest is
drawn:

    risk = (1 − e)^m·ORR(K) + (1 − (1 − e)^m)·E[[t ∈ T(y)]/N(y) | some value is wrong]

m the attributes that can be wrong. The mean is over drawn targets and
errors, its interval Wilson's. Where it fails: the interval holds 95 times in 100, the limits
always.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from reidrisk.arrays import Floats, Ints
from reidrisk.attacks.known_attributes import Counted
from reidrisk.attacks.monte_carlo import (
    Interval,
    can_be_wrong,
    candidates,
    known_with_errors,
    wilson,
)
from reidrisk.attacks.random_knowledge import known_at_random, listed_exactly
from reidrisk.attacks.targets import Tuples
from reidrisk.machine import Progress, no_progress

# Pairs of a tuple and the values known that are listed one by one.
MOST_PAIRS = 50_000_000
BLOCK = 1 << 19


def can_be_listed(tuples: Tuples) -> bool:
    """Whether there are few enough tuples to list everything that may be known."""
    known = math.prod(len(counts) for counts in tuples.counts)
    return known * len(tuples) <= MOST_PAIRS


def risk_of_each(tuples: Tuples, error: float) -> Floats:
    """Pr(re-id) of the people of each tuple: the sum over every y, exactly."""
    shape = [len(counts) for counts in tuples.counts]
    total = math.prod(shape)
    step = max(BLOCK // len(tuples), 1)
    risk = np.zeros(len(tuples))
    for start in range(0, total, step):
        listed = np.unravel_index(np.arange(start, min(start + step, total)), shape)
        risk += _listed_risk(tuples, listed, error)
    return risk


def _listed_risk(tuples: Tuples, listed: tuple[Ints, ...], error: float) -> Floats:
    """What some y add to each tuple's risk."""
    agreement = np.zeros((len(listed[0]), len(tuples)), dtype=np.int16)
    chance = np.ones(agreement.shape)
    for counts, column, known in zip(tuples.counts, tuples.columns, listed, strict=True):
        same = known[:, None] == column.codes[None, :]
        agreement += same
        others = tuples.n - counts[column.codes]
        # A value nobody else differs from stays right.
        slip = np.divide(error, others, out=np.zeros(len(tuples)), where=others > 0)
        right = np.where(others > 0, 1 - error, 1.0)
        chance *= np.where(same, right[None, :], counts[known][:, None] * slip[None, :])
    chosen = agreement == agreement.max(axis=1, keepdims=True)
    return np.asarray((chance * chosen / (chosen @ tuples.people)[:, None]).sum(axis=0))


# Targets drawn for the part with errors: as many as so many comparisons allow, within limits.
MOST_COMPARED = 10_000_000_000
LEAST_DRAWN, MOST_DRAWN = 4000, 40_000
# Views times tuples counted for the upper limit alone.
WORTH_A_LIMIT = 100_000_000


@dataclass(frozen=True)
class NoisyRisk:
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


def noisy_risk(
    tuples: Tuples,
    error: float,
    counted: Counted,
    rng: np.random.Generator,
    threads: int = 1,
    progress: Progress = no_progress,
) -> NoisyRisk:
    """The risk on these tuples; `counted` counts the crowds of some of their attributes."""
    limits = _limits(tuples, error, counted)
    if limits[0] == limits[1]:
        return NoisyRisk(error, limits[0], None, limits)
    if can_be_listed(tuples):
        each = risk_of_each(tuples, error)
        return NoisyRisk(error, float(np.dot(each, tuples.people) / tuples.n), None, limits)
    drawn = _worth_drawing(tuples)
    targets = tuples.drawn(drawn, rng)
    known = known_with_errors(tuples, targets, error, rng, some_wrong=True)
    found = candidates(tuples, known.values, None, threads, progress)
    among = found.agreement == len(tuples.columns) - known.wrong
    mean = float(np.mean(among / found.people))
    some_wrong = 1 - (1 - error) ** len(can_be_wrong(tuples))
    low, high = (
        min(max(limits[0] + some_wrong * part, limits[0]), limits[1])
        for part in wilson(mean, drawn)
    )
    return NoisyRisk(error, limits[0] + some_wrong * mean, (low, high), limits, drawn)


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
