"""The answers of `search`: views with their figures, in one shape for its three questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from reidrisk.crowds import Answer, Envelope
from reidrisk.prediction import of_a_combination
from reidrisk.searches.lattice import Bits, Decided, Lattice, Region, Score
from reidrisk.searches.scorer import Scorer, Yardstick
from reidrisk.searches.searched_tables import Searchable


@dataclass(frozen=True)
class FoundView:
    """A view by its columns, its measures by name, and what it costs.

    From statistics, `intervals` hold the measures of all drawn tables, and `risky_in` says in how
    many of them the view is risky by itself.
    """

    columns: tuple[str, ...]
    measures: Mapping[str, float | None]
    cost: float | None = None
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    risky_in: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        told: dict[str, Any] = {"columns": list(self.columns)}
        if self.cost is not None:
            told["cost"] = self.cost
        told |= self.measures
        if self.intervals:
            told["intervals"] = {name: list(limits) for name, limits in self.intervals.items()}
        if self.risky_in is not None:
            told["risky_in"] = self.risky_in
        return told


@dataclass(frozen=True)
class OpenViews:
    """Views not decided: they see all of `sees`, some of `any_of`, nothing beyond `no_more_than`.

    Their measure lies between those of two views that were counted: `low`, of what they all see,
    and `high`, of more than any of them sees.
    """

    sees: tuple[str, ...]
    any_of: tuple[str, ...]
    no_more_than: tuple[str, ...]
    views: int
    low: float
    high: float

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "sees": list(self.sees),
            "any_of": list(self.any_of),
            "no_more_than": list(self.no_more_than),
            "views": self.views,
            "low": self.low,
            "high": self.high,
        }


@dataclass(frozen=True)
class Searched:
    """How many views there were, and what became of them."""

    views: int
    counted: int
    pruned: Mapping[str, int]
    up_to: int
    # Counted besides, to close what lies below them or to bound what is open.
    ceilings: int = 0
    open_views: int = 0
    open: tuple[OpenViews, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every view was decided."""
        return not self.open_views

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "views": self.views,
            "up_to": self.up_to,
            "counted": self.counted,
            "ceilings": self.ceilings,
            "pruned": dict(self.pruned),
            "complete": self.complete,
            "open_views": self.open_views,
            "open": [each.to_dict() for each in self.open],
        }


@dataclass(frozen=True)
class Combination:
    """One combination of attributes, by z (`ratio`): how much more it tells than any of them."""

    columns: tuple[str, ...]
    mean: float
    median: float
    largest: float
    share_above: float
    interval: tuple[float, float] | None = None

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        told: dict[str, Any] = {
            "columns": list(self.columns),
            "mean": self.mean,
            "median": self.median,
            "largest": self.largest,
            "share_above": self.share_above,
        }
        return told | ({"intervals": {"share_above": list(self.interval)}} if self.interval else {})


@dataclass(frozen=True)
class Added:
    """How much an attribute adds: its Shapley share over the combinations counted."""

    attribute: str
    share: float

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {"attribute": self.attribute, "share": self.share}


@dataclass(frozen=True, eq=False)
class SearchAnswer(Answer):
    """What every search says."""

    envelope: Envelope
    searched: Searched
    # From statistics: how many tables were drawn, and why from this model.
    draws: int | None
    why: str

    def to_dict(self) -> dict[str, Any]:
        """As in JSON; the keys are fixed."""
        empty: dict[str, Any] = {"minimal_risky": [], "maximal_safe": [], "frontier": []}
        ends = {"draws": self.draws, "why": self.why or None, "searched": self.searched.to_dict()}
        return self.envelope.to_dict() | empty | self._own() | ends

    def _own(self) -> dict[str, Any]:
        return {}


@dataclass(frozen=True, eq=False)
class BorderFound(SearchAnswer):
    """Which views are risky: the minimal ones, and the maximal safe ones."""

    measure: str
    allowable_risk: float
    minimal_risky: tuple[FoundView, ...]
    maximal_safe: tuple[FoundView, ...]
    # Safe views of as many attributes as were searched: more knowledge than that wasn't asked.
    safe_at_limit: int

    def _own(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "allowable_risk": self.allowable_risk,
            "minimal_risky": [each.to_dict() for each in self.minimal_risky],
            "maximal_safe": [each.to_dict() for each in self.maximal_safe],
            "safe_at_limit": self.safe_at_limit,
        }


@dataclass(frozen=True, eq=False)
class RatioFound(SearchAnswer):
    """Combinations, by the share of people they tell much more of than their attributes do."""

    ratio: float
    attributes: int
    combinations: tuple[Combination, ...]
    adds: tuple[Added, ...]

    def _own(self) -> dict[str, Any]:
        return {
            "ratio": self.ratio,
            "attributes": self.attributes,
            "combinations": [each.to_dict() for each in self.combinations],
            "adds": [each.to_dict() for each in self.adds],
        }


@dataclass(frozen=True, eq=False)
class CostsFound(SearchAnswer):
    """What a budget reaches: the most for each cost, and the cheapest way to a given success."""

    measure: str
    budget: float
    costs: Mapping[str, float]
    # Sets of attributes the budget buys; None where they are too many to tell.
    affordable: int | None
    of_nothing: float
    frontier: tuple[FoundView, ...]
    success: float | None = None
    cheapest: FoundView | None = None

    def _own(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "budget": self.budget,
            "costs": dict(self.costs),
            "affordable": self.affordable,
            "of_nothing": self.of_nothing,
            "frontier": [each.to_dict() for each in self.frontier],
            "success": self.success,
            "cheapest": None if self.cheapest is None else self.cheapest.to_dict(),
        }


# Views decided without counting are counted for the answer while they are few.
COUNTED_FOR_THE_ANSWER = 200


@dataclass(frozen=True, eq=False)
class ViewFigures:
    """From bits and scores to views and figures, columns named as the user did."""

    asked: Searchable
    scorer: Scorer
    yardstick: Yardstick
    costs: Mapping[str, Fraction] | None = None

    @property
    def lattice(self) -> Lattice:
        """The views searched."""
        return self.scorer.lattice

    def columns(self, bits: Bits) -> tuple[str, ...]:
        """A view's columns in the user's order."""
        return self.asked.in_order(self.lattice.columns(bits))

    def views(self, found: Mapping[Bits, Score | None]) -> tuple[FoundView, ...]:
        """Views with their figures; those not counted yet, or not exactly, are counted now."""
        left = COUNTED_FOR_THE_ANSWER
        told = []
        for bits, score in found.items():
            if (score is None or not score.exact) and left:
                score, left = self.scorer.exactly(bits), left - 1
            told.append(self.view(bits, score))
        return tuple(sorted(told, key=self._rank))

    def _rank(self, view: FoundView) -> tuple[float, int, float, list[int]]:
        """Cheapest first where costs are known; fewest columns; the riskiest of them."""
        value = view.measures[self.yardstick.name]
        risk = 0.0 if value is None else value if self.yardstick.rising else -value
        places = [self.asked.columns.index(name) for name in view.columns]
        return (view.cost or 0.0, len(view.columns), -risk, places)

    def view(self, bits: Bits, score: Score | None) -> FoundView:
        """One view with its figures."""
        name, people = self.yardstick.name, self.asked.tables[0].total
        measures: dict[str, float | None] = {name: None}
        columns = self.columns(bits)
        cost = None if self.costs is None else float(sum(self.costs[each] for each in columns))
        if score is None:
            return FoundView(columns, measures, cost)
        if score.crowds is not None and score.alone is not None:
            measures = {"overall_risk": score.crowds / people, "alone_share": score.alone / people}
        measures[name] = score.value if score.exact else None
        return FoundView(columns, measures, cost, **self._over_draws(score, len(columns)))

    def _over_draws(self, score: Score, attributes: int) -> dict[str, Any]:
        if not score.each:
            return {}
        name, limits = self.yardstick.name, (min(score.each), max(score.each))
        if self.asked.signs is not None and score.exact:
            model, signs = self.asked.envelope.model or "", self.asked.signs
            limits = of_a_combination(name, score.value, limits, model, signs, attributes)
        told: dict[str, Any] = {"intervals": {name: limits}}
        if self.yardstick.allowable is not None:
            told["risky_in"] = sum(self.yardstick.risky(value) for value in score.each)
        return told

    def searched(self, found: Decided) -> Searched:
        """What became of every view."""
        return Searched(
            views=self.lattice.views,
            counted=found.counted,
            pruned={rule: views for rule, views in sorted(found.pruned.items()) if views},
            up_to=self.lattice.up_to,
            ceilings=found.ceilings,
            open_views=found.open,
            open=tuple(map(self._open, sorted(found.regions, key=lambda one: -one.views))),
        )

    def _open(self, region: Region) -> OpenViews:
        low, high = (
            score if score.exact else self.scorer.exactly(bits)
            for bits, score in ((region.floor, region.low), (region.roof, region.high))
        )
        names = self.lattice.names
        return OpenViews(
            self.columns(region.base),
            self.asked.in_order([names[j] for j in region.any_of]),
            self.columns(region.roof),
            region.views,
            low.value,
            high.value,
        )
