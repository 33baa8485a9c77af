"""Complete counts: what models predict from, under the values' names.

Each attribute's counts add up to all people, and pair tables to their attributes' counts, whatever
was published of them: `imputation` fills in what is hidden, `reading_back` takes back by its law
what a protection changed. What a count may be otherwise is kept beside it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Counts, Floats, Mask
from reidrisk.crowds import Assumption
from reidrisk.laws import PublishedLaw
from reidrisk.models import Knowledge
from reidrisk.statistics.hidden_counts import HiddenCounts
from reidrisk.statistics.statistics import Value
from reidrisk.statistics.value_matching import KnownValues
from reidrisk.statistics.when_asked import WhenAsked


class HiddenCells(NamedTuple):
    """Which cells of a pair table are unpublished; to which of them the sums leave a choice, the
    least and the most each can hold, and which were suppressed below a number.
    """

    unstated: Mask
    hidden: Mask
    least: Floats
    most: Floats
    below: Mask

    def turned(self) -> HiddenCells:
        """Rows and columns exchanged."""
        return HiddenCells(self.unstated.T, self.hidden.T, self.least.T, self.most.T, self.below.T)


@dataclass(frozen=True, eq=False)
class UnsureCounts:
    """Counts that were published by a law, and what each may be.

    Each named value's number is the sum of so many published ones (`added_up`; 1 but for groups of
    values). Values without a name, from place `named` on, hold up to `up_to` people each, as often
    as 1/x.
    """

    places: Mask
    expected: Floats
    published: Counts
    added_up: Counts
    by: PublishedLaw
    up_to: int

    @property
    def named(self) -> int:
        """How many values have names, which come first."""
        return len(self.published)

    def law(self, place: int) -> tuple[Floats, Floats]:
        """The numbers that a value may be held by, and their chances given what was published."""
        if place >= self.named:
            numbers = np.arange(1.0, max(self.up_to, 1) + 1.0)
            log_chance = -np.log(numbers)
        elif self.added_up[place] > 1:
            numbers, log_chance = self._law_of_a_sum(place)
        else:
            said = self.by.listed(self.published[place : place + 1])
            numbers, log_chance = said.people[said.place[0]], said.log_weight[0]
        held = (numbers > 0.0) & np.isfinite(log_chance)
        if not held.any():
            return np.ones(1), np.ones(1)
        chance = np.exp(log_chance[held] - log_chance[held].max())
        return numbers[held], chance / chance.sum()

    def _law_of_a_sum(self, place: int) -> tuple[Floats, Floats]:
        """A normal law, four standard deviations each way."""
        variance = float(self.by.variance * self.added_up[place])
        middle = float(self.expected[place])
        away = max(math.ceil(4.0 * math.sqrt(variance)), 1)
        numbers = np.arange(math.floor(middle) - away, math.ceil(middle) + away + 1.0)
        return numbers, -((numbers - middle) ** 2) / (2.0 * variance)


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
    # The same of counts that were read back.
    unsure: UnsureCounts | None = None

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

    @property
    def uncertain(self) -> HiddenCounts | UnsureCounts | None:
        """What the counts may be otherwise, for whatever reason."""
        return self.unsure if self.hidden is None else self.hidden

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
    # Whether numbers were read back by a law, so that they can be drawn anew; then by how many
    # people tables of them may disagree.
    read_back: bool = False
    disagreement: float = 0.0

    @property
    def hidden(self) -> dict[str, HiddenCounts]:
        """Of the attributes that have hidden counts, what they may be."""
        return {each.name: each.hidden for each in self.attributes if each.hidden is not None}

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes, in order."""
        return self.knowledge.names

    def hides_between(self, i: int, j: int) -> bool:
        """Whether two attributes have a pair table with hidden cells."""
        return (i, j) in self.hidden_cells or (j, i) in self.hidden_cells

    def hidden_between(self, i: int, j: int) -> HiddenCells | None:
        """The hidden cells of two attributes, the first one's values as rows."""
        if (i, j) in self.hidden_cells:
            return self.hidden_cells[i, j]
        return self.hidden_cells[j, i].turned() if (j, i) in self.hidden_cells else None

    def _known_between(self, i: int, j: int) -> HiddenCells:
        found = self.hidden_between(i, j)
        assert found is not None
        return found

    def of(self, places: Sequence[int]) -> CompleteCounts:
        """Some of the attributes, in the order given."""
        cells = {
            (a, b): (i, j)
            for a, i in enumerate(places)
            for b, j in enumerate(places[a + 1 :], a + 1)
            if self.hides_between(i, j)
        }
        return replace(
            self,
            attributes=tuple(self.attributes[place] for place in places),
            knowledge=self.knowledge.of(places),
            hidden_cells=WhenAsked(cells, lambda of: self._known_between(*cells[of])),
        )
