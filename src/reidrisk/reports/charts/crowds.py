"""The share of people in crowds of at least k, as k grows: how well people are hidden.

The crowd-size histogram: which share of the people sits in crowds of which size.

Bars hold people, not crowds: one crowd of a thousand counts as much as a thousand people alone.

A hundred little people: how many of each hundred are alone, in a small crowd, hidden.

Shares become whole people by largest remainders, so that they are a hundred together; less than
half a person in a hundred may be nobody, and the words beside have to say so.

One person's k curve: how likely at least k people, the person included, share the values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from reidrisk.crowds import CrowdSizes, apportioned
from reidrisk.reports.charts.drawing import (
    ALONE,
    HIDDEN,
    LINES,
    NARROW,
    SMALL,
    WIDE,
    Chart,
    altair,
    dressed,
    per_cent,
    rows_of,
)
from reidrisk.reports.words.blocks import share

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
    return dressed(alt.layer(drawn, dots), at_least_alt_text(points, title), width, 240)


def at_least_alt_text(points: Sequence[AtLeast], title: str = TITLE) -> str:
    """The picture in words."""
    told = "; ".join(
        f"{f'{point.of}, ' if point.of else ''}at least {point.k:,}: {point.told}"
        for point in points
    )
    return f"Falling line: {title}. {told}."


# Up to a crowd of four nobody is hidden well: the usual target is five.
USUAL_TARGET = 5
EDGES = (1, 2, 3, 4, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000, 100_000, 1_000_000)


class Bin(NamedTuple):
    """Crowds of `low` to `high` people (None: no limit), the people in them and their share."""

    low: int
    high: int | None
    share: float
    told: str = ""

    @property
    def label(self) -> str:
        """1, 5–9, from 1,000,000."""
        if self.high is None:
            return f"from {self.low:,}"
        return f"{self.low:,}" if self.low == self.high else f"{self.low:,}–{self.high:,}"

    @property
    def colour(self) -> str:
        """Alone, in a small crowd, or hidden."""
        return ALONE if self.high == 1 else SMALL if self.low < USUAL_TARGET else HIDDEN


def bins_of(crowds: CrowdSizes) -> list[Bin]:
    """Shares by crowd size: one by one below five, then ever wider; up to the largest crowd."""
    found = []
    largest = int(crowds.sizes[-1])
    for place, low in enumerate(EDGES):
        if low > largest:
            break
        last = place + 1 == len(EDGES)
        above = 0.0 if last else crowds.share_in_crowds_of_at_least(EDGES[place + 1])
        high = None if last else EDGES[place + 1] - 1
        found.append(Bin(low, high, max(crowds.share_in_crowds_of_at_least(low) - above, 0.0)))
    return found


def crowd_histogram(bins: Sequence[Bin], width: int = WIDE) -> Chart:
    """One bar for each range of sizes."""
    alt = altair()
    rows = [
        {"size": each.label, "share": each.share, "told": each.told, "colour": each.colour}
        for each in bins
    ]
    most = max((each.share for each in bins), default=0.0)
    x = alt.X(
        "size:N",
        sort=[each.label for each in bins],
        title="people in the crowd",
        axis=alt.Axis(labelAngle=0 if width >= WIDE and len(bins) < 11 else -50),
    )
    y = alt.Y("share:Q", title="share of the people", axis=per_cent(alt, most))
    base = alt.Chart(rows_of(rows))
    # A lone bar as wide as the page would look like a wall.
    bars = base.mark_bar(size=min(64.0, 0.75 * (width - 70) / max(len(bins), 1))).encode(
        x=x,
        y=y,
        color=alt.Color("colour:N", scale=None),
        tooltip=[alt.Tooltip("size:N"), alt.Tooltip("told:N")],
    )
    texts = base.mark_text(dy=-7).encode(x=x, y=y, text=alt.Text("told:N"))
    layers = alt.layer(bars, texts) if width >= WIDE else bars
    return dressed(layers, crowd_histogram_alt_text(bins), width, 240)


def crowd_histogram_alt_text(bins: Sequence[Bin]) -> str:
    """The picture in words."""
    told = "; ".join(f"{each.label}: {each.told}" for each in bins if each.share)
    return f"Bars: share of the people by the size of their crowd. {told}."


HUNDRED = 100
COLOURS = (ALONE, SMALL, HIDDEN)
# A head, and shoulders that end in a straight hem.
PERSON = (
    "M-0.3,-0.64A0.3,0.3,0,1,1,0.3,-0.64A0.3,0.3,0,1,1,-0.3,-0.64Z"
    "M-0.52,0.95V0.22C-0.52,-0.1,-0.3,-0.24,0,-0.24C0.3,-0.24,0.52,-0.1,0.52,0.22V0.95Z"
)


class Part(NamedTuple):
    """Some of the people: what to call them, and their share."""

    name: str
    share: float


def parts_of(crowds: CrowdSizes) -> list[Part]:
    """Alone, in a crowd of two to four, in one of at least five."""
    hidden = crowds.share_in_crowds_of_at_least(USUAL_TARGET)
    return [
        Part("alone", crowds.alone_share),
        Part("in a crowd of 2 to 4", max(1.0 - hidden - crowds.alone_share, 0.0)),
        Part("in a crowd of at least 5", hidden),
    ]


def of_a_hundred(parts: Sequence[Part]) -> list[int]:
    """How many of a hundred each part has."""
    return apportioned([Fraction(max(part.share, 0.0)) for part in parts], HUNDRED)


def hundred_people(parts: Sequence[Part], width: int = WIDE) -> Chart:
    """Alone, in a small crowd, hidden: up to three parts, in this order."""
    alt = altair()
    whole = of_a_hundred(parts)
    across = 10 if width <= NARROW else 20
    names = [f"{many} {part.name}" for many, part in zip(whole, parts, strict=True)]
    each = [name for name, many in zip(names, whole, strict=True) for _ in range(many)]
    rows = [
        {"across": place % across, "down": place // across, "part": name}
        for place, name in enumerate(each)
    ]
    step = width / (across + 0.75)
    down = HUNDRED // across
    chart = (
        alt.Chart(rows_of(rows))
        .mark_point(shape=PERSON, filled=True, opacity=1, size=(0.76 * step) ** 2)
        .encode(
            x=alt.X("across:Q", axis=None, scale=alt.Scale(domain=[-0.3, across - 0.7])),
            y=alt.Y("down:Q", axis=None, scale=alt.Scale(domain=[down - 0.4, -0.6])),
            color=alt.Color(
                "part:N",
                scale=alt.Scale(domain=names, range=list(COLOURS[: len(names)])),
                legend=None,
            ),
        )
    )
    return dressed(chart, hundred_people_alt_text(parts), width, round(down * step * 1.08))


def hundred_people_alt_text(parts: Sequence[Part]) -> str:
    """The picture in words."""
    whole = of_a_hundred(parts)
    told = ", ".join(f"{many} {part.name}" for many, part in zip(whole, parts, strict=True))
    return f"Of a hundred people: {told}."


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
