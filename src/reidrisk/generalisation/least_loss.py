"""The release of least loss that meets the target, proven by bounds.

Best first: the open release v with the least bound is looked at. Before it is counted itself,
coarser ones are, cheap because they show few attributes: the widest of v's attributes with the
others hidden, then two of them, three … . As soon as one needs more people left out than are
allowed, or v's bound passes the best loss found, v is closed, and with it everything finer than
that coarse one. (A release counted alone would close only what is finer than itself, which has
mostly been looked at before.)

When no open release can lose less than the best, the best is optimal. A search that stops before
says by how much the best may be off: `gap`, best loss − least bound of what is open.

The risk–loss frontier: the least loss for each allowable risk, and what each further step costs.

Targets are taken from the loosest to the strictest. What is best for one is best for the next if it
meets it as well with no more people left out: no stricter target can lose less. All searches share
the releases counted. Under a time limit all of them together take as long again as the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from reidrisk.crowds import Limit, Measure
from reidrisk.generalisation.generalised import Reached
from reidrisk.generalisation.learning_rule import remaining, with_learning
from reidrisk.generalisation.levelled import Levelled
from reidrisk.generalisation.loss import NOT_NEEDED, Loss
from reidrisk.generalisation.open_releases import Best, BranchedReleases, Counted, OpenReleases
from reidrisk.generalisation.release_counts import ReleaseCounting
from reidrisk.generalisation.releases import Levels, Releases
from reidrisk.generalisation.target import Histogram, Target, target_of
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
            max(self._lost(part, out, each) for out, each in zip(outs, held, strict=True)),
        )

    def _lost(self, part: float, out: int, held: Histogram) -> float:
        stay = remaining(self._target, held, out) if self._loss.of_crowds else NOT_NEEDED
        return self._loss.of(part, out, stay)

    def _narrow(self) -> None:
        """Count fewer rows where everything open is coarser than what they tell apart."""
        if self._narrowed is None:
            return
        if len(self._seen) - self._narrowed >= BETWEEN_NARROWING and self._open.waiting:
            self._narrowed = len(self._seen)
            finest = self._open.finest()
            for table in self._tables:
                table.narrow(finest)


USUAL_CROWDS = (2, 3, 4, 5, 10, 20, 50, 100)
USUAL_SHARES = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001)
# Without being asked: tables and lattices for which it takes a second or two.
USUAL_PEOPLE, USUAL_RELEASES = 100_000, 100_000


def usual_steps(measure: Measure, people: int) -> list[float]:
    """Allowable values to report at."""
    if measure.unit == "1/crowd size":
        return [1.0 / k for k in USUAL_CROWDS if k <= people]
    if measure.unit == "crowd size":
        return [float(k) for k in USUAL_CROWDS if k <= people]
    if measure.unit == "count":
        return [float(max(round(share * people), 1)) for share in USUAL_SHARES]
    if measure.safer_when_larger:
        return [1.0 - share for share in USUAL_SHARES]
    return list(USUAL_SHARES)


def is_usual(people: int, releases: int) -> bool:
    """Whether it is reported without being asked for."""
    return people <= USUAL_PEOPLE and releases <= USUAL_RELEASES


def frontier_of(
    levelled: Levelled,
    releases: Releases,
    loss_name: str,
    targets: Iterable[Target],
    limits: Limits,
) -> tuple[Reached, ...]:
    """The least loss for each target that can be met."""
    ordered = sorted(targets, key=_looseness)
    if not ordered:
        return ()
    whole = levelled.loss(loss_name, ordered[0]).of_crowds
    counting = levelled.counting(None if whole else _matters(ordered), ordered[0])
    found: list[Reached] = []
    best: Best | None = None
    before = ordered[0]
    for target in ordered:
        kept = best if best is not None and _still(best, before, target, counting) else None
        proven = kept is not None and found[-1].proven
        if kept is None:
            loss = levelled.loss(loss_name, target)
            share = limits.again(len(ordered))
            search = LeastLoss(counting, releases, loss, target, share, narrow=False)
            ended = search.found()
            best, proven = ended.best, not ended.open
        if best is None:
            break
        before = target
        found.append(_reached(levelled, releases, target, best, proven))
    return tuple(found)


def _looseness(target: Target) -> float:
    """Rising from the loosest to the strictest."""
    allowable = target.yardstick.allowable
    assert allowable is not None
    return -allowable if target.yardstick.rising else allowable


def _matters(targets: Sequence[Target]) -> int | None:
    each = [target.rule.matters(target.budget) for target in targets]
    known = [size for size in each if size is not None]
    return max(known) if len(known) == len(each) else None


def _still(best: Best, looser: Target, target: Target, counting: Sequence[ReleaseCounting]) -> bool:
    """Whether what was best for a looser target meets this one with nobody more left out."""
    held = [table.histogram(best.levels) for table in counting]
    return all(target.needed(each) <= looser.needed(each) for each in held)


def _reached(
    levelled: Levelled, releases: Releases, target: Target, best: Best, proven: bool
) -> Reached:
    sides = levelled.released(best.levels, target)
    measure = target.yardstick.measure
    values = [measure.value(side.crowd_sizes) for side in sides]
    assert target.yardstick.allowable is not None
    return Reached(
        target.yardstick.allowable,
        float(measure.worst(values)),
        best.counted.loss,
        releases.named(best.levels),
        best.counted.out,
        proven,
    )


def risk_loss_frontier(
    table: Levelled,
    releases: Releases,
    loss: str,
    target: Target,
    asked: Sequence[Limit] | bool | None,
    limits: Limits,
) -> tuple[Reached, ...]:
    """At the values asked for; without a word where it takes no longer than the answer."""
    measure = target.yardstick.measure
    # Of learning alone there is no further step to tell of.
    usual = is_usual(table.people, releases.number) and not target.of_learning_alone
    wanted = usual if asked is None else asked
    if wanted is False:
        return ()
    given = () if isinstance(wanted, bool) else wanted
    steps = [measure.limit(each, "--frontier") for each in given]
    steps += usual_steps(measure, table.people) if wanted is True else []
    assert target.yardstick.allowable is not None
    values = sorted({target.yardstick.allowable, *steps})
    share = target.budget / max(target.people, 1)
    targets = [
        with_learning(
            target_of(measure.name, value, table.people, share),
            target.limits,
            len(table.sensitive),
            share,
        )
        for value in values
    ]
    return frontier_of(table, releases, loss, targets, limits)
