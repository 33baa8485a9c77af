"""The release of least loss that meets the target, proven by bounds.

Best first: the open release v with the least bound is looked at. Before it is counted itself,
coarser ones are, cheap because they show few attributes: the widest of v's attributes with the
others hidden, then two of them, three … . As soon as one needs more people left out than are
allowed, or v's bound passes the best loss found, v is closed, and with it everything finer than
that coarse one. (A release counted alone would close only what is finer than itself, which has
mostly been looked at before.)

When no open release can lose less than the best, the best is optimal. A search that stops before
says by how much the best may be off: `gap`, best loss − least bound of what is open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reidrisk.generalisation.loss import Loss
from reidrisk.generalisation.open_releases import Best, BranchedReleases, Counted, OpenReleases
from reidrisk.generalisation.release_counts import ReleaseCounting
from reidrisk.generalisation.releases import Levels, Releases
from reidrisk.generalisation.target import Target
from reidrisk.searches import Limits

# Larger lattices are listed branch by branch.
MOST_LISTED = 1_000_000
# So are those of more attributes: an array has no more axes than this.
MOST_AXES = 32
# Rows are narrowed to what is still open after so many releases were counted.
BETWEEN_NARROWING = 32


class Found(NamedTuple):
    """The best release, None where the target can't be met; and how the search ended."""

    best: Best | None
    counted: int
    pruned: dict[str, int]
    open: int
    # No release that meets the target loses less.
    bound: float


class LeastLoss:
    """One search; of several drawn tables the worst counts."""

    def __init__(
        self,
        tables: Sequence[ReleaseCounting],
        releases: Releases,
        loss: Loss,
        target: Target,
        limits: Limits,
        narrow: bool = True,
    ) -> None:
        self._tables, self._releases, self._loss = tables, releases, loss
        self._target, self._limits = target, limits
        self._listed = releases.number <= MOST_LISTED and len(releases.names) <= MOST_AXES
        self._open = (OpenReleases if self._listed else BranchedReleases)(releases, loss, target)
        self._seen: dict[Levels, Counted] = {}
        self._best: Best | None = None
        self._narrowed = 0 if narrow else None

    def found(self) -> Found:
        """Search until it is proven, or a limit is reached."""
        # Whatever the limits: it alone tells whether the target can be met at all.
        self._limits.allowed(1)
        self._settle(self._releases.highest)
        if self._limits.any or not self._listed:
            self._descend()
        while not self._limits.reached and not self._open.full:
            levels = self._open.next(self._best, lambda: self._limits.reached)
            if levels is None:
                break
            self._look_at(levels)
            self._narrow()
            self._tell()
        least = 1.0 if self._best is None else self._best.counted.loss
        still = self._open.number
        bound = min(self._open.bound, least) if still else least
        return Found(
            self._best,
            len(self._seen),
            self._open.pruned(self._seen.values()),
            still,
            bound,
        )

    def _descend(self) -> None:
        """A good release at once, should there be no time for the best: always the step to a finer
        level that loses least and is allowed.
        """
        best = None
        while self._best is not best:
            best = self._best
            assert best is not None
            for attribute, level in enumerate(best.levels):
                finer = (*best.levels[:attribute], level - 1, *best.levels[attribute + 1 :])
                if level > self._releases.lowest[attribute]:
                    self._count(finer)

    def _tell(self) -> None:
        if self._limits.progress is not None:
            every = self._releases.number
            self._limits.progress("releases counted", len(self._seen), every)
            self._limits.progress("releases closed", every - self._open.waiting, every)

    def _look_at(self, levels: Levels) -> None:
        """Coarser ones first, until one closes it."""
        for coarse in self._growing(levels):
            if not self._count(coarse):
                return
            if coarse == levels or not self._may_be_best(levels):
                return

    def _may_be_best(self, levels: Levels) -> bool:
        bound = self._open.bound_of(levels)
        if self._best is None:
            return bound < float("inf")
        return self._best.beaten_by(bound, levels)

    def _growing(self, levels: Levels) -> Iterator[Levels]:
        """All as coarse as they may be but the widest attribute, the two widest, … none."""
        coarse = list(self._releases.highest)
        table = self._tables[0]
        for attribute, level in table.in_order(levels):
            if level < coarse[attribute]:
                coarse[attribute] = level
                yield tuple(coarse)
        yield levels

    def _count(self, levels: Levels) -> bool:
        """Whether it could be counted: a limit may have been reached."""
        if levels in self._seen:
            return True
        if not self._limits.allowed(1):
            return False
        self._settle(levels)
        return True

    def _settle(self, levels: Levels) -> None:
        """Count it, and learn what it tells about others."""
        counted = self._counted(levels)
        self._seen[levels] = counted
        self._open.settle(levels)
        self._open.learn(levels, counted)
        allowed = self._target.allows(counted.out)
        if allowed and (self._best is None or self._best.beaten_by(counted.loss, levels)):
            self._best = Best(levels, counted)

    def _counted(self, levels: Levels) -> Counted:
        held = [table.histogram(levels) for table in self._tables]
        outs = [self._target.needed(each) for each in held]
        part = self._loss.part(levels)
        return Counted(
            max(outs),
            min(self._loss.together(each) for each in held),
            max(self._loss.of(part, out, each) for out, each in zip(outs, held, strict=True)),
        )

    def _narrow(self) -> None:
        """Count fewer rows where everything open is coarser than what they tell apart."""
        if self._narrowed is None:
            return
        if len(self._seen) - self._narrowed >= BETWEEN_NARROWING and self._open.waiting:
            self._narrowed = len(self._seen)
            finest = self._open.finest()
            for table in self._tables:
                table.narrow(finest)
