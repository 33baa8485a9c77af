"""The risk–loss frontier: the least loss for each allowable risk, and what each further step costs.

Targets are taken from the loosest to the strictest. What is best for one is best for the next if it
meets it as well with no more people left out: no stricter target can lose less. All searches share
the releases counted. Under a time limit all of them together take as long again as the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reidrisk.crowds import Measure
from reidrisk.generalisation.generalised import Reached
from reidrisk.generalisation.least_loss import LeastLoss
from reidrisk.generalisation.open_releases import Best
from reidrisk.generalisation.release_counts import Levelled, ReleaseCounting
from reidrisk.generalisation.releases import Releases
from reidrisk.generalisation.target import Target
from reidrisk.searches import Limits

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
    counting = levelled.counting(None if whole else _matters(ordered))
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
