"""Imputation: statistics with suppressed counts become complete counts to predict from.

The one place where what isn't published is filled in. Each attribute's counts come to add up to
`records`: people under hidden counts (`other`, null, "<5") are distributed in one of the possible
ways (`hidden_counts`), by default a typical one; rounded counts are scaled. Pair tables are
completed by `pair_imputation`. Each step is a sentence in `assumptions`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from reidrisk.arrays import Counts, Floats
from reidrisk.crowds import Assumption, apportioned, assumed
from reidrisk.models import Knowledge
from reidrisk.statistics.hidden_counts import HiddenCounts, Limits, gap_limits, hidden_counts
from reidrisk.statistics.pair_imputation import HiddenCells, completed_pair
from reidrisk.statistics.statistics import Attribute, Statistics, Suppressed, Value
from reidrisk.statistics.value_matching import KnownValues


@dataclass(frozen=True, eq=False)
class CompleteAttribute:
    """An attribute's values and how many hold each; they add up to all people.

    The named values come first, then the missing one (None) where it is held, then those merged
    into other, which have no names.
    """

    name: str
    values: tuple[Value, ...]
    counts: Counts
    said: tuple[str, ...] = ()
    # What the counts may be otherwise; None where all of them are known.
    hidden: HiddenCounts | None = None

    @property
    def in_other(self) -> int:
        """How many values are merged into other."""
        return len(self.counts) - len(self.values)

    @cached_property
    def expected_counts(self) -> Floats:
        """How many hold a value; where that is hidden, how many on average."""
        means = self.counts.astype(np.float64)
        if self.hidden is not None:
            times = self.counts.sum() / max(float(self.hidden.expected.sum()), 1.0)
            means[self.hidden.places] = self.hidden.expected[self.hidden.places] * times
        elif self.in_other:
            means[-self.in_other :] = means[-self.in_other :].mean()
        return means

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
    # What is unpublished of the pair tables, by the places of two attributes.
    hidden_cells: Mapping[tuple[int, int], HiddenCells] = field(default_factory=dict)

    @property
    def hidden(self) -> dict[str, HiddenCounts]:
        """Of the attributes that have hidden counts, what they may be."""
        return {each.name: each.hidden for each in self.attributes if each.hidden is not None}

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes, in order."""
        return self.knowledge.names

    def hidden_between(self, i: int, j: int) -> HiddenCells | None:
        """The hidden cells of two attributes, the first one's values as rows."""
        turned = self.hidden_cells.get((j, i))
        return self.hidden_cells.get((i, j), None if turned is None else turned.turned())

    def of(self, places: Sequence[int]) -> CompleteCounts:
        """Some of the attributes, in the order given."""
        cells = {
            (a, b): hidden
            for a, i in enumerate(places)
            for b, j in enumerate(places[a + 1 :], a + 1)
            if (hidden := self.hidden_between(i, j)) is not None
        }
        return replace(
            self,
            attributes=tuple(self.attributes[place] for place in places),
            knowledge=self.knowledge.of(places),
            hidden_cells=cells,
        )


def completed(
    statistics: Statistics,
    columns: Sequence[str] | None = None,
    shares: Mapping[str, Counts] | None = None,
) -> CompleteCounts:
    """Complete the counts of all attributes, or those named, and the pair tables among them.

    `shares` are the counts that attributes with hidden ones are to have; else they are typical.
    """
    names, records = tuple(columns or statistics.names), statistics.records
    attributes = tuple(
        completed_attribute(
            statistics.attribute(name),
            records,
            gap_limits(statistics, name),
            statistics.at_least,
            (shares or {}).get(name),
        )
        for name in names
    )
    sentences = [sentence for attribute in attributes for sentence in attribute.said]
    place = {name: at for at, name in enumerate(names)}
    pairs, hidden, warnings = {}, {}, []
    for pair in statistics.pairs:
        if not set(pair.of) <= place.keys():
            continue
        i, j = sorted(place[name] for name in pair.of)
        ordered = statistics.pair(names[i], names[j])
        assert ordered is not None
        sides = [(attributes[at].place, attributes[at].counts) for at in (i, j)]
        complete = completed_pair(ordered, sides[0], sides[1], statistics.rounded_to)
        sentences += complete.said
        warnings += complete.warnings
        if complete.cells is not None:
            pairs[i, j] = complete.cells
        if complete.hidden is not None:
            hidden[i, j] = complete.hidden
    knowledge = Knowledge(records, names, tuple(each.counts for each in attributes), pairs)
    assumptions = assumed("gaps-filled", "statistics", sentences)
    return CompleteCounts(records, attributes, knowledge, assumptions, tuple(warnings), hidden)


def completed_attribute(
    attribute: Attribute,
    records: int,
    limits: Mapping[Value, Limits] | None = None,
    at_least: int | None = None,
    counts: Counts | None = None,
) -> CompleteAttribute:
    """One attribute's complete counts; `limits` of suppressed ones, where more is known.

    `at_least` is the threshold of suppression; `counts` are those to take where some are hidden.
    """
    name, stated, other = attribute.name, attribute.stated, attribute.other
    merged = max(other.values, 1 if other.count else 0) if other is not None else 0
    in_other = other.count if other is not None else 0
    known = np.array([c if isinstance(c, int) else 0 for c in stated.values()], dtype=np.int64)
    gaps = {
        place: (limits or {}).get(value, (count.least, count.most))
        for place, (value, count) in enumerate(stated.items())
        if isinstance(count, Suppressed)
    }
    left = max(records - int(known.sum()) - in_other, 0)
    hidden = hidden_counts(known, gaps, left, other, merged, at_least)
    sentences = []
    if merged > 1 and other is not None:
        sentences.append(
            f"{name}: it isn't known how the {in_other:,} people of the {other.values:,} values "
            "merged into other are distributed; all distributions that fit the file are equally "
            "likely."
        )
    if gaps:
        sentences.append(
            f"{name}: {len(gaps):,} suppressed counts share the remaining {left:,} people"
            f"{'; all ways to distribute them are equally likely' if hidden is not None else ''}."
        )
    if hidden is not None:
        complete = hidden.typical() if counts is None else counts
    else:
        least, most = zip(*gaps.values(), strict=True) if gaps else ((), ())
        known[list(gaps)] = shared_out(left, most, least)
        complete = np.concatenate([known, evenly(in_other, merged)])
    if complete.sum() != records:
        sentences.append(
            f"{name}: its counts add up to {int(complete.sum()):,} and were scaled to {records:,}."
        )
        complete = scaled(complete, records)
    return CompleteAttribute(name, tuple(stated), complete, tuple(sentences), hidden)


def evenly(people: int, values: int) -> Counts:
    """People over so many values, as evenly as whole numbers allow."""
    if not values:
        return np.empty(0, dtype=np.int64)
    return people // values + (np.arange(values) < people % values).astype(np.int64)


def shared_out(
    people: int, most: Sequence[int | None], least: Sequence[int] | None = None
) -> Counts:
    """People distributed evenly over values that may hold at most so many each (None: any number),
    once each has the least it must hold.
    """
    shares = np.array(least if least is not None else [0] * len(most), dtype=np.int64)
    if shares.sum() > people:
        return scaled(shares, people)
    top = np.array([people if bound is None else bound for bound in most], dtype=np.int64)
    left = people - int(shares.sum())
    while left and (open_ := np.flatnonzero(shares < top)).size:
        added = np.minimum(evenly(left, len(open_)), top[open_] - shares[open_])
        shares[open_] += added
        left -= int(added.sum())
    return shares


def scaled(counts: Counts, total: int) -> Counts:
    """Whole numbers in proportion to `counts` that add up to `total` (largest remainders)."""
    if not counts.sum():
        return evenly(total, len(counts))
    return np.array(apportioned(counts.tolist(), total), dtype=np.int64)
