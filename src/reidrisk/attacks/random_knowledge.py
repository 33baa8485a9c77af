"""Random knowledge: an attacker who knows each attribute with probability p, independently.

    risk(p) = Σ_{S ⊆ K} p^|S| (1 − p)^(d−|S|) ORR(S),   ORR(∅) = 1/n

d attributes K, S those that happen to be known. The same weights mix the crowd-size histograms, so
that cdf and survival are over people and knowledge together. All 2^d views are counted while they
are few; otherwise views are drawn, each as likely as an attacker is to have that knowledge, and
the mean's interval is the normal one. Where it fails: attributes are rarely known independently of
each other; somebody who knows the street knows the town.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from reidrisk.attacks.distribution import cdf, mixed, survival
from reidrisk.attacks.proportion import NINETY_FIVE_PERCENT, Interval
from reidrisk.crowds import CrowdSizes
from reidrisk.engines.contract import Progress, no_progress

Counted = Callable[[Sequence[str]], CrowdSizes]
View = tuple[str, ...]
MOST_VIEWS = 4096
# Views times records: some half a minute of counting.
MOST_WORK = 2_000_000_000
DRAWN = 400
WORK = "counting views"


@dataclass(frozen=True)
class RandomKnowledge:
    """The crowds expected when each attribute is known with probability `share`."""

    share: float
    crowd_sizes: CrowdSizes
    views: int
    # 95 % limits by measure's name; empty where all views were counted.
    intervals: dict[str, Interval]

    @property
    def overall_risk(self) -> float:
        """Mean of Pr(re-id) over people and knowledge."""
        return self.crowd_sizes.overall_risk

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "share": self.share,
            "overall_risk": self.overall_risk,
            "alone_share": self.crowd_sizes.alone_share,
            "expected_reidentifications": self.crowd_sizes.expected_reidentifications,
            "exact": not self.intervals,
            "views": self.views,
            "intervals": {name: list(limits) for name, limits in self.intervals.items()},
            "cdf": [list(step) for step in cdf(self.crowd_sizes)],
            "survival": [list(step) for step in survival(self.crowd_sizes)],
        }


def listed_exactly(attributes: int, records: int, most_work: int = MOST_WORK) -> bool:
    """Whether every subset of the attributes is counted."""
    views = 1 << attributes
    return views <= MOST_VIEWS and views * records <= most_work


def known_at_random(
    names: Sequence[str],
    share: float,
    counted: Counted,
    people: int,
    progress: Progress = no_progress,
) -> RandomKnowledge:
    """Every subset of `names` by its probability; `counted` counts the crowds of one."""
    weights: dict[View, float] = {}
    for size in range(len(names) + 1):
        weight = share**size * (1 - share) ** (len(names) - size)
        if weight:
            weights |= dict.fromkeys(combinations(names, size), weight)
    crowds = _crowds_of(list(weights), counted, people, progress)
    mixture = mixed((weight, crowds[view]) for view, weight in weights.items())
    return RandomKnowledge(share, mixture, len(weights), {})


def drawn_at_random(
    names: Sequence[str],
    share: float,
    counted: Counted,
    people: int,
    rng: np.random.Generator,
    progress: Progress = no_progress,
) -> RandomKnowledge:
    """Subsets of `names` drawn by their probability."""
    known = rng.random((DRAWN, len(names))) < share
    times = Counter(
        tuple(name for name, is_known in zip(names, row, strict=True) if is_known) for row in known
    )
    crowds = _crowds_of(list(times), counted, people, progress)
    mixture = mixed((many / DRAWN, crowds[view]) for view, many in times.items())
    intervals = {
        name: _interval([(getattr(crowds[view], name), many) for view, many in times.items()])
        for name in ("overall_risk", "alone_share")
    }
    return RandomKnowledge(share, mixture, len(times), intervals)


def _crowds_of(
    views: list[View], counted: Counted, people: int, progress: Progress
) -> dict[View, CrowdSizes]:
    found = {}
    for done, view in enumerate(views, start=1):
        # Nothing known: everybody is one crowd.
        found[view] = counted(view) if view else CrowdSizes.of([people])
        progress(WORK, done, len(views))
    return found


def _interval(values: list[tuple[float, int]]) -> Interval:
    total = sum(many for _, many in values)
    mean = sum(value * many for value, many in values) / total
    variance = sum(many * (value - mean) ** 2 for value, many in values) / (total - 1)
    reach = NINETY_FIVE_PERCENT * math.sqrt(variance / total)
    return max(mean - reach, 0.0), min(mean + reach, 1.0)
