"""Crowd figures: everything a report tells of one table's crowds; for oneself, all as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from reidrisk.charts.crowd_histogram import USUAL_TARGET, Bin, bins_of
from reidrisk.charts.hundred_people import Part, parts_of
from reidrisk.crowds import CrowdSizes
from reidrisk.reporting.wording import share
from reidrisk.reports.discretion import Discretion, Told

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
    from reidrisk.reports.protected_crowds import ProtectedCrowds

    return ProtectedCrowds(crowds, told) if told.folds else CrowdFigures(crowds, told)


def told_sizes(figures: CrowdFigures, asked: Sequence[int]) -> dict[int, Told]:
    """People in crowds of at least k, for the k asked for that are told; one k in any case."""
    every = {k: figures.at_least(k) for k in asked}
    told = {k: people for k, people in every.items() if people is not None}
    return told or {figures.target: figures.told.rest(figures.small)}
