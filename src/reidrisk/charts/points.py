"""Points: a cloud, or several, with the line fitted to it or the line it ought to lie on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from reidrisk.charts.theme import INK, LINES, WIDE, Chart, altair, dressed, rows_of


class Cloud(NamedTuple):
    """Points of one name."""

    name: str
    points: Sequence[tuple[float, float]]


def points(
    clouds: Sequence[Cloud],
    across: str,
    up: str,
    width: int = WIDE,
    *,
    line: Sequence[tuple[float, float]] = (),
    height: int = 280,
    size: int = 22,
    log_x: bool = False,
    log_y: bool = False,
    whole_x: bool = False,
) -> Chart:
    """The clouds, and a dashed line through given points; `whole_x` ticks whole numbers alone."""
    alt = altair()
    names = list(dict.fromkeys(cloud.name for cloud in clouds))
    rows = [{"name": cloud.name, "x": x, "y": y} for cloud in clouds for x, y in cloud.points]
    few = 10 if width >= WIDE else 5
    ticks = alt.Axis(format="d", tickMinStep=1) if whole_x else alt.Axis(tickCount=few)
    x = alt.X("x:Q", title=across, scale=_scale(alt, log_x), axis=ticks)
    y = alt.Y("y:Q", title=up, scale=_scale(alt, log_y))
    # Two names side by side are what a narrow page holds.
    beside = alt.Legend(columns=2) if width < WIDE and len(names) > 2 else alt.Undefined
    legend = {"legend": beside if len(names) > 1 else None}
    colour = alt.Color("name:N", sort=names, scale=alt.Scale(domain=names, range=LINES), **legend)
    shown = alt.Chart(rows_of(rows)).mark_circle(size=size, opacity=0.6)
    layers = [shown.encode(x=x, y=y, color=colour)]
    if line:
        ends = rows_of([{"x": a, "y": b} for a, b in line])
        layers.append(alt.Chart(ends).mark_line(color=INK, strokeDash=[5, 4]).encode(x=x, y=y))
    told = f"Points of {up} against {across}: {', '.join(names)}, {len(rows)} in all."
    return dressed(alt.layer(*layers), told, width, height)


def _scale(alt: Any, log: bool) -> Any:
    return alt.Scale(type="log") if log else alt.Scale(zero=False, nice=True)
