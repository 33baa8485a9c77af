"""Ranking: every combination of up to X attributes counted, and what each attribute adds.

For a report that must not take long: X is the largest size whose work, views times rows, stays
below a limit, so that the same table gets the same answer on any machine; a clock only stops what
turns out slow all the same. Each view is told by its people alone and its crowds; what an attribute
adds to the overall risk is its Shapley share over these views (`shapley`).

Shapley shares: how much each attribute adds to a measure over the combinations counted.

With v(S) the measure of the view S, d attributes and views of up to X of them counted,

    φ_i = (1/X) Σ_{k<X} mean over S with |S| = k, i ∉ S of [v(S + i) − v(S)]

which for X = d is Shapley's value: an attribute's mean addition over all orders in which attributes
may become known. Σ_i φ_i = (d/X)·(mean of v over views of X attributes − v of nothing). Shares are
φ_i / Σ φ; a monotone measure has none below 0. Where it fails: with X < d it says nothing of what
an attribute adds to more knowledge than that, and two attributes that tell the same share it.

Every view of a lattice scored, depth first, each from the view it was reached from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reidrisk.machine import Progress, each, no_progress
from reidrisk.searches.answers import Added
from reidrisk.searches.lattice import Bits, Lattice, Limits, Score, Step
from reidrisk.searches.scorer import Scorer, Seen, yardstick
from reidrisk.searches.searched_tables import Searchable


def added(lattice: Lattice, values: Mapping[Bits, float], of_nothing: float) -> tuple[Added, ...]:
    """Each attribute with its share, the largest first."""
    shares = shapley_shares(lattice, values, of_nothing)
    named = [Added(name, share) for name, share in zip(lattice.names, shares, strict=True)]
    return tuple(sorted(named, key=lambda one: -one.share))


def shapley_shares(
    lattice: Lattice, values: Mapping[Bits, float], of_nothing: float
) -> list[float]:
    """Each attribute's share, from the values of all views of the lattice."""
    raised = [lattice.raised(Step(j, 1)) for j in range(lattice.attributes)]
    sums = [[0.0] * lattice.up_to for _ in raised]
    pairs = [[0] * lattice.up_to for _ in raised]
    for bits, value in values.items():
        size = bits.bit_count()
        for j, bit in enumerate(raised):
            if bits & bit:
                without = values.get(bits ^ bit) if size > 1 else of_nothing
                if without is not None:
                    sums[j][size - 1] += value - without
                    pairs[j][size - 1] += 1
    added = [
        sum(total / number for total, number in zip(s, p, strict=True) if number)
        for s, p in zip(sums, pairs, strict=True)
    ]
    whole = sum(added)
    return [each / whole if whole else 0.0 for each in added]


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


MOST_VIEWS = 15_000
MOST_WORK = 4_000_000_000
# A view of few rows still costs its while.
FEWEST_ROWS = 2_000


@dataclass(frozen=True)
class Ranked:
    """One combination."""

    columns: tuple[str, ...]
    alone_share: float
    overall_risk: float


@dataclass(frozen=True)
class Ranking:
    """All combinations of up to `up_to` of the attributes, the riskiest of each size first."""

    up_to: int
    attributes: int
    views: tuple[Ranked, ...]
    adds: tuple[Added, ...]
    # Views there are of these sizes; fewer were counted where the time ran out.
    wanted: int

    @property
    def complete(self) -> bool:
        """Whether all were counted."""
        return len(self.views) == self.wanted

    def of_size(self, size: int) -> list[Ranked]:
        """The combinations of so many attributes, the one with most people alone first."""
        return [view for view in self.views if len(view.columns) == size]

    def smallest_beyond(self, share: float) -> list[Ranked]:
        """The smallest combinations with more people alone than that: none has another inside."""
        found: list[tuple[frozenset[str], Ranked]] = []
        for view in self.views:
            names = frozenset(view.columns)
            if view.alone_share > share and not any(inner <= names for inner, _ in found):
                found.append((names, view))
        return [view for _, view in found]


def ranking(
    asked: Searchable,
    up_to: int | None = None,
    time_limit: float | None = None,
    progress: Progress = no_progress,
) -> Ranking:
    """Count them all, up to `up_to` attributes or as many as the limits of work allow."""
    lattice = Lattice.of_knowledge(asked.names, up_to or affordable_size(asked))
    scorer = asked.scorer(lattice, yardstick("alone_share"))
    found = every_view(scorer, Limits(time_limit, None, progress), asked.threads)
    people = asked.tables[0].total
    views = [_ranked(asked, lattice, bits, score, people) for bits, score in found.items()]
    ordered = sorted(
        views, key=lambda view: (len(view.columns), -view.alone_share, -view.overall_risk)
    )
    adds = _added(lattice, found, scorer, people) if len(found) == lattice.views else ()
    return Ranking(lattice.up_to, lattice.attributes, tuple(ordered), adds, lattice.views)


def affordable_size(asked: Searchable) -> int:
    """The largest number of attributes whose views are within the limits of work; 1 at least."""
    names = asked.names
    rows = max(sum(table.rows for table in asked.tables), FEWEST_ROWS)
    sizes = range(len(names), 1, -1)
    return next((size for size in sizes if _affordable(names, size, rows)), 1)


def _affordable(names: tuple[str, ...], size: int, rows: int) -> bool:
    views = Lattice.of_knowledge(names, size).views
    return views <= MOST_VIEWS and views * rows <= MOST_WORK


def _ranked(asked: Searchable, lattice: Lattice, bits: Bits, score: Score, people: int) -> Ranked:
    assert score.crowds is not None
    return Ranked(asked.in_order(lattice.columns(bits)), score.value, score.crowds / max(people, 1))


def _added(
    lattice: Lattice, found: Mapping[Bits, Score], scorer: Scorer, people: int
) -> tuple[Added, ...]:
    def risk(score: Score) -> float:
        return (score.crowds or 0.0) / max(people, 1)

    risks = {bits: risk(score) for bits, score in found.items()}
    return added(lattice, risks, risk(scorer.root().score()))
