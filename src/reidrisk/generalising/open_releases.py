"""Open releases: which may still be best, the one with the least possible loss first.

A counted release w tells about others: a finer one (v ≤ w) has at least as many people to leave
out, R(v) ≥ R(w); a coarser one has at least as much taken together, t(v) ≥ t(w) (`loss`). Here
every release has a place in an array and a counted one raises two boxes of it, all finer and all
coarser ones. For lattices too large to be listed see `branched_releases`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.generalising.loss import Loss
from reidrisk.generalising.releases import Levels, Releases, rank
from reidrisk.generalising.target import Target

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
