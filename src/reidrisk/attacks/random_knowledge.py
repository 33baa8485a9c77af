"""Random knowledge: an attacker who knows each attribute with probability p, independently.

    risk(p) = Σ_{S ⊆ K} p^|S| (1 − p)^(d−|S|) ORR(S),   ORR(∅) = 1/n

d attributes K, S those that happen to be known. The same weights mix the crowd-size histograms, so
that cdf and survival are over people and knowledge together. All 2^d views are counted while they
are few. Otherwise each size k has its share of the draws, by its weight, since risks grow with it:

    risk(p) = Σ_k w_k · mean over |S| = k of ORR(S),   w_k = C(d, k) p^k (1 − p)^(d−k)

A size with few views is counted whole, of the others n_k different ones are drawn, and with s_k²
their variance the mean's normal interval has the variance Σ_k w_k² s_k² (1/n_k − 1/C(d, k)).
Where it fails: attributes are rarely known independently of each other; somebody who knows the
street knows the town.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from reidrisk.attacks.known_attributes import WORK, Counted, cdf, survival
from reidrisk.attacks.monte_carlo import NINETY_FIVE_PERCENT, Interval
from reidrisk.crowds import CrowdSizes
from reidrisk.machine import Progress, no_progress

View = tuple[str, ...]
MOST_VIEWS = 4096
# Views times records: some half a minute of counting.
MOST_WORK = 2_000_000_000
DRAWN, LEAST_OF_A_SIZE = 400, 20
# Sizes that an attacker so rarely knows change no figure that is told.
NEGLIGIBLE = 1e-12


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
    mixture = CrowdSizes.mixed((weight, crowds[view]) for view, weight in weights.items())
    return RandomKnowledge(share, mixture, len(weights), {})


def drawn_at_random(
    names: Sequence[str],
    share: float,
    counted: Counted,
    people: int,
    rng: np.random.Generator,
    progress: Progress = no_progress,
) -> RandomKnowledge:
    """Subsets of `names` drawn size by size, so many of each as its probability asks for."""
    of_size = _weights_of_sizes(len(names), share)
    views = {size: _drawn_views(names, size, weight, rng) for size, weight in of_size.items()}
    listed = [view for some in views.values() for view in some]
    crowds = _crowds_of(listed, counted, people, progress)
    mixture = CrowdSizes.mixed(
        (of_size[size] / len(some), crowds[view]) for size, some in views.items() for view in some
    )
    every = all(len(some) == math.comb(len(names), size) for size, some in views.items())
    intervals = {} if every else {
        name: _interval(len(names), of_size, {
            size: [getattr(crowds[view], name) for view in some] for size, some in views.items()
        })
        for name in ("overall_risk", "alone_share")
    }  # fmt: skip
    return RandomKnowledge(share, mixture, len(crowds), intervals)


def _weights_of_sizes(attributes: int, share: float) -> dict[int, float]:
    """w_k of each size that isn't negligible; they add up to 1."""
    weights = {
        size: math.comb(attributes, size) * share**size * (1 - share) ** (attributes - size)
        for size in range(attributes + 1)
    }
    total = math.fsum(weight for weight in weights.values() if weight > NEGLIGIBLE)
    return {size: weight / total for size, weight in weights.items() if weight > NEGLIGIBLE}


def _drawn_views(
    names: Sequence[str], size: int, weight: float, rng: np.random.Generator
) -> list[View]:
    """All views of a size if they are few, otherwise different ones, each equally likely."""
    wanted = max(math.ceil(DRAWN * weight), LEAST_OF_A_SIZE)
    if math.comb(len(names), size) <= 2 * wanted:
        return list(combinations(names, size))
    found: dict[View, None] = {}
    while len(found) < wanted:
        places = np.sort(rng.permutation(len(names))[:size])
        found[tuple(names[place] for place in places)] = None
    return list(found)


def _crowds_of(
    views: list[View], counted: Counted, people: int, progress: Progress
) -> dict[View, CrowdSizes]:
    found = {}
    for done, view in enumerate(views, start=1):
        # Nothing known: everybody is one crowd.
        found[view] = counted(view) if view else CrowdSizes.of([people])
        progress(WORK, done, len(views))
    return found


def _interval(
    attributes: int, of_size: Mapping[int, float], values: Mapping[int, Sequence[float]]
) -> Interval:
    """The normal one of a mean over sizes; sizes counted whole add nothing to its width."""
    mean = math.fsum(of_size[size] * float(np.mean(some)) for size, some in values.items())
    variance = math.fsum(
        of_size[size] ** 2
        * float(np.var(some, ddof=1))
        * (1 / len(some) - 1 / math.comb(attributes, size))
        for size, some in values.items()
        if len(some) > 1
    )
    reach = NINETY_FIVE_PERCENT * math.sqrt(variance)
    return max(mean - reach, 0.0), min(mean + reach, 1.0)
