"""One person's k curve: how likely at least k people share the tuple, the person among them."""

from __future__ import annotations

from collections.abc import Mapping

from reidrisk.charts.at_least import AtLeast, at_least
from reidrisk.charts.theme import WIDE, Chart
from reidrisk.reporting.wording import share


def person_curve(
    probabilities: Mapping[int, float],
    without_dependence: Mapping[int, float] | None = None,
    width: int = WIDE,
) -> Chart:
    """P(crowd ≥ k) by k; as if all values were independent beside it, where that is known."""
    several = without_dependence is not None
    points = [
        AtLeast(k, part, share(part), "with dependence" if several else "")
        for k, part in probabilities.items()
    ]
    points += [
        AtLeast(k, part, share(part), "as if independent")
        for k, part in (without_dependence or {}).items()
    ]
    return at_least(points, width, "probability of a crowd of at least k")
