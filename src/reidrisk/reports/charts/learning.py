"""Prior and posterior of sensitive values: how likely one is before the table is seen, and after.

How much of people's crowds shares their value, as bars, is drawn by `attributes.shares`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from reidrisk.reports.charts.drawing import (
    ALONE,
    HIDDEN,
    INK,
    WIDE,
    Chart,
    altair,
    dressed,
    rows_of,
    shortened,
)
from reidrisk.reports.words.blocks import share

BEFORE, AFTER = "without the table", "with the table"


class ValueSeen(NamedTuple):
    """A value; how likely people who have it are taken to have it, without and with the table."""

    name: str
    prior: float
    posterior: float


def prior_and_posterior(values: Sequence[ValueSeen], column: str, width: int = WIDE) -> Chart:
    """A line for each value, from its share among all people to that in their crowds."""
    alt = altair()
    longest = 30 if width >= WIDE else 16
    # Two shortened names may be the same: their places keep them apart.
    names = {place: shortened(each.name, longest) for place, each in enumerate(values)}
    rows = [
        {"place": f"{place:04d}", "what": what, "part": part, "told": share(part),
         "name": names[place]}
        for place, each in enumerate(values)
        for what, part in ((BEFORE, each.prior), (AFTER, each.posterior))
    ]  # fmt: skip
    lines = [
        {"place": f"{place:04d}", "from": each.prior, "to": each.posterior}
        for place, each in enumerate(values)
    ]
    colour = alt.Scale(domain=[BEFORE, AFTER], range=[HIDDEN, ALONE])
    y = alt.Y("place:N", axis=None)
    scale = alt.Scale(domain=[0, 1], nice=False)
    x = alt.X("part:Q", title=f"how likely their {shortened(column)} is taken to be theirs",
              scale=scale, axis=alt.Axis(format=".0%", tickCount=5))  # fmt: skip
    rules = alt.Chart(rows_of(lines)).mark_rule(color=INK, opacity=0.4, strokeWidth=2)
    rules = rules.encode(x=alt.X("from:Q", scale=scale), x2="to:Q", y=y)
    base = alt.Chart(rows_of(rows))
    dots = base.mark_point(filled=True, size=80, opacity=1).encode(
        x=x, y=y, tooltip=["name:N", "what:N", "told:N"],
        color=alt.Color("what:N", scale=colour, legend=alt.Legend(columns=2)),
        shape=alt.Shape("what:N", scale=alt.Scale(domain=[BEFORE, AFTER])),
    )  # fmt: skip
    texts = base.transform_filter(f"datum.what == '{AFTER}'").mark_text(align="left", dy=-11)
    texts = texts.encode(x=alt.value(1), y=y, text="name:N")
    layers = alt.layer(rules, dots, texts)
    described = prior_and_posterior_alt_text(values, column)
    return dressed(layers, described, width, 36 * len(values) + 6)


def prior_and_posterior_alt_text(values: Sequence[ValueSeen], column: str) -> str:
    """The picture in words."""
    told = "; ".join(
        f"{each.name}: {share(each.prior)}, then {share(each.posterior)}" for each in values
    )
    return (
        f"Two points for each value of {column}: how likely it is taken to be that of people who "
        f"have it, without the table and with it. {told}."
    )
