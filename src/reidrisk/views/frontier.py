"""The frontier: the most an attacker reaches for each cost, and the cheapest way to it.

A view is on the frontier when no view that costs no more reaches as much. Knowing nothing costs
nothing and reaches v(∅), so a view that reaches no more isn't on it.

Branch and bound: a view's later attributes cost at least the cheapest of them and reach at most
its ceiling; if the frontier so far reaches that for no more, nothing above the view can join it.

Where it fails: with many attributes and a large budget the affordable views may be too many;
stopped (`Limits`), it says between which figures the open views lie.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple

from reidrisk.views.children import Place
from reidrisk.views.costs import Costs
from reidrisk.views.scorer import Score, Scorer, Seen
from reidrisk.views.searched import Decided, Limits, Region
from reidrisk.views.view import Bits, Step

WORTH_A_CEILING = 12
NOTHING = Score(0.0)


class Point(NamedTuple):
    """A view on the frontier."""

    cost: Fraction
    bits: Bits
    score: Score


@dataclass(eq=False)
class Frontier(Decided):
    """Points by rising cost and rising value."""

    nothing: Score = NOTHING
    points: list[Point] = field(default_factory=list)

    def reached(self, cost: Fraction) -> float:
        """The most that is reached for a cost."""
        place = bisect_right(self.points, cost, key=lambda point: point.cost)
        return self.points[place - 1].score.value if place else self.nothing.value

    def offer(self, cost: Fraction, bits: Bits, score: Score) -> None:
        """Take a view in if it reaches more than all that cost no more."""
        if score.value <= self.reached(cost):
            return
        kept = [p for p in self.points if p.cost < cost or p.score.value > score.value]
        self.points = sorted([*kept, Point(cost, bits, score)], key=lambda point: point.cost)

    def cheapest(self, value: float) -> Point | None:
        """The cheapest way to reach at least so much."""
        return next((point for point in self.points if point.score.value >= value), None)


def frontier(scorer: Scorer, costs: Costs, budget: Fraction, limits: Limits) -> Frontier:
    """Search the views that cost at most `budget`."""
    limits.views = scorer.lattice.views
    lattice = scorer.lattice
    scorer.prepare(lattice.all_bits() if lattice.views <= 1 << 12 else ())
    limits.allowed(1)
    top, root = scorer.root().ceiled()
    nothing = root.score()
    found = Frontier(ceilings=1, nothing=nothing)
    place = Place(0, 0, lattice.up_to, 0, nothing, lattice.from_on(0), top, nothing)
    _Climb(scorer, costs, budget, limits, found).explore(root, place, Fraction(0))
    return found


@dataclass(frozen=True)
class _Climb:
    scorer: Scorer
    costs: Costs
    budget: Fraction
    limits: Limits
    found: Frontier

    def explore(self, seen: Seen, place: Place, cost: Fraction) -> None:
        """Score the affordable views one step on, then go above each, the best first."""
        lattice = self.scorer.lattice
        steps = [
            Step(j, k) for j in range(place.first, lattice.attributes) for k in lattice.levels(j)
        ]
        bought = [s for s in steps if cost + self.costs.each[s.attribute] <= self.budget]
        self._prune("over_budget", sum(1 + self._above(place, s) for s in steps if s not in bought))
        allowed = bought[: self.limits.allowed(len(bought))]
        scored = list(zip(allowed, seen.scores(allowed), strict=True))
        self.found.counted += len(scored)
        for step, score in scored:
            bits = place.bits | lattice.raised(step)
            self.found.offer(cost + self.costs.each[step.attribute], bits, score)
        if len(allowed) < len(bought):
            self._leave_open(place, bought[len(allowed) :])
        if place.left > 1:
            for step, score in sorted(scored, key=lambda pair: -pair[1].value):
                self._enter(seen, place, step, score, cost + self.costs.each[step.attribute])

    def _enter(self, seen: Seen, place: Place, step: Step, score: Score, cost: Fraction) -> None:
        """Above a view, unless nothing there can join the frontier."""
        lattice = self.scorer.lattice
        bits, first = place.bits | lattice.raised(step), step.attribute + 1
        there = replace(place, bits=bits, first=first, left=place.left - 1, floor=bits, low=score)
        views = lattice.above(first, there.left)
        if not views:
            return
        least = cost + min(self.costs.each[first:])
        if least > self.budget:
            self._prune("over_budget", views)
            return
        inner = seen.raised(step)
        open_yet = self.found.reached(least) < place.high.value
        if open_yet and views >= WORTH_A_CEILING and self.limits.allowed(1):
            high, inner = inner.ceiled()
            there = replace(there, roof=bits | lattice.from_on(first), high=high)
            self.found.ceilings += 1
        if there.high.value <= self.found.reached(least):
            self._prune("dominated", views)
            return
        self.explore(inner, there, cost)

    def _leave_open(self, place: Place, steps: list[Step]) -> None:
        any_of = tuple(sorted({step.attribute for step in steps}))
        views = sum(1 + self._above(place, step) for step in steps)
        self.found.regions.append(
            Region(place.floor, place.bits, any_of, place.roof, views, place.low, place.high)
        )

    def _above(self, place: Place, step: Step) -> int:
        return self.scorer.lattice.above(step.attribute + 1, place.left - 1)

    def _prune(self, rule: str, views: int) -> None:
        if views:
            self.found.pruned[rule] += views
            self.limits.tell(views)
