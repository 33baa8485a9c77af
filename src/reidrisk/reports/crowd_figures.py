"""Crowd figures: everything a report tells of one table's crowds; for oneself, all as it is.

Protected crowds: all a published report tells of one table, from one protected histogram.

A report to be published, with a threshold t of people, is told the table's n people as

    S    those in crowds of fewer than t, by their class (`Discretion.people`), or that there are
         none: then the smallest crowd is known too
    A    those alone, by their class
    G_e  for sizes e ≥ 2t, the share in crowds of at least e of the n − S others, in steps of q:
         the least of 0.1, 0.2, 0.5, 1, 2, … per cent whose people are at least 4t and 2e

and every sentence, table, picture and JSON figure is worked out from these alone, so that nothing
can be worked out of the report that doesn't follow from them. What they promise: for any set of
crowd sizes below t, it can't be told that 1 to t − 1 people, or crowds, are of these sizes, even
by somebody who knows n and this program; a test tries all tables of up to 40 people. It fails
against somebody who knows most of the records, or a second report of nearly the same people. A
count of people in crowds of t or more is 0 or at least t, and needs no protection of its own.

Shares of n − S say nothing of its size, so that S doesn't follow from n; steps of at least 2e
leave room for one crowd more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from reidrisk.crowds import CrowdSizes, Measure
from reidrisk.reports.charts.crowds import EDGES, USUAL_TARGET, Bin, Part, bins_of, parts_of
from reidrisk.reports.discretion import ABOUT, Discretion, Told
from reidrisk.reports.words.blocks import number, share

# Fewer people expected in small crowds count as nobody.
NOBODY = 0.5


@dataclass(frozen=True)
class CrowdFigures:
    """All as it is."""

    crowds: CrowdSizes
    told: Discretion

    @property
    def target(self) -> int:
        """The size from which on a crowd hides."""
        return USUAL_TARGET

    @cached_property
    def alone(self) -> Told:
        """The people in crowds of one."""
        return self.told.people(self.crowds.alone_share * self.told.everyone)

    @cached_property
    def small(self) -> Told:
        """Those in crowds below the target."""
        return self.told.rest(self.at_least(self.target) or self.alone)

    @property
    def few_alone(self) -> bool:
        """Whether nobody is alone, or so few that it isn't told."""
        return self.alone.drawn * self.told.everyone < NOBODY

    @property
    def all_hidden(self) -> bool:
        """Whether nobody is in a crowd below the target."""
        return self.small.drawn * self.told.everyone < NOBODY

    @property
    def smallest(self) -> Told:
        """The smallest crowd."""
        return self.told.least(self.crowds.smallest_crowd)

    @property
    def highest_risk(self) -> Told:
        """The risk in the smallest crowd."""
        return self.told.risk_of(self.crowds.smallest_crowd)

    @property
    def overall_risk(self) -> Told:
        """Mean of 1/crowd."""
        return self.told.share(min(self.crowds.overall_risk, 1.0))

    @property
    def distinct(self) -> Told | None:
        """The number of crowds."""
        return self.told.people(self.crowds.distinct)

    def measured(self, measure: Measure) -> Told | None:
        """Any measure, shown as its release rule says; None where it isn't published."""
        rule, share_of = measure.release, self.told.as_share
        if rule == "smallest crowd":
            return self.smallest if measure.is_count else self.highest_risk
        if rule == "estimate":
            return self.overall_risk
        if rule == "people" and measure.part is not None:
            small = self._below(measure.part.size)
            rest = measure.safer_when_larger
            return None if small is None else share_of(self.told.rest(small) if rest else small)
        if rule != "exact" and self.told.folds:
            return None
        return self.exactly(measure)

    def _below(self, size: int) -> Told | None:
        if size in (2, self.target):
            return self.alone if size == 2 else self.small
        rest = self.at_least(size)
        return None if rest is None else self.told.rest(rest)

    def exactly(self, measure: Measure) -> Told:
        """A measure as it is, in words of its unit."""
        value = float(measure.value(self.crowds))
        if measure.is_count and not self.told.folds:
            return self.told.people(value)
        return Told(value, number(value) if measure.is_count else share(value))

    def at_least(self, k: int) -> Told | None:
        """People in crowds of at least k; None where it isn't told."""
        return self.told.people(self.crowds.share_in_crowds_of_at_least(k) * self.told.everyone)

    def share_at_least(self, k: int) -> Told | None:
        """Their share."""
        people = self.at_least(k)
        return None if people is None else self.told.as_share(people)

    def share_below(self, k: int) -> Told | None:
        """The share of those picked out with a chance of more than 1/k."""
        people = self.at_least(k)
        return None if people is None else self.told.as_share(self.told.rest(people))

    def bins(self) -> list[Bin]:
        """People by ranges of crowd sizes; the words are of the share."""
        return [each._replace(told=share(each.share)) for each in bins_of(self.crowds)]

    def parts(self) -> list[Part]:
        """Alone, in a small crowd, hidden."""
        return parts_of(self.crowds)


def crowd_figures(crowds: CrowdSizes, told: Discretion) -> CrowdFigures:
    """What may be told of these crowds."""

    return ProtectedCrowds(crowds, told) if told.folds else CrowdFigures(crowds, told)


def told_sizes(figures: CrowdFigures, asked: Sequence[int]) -> dict[int, Told]:
    """People in crowds of at least k, for the k asked for that are told; one k in any case."""
    every = {k: figures.at_least(k) for k in asked}
    told = {k: people for k, people in every.items() if people is not None}
    return told or {figures.target: figures.told.rest(figures.small)}


STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)


class ProtectedCrowds(CrowdFigures):
    """From the protected histogram alone."""

    @property
    def least(self) -> int:
        """The threshold t."""
        return self.told.at_least or 1

    @property
    def target(self) -> int:
        """The size from which on a crowd hides."""
        return self.least

    @cached_property
    def _small_share(self) -> float:
        return max(1.0 - self.crowds.share_in_crowds_of_at_least(self.least), 0.0)

    @property
    def all_hidden(self) -> bool:
        """Whether nobody is in a crowd below the target."""
        return self._small_share * self.told.everyone < NOBODY

    @cached_property
    def small(self) -> Told:
        """Those in crowds below the target."""
        if self.all_hidden:
            return Told(0.0, "0")
        return self.told.people(_whole(self._small_share * self.told.everyone))

    @cached_property
    def alone(self) -> Told:
        """The people in crowds of one."""
        if self.all_hidden or self.least == 2:
            return self.small
        return self.told.people(_whole(self.crowds.alone_share * self.told.everyone))

    @property
    def few_alone(self) -> bool:
        """Whether nobody is alone, or so few that it isn't told."""
        return self.alone.low < 1

    @property
    def overall_risk(self) -> Told:
        """Mean of 1/crowd, as far as the histogram tells: a figure and what it lies between."""
        low, high = self._risk(-1), self._risk(1)
        middle = float(f"{min(max(self._risk(0), low), high):.2g}")
        text = f"{ABOUT}{share(middle)} ({_outwards(low, -1)} to {_outwards(high, 1)})"
        return Told(middle, text, middle)

    @property
    def distinct(self) -> Told | None:
        """The number of crowds isn't told: small ones would follow from it."""
        return None

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes k at which people in crowds of at least k are told."""
        small = {2, self.least} if self.least > 2 else {self.least}
        return tuple(sorted(small)) + tuple(self._hidden)

    @cached_property
    def _hidden(self) -> dict[int, tuple[float, float]]:
        """Size e: (the share of all others, in steps; the step)."""
        others = self.told.everyone - self.small.drawn * self.told.everyone
        many = self.small.drawn >= 0.5 and self.small.value is None
        if many or self._small_share >= 1.0:
            return {}
        found: dict[int, tuple[float, float]] = {}
        before = 1.0
        for size in (edge for edge in EDGES if edge >= 2 * self.least):
            room = max(4 * self.least, 2 * size)
            step = next((each for each in STEPS if each * others >= room), None)
            if step is None:
                break
            part = self.crowds.share_in_crowds_of_at_least(size) / (1.0 - self._small_share)
            before = min(before, step * math.floor(min(part, 1.0) / step + 0.5))
            found[size] = before, step
        return found

    def at_least(self, k: int) -> Told | None:
        """People in crowds of at least k; None where it isn't told."""
        everyone = self.told.everyone
        if k <= 1:
            return Told(float(everyone), number(everyone), 1.0, everyone, everyone)
        if k == self.least or (self.all_hidden and k < self.least):
            return self.told.rest(self.small)
        if k == 2:
            return self.told.rest(self.alone)
        if k not in self._hidden:
            return None
        part, step = self._hidden[k]
        others = 1.0 - self.small.drawn
        low = max(part - step / 2, 0.0) * (everyone - self.small.high)
        high = min(part + step / 2, 1.0) * (everyone - self.small.low)
        unit = 2 * self.least
        people = unit * round(part * others * everyone / unit)
        return Told(float(people), f"{ABOUT}{number(people)}", people / everyone, low, high)

    def _risk(self, side: int) -> float:
        """Mean of 1/crowd: people as low or as high in their ranges as they may be (−1, 1), or 0.

        Those in crowds of e to f − 1 count 1/(f − 1), 1/e, or as spread evenly over the sizes.
        """
        edges = (1, *self.sizes)
        told = [each for each in map(self.at_least, edges) if each is not None]
        if side < 0:
            bound = list(accumulate((each.high for each in told), min))
        elif side > 0:
            bound = list(accumulate((each.low for each in reversed(told)), max))[::-1]
        else:
            bound = [each.drawn * self.told.everyone for each in told]
        risk = 0.0
        for place, low in enumerate(edges):
            last = place + 1 == len(edges)
            high = int(max(bound[place], low)) if last else edges[place + 1] - 1
            people = bound[place] - (0.0 if last else bound[place + 1])
            risk += max(people, 0.0) * _chance(low, high, side)
        return min(risk / self.told.everyone, 1.0)

    def bins(self) -> list[Bin]:
        """People by ranges of crowd sizes; the words are of the share."""
        edges = [k for k in (1, *self.sizes) if k != 2 or not self.few_alone or self.least == 2]
        if self.all_hidden:
            edges = [k for k in edges if k >= self.least]
        held = [each for each in map(self.share_at_least, edges) if each is not None]
        bins = []
        for place, low in enumerate(edges):
            last = place + 1 == len(edges)
            part = held[place].drawn - (0.0 if last else held[place + 1].drawn)
            told = f"{ABOUT}{share(max(part, 0.0))}"
            if low == 1:
                told = self.told.as_share(self.small if edges[1] == self.least else self.alone).text
            elif last and held[place].value is None:
                told = held[place].text
            if part > 0 or low == 1:
                bins.append(Bin(low, None if last else edges[place + 1] - 1, max(part, 0.0), told))
        return bins

    def parts(self) -> list[Part]:
        """Alone, in a small crowd, hidden."""
        alone = 0.0 if self.few_alone else self.alone.drawn
        small = max(self.small.drawn - alone, 0.0)
        name = "alone (too few to show)" if self.few_alone and not self.all_hidden else "alone"
        between = "in a crowd of 2" if self.least == 3 else f"in a crowd of 2 to {self.least - 1}"
        if name != "alone":
            between = f"in a crowd of fewer than {self.least}"
        hidden = Part(f"in a crowd of at least {self.least}", 1.0 - alone - small)
        if self.least == 2:
            return [Part("alone", self.small.drawn), hidden._replace(share=1.0 - self.small.drawn)]
        return [Part(name, alone), Part(between, small), hidden]


def _whole(amount: float) -> float:
    """A whole number of people keeps being one."""
    whole = round(amount)
    return whole if abs(amount - whole) < 1e-6 else amount


def _chance(low: int, high: int, side: int) -> float:
    """1/size for people in crowds of `low` to `high`."""
    if side or high <= low:
        return 1.0 / (low if side > 0 else max(high, low))
    return (math.log((high + 0.5) / (low - 0.5))) / (high - low + 1)


def _outwards(part: float, side: int) -> str:
    """A bound in words, rounded so that it stays one."""
    digits = 4 if part < 0.001 or part > 0.999 else 3
    scaled = round(part * 10**digits, 6)
    return share((math.floor(scaled) if side < 0 else math.ceil(scaled)) / 10**digits)


FEW, MOST = 0.05, 0.5
VERDICTS = {
    "hidden": "Everyone is hidden in a crowd",
    "grouped": "Nobody is alone, but some crowds are small",
    "few": "A few {people} stand out",
    "many": "Many {people} stand out",
    "most": "Most {people} stand out",
}
# Where it isn't told whether nobody is alone.
PUBLISHED = {"grouped": "Few {people}, if any, are alone, but some crowds are small"}


def level_of(figures: CrowdFigures) -> str:
    """How bad it is, by the people alone and in crowds below five (a usual k of k-anonymity).

    ``hidden`` nobody is in such a crowd; ``grouped`` somebody is, but nobody is alone; ``few``
    below 5 % are alone; ``many`` below half; ``most``. Fewer than half a person expected counts as
    nobody.
    """
    if figures.few_alone:
        return "hidden" if figures.all_hidden else "grouped"
    alone = figures.alone.drawn
    return "few" if alone < FEW else "many" if alone < MOST else "most"


def verdict_of(level: str, told: Discretion, people: str) -> str:
    """The level in words; `people` is what rows stand for."""
    verdict = PUBLISHED.get(level, VERDICTS[level]) if told.folds else VERDICTS[level]
    return verdict.format(people=people)
