"""The group-size curve: how likely all members of a group are unique, as the group grows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from reidrisk.charts.theme import LINES, WIDE, Chart, altair, dressed, rows_of


class OfSize(NamedTuple):
    """A probability at one group size; `law` says of what."""

    size: int
    probability: float
    law: str


def group_curve(points: Sequence[OfSize], width: int = WIDE) -> Chart:
    """One line for each law."""
    alt = altair()
    rows = [{"size": p.size, "probability": p.probability, "law": p.law} for p in points]
    names = list(dict.fromkeys(point.law for point in points))
    legend = alt.Legend(columns=1, labelLimit=width - 60)
    chart = (
        alt.Chart(rows_of(rows))
        .mark_line(strokeWidth=2.5, interpolate="monotone")
        .encode(
            x=alt.X("size:Q", title="people in the group", scale=alt.Scale(nice=False)),
            y=alt.Y(
                "probability:Q",
                title="probability",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format=".0%", tickCount=5),
            ),
            color=alt.Color(
                "law:N",
                scale=alt.Scale(domain=names, range=list(LINES[: len(names)])),
                legend=legend,
            ),
            strokeDash=alt.StrokeDash("law:N", scale=alt.Scale(domain=names)),
            tooltip=["law:N", "size:Q", alt.Tooltip("probability:Q", format=".4g")],
        )
    )
    return dressed(chart, described(points), width, 240)


def described(points: Sequence[OfSize]) -> str:
    """The picture in words: where the first law falls to one half."""
    first = [point for point in points if point.law == points[0].law]
    halved = next((point.size for point in first if point.probability <= 0.5), None)
    told = "" if halved is None else f" {first[0].law} falls to one half near {halved:,} people."
    return f"Lines: probability by the size of a group.{told}"
