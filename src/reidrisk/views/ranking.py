"""Ranking: every combination of up to X attributes counted, and what each attribute adds.

For a report that must not take long: X is the largest size whose work, views times rows, stays
below a limit, so that the same table gets the same answer on any machine; a clock only stops what
turns out slow all the same. Each view is told by its people alone and its crowds; what an attribute
adds to the overall risk is its Shapley share over these views (`shapley`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reidrisk.models.contract import Progress, no_progress
from reidrisk.views.answers import Added
from reidrisk.views.every_view import every_view
from reidrisk.views.scorer import Score, Scorer
from reidrisk.views.searchable import Searchable
from reidrisk.views.searched import Limits
from reidrisk.views.shapley import added
from reidrisk.views.view import Bits, Lattice
from reidrisk.views.yardstick import yardstick

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
