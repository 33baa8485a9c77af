"""Telling: from bits and scores to the views and figures of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from reidrisk.views.answers import FoundView, OpenViews, Searched
from reidrisk.views.scorer import Score, Scorer
from reidrisk.views.searchable import Searchable
from reidrisk.views.searched import Decided, Region
from reidrisk.views.view import Bits, Lattice
from reidrisk.views.yardstick import Yardstick

# Views decided without counting are counted for the answer while they are few.
COUNTED_FOR_THE_ANSWER = 200


@dataclass(frozen=True, eq=False)
class Telling:
    """Names columns as the user did, and knows what scores mean."""

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
        return FoundView(columns, measures, cost, **self._over_draws(score))

    def _over_draws(self, score: Score) -> dict[str, Any]:
        if not score.each:
            return {}
        told: dict[str, Any] = {
            "intervals": {self.yardstick.name: (min(score.each), max(score.each))}
        }
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
