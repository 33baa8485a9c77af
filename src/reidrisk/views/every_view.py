"""Every view of a lattice scored, depth first, each from the view it was reached from."""

from __future__ import annotations

from reidrisk.cores import each
from reidrisk.views.scorer import Score, Scorer, Seen
from reidrisk.views.searched import Limits
from reidrisk.views.view import Bits, Step

# A ceiling costs as much as several views, and saves rows for those above: from so many on.
WORTH_A_CEILING = 24
WORTH_SHARING = 20_000


def every_view(scorer: Scorer, limits: Limits, threads: int = 1) -> dict[Bits, Score]:
    """{view: score}, all of them or as many as the limits allow."""
    lattice = scorer.lattice
    limits.views = lattice.views
    found: dict[Bits, Score] = {}
    # Where most views are counted ahead there is little left to save rows for.
    ahead = scorer.prepare(lattice.all_bits()) if lattice.views <= 1 << 16 else 0

    def walk(seen: Seen, bits: Bits, first: int, left: int) -> None:
        steps = [Step(j, k) for j in range(first, lattice.attributes) for k in lattice.levels(j)]
        if lattice.above(first, left) >= WORTH_A_CEILING and left > 1 and not ahead:
            seen = seen.ceiled()[1]
        some = steps[: limits.allowed(len(steps))]
        for step, score in zip(some, seen.scores(some), strict=True):
            found[bits | lattice.raised(step)] = score
        limits.tell(0)
        if left > 1 and len(some) == len(steps):
            inner = [step for step in steps if step.attribute + 1 < lattice.attributes]
            shared = threads if not bits and scorer.rows >= WORTH_SHARING else 1
            each(lambda step: enter(seen, bits, step, left), inner, shared)

    def enter(seen: Seen, bits: Bits, step: Step, left: int) -> None:
        walk(seen.raised(step), bits | lattice.raised(step), step.attribute + 1, left - 1)

    walk(scorer.root(), 0, 0, lattice.up_to)
    return found
