"""Frontiers: what each cost buys an attacker, and what each loss of detail buys in safety."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from reidrisk.charts.theme import ALONE, HIDDEN, WIDE, Chart, altair, dressed, per_cent, rows_of


class Bought(NamedTuple):
    """What is paid, what it reaches, and with what."""

    paid: float
    reached: float
    told: str = ""


def cost_frontier(points: Sequence[Bought], measure: str, width: int = WIDE) -> Chart:
    """A rising staircase: the most that each cost reaches."""
    return _staircase(points, ("cost", measure), ALONE, width)


def generalisation_frontier(points: Sequence[Bought], measure: str, width: int = WIDE) -> Chart:
    """A falling staircase: the least risk that each loss of detail leaves."""
    return _staircase(points, ("loss of detail", measure), HIDDEN, width)


def _staircase(points: Sequence[Bought], titles: tuple[str, str], colour: str, width: int) -> Chart:
    alt = altair()
    rows = [{"paid": p.paid, "reached": p.reached, "told": p.told} for p in points]
    most = max((point.reached for point in points), default=0.0)
    # A measure may be a number of people rather than a share.
    axis: Any = per_cent(alt, most) if most <= 1.0 else alt.Axis(tickCount=5)
    base = alt.Chart(rows_of(rows)).encode(
        x=alt.X("paid:Q", title=titles[0]),
        y=alt.Y("reached:Q", title=titles[1], axis=axis, scale=alt.Scale(domainMin=0)),
    )
    line = base.mark_line(color=colour, strokeWidth=2.5, interpolate="step-after")
    dots = base.mark_point(color=colour, filled=True, size=70, opacity=1).encode(
        tooltip=["told:N", "paid:Q", "reached:Q"]
    )
    return dressed(alt.layer(line, dots), described(points, titles), width, 240)


def described(points: Sequence[Bought], titles: tuple[str, str]) -> str:
    """The picture in words: its two ends."""
    ends = [points[0], points[-1]] if len(points) > 1 else list(points)
    told = "; ".join(f"{each.paid:.3g}: {each.reached:.3g} ({each.told})" for each in ends)
    return f"Staircase: {titles[1]} by {titles[0]}. {told}."
