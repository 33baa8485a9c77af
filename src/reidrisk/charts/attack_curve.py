"""The attack curve: which share of the people is picked out with at least which probability."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from reidrisk.attacks.distribution import survival_at
from reidrisk.charts.theme import LINES, WIDE, Chart, altair, dressed, rows_of, shortened
from reidrisk.crowds import CrowdSizes

# Read at crowds of so many: a risk of 1/s.
SIZES = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)


class At(NamedTuple):
    """Knowing what: the share of people whose risk is at least 1/size."""

    knows: str
    size: int
    share: float


def curve_of(knows: str, crowds: CrowdSizes) -> list[At]:
    """Where the curve is read, down to the first risk that everybody has."""
    found = []
    for size in SIZES:
        found.append(At(knows, size, survival_at(crowds, 1.0 / size)))
        if found[-1].share >= 1.0:
            break
    return found


def attack_curve(points: Sequence[At], width: int = WIDE) -> Chart:
    """One line for each knowledge; risk falls to the left on a logarithmic scale."""
    alt = altair()
    # Numbered, so that two long names that begin alike stay two lines.
    longest = 80 if width >= WIDE else 36
    told = dict.fromkeys(point.knows for point in points)
    label = {
        name: f"{place}. {shortened(name, longest)}" if len(told) > 1 else shortened(name, longest)
        for place, name in enumerate(told, start=1)
    }
    rows = [{"knows": label[p.knows], "risk": 1.0 / p.size, "share": p.share} for p in points]
    names = list(label.values())
    every = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.002, 0.001)
    x = alt.X(
        "risk:Q",
        title="picked out with a chance of at least …",
        scale=alt.Scale(type="log", domain=[1.0 / max(p.size for p in points), 1.0], nice=False),
        axis=alt.Axis(
            values=list(every if width >= WIDE else every[::3]),
            labelExpr="'1 in ' + format(1 / datum.value, ',.0f')",
            labelOverlap=True,
        ),
    )
    y = alt.Y(
        "share:Q",
        title="share of the people",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format=".0%", tickCount=5),
    )
    colour = alt.Scale(domain=names, range=list(LINES[: len(names)]))
    legend = alt.Legend(columns=1, labelLimit=width - 60)
    chart = (
        alt.Chart(rows_of(rows))
        .mark_line(strokeWidth=2.5, point=alt.OverlayMarkDef(size=36, filled=True))
        .encode(
            x=x,
            y=y,
            color=alt.Color("knows:N", scale=colour, legend=legend),
            strokeDash=alt.StrokeDash("knows:N", scale=alt.Scale(domain=names), legend=None),
        )
    )
    return dressed(chart, described(points), width, 260)


def described(points: Sequence[At]) -> str:
    """The picture in words."""
    first = [point for point in points if point.size == 1]
    told = "; ".join(f"knowing {point.knows}: {point.share:.1%} for certain" for point in first)
    return f"Lines: share of the people by the chance of being picked out. {told}."
