"""All knowledge of up to K attributes: each view's figures; for each size mean, worst and best.

Σ_{i=1}^{K} C(d, i) views of d attributes. The mean of a size is over its views, each counted once;
the worst view is the one a measure finds riskiest, the first of several.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from reidrisk.crowds import CrowdSizes
from reidrisk.crowds.measures import parsed_measure, safer_when_larger
from reidrisk.engines.contract import Progress, no_progress
from reidrisk.errors import InputError

Counted = Callable[[Sequence[str]], CrowdSizes]
USUAL_LIMIT = 10_000
WORK = "counting views"


@dataclass(frozen=True)
class KnownView:
    """What somebody who knows these attributes can do."""

    knows: tuple[str, ...]
    value: float
    overall_risk: float
    alone_share: float
    highest_risk: float

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return vars(self) | {"knows": list(self.knows)}


@dataclass(frozen=True)
class OfOneSize:
    """All views of so many attributes, by one measure."""

    size: int
    views: int
    mean: float
    worst: KnownView
    best: KnownView

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        worst, best = self.worst.to_dict(), self.best.to_dict()
        return vars(self) | {"worst": worst, "best": best}


@dataclass(frozen=True)
class AllKnowledge:
    """Every view of up to `up_to` attributes."""

    up_to: int
    measure: str
    sizes: tuple[OfOneSize, ...]
    views: tuple[KnownView, ...]

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "up_to": self.up_to,
            "measure": self.measure,
            "sizes": [each.to_dict() for each in self.sizes],
            "views": [each.to_dict() for each in self.views],
        }


def number_of_views(attributes: int, up_to: int) -> int:
    """Σ_{i=1}^{up_to} C(attributes, i)."""
    return sum(math.comb(attributes, size) for size in range(1, up_to + 1))


def refuse_too_many(attributes: int, up_to: int, limit: int, option: str = "--up-to") -> None:
    """Say how many views there would be before any is counted."""
    views = number_of_views(attributes, up_to)
    if views > limit:
        raise InputError(
            f"{option} {up_to} of {attributes} attributes are {views:,} views, and at most "
            f"{limit:,} are counted",
            f"look at fewer attributes or a smaller size, or allow it: --view-limit {views}",
        )


def all_knowledge(
    names: Sequence[str],
    up_to: int,
    counted: Counted,
    measure: str = "overall_risk",
    progress: Progress = no_progress,
) -> AllKnowledge:
    """Count every view of up to `up_to` of the attributes; `counted` counts one."""
    of_measure = parsed_measure(measure)
    total = number_of_views(len(names), up_to)
    views: list[KnownView] = []
    sizes = []
    for size in range(1, up_to + 1):
        begun = len(views)
        for knows in combinations(names, size):
            views.append(_figures(knows, counted(knows), of_measure))
            progress(WORK, len(views), total)
        sizes.append(_summed_up(size, views[begun:], measure))
    return AllKnowledge(up_to, measure, tuple(sizes), tuple(views))


def _figures(
    knows: tuple[str, ...], crowds: CrowdSizes, measure: Callable[[CrowdSizes], float]
) -> KnownView:
    risk = crowds.overall_risk
    return KnownView(knows, measure(crowds), risk, crowds.alone_share, crowds.highest_risk)


def _summed_up(size: int, views: Sequence[KnownView], measure: str) -> OfOneSize:
    turned = -1 if safer_when_larger(measure) else 1
    worst = max(views, key=lambda view: turned * view.value)
    best = min(views, key=lambda view: turned * view.value)
    mean = math.fsum(view.value for view in views) / len(views)
    return OfOneSize(size, len(views), mean, worst, best)
