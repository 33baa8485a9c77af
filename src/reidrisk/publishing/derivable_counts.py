"""Derivable counts: which small counts that statistics files hide can be derived from them.

What an attacker does who has nothing but the files: every number that is published, and for one
that isn't the bounds that follow (`joint_bounds`), over all tables together. A count of 1 to m − 1
people that isn't shown is derived where its bounds are one number, and narrowed where they leave
fewer of these numbers than all and exclude nobody and m. Where bounds start: `published_bounds`.

Symbols: m, the number of people below which a count is small.

Where it stops: it knows the files and how their numbers came about, none of the records, and of the
program only what `published_bounds` says; and bounds by propagation are not the closest there are.
So none derived doesn't prove that none can be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from reidrisk.arrays import Mask
from reidrisk.publishing.joint_bounds import Interval, JointBounds
from reidrisk.publishing.published_bounds import PublishedBounds
from reidrisk.publishing.random_rounding import Unnamed
from reidrisk.statistics import Statistics, Value

USUAL_SECONDS = 60.0
# An attribute, and one of its values, or all of those that aren't named.
Of = tuple[str, Value | Unnamed]
NOISE = "noise has no bounds to start from"


@dataclass(frozen=True)
class DerivableCounts:
    """How many small counts a file shows, how many that it hides can be derived or are narrowed."""

    below: int
    shown: int
    derived: int
    narrowed: int
    # {(one, two or three attributes): how many of their counts are derived}, most first.
    by_pair: Mapping[tuple[str, ...], int]
    # {attribute: how often adding it to a pair table narrowed that}, most first.
    by_attribute: Mapping[str, int]
    # Nothing was left out: neither for its size nor for lack of time.
    complete: bool
    limits: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "below": self.below,
            "shown": self.shown,
            "derived": self.derived,
            "narrowed": self.narrowed,
            "by_pair": [
                {"of": [*filter(None, pair)], "derived": n} for pair, n in self.by_pair.items()
            ],
            "by_attribute": dict(self.by_attribute),
            "complete": self.complete,
            "limits": self.limits,
        }


def derivable_counts(
    statistics: Statistics, below: int | None = None, seconds: float = USUAL_SECONDS
) -> DerivableCounts:
    """Attack the file for at most so many seconds.

    Parameters:
        statistics: what is published.
        below: a count of fewer people is small; by default what the file says, else 5.
        seconds: of propagation.
    """
    small = below or statistics.small_below
    if has_noise(statistics):
        return DerivableCounts(small, 0, 0, 0, {}, {}, True, NOISE)
    return attacked(statistics, small, seconds)[0]


def attacked(
    statistics: Statistics,
    small: int,
    seconds: float,
    unnamed: Mapping[str, int] = MappingProxyType({}),
) -> tuple[DerivableCounts, PublishedBounds]:
    """The attack by somebody who takes the values listed for all there are, as a codebook may say;
    where no table is like that, by somebody who doesn't. With the bounds it ended at. By somebody
    who knows how many values are `unnamed`, where that is given.
    """
    if unnamed:
        held = PublishedBounds([statistics], unnamed=unnamed)
        return derived_from(held, small, seconds), held
    for closed in (True, False):
        held = PublishedBounds([statistics], closed=closed)
        found = derived_from(held, small, seconds)
        if not held.bounds.contradicts():
            break
    return found, held


def derived_values(held: PublishedBounds, small: int) -> Iterator[tuple[Of, ...]]:
    """The values, under their attributes' names, of each count derived."""
    for of, interval, exact in held.counts():
        pinned = _within(interval, small) & ~exact & (interval.least == interval.most)
        for at in np.argwhere(pinned).tolist():
            sides = zip((held.sides[i] for i in of), at, strict=True)
            yield tuple(
                (side.name, side.values[place] if place < len(side.values) else Unnamed.TOGETHER)
                for side, place in sides
            )


def has_noise(statistics: Statistics) -> bool:
    """Whether nothing bounds how far a number is from its count."""
    return statistics.protection is not None and statistics.protection.reach is None


def derived_from(held: PublishedBounds, small: int, seconds: float) -> DerivableCounts:
    """Narrow the bounds, and count the small counts they leave one number for, or few."""
    bounds = held.bounds.propagate(seconds)
    derived: Counter[tuple[str, ...]] = Counter()
    narrowed = shown = 0
    for of, interval, exact in held.counts():
        of_small = _within(interval, small)
        pinned = interval.least == interval.most
        closer = ~pinned & ((interval.least > 1) | (interval.most < small - 1))
        shown += int((of_small & exact).sum())
        names = [held.sides[i].name for i in of]
        derived[(*names, "") if len(names) == 1 else tuple(names)] += int(
            (of_small & ~exact & pinned).sum()
        )
        narrowed += int((of_small & ~exact & closer).sum())
    helpful: Counter[str] = Counter()
    for (_, third), times in bounds.narrowed_by.items():
        helpful[held.sides[third].name] += times
    return DerivableCounts(
        small,
        shown,
        sum(derived.values()),
        narrowed,
        {pair: number for pair, number in derived.most_common() if number},
        dict(helpful.most_common()),
        not (bounds.out_of_time or bounds.triples_left_out or held.left_out),
        _limits(bounds, held, seconds),
    )


def _within(interval: Interval, small: int) -> Mask:
    return np.asarray((interval.least >= 1) & (interval.most < small))


def _limits(bounds: JointBounds, held: PublishedBounds, seconds: float) -> str:
    reasons = []
    if bounds.out_of_time:
        reasons.append(f"stopped after {seconds:g} seconds")
    if bounds.triples_left_out:
        reasons.append(f"{bounds.triples_left_out:,} sets of three attributes were too large")
    if held.left_out:
        reasons.append(f"{held.left_out:,} two-way tables were too large")
    return "; ".join(reasons)
