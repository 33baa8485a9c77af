"""Curves: several lines in one frame, thin ones for single cases and bold ones for their mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from reidrisk.charts.theme import LINES, WIDE, Chart, altair, dressed, rows_of


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
