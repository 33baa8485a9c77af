"""Open releases: which may still be best, the one with the least possible loss first.

A counted release w tells about others: a finer one (v ≤ w) has at least as many people to leave
out, R(v) ≥ R(w); a coarser one has at least as much taken together, t(v) ≥ t(w) (`loss`). Here
every release has a place in an array and a counted one raises two boxes of it, all finer and all
coarser ones. For lattices too large to be listed see `branched_releases`.

Branched releases: open releases of a lattice too large to be listed.

A branch fixes the levels of the first attributes. What it leads to lies between its finest release
(the others at their lowest level) and its coarsest (at their highest), so of all releases counted
so far those coarser than its coarsest bound how many have to be left out, those finer than its
finest how much is taken together (`open_releases` does the same release by release), and the parts
of a loss that is a sum are known for the fixed attributes and at least their lowest for the others.
Branches wait in a heap by their bound; one that is looked at again is judged by what was counted
since. With time, bounds rise and branches are dropped; if the heap grows too long, the search ends
like one that reached a limit.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Collection
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.generalisation.loss import Loss
from reidrisk.generalisation.releases import Levels, Releases, rank
from reidrisk.generalisation.target import Target

# Losses closer than this are the same: sums of floating-point parts differ by so little.
SAME = 1e-12
# Whether there is no time left.
Stop = Callable[[], bool]


def never() -> bool:
    """Without a limit."""
    return False


class Counted(NamedTuple):
    """What counting a release told: people to leave out, what is taken together, its loss."""

    out: int
    together: float
    loss: float


class Best(NamedTuple):
    """The best release so far."""

    levels: Levels
    counted: Counted

    def beaten_by(self, loss: float, levels: Levels) -> bool:
        """Whether a release that loses no less than that could be better."""
        if abs(loss - self.counted.loss) <= SAME:
            return rank(levels) < rank(self.levels)
        return loss < self.counted.loss


class OpenReleases:
    """All releases of a lattice that can be listed."""

    def __init__(self, releases: Releases, loss: Loss, target: Target) -> None:
        self._lowest, self._loss, self._target = releases.lowest, loss, target
        self._shape = releases.shape
        self._part = np.zeros(self._shape)
        for j, (low, high) in enumerate(zip(releases.lowest, releases.highest, strict=True)):
            axis = [1] * len(self._shape)
            axis[j] = -1
            self._part += loss.parts[j][low : high + 1].reshape(axis)
        self._out = np.zeros(self._shape, dtype=np.int64)
        self._together = np.zeros(self._shape) if loss.of_crowds else None
        self._bound: NDArray[np.float64] = np.array(
            loss.bound(self._part, self._out, self._together)
        )
        self._closed = np.zeros(self._shape, dtype=bool)

    @property
    def bound(self) -> float:
        """No open release loses less than this."""
        return float(self._bound.min())

    @property
    def full(self) -> bool:
        """Never: there is a place for each."""
        return False

    @property
    def number(self) -> int:
        """How many are open."""
        return int(np.count_nonzero(np.isfinite(self._bound)))

    @property
    def waiting(self) -> int:
        """The same."""
        return self.number

    def next(self, best: Best | None, stop: Stop = never) -> Levels | None:
        """The open release with the least bound; None when none can be better than `best`, or it
        had to stop.
        """
        while not stop():
            place = int(self._bound.argmin())
            bound = float(self._bound.flat[place])
            if not np.isfinite(bound):
                return None
            if best is not None and bound > best.counted.loss + SAME:
                self._bound[:] = np.inf
                return None
            levels = self._levels(place)
            if best is None or best.beaten_by(bound, levels):
                return levels
            self._close(np.unravel_index(place, self._shape))
        return None

    def bound_of(self, levels: Levels) -> float:
        """What a release loses at least; infinite once it is closed."""
        return float(self._bound[self._place(levels)])

    def learn(self, levels: Levels, counted: Counted) -> None:
        """Raise the bounds of finer and of coarser releases."""
        place = self._place(levels)
        finer = tuple(slice(0, each + 1) for each in place)
        np.maximum(self._out[finer], counted.out, out=self._out[finer])
        self._judge(finer)
        if self._together is not None:
            coarser = tuple(slice(each, None) for each in place)
            np.maximum(self._together[coarser], counted.together, out=self._together[coarser])
            self._judge(coarser)

    def settle(self, levels: Levels) -> None:
        """It was counted."""
        self._close(self._place(levels))

    def pruned(self, counted: Collection[Counted]) -> dict[str, int]:
        """How many were closed without counting: by which rule."""
        refused = sum(1 for each in counted if each.out > self._target.budget)
        not_allowed = int(np.count_nonzero(self._out > self._target.budget)) - refused
        rest = self._out.size - len(counted) - not_allowed - self.number
        return {"not_allowed": not_allowed, "bound": rest}

    def finest(self) -> Levels:
        """The release of which all open ones are no finer."""
        there = np.isfinite(self._bound)
        axes = range(len(self._shape))
        lowest = (
            int(np.argmax(there.any(axis=tuple(a for a in axes if a != axis)))) for axis in axes
        )
        return tuple(low + first for low, first in zip(self._lowest, lowest, strict=True))

    def _judge(self, box: tuple[slice, ...]) -> None:
        together = None if self._together is None else self._together[box]
        bound = self._loss.bound(self._part[box], self._out[box], together)
        bound[self._closed[box] | (self._out[box] > self._target.budget)] = np.inf
        self._bound[box] = bound

    def _close(self, place: tuple[Any, ...]) -> None:
        self._closed[place] = True
        self._bound[place] = np.inf

    def _place(self, levels: Levels) -> tuple[int, ...]:
        return tuple(level - low for level, low in zip(levels, self._lowest, strict=True))

    def _levels(self, place: int) -> Levels:
        where = np.unravel_index(place, self._shape)
        return tuple(int(at) + low for at, low in zip(where, self._lowest, strict=True))


MOST_WAITING = 2_000_000


class Branch(NamedTuple):
    """The first levels, and what is known of all releases that begin so."""

    bound: float
    # Deeper branches of the same bound first: they lead to a release sooner.
    depth: int
    turn: int
    levels: Levels
    out: int
    together: float
    # How many counted releases it was judged by.
    judged: int


class BranchedReleases:
    """Releases that are listed only where they may be best."""

    def __init__(self, releases: Releases, loss: Loss, target: Target) -> None:
        self._releases, self._loss, self._target = releases, loss, target
        self._least = _rest_of([
            float(part[low : high + 1].min())
            for part, low, high in zip(loss.parts, releases.lowest, releases.highest, strict=True)
        ])  # fmt: skip
        self._sizes = [math.prod(releases.shape[depth:]) for depth in range(len(releases.names))]
        self._sizes.append(1)
        self._places: NDArray[np.int16] = np.empty((64, len(releases.names)), dtype=np.int16)
        self._outs, self._togethers = np.empty(64, dtype=np.int64), np.empty(64)
        self._learnt = 0
        self._settled: set[Levels] = set()
        self._turn = count()
        self._branches: list[Branch] = []
        # How many releases wait in branches, those counted already among them.
        self.waiting = 0
        self._push(self._judged((), 0, 0.0, 0))

    @property
    def bound(self) -> float:
        """No open release loses less than this."""
        return self._branches[0].bound if self._branches else math.inf

    @property
    def full(self) -> bool:
        """Whether too many branches wait."""
        return len(self._branches) > MOST_WAITING

    @property
    def number(self) -> int:
        """How many are open."""
        begun = {branch.levels for branch in self._branches}
        depths = {len(levels) for levels in begun}
        settled = sum(
            1 for levels in self._settled if any(levels[:depth] in begun for depth in depths)
        )
        return self.waiting - settled

    def next(self, best: Best | None, stop: Stop = never) -> Levels | None:
        """The open release with the least bound; None when none can be better than `best`, or it
        had to stop.
        """
        while self._branches and not self.full and not stop():
            branch = self._pop()
            if best is not None and branch.bound > best.counted.loss + SAME:
                self._branches, self.waiting = [], 0
                return None
            again = self._again(branch)
            if again is None:
                continue
            if again.bound > branch.bound and self._branches:
                self._push(again)
            elif len(again.levels) < len(self._releases.names):
                self._part(again)
            elif again.levels not in self._settled and (
                best is None or best.beaten_by(again.bound, again.levels)
            ):
                self._push(again)
                return again.levels
        return None

    def bound_of(self, levels: Levels) -> float:
        """What a release loses at least; infinite once it is closed."""
        known = self._judged(levels, 0, 0.0, 0)
        return math.inf if known is None or levels in self._settled else known.bound

    def learn(self, levels: Levels, counted: Counted) -> None:
        """Keep it, to judge branches by."""
        if self._learnt == len(self._outs):
            self._places = np.concatenate([self._places, np.empty_like(self._places)])
            self._outs = np.concatenate([self._outs, np.empty_like(self._outs)])
            self._togethers = np.concatenate([self._togethers, np.empty_like(self._togethers)])
        self._places[self._learnt] = levels
        self._outs[self._learnt], self._togethers[self._learnt] = counted.out, counted.together
        self._learnt += 1

    def settle(self, levels: Levels) -> None:
        """It was counted."""
        self._settled.add(levels)

    def finest(self) -> Levels:
        """Branches don't tell."""
        return self._releases.lowest

    def pruned(self, counted: Collection[Counted]) -> dict[str, int]:
        """How many were closed without counting."""
        return {"bound": self._releases.number - len(counted) - self.number}

    def _part(self, branch: Branch) -> None:
        at = len(branch.levels)
        for level in range(self._releases.lowest[at], self._releases.highest[at] + 1):
            # Anew by all: what didn't reach as far as the whole branch may reach this part.
            self._push(self._judged((*branch.levels, level), branch.out, branch.together, 0))

    def _again(self, branch: Branch) -> Branch | None:
        return self._judged(branch.levels, branch.out, branch.together, branch.judged)

    def _judged(self, levels: Levels, out: int, together: float, since: int) -> Branch | None:
        """A branch by what was counted `since`; None where nothing in it is allowed."""
        depth = len(levels)
        coarsest = np.array([*levels, *self._releases.highest[depth:]], dtype=np.int16)
        places = self._places[since : self._learnt]
        out = max(out, _largest(self._outs[since : self._learnt], (places >= coarsest).all(axis=1)))
        if out > self._target.budget:
            return None
        if self._loss.of_crowds:
            finest = np.array([*levels, *self._releases.lowest[depth:]], dtype=np.int16)
            finer = (places <= finest).all(axis=1)
            together = max(together, _largest(self._togethers[since : self._learnt], finer))
        part = self._loss.part(levels) + self._least[depth]
        bound = float(self._loss.bound(part, out, together))
        return Branch(bound, -depth, next(self._turn), levels, out, together, self._learnt)

    def _push(self, branch: Branch | None) -> None:
        if branch is not None:
            heapq.heappush(self._branches, branch)
            self.waiting += self._sizes[len(branch.levels)]

    def _pop(self) -> Branch:
        branch = heapq.heappop(self._branches)
        self.waiting -= self._sizes[len(branch.levels)]
        return branch


def _largest(values: NDArray[Any], where: Any) -> Any:
    return values[where].max(initial=0).item()


def _rest_of(least: list[float]) -> list[float]:
    """[depth]: what the attributes from there on add at least."""
    found = [0.0]
    for each in reversed(least):
        found.append(found[-1] + each)
    return found[::-1]
