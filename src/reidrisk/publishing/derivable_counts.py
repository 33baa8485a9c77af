"""Derivable counts: which small counts that a statistics file hides can be derived from it.

What an attacker does who has nothing but the file: every number that is published, and for one
that isn't the bounds that follow (`joint_bounds`), over all tables together. A count of 1 to m − 1
people that isn't published is derived where its bounds are one number, and narrowed where they
leave fewer of these numbers than all and exclude nobody and m.

Symbols: m, the number of people below which a count is small.

Where it stops: it knows the file and nothing else, neither the program that made it nor some of the
records; and bounds by propagation are not the closest there are. So none derived doesn't prove that
none can be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from reidrisk.arrays import Ints, Mask
from reidrisk.publishing.joint_bounds import MOST_CELLS, Interval, JointBounds, Pair
from reidrisk.statistics import Attribute, PairCounts, Statistics, Suppressed, Value

USUAL_SECONDS = 60.0


@dataclass(frozen=True)
class DerivableCounts:
    """How many small counts a file shows, how many that it hides can be derived or are narrowed."""

    below: int
    shown: int
    derived: int
    narrowed: int
    # {(two attributes): how many of their counts are derived}, most first.
    by_pair: Mapping[tuple[str, str], int]
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
    small = below or statistics.at_least or 5
    held = _Published(statistics)
    bounds = held.bounds.propagate(seconds)
    derived: Counter[tuple[str, str]] = Counter()
    narrowed = shown = 0
    for pair, interval in bounds.tables.items():
        hidden = ~held.listed[pair]
        pinned = hidden & _within(interval, small) & (interval.least == interval.most)
        closer = hidden & _within(interval, small) & (interval.least < interval.most)
        narrowed += int((closer & ((interval.least > 1) | (interval.most < small - 1))).sum())
        derived[held.names[pair[0]], held.names[pair[1]]] += int(pinned.sum())
        shown += int((held.listed[pair] & held.exact & _within(interval, small)).sum())
    for attribute, interval in zip(statistics.attributes, bounds.margins, strict=True):
        stated = np.array([isinstance(c, int) for c in attribute.stated.values()], dtype=bool)
        count = len(stated)
        one = Interval(interval.least[:count], interval.most[:count])
        of_small = _within(one, small) & (one.least == one.most)
        shown += int((of_small & stated & held.exact).sum())
        derived[attribute.name, ""] += int((of_small & ~stated).sum())
    helpful: Counter[str] = Counter()
    for (_, third), times in bounds.narrowed_by.items():
        helpful[held.names[third]] += times
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


def _limits(bounds: JointBounds, held: _Published, seconds: float) -> str:
    reasons = []
    if bounds.out_of_time:
        reasons.append(f"stopped after {seconds:g} seconds")
    if bounds.triples_left_out:
        reasons.append(f"{bounds.triples_left_out:,} sets of three attributes were too large")
    if held.left_out:
        reasons.append(f"{held.left_out:,} two-way tables were too large")
    return "; ".join(reasons)


class _Published:
    """The file as bounds: `listed` cells are published; with rounding none is `exact`."""

    def __init__(self, statistics: Statistics) -> None:
        self.statistics, self.names = statistics, statistics.names
        self.exact = not statistics.rounded_to
        self.reach = (statistics.rounded_to or 0) // 2
        self.left_out = 0
        self.listed: dict[Pair, Mask] = {}
        margins = tuple(self._margin(attribute) for attribute in statistics.attributes)
        everybody = np.array([statistics.records])
        tables = dict(self._tables(margins))
        people = self._around(everybody)
        self.bounds = JointBounds(people, margins, tables)

    def _around(self, counts: Ints) -> Interval:
        return Interval.between(counts - self.reach, counts + self.reach)

    def _margin(self, attribute: Attribute) -> Interval:
        """Bounds on each value's people, those merged into other last, as one more value."""
        everybody = self.statistics.records + self.reach
        bounds = [self._of_count(count, everybody) for count in attribute.stated.values()]
        if attribute.other is not None:
            bounds.append(self._of_count(attribute.other.count, everybody))
        least, most = np.array(bounds, dtype=np.int64).reshape(-1, 2).T
        return Interval.between(least, most)

    def _of_count(self, count: int | Suppressed, everybody: int) -> tuple[int, int]:
        if isinstance(count, int):
            return max(count - self.reach, 0), count + self.reach
        return count.least, everybody if count.most is None else count.most

    def _tables(self, margins: tuple[Interval, ...]) -> Iterator[tuple[Pair, Interval]]:
        if not self.statistics.pairs:
            return
        for i, j in combinations(range(len(margins)), 2):
            shape = len(margins[i].most), len(margins[j].most)
            if shape[0] * shape[1] > MOST_CELLS:
                self.left_out += 1
                continue
            pair = self.statistics.pair(self.names[i], self.names[j])
            most = np.minimum(margins[i].most[:, None], margins[j].most[None, :])
            self.listed[i, j] = np.zeros(shape, dtype=bool)
            table = Interval.between(np.zeros(shape, dtype=np.int64), most)
            if pair is not None:
                self._state(table, pair, (i, j))
            yield (i, j), table

    def _state(self, table: Interval, pair: PairCounts, of: Pair) -> None:
        sides = [self._places(name) for name in pair.of]
        everybody = self.statistics.records + self.reach
        for values, count in pair.counts.items():
            at = sides[0][values[0]], sides[1][values[1]]
            least, most = self._of_count(count, everybody)
            table.least[at] = least
            table.most[at] = min(most, table.most[at]) if not isinstance(count, int) else most
            self.listed[of][at] = isinstance(count, int)

    def _places(self, name: str) -> dict[Value, int]:
        return {v: at for at, v in enumerate(self.statistics.attribute(name).stated)}
