"""A hundred little people: how many of each hundred are alone, in a small crowd, hidden.

Shares become whole people by largest remainders, so that they are a hundred together; less than
half a person in a hundred may be nobody, and the words beside have to say so.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from reidrisk.charts.crowd_histogram import USUAL_TARGET
from reidrisk.charts.theme import (
    ALONE,
    HIDDEN,
    NARROW,
    SMALL,
    WIDE,
    Chart,
    altair,
    dressed,
    rows_of,
)
from reidrisk.crowds import CrowdSizes
from reidrisk.statistics.apportioning import apportioned

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
    return dressed(chart, described(parts), width, round(down * step * 1.08))


def described(parts: Sequence[Part]) -> str:
    """The picture in words."""
    whole = of_a_hundred(parts)
    told = ", ".join(f"{many} {part.name}" for many, part in zip(whole, parts, strict=True))
    return f"A hundred little people: {told}."
