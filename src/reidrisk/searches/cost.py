"""The frontier: the most an attacker reaches for each cost, and the cheapest way to it.

A view is on the frontier when no view that costs no more reaches as much. Knowing nothing costs
nothing and reaches v(∅), so a view that reaches no more isn't on it.

Branch and bound: a view's later attributes cost at least the cheapest of them and reach at most
its ceiling; if the frontier so far reaches that for no more, nothing above the view can join it.

Where it fails: with many attributes and a large budget the affordable views may be too many;
stopped (`Limits`), it says between which figures the open views lie.

Costs: what an attacker pays for each attribute, and the budget (attack paper, algorithm 6).

A TOML file names a cost for every quasi-identifier, in any unit, at the top or under
``[costs]``:

    [costs]
    age = 1
    postcode = 2.5

Sums are exact (fractions), so that three times 0.1 is within a budget of 0.3.
"""

from __future__ import annotations

import os
import tomllib
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from reidrisk.errors import InputError, UnreadableInput
from reidrisk.records import unknown_column
from reidrisk.searches.border import Place
from reidrisk.searches.lattice import Bits, Decided, Lattice, Limits, Region, Score, Step
from reidrisk.searches.scorer import Scorer, Seen

# More different sums than this aren't told apart to count views.
MOST_SUMS = 200_000
# Before or behind the point; sums stay exact, so that a cost of 1e-999999 would take for ever.
MOST_DIGITS = 100


@dataclass(frozen=True)
class Costs:
    """The cost of each attribute, in the order of a lattice."""

    each: tuple[Fraction, ...]

    def of(self, lattice: Lattice, bits: Bits) -> Fraction:
        """What a view's attributes cost together."""
        return sum((self.each[j] for j in lattice.seen(bits)), Fraction(0))

    def affordable(self, up_to: int, budget: Fraction) -> int | None:
        """How many sets of one to `up_to` attributes cost at most `budget`; None: too many sums."""
        ways: dict[tuple[int, Fraction], int] = {(0, Fraction(0)): 1}
        for cost in self.each:
            for (size, total), number in list(ways.items()):
                if size < up_to and total + cost <= budget:
                    more = (size + 1, total + cost)
                    ways[more] = ways.get(more, 0) + number
            if len(ways) > MOST_SUMS:
                return None
        return sum(ways.values()) - 1


def load_costs(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Costs from a TOML file."""
    place = Path(path)
    try:
        told = tomllib.loads(place.read_text(encoding="utf-8"), parse_float=str)
    except OSError as error:
        raise UnreadableInput(f"{place} can't be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        # Not TOML, not UTF-8, or a number of thousands of digits.
        raise UnreadableInput(
            f"{place.name} isn't TOML", "a line a column, as in: age = 1  or  'home town' = 2.5"
        ) from None
    held = told.get("costs", told)
    return dict(held) if isinstance(held, Mapping) else told


def checked_costs(given: Mapping[str, Any], names: Sequence[str]) -> dict[str, Fraction]:
    """A cost of zero or more for each attribute, and for no other."""
    for name in given:
        if name not in names:
            unknown = unknown_column(str(name), names)
            raise InputError(
                f"a cost is given for {str(name)!r}, which isn't among the quasi-identifiers",
                unknown.hint,
            )
    missing = [name for name in names if name not in given]
    if missing:
        listed = ", ".join(missing[:10]) + (" …" if len(missing) > 10 else "")
        raise InputError(
            f"no cost is given for {listed}", "give every quasi-identifier a cost, 0 if it is free"
        )
    return {name: amount(f"the cost of {name}", given[name]) for name in names}


def amount(what: str, given: Any) -> Fraction:
    """A number of zero or more, exactly."""
    try:
        told = None if isinstance(given, bool) else Decimal(str(given).strip())
    except InvalidOperation:
        told = None
    if told is None or not told.is_finite():
        raise InputError(f"{what} isn't a number")
    if told and abs(told.adjusted()) > MOST_DIGITS:
        raise InputError(f"{what} has more than {MOST_DIGITS} digits", "take another unit")
    exact = Fraction(told)
    if exact < 0:
        raise InputError(f"{what} is {float(exact):g}, and a cost can't be negative")
    return exact


def refuse_empty_budget(costs: Mapping[str, Fraction], budget: Fraction) -> None:
    """A budget has to buy something."""
    cheapest = min(costs, key=lambda name: costs[name])
    if costs[cheapest] > budget:
        raise InputError(
            f"a budget of {float(budget):g} buys nothing: the cheapest attribute, {cheapest}, "
            f"costs {float(costs[cheapest]):g}",
            f"allow at least that: --budget {float(costs[cheapest]):g}",
        )


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
