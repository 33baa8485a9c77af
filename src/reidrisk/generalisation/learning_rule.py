"""LearningRule: a target on crowds together with limits on what is learnt, and who goes for both.

Crowds that are too small, or fail a limit (`LearningLimits`), go whole: with fewer people they'd
have no more values. If at most a share V of the people may have a certain value, more have to go.
With n' people and T of them in m crowds of one value left, at least k in each, the fewest N with
(T − N)/(n' − N) ≤ V are needed. Whoever goes leaves a crowd of at least k, or none. With the j
smallest of these crowds gone whole, W_j people, anything from W_j to T − (m − j)·k can go, so

    R = everybody in the first crowds + max(N, W_j), j the least number with T − (m − j)·k ≥ N.

R never grows as releases coarsen: leave out the same people of a coarser release, and its crowds
are unions of crowds that are fine, which are fine, and in no more of which a value is certain.
(That needs R to be the fewest. For t-closeness and the like, dropping the crowds that fail needn't
be the fewest, which is why nobody can be left out for them.)

With limits that nobody can be left out for, R is nobody or everybody.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Ints
from reidrisk.errors import ContradictoryOptions
from reidrisk.generalisation.loss import Remaining, squares, without_smallest
from reidrisk.generalisation.target import Histogram, Rule, SmallestCrowd, SmallShare, Target
from reidrisk.learning import JudgedCrowds, LearningLimits


@dataclass(frozen=True)
class LearningRule:
    """Both; `of_crowds` is what crowds have to meet besides."""

    of_crowds: Rule
    limits: LearningLimits

    @property
    def least(self) -> int | None:
        """The smallest crowd allowed; None where people can't be left out."""
        if self.limits.unfit_for_leaving_out or not isinstance(self.of_crowds, SmallestCrowd):
            return None
        return max(self.of_crowds.least, 1)

    def needed(self, held: Histogram, people: int) -> int:
        """The least number of people to leave out; everybody where that isn't enough."""
        assert held.failing is not None
        assert held.certain is not None
        allowed = SmallShare(0, self.limits.certain_share)
        if self.least is None:
            certain = int(held.sizes @ held.certain)
            if held.failing.any() or allowed.fewest(certain, people):
                return people
            return self.of_crowds.needed(held, people)
        small = held.sizes < self.least
        gone = int(held.sizes @ np.where(small, held.crowds, held.failing))
        sizes = np.repeat(held.sizes, np.where(small, 0, held.certain))
        more = self._of_certain(sizes, people - gone)
        return people if more is None else gone + more

    def _of_certain(self, sizes: Ints, people: int) -> int | None:
        """How many go of those in crowds of one value; None where it isn't enough."""
        total = int(sizes.sum())
        if not people:
            return 0
        fewest = SmallShare(0, self.limits.certain_share).fewest(total, people)
        if fewest == 0:
            return 0
        if fewest >= people:
            return None
        return max(fewest, int(sizes[: self._whole(sizes, fewest)].sum()))

    def _whole(self, sizes: Ints, fewest: int) -> int:
        """How many of these crowds, rising, go whole."""
        assert self.least is not None
        return max(len(sizes) - (int(sizes.sum()) - fewest) // self.least, 0)

    def matters(self, budget: int) -> int | None:
        """All sizes: whoever goes may be of any crowd."""
        return None

    def leaving(self, crowds: JudgedCrowds, budget: int) -> Ints:
        """How many of each crowd go; the smallest crowds of one value first, then their surplus."""
        go = np.zeros(len(crowds.sizes), dtype=np.int64)
        if self.least is None or not budget:
            return go
        gone = crowds.failing | (crowds.sizes < self.least)
        go[gone] = crowds.sizes[gone]
        order = np.flatnonzero(crowds.certain & ~gone)
        order = order[np.argsort(crowds.sizes[order], kind="stable")]
        sizes = crowds.sizes[order]
        more = self._of_certain(sizes, int(crowds.sizes.sum()) - int(go.sum()))
        if more:
            allowed = SmallShare(0, self.limits.certain_share)
            left = int(crowds.sizes.sum()) - int(go.sum())
            whole = self._whole(sizes, allowed.fewest(int(sizes.sum()), left))
            spare = np.where(np.arange(len(sizes)) < whole, sizes, sizes - self.least)
            go[order] = np.clip(more - (np.cumsum(spare) - spare), 0, spare)
        return go


def with_learning(
    target: Target, limits: LearningLimits | None, columns: int, suppress: float
) -> Target:
    """The target with limits on what is learnt of so many columns besides; `suppress` is the share
    of people that may be left out.
    """
    if limits is None:
        return target
    rule = LearningRule(target.rule, limits)
    if suppress:
        _refuse_leaving_out(target, rule, columns)
    return replace(target, rule=rule, limits=limits)


def _refuse_leaving_out(target: Target, rule: LearningRule, columns: int) -> None:
    unfit = rule.limits.unfit_for_leaving_out
    if unfit:
        raise ContradictoryOptions(
            f"nobody can be left out for {', '.join(unfit)}: merging a small crowd that fails into "
            "a large one may make that fail as well, and who is left out changes everybody's "
            "values, so nothing could be proven to lose least",
            "leave --suppress out, or limit --l-diversity or --certain",
        )
    if rule.least is None:
        raise ContradictoryOptions(
            f"whom to leave out for {target.yardstick.name} and for what is learnt together isn't "
            "known",
            "take -k with --suppress, or leave --suppress out",
        )
    if columns > 1 and 0.0 < rule.limits.certain_share < 1.0:
        raise ContradictoryOptions(
            "whom to leave out so that a share of several sensitive columns may be certain isn't "
            "known",
            "--certain 0, one sensitive column, or leave --suppress out",
        )


def remaining(target: Target, held: Histogram, out: int) -> Remaining:
    """The crowds that stay when so many people are left out."""
    if not isinstance(target.rule, LearningRule):
        return without_smallest(held, out)
    # Who can't be left out stays: what can't be met isn't allowed anyway.
    crowds = _each_crowd(held)
    stay = crowds.sizes - target.rule.leaving(crowds, target.budget)
    sizes, number = np.unique(stay[stay > 0], return_counts=True)
    return Remaining(squares(sizes, number), int(number.sum()))


def _each_crowd(held: Histogram) -> JudgedCrowds:
    assert held.failing is not None
    assert held.certain is not None
    sizes = np.repeat(held.sizes, held.crowds)
    place = np.arange(len(sizes)) - np.repeat(np.cumsum(held.crowds) - held.crowds, held.crowds)
    failing = np.repeat(held.failing, held.crowds)
    certain = np.repeat(held.certain, held.crowds)
    return JudgedCrowds(sizes, place < failing, (place >= failing) & (place < failing + certain))


def histogram_of_judged(crowds: JudgedCrowds) -> Histogram:
    """By size, with how many of each size fail a limit, or have one value."""
    sizes = crowds.sizes
    if int(sizes.max()) <= 4 * len(sizes) + (1 << 16):
        held = np.flatnonzero(np.bincount(sizes))
        place = None
    else:
        held, place = np.unique(sizes, return_inverse=True)

    def number(of: NDArray[np.bool_] | slice) -> Ints:
        if place is None:
            return np.asarray(np.bincount(sizes[of], minlength=int(held[-1]) + 1)[held])
        return np.asarray(np.bincount(place[of], minlength=len(held)))

    return Histogram(held, number(slice(None)), 0, number(crowds.failing), number(crowds.certain))
