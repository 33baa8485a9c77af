"""Boxes: quartiles and whiskers of many samples, beside each other and grouped by colour.

Curves: several lines in one frame, thin ones for single cases and bold ones for their mean.

Points: a cloud, or several, with the line fitted to it or the line it ought to lie on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reidrisk.reports import INK, LINES, WIDE, Chart, altair, dressed, looking_alike, rows_of

# Whiskers leave out one in twenty at either end.
_PARTS = (0.05, 0.25, 0.5, 0.75, 0.95)


class Box(NamedTuple):
    """One sample: where it stands (sector, place within it, colour) and five of its quantiles."""

    sector: str
    place: str
    colour: str
    quantiles: tuple[float, float, float, float, float]

    @classmethod
    def of(cls, sector: str, place: str, colour: str, values: ArrayLike) -> Box:
        """The 5 %, 25 %, 50 %, 75 % and 95 % quantiles of some values."""
        found = np.quantile(np.asarray(values, dtype=np.float64), _PARTS)
        low, quarter, half, three, high = (float(each) for each in found)
        return cls(sector, place, colour, (low, quarter, half, three, high))


def boxes(parts: Sequence[Box], title: str, across: str, width: int = WIDE) -> Chart:
    """Sectors side by side, each with its places along the axis and its colours beside them."""
    alt = altair()
    rows = [_row(part) for part in parts]
    sectors, places, colours = (
        list(dict.fromkeys(getattr(part, name) for part in parts))
        for name in ("sector", "place", "colour")
    )
    x = alt.X("place:N", title=across, sort=places, axis=alt.Axis(labelAngle=0))
    offset = alt.XOffset("colour:N", sort=colours)
    colour = alt.Color("colour:N", sort=colours, scale=alt.Scale(domain=colours, range=LINES))
    base = alt.Chart(rows_of(rows)).encode(x=x, xOffset=offset)
    # One small box stands for each: its width is what the sectors leave.
    side_by_side = len(sectors) if width >= WIDE else min(2, len(sectors))
    each = round((width - 70) / side_by_side) - 10
    wide = max(2, min(14, round(0.6 * each / (len(places) * len(colours)))))
    whiskers = base.mark_rule(color=INK, opacity=0.6).encode(
        y=alt.Y("low:Q", title=title), y2="high:Q"
    )
    bodies = base.mark_bar(width=wide).encode(y="quarter:Q", y2="three:Q", color=colour)
    middles = base.mark_tick(color=INK, width=wide, thickness=1.5).encode(y="half:Q")
    layers = alt.layer(whiskers, bodies, middles).properties(width=each, height=240)
    header = alt.Header(labelColor=INK)
    split = layers.facet(
        alt.Facet("sector:N", sort=sectors, title=None, header=header),
        columns=side_by_side,
        spacing=10,
    )
    told = f"Boxes of {title} by {across}, {len(parts)} in all."
    return looking_alike(split.properties(description=told))


def _row(part: Box) -> dict[str, object]:
    names = ("low", "quarter", "half", "three", "high")
    held = dict(zip(names, part.quantiles, strict=True))
    return {"sector": part.sector, "place": part.place, "colour": part.colour, **held}


class Curve(NamedTuple):
    """A line: its name (those of one name share a colour), its points, whether it is thin."""

    name: str
    points: Sequence[tuple[float, float]]
    thin: bool = False
    dashed: bool = False


def curves(
    parts: Sequence[Curve],
    across: str,
    up: str,
    width: int = WIDE,
    *,
    height: int = 280,
    log_y: bool = False,
    log_x: bool = False,
    share_y: bool = False,
    step: bool = False,
) -> Chart:
    """Every line, the thin ones behind."""
    alt = altair()
    names = list(dict.fromkeys(part.name for part in parts))
    rows = [
        {"name": part.name, "line": number, "thin": part.thin, "dashed": part.dashed,
         "order": place, "x": x, "y": y}
        for number, part in enumerate(parts)
        for place, (x, y) in enumerate(part.points)
        if not (log_y and y <= 0)
    ]  # fmt: skip
    # The legend's strokes as of the bold lines, not of the thin ones behind.
    beside: Any = {"columns": 2} if width < WIDE and len(names) > 2 else {}
    legend = alt.Legend(symbolOpacity=1, symbolStrokeWidth=2.2, **beside)
    scale = alt.Scale(domain=names, range=LINES)
    colour = alt.Color("name:N", sort=names, scale=scale, legend=legend)
    ticks = alt.Axis(tickCount=10 if width >= WIDE else 5)
    x = alt.X("x:Q", title=across, scale=_scale(alt, log_x), axis=ticks)
    axis = alt.Axis(format=".0%") if share_y else alt.Axis(format=".0e") if log_y else alt.Axis()
    y = alt.Y("y:Q", title=up, scale=_scale(alt, log_y), axis=axis)
    base = alt.Chart(rows_of(rows)).encode(x=x, y=y, color=colour, detail="line:N", order="order:Q")
    shape: Any = {"interpolate": "step-after"} if step else {}
    dash = alt.condition("datum.dashed", alt.value([5, 4]), alt.value([1, 0]))
    behind = base.transform_filter("datum.thin").mark_line(strokeWidth=0.7, opacity=0.35, **shape)
    before = base.transform_filter("!datum.thin").mark_line(strokeWidth=2.2, **shape)
    layers = alt.layer(behind, before.encode(strokeDash=dash))
    told = f"Curves of {up} against {across}: {', '.join(names)}."
    return dressed(layers, told, width, height)


def _scale(alt: Any, log: bool) -> Any:
    return alt.Scale(type="log") if log else alt.Scale(zero=False, nice=True)


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
    x = alt.X("x:Q", title=across, scale=_points_scale(alt, log_x), axis=ticks)
    y = alt.Y("y:Q", title=up, scale=_points_scale(alt, log_y))
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


def _points_scale(alt: Any, log: bool) -> Any:
    return alt.Scale(type="log") if log else alt.Scale(zero=False, nice=True)
