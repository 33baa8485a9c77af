"""The share of people in crowds of at least k, as k grows: how well people are hidden."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from reidrisk.charts.theme import HIDDEN, LINES, WIDE, Chart, altair, dressed, rows_of

TITLE = "people in crowds of at least k"


class AtLeast(NamedTuple):
    """A crowd size k, the share of people in crowds of at least k, and the share in words."""

    k: int
    share: float
    told: str = ""
    # Which of several answers the point belongs to.
    of: str = ""


def at_least(points: Sequence[AtLeast], width: int = WIDE, title: str = TITLE) -> Chart:
    """A falling line over k; one line for each of several answers."""
    alt = altair()
    rows = [{"k": f"{p.k:,}", "share": p.share, "told": p.told, "of": p.of} for p in points]
    order = [f"{k:,}" for k in sorted({point.k for point in points})]
    names = list(dict.fromkeys(point.of for point in points))
    line = {"color": alt.value(HIDDEN)}
    if len(names) > 1:
        scale = alt.Scale(domain=names, range=list(LINES[: len(names)]))
        line = {
            "color": alt.Color("of:N", scale=scale),
            "shape": alt.Shape("of:N", scale=alt.Scale(domain=names)),
            "strokeDash": alt.StrokeDash("of:N", scale=alt.Scale(domain=names)),
        }
    x = alt.X("k:N", sort=order, title="k, people in the crowd", axis=alt.Axis(labelAngle=0))
    y = alt.Y(
        "share:Q",
        title=title,
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format=".0%", tickCount=5),
    )
    marks = {"color": line["color"]} | ({"shape": line["shape"]} if len(names) > 1 else {})
    base = alt.Chart(rows_of(rows))
    drawn = base.mark_line(strokeWidth=2.5).encode(
        x=x, y=y, **{key: line[key] for key in line if key != "shape"}
    )
    dots = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=x, y=y, tooltip=["k:N", "told:N"], **marks
    )
    return dressed(alt.layer(drawn, dots), described(points, title), width, 240)


def described(points: Sequence[AtLeast], title: str = TITLE) -> str:
    """The picture in words."""
    told = "; ".join(
        f"{f'{point.of}, ' if point.of else ''}at least {point.k:,}: {point.told}"
        for point in points
    )
    return f"Falling line: {title}. {told}."
