"""Settling: statistics with gaps become complete counts to predict from, and say what was assumed.

Each attribute's counts come to add up to `records`: people under hidden counts (`other`, null,
"<5") are shared out in one of the ways that are possible (`hidden_counts`), by default a typical
one; counts that were rounded are scaled. Each step is a sentence in `assumptions`.

Apportioning: whole numbers in proportion to weights that add up to a total.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Counts
from reidrisk.crowds import Assumption, assumed
from reidrisk.models import Knowledge
from reidrisk.statistics.hidden_counts import HiddenCounts, Limits, gap_limits, hidden_counts
from reidrisk.statistics.pair_imputation import HiddenCells, completed_pair
from reidrisk.statistics.statistics import Attribute, Count, Statistics, Suppressed, Value
from reidrisk.statistics.value_matching import KnownValues


def apportioned(weights: Sequence[int] | Sequence[Fraction], total: int) -> list[int]:
    """By largest remainders, the first of equal ones; nobody where all weights are nought.

    In exact arithmetic: weight times total may pass 2^53.
    """
    held = sum(weights)
    if not held:
        return [0] * len(weights)
    shares = [weight * total for weight in weights]
    whole = [int(share // held) for share in shares]
    rest = [share % held for share in shares]
    by_remainder = sorted(range(len(rest)), key=lambda place: (-rest[place], place))
    for place in by_remainder[: total - sum(whole)]:
        whole[place] += 1
    return whole


@dataclass(frozen=True, eq=False)
class CompleteAttribute:
    """An attribute's values and how many hold each; they add up to all people.

    The named values come first, then the missing one (None) where it is held, then those lumped
    together, which have no names.
    """

    name: str
    values: tuple[Value, ...]
    counts: Counts
    said: tuple[str, ...] = ()
    # What the counts may be otherwise; None where all of them are known.
    hidden: HiddenCounts | None = None

    @property
    def in_other(self) -> int:
        """How many values have no name of their own."""
        return len(self.counts) - len(self.values)

    @cached_property
    def expected_counts(self) -> NDArray[np.float64]:
        """How many hold a value; where that is hidden, how many on average."""
        held = self.counts.astype(np.float64)
        if self.hidden is not None:
            times = self.counts.sum() / max(float(self.hidden.expected.sum()), 1.0)
            held[self.hidden.places] = self.hidden.expected[self.hidden.places] * times
            return held
        if self.in_other:
            held[-self.in_other :] = held[-self.in_other :].mean()
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
class CompleteCounts:
    """Complete counts: what models predict from, under the values' names."""

    records: int
    attributes: tuple[CompleteAttribute, ...]
    knowledge: Knowledge
    assumptions: tuple[Assumption, ...] = field(default=())
    warnings: tuple[str, ...] = field(default=())
    # What nobody stated of the pair tables, by the places of two attributes.
    hidden_cells: Mapping[tuple[int, int], HiddenCells] = field(default_factory=dict)

    @property
    def hidden(self) -> dict[str, HiddenCounts]:
        """Of the attributes that have hidden counts, what they may be."""
        return {each.name: each.hidden for each in self.attributes if each.hidden is not None}

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes, in order."""
        return self.knowledge.names

    def of(self, places: Sequence[int]) -> CompleteCounts:
        """Some of the attributes, in the order given."""
        chosen = tuple(self.attributes[place] for place in places)
        known = self.knowledge.of(places)
        cells = {}
        for a, i in enumerate(places):
            for b, j in enumerate(places[a + 1 :], a + 1):
                if (i, j) in self.hidden_cells:
                    cells[a, b] = self.hidden_cells[i, j]
                elif (j, i) in self.hidden_cells:
                    cells[a, b] = self.hidden_cells[j, i].turned()
        return CompleteCounts(self.records, chosen, known, self.assumptions, self.warnings, cells)


def completed(
    statistics: Statistics,
    columns: Sequence[str] | None = None,
    shares: Mapping[str, Counts] | None = None,
) -> CompleteCounts:
    """Settle all attributes, or those named, and the pair tables among them.

    `shares` are the counts that attributes with hidden ones are to have; else they are typical.
    """
    names = tuple(columns or statistics.names)
    attributes = tuple(
        completed_attribute(
            statistics.attribute(name),
            statistics.records,
            gap_limits(statistics, name),
            statistics.at_least,
            (shares or {}).get(name),
        )
        for name in names
    )
    said = [sentence for each in attributes for sentence in each.said]
    place = {name: at for at, name in enumerate(names)}
    pairs, hidden, minded = {}, {}, []
    for pair in statistics.pairs:
        if not set(pair.of) <= place.keys():
            continue
        first, second = sorted(pair.of, key=place.__getitem__)
        turned = statistics.pair(first, second)
        assert turned is not None
        i, j = place[first], place[second]
        found = completed_pair(
            turned, _side(attributes[i]), _side(attributes[j]), statistics.rounded_to
        )
        said += found.said
        minded += found.minded
        if found.cells is not None:
            pairs[i, j] = found.cells
        if found.hidden is not None:
            hidden[i, j] = found.hidden
    knowledge = Knowledge(
        statistics.records, names, tuple(each.counts for each in attributes), pairs
    )
    assumptions = assumed("gaps-filled", "statistics", said)
    return CompleteCounts(
        statistics.records, attributes, knowledge, assumptions, tuple(minded), hidden
    )


def _side(attribute: CompleteAttribute) -> tuple[Mapping[Value, int], Counts]:
    return attribute.place, attribute.counts


def completed_attribute(
    attribute: Attribute,
    records: int,
    limits: Mapping[Value, Limits] | None = None,
    at_least: int | None = None,
    counts: Counts | None = None,
) -> CompleteAttribute:
    """One attribute's complete counts; `limits` of those held back, where more is known.

    `at_least` is what counts were folded below; `counts` are those to take where some are hidden.
    """
    values: list[Value] = list(attribute.counts)
    stated = list(attribute.counts.values())
    if attribute.missing != 0:
        values.append(None)
        stated.append(attribute.missing)
    other = attribute.other
    merged = max(other.values, 1 if other.count else 0) if other is not None else 0
    in_other = other.count if other is not None else 0
    known = np.array([c if isinstance(c, int) else 0 for c in stated], dtype=np.int64)
    said = []
    gaps = [place for place, count in enumerate(stated) if isinstance(count, Suppressed)]
    left = max(records - int(known.sum()) - in_other, 0)
    hidden = hidden_counts(attribute, values, merged, left, limits or {}, at_least)
    if merged > 1 and other is not None:
        said.append(
            f"{attribute.name}: it isn't known how the {in_other:,} people of the {other.values:,} "
            "values merged into other are distributed; all distributions that fit the file are "
            "equally likely."
        )
    if gaps:
        said.append(
            f"{attribute.name}: {len(gaps):,} suppressed counts share the remaining {left:,} people"
            f"{'; all ways to distribute them are equally likely' if hidden is not None else ''}."
        )
    if hidden is not None:
        found = hidden.typical() if counts is None else counts
    else:
        if gaps:
            between = [_limits(values[place], stated[place], limits or {}) for place in gaps]
            known[gaps] = shared_out(left, [m for _, m in between], [low for low, _ in between])
        found = np.concatenate([known, evenly(in_other, merged)])
    if found.sum() != records:
        said.append(
            f"{attribute.name}: its counts add up to {int(found.sum()):,} and were scaled to "
            f"{records:,}."
        )
        found = scaled(found, records)
    return CompleteAttribute(attribute.name, tuple(values), found, tuple(said), hidden)


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
