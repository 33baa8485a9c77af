"""The attack curve: the share of the people re-identified with at least a given probability.

The group-size curve: how likely all members of a group are unique, as the group grows.

Frontiers: what each cost buys an attacker, and what each loss of detail buys in safety.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from reidrisk.attacks import survival_at
from reidrisk.crowds import CrowdSizes
from reidrisk.reports.charts.drawing import (
    ALONE,
    HIDDEN,
    LINES,
    WIDE,
    Chart,
    altair,
    dressed,
    per_cent,
    rows_of,
    shortened,
)

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
        title="re-identified with a probability of at least …",
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
    return dressed(chart, attack_curve_alt_text(points), width, 260)


def attack_curve_alt_text(points: Sequence[At]) -> str:
    """The picture in words."""
    first = [point for point in points if point.size == 1]
    told = "; ".join(f"knowing {point.knows}: {point.share:.1%} with certainty" for point in first)
    return f"Lines: share of the people by their risk of re-identification. {told}."


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
    return dressed(chart, group_curve_alt_text(points), width, 240)


def group_curve_alt_text(points: Sequence[OfSize]) -> str:
    """The picture in words: where the first law falls to one half."""
    first = [point for point in points if point.law == points[0].law]
    halved = next((point.size for point in first if point.probability <= 0.5), None)
    told = "" if halved is None else f" {first[0].law} falls to one half near {halved:,} people."
    return f"Lines: probability by the size of a group.{told}"


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
    return dressed(alt.layer(line, dots), frontier_alt_text(points, titles), width, 240)


def frontier_alt_text(points: Sequence[Bought], titles: tuple[str, str]) -> str:
    """The picture in words: its two ends."""
    ends = [points[0], points[-1]] if len(points) > 1 else list(points)
    told = "; ".join(f"{each.paid:.3g}: {each.reached:.3g} ({each.told})" for each in ends)
    return f"Staircase: {titles[1]} by {titles[0]}. {told}."
