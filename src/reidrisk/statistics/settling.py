"""Settling: statistics with gaps become complete counts to predict from, and say what was assumed.

Each attribute's counts come to add up to `records`: values lumped together as `other` share its
people evenly; counts held back share evenly what is left over, up to what they may be; counts that
were rounded are scaled. Each step is a sentence in `assumptions`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reidrisk.models.knowledge import Knowledge
from reidrisk.statistics.apportioning import apportioned
from reidrisk.statistics.gap_limits import Limits, gap_limits
from reidrisk.statistics.matching import KnownValues
from reidrisk.statistics.pair_settling import settled_pair
from reidrisk.statistics.statistics import Attribute, Count, Statistics, Suppressed, Value

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SettledAttribute:
    """An attribute's values and how many hold each; they add up to all people.

    The named values come first, then the missing one (None) where it is held, then those lumped
    together, which have no names.
    """

    name: str
    values: tuple[Value, ...]
    counts: Counts
    said: tuple[str, ...] = ()

    @property
    def lumped(self) -> int:
        """How many values have no name of their own."""
        return len(self.counts) - len(self.values)

    @cached_property
    def expected_counts(self) -> NDArray[np.float64]:
        """How many hold a value; of those lumped together, how many on average."""
        held = self.counts.astype(np.float64)
        if self.lumped:
            held[-self.lumped :] = held[-self.lumped :].mean()
        return held

    @cached_property
    def place(self) -> dict[Value, int]:
        """Where each named value stands."""
        return {value: place for place, value in enumerate(self.values)}

    @cached_property
    def known(self) -> KnownValues:
        """The named values, to be matched with what somebody wrote."""
        return KnownValues([value for value in self.values if value is not None])


@dataclass(frozen=True, eq=False)
class Settled:
    """Complete counts: what models predict from, under the values' names."""

    records: int
    attributes: tuple[SettledAttribute, ...]
    knowledge: Knowledge
    assumptions: tuple[str, ...] = field(default=())
    warnings: tuple[str, ...] = field(default=())

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes, in order."""
        return self.knowledge.names

    def of(self, places: Sequence[int]) -> Settled:
        """Some of the attributes, in the order given."""
        chosen = tuple(self.attributes[place] for place in places)
        known = self.knowledge.of(places)
        return Settled(self.records, chosen, known, self.assumptions, self.warnings)


def settled(statistics: Statistics, columns: Sequence[str] | None = None) -> Settled:
    """Settle all attributes, or those named, and the pair tables among them."""
    names = tuple(columns or statistics.names)
    attributes = tuple(
        settled_attribute(
            statistics.attribute(name), statistics.records, gap_limits(statistics, name)
        )
        for name in names
    )
    said = [sentence for each in attributes for sentence in each.said]
    place = {name: at for at, name in enumerate(names)}
    pairs, minded = {}, []
    for pair in statistics.pairs:
        if not set(pair.of) <= place.keys():
            continue
        first, second = sorted(pair.of, key=place.__getitem__)
        turned = statistics.pair(first, second)
        assert turned is not None
        i, j = place[first], place[second]
        cells, sentences, warned = settled_pair(
            turned, _side(attributes[i]), _side(attributes[j]), statistics.rounded_to
        )
        said += sentences
        minded += warned
        if cells is not None:
            pairs[i, j] = cells
    knowledge = Knowledge(
        statistics.records, names, tuple(each.counts for each in attributes), pairs
    )
    return Settled(statistics.records, attributes, knowledge, tuple(said), tuple(minded))


def _side(attribute: SettledAttribute) -> tuple[Mapping[Value, int], Counts]:
    return attribute.place, attribute.counts


def settled_attribute(
    attribute: Attribute, records: int, limits: Mapping[Value, Limits] | None = None
) -> SettledAttribute:
    """One attribute's complete counts; `limits` of those held back, where more is known."""
    values: list[Value] = list(attribute.counts)
    stated = list(attribute.counts.values())
    if attribute.missing != 0:
        values.append(None)
        stated.append(attribute.missing)
    other = attribute.other
    lumped = max(other.values, 1 if other.count else 0) if other is not None else 0
    in_other = other.count if other is not None else 0
    known = np.array([c if isinstance(c, int) else 0 for c in stated], dtype=np.int64)
    said = []
    if lumped and other is not None:
        said.append(
            f"{attribute.name}: the {in_other:,} people of {other.values:,} values lumped together "
            "are spread evenly over them."
        )
    gaps = [place for place, count in enumerate(stated) if isinstance(count, Suppressed)]
    if gaps:
        between = [_limits(values[place], stated[place], limits or {}) for place in gaps]
        left = max(records - int(known.sum()) - in_other, 0)
        known[gaps] = shared_out(left, [m for _, m in between], [low for low, _ in between])
        said.append(
            f"{attribute.name}: {len(gaps):,} counts held back share the {left:,} people left over."
        )
    counts = np.concatenate([known, evenly(in_other, lumped)])
    if counts.sum() != records:
        said.append(
            f"{attribute.name}: its counts add up to {int(counts.sum()):,} and were scaled to "
            f"{records:,}."
        )
        counts = scaled(counts, records)
    return SettledAttribute(attribute.name, tuple(values), counts, tuple(said))


def _limits(value: Value, count: Count, known: Mapping[Value, Limits]) -> Limits:
    assert isinstance(count, Suppressed)
    return known.get(value, (count.least, count.most))


def evenly(people: int, values: int) -> Counts:
    """People over so many values, as evenly as whole numbers allow."""
    if not values:
        return np.empty(0, dtype=np.int64)
    return people // values + (np.arange(values) < people % values).astype(np.int64)


def shared_out(
    people: int, most: Sequence[int | None], least: Sequence[int] | None = None
) -> Counts:
    """People shared evenly among values that may hold at most so many each (None: any number),
    once each has the least it must hold.
    """
    shares = np.array(least if least is not None else [0] * len(most), dtype=np.int64)
    if shares.sum() > people:
        return scaled(shares, people)
    room = np.array([people if bound is None else bound for bound in most], dtype=np.int64)
    left = people - int(shares.sum())
    while left and (open_ := np.flatnonzero(shares < room)).size:
        given = np.minimum(evenly(left, len(open_)), room[open_] - shares[open_])
        shares[open_] += given
        left -= int(given.sum())
    return shares


def scaled(counts: Counts, total: int) -> Counts:
    """Whole numbers in proportion to `counts` that add up to `total` (largest remainders)."""
    if not counts.sum():
        return evenly(total, len(counts))
    return np.array(apportioned(counts.tolist(), total), dtype=np.int64)
