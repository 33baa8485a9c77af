"""Sample uniques that are population unique, as a bar of those alone in the sample."""

from __future__ import annotations

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
)


class AloneInBoth(NamedTuple):
    """People alone in the sample; those of them alone in the population too, and its interval."""

    sample: float
    both: float
    low: float
    high: float
    told: str


def alone_in_both(found: AloneInBoth, width: int = WIDE) -> Chart:
    """The share of the bar that is alone in the population too; a line is the 90 % interval."""
    alt = altair()
    only, too = "alone in the sample only", "alone in the population too"
    rows = [
        {"what": too, "from": 0.0, "to": found.both},
        {"what": only, "from": found.both, "to": found.sample},
    ]
    colour = alt.Scale(domain=[too, only], range=[ALONE, HIDDEN])
    x = alt.X(
        "from:Q",
        title="people alone in the sample",
        scale=alt.Scale(domain=[0, max(found.sample, 1.0)], nice=False),
        axis=alt.Axis(tickCount=5, format=",.0f", tickMinStep=1),
    )
    bars = alt.Chart(rows_of(rows)).mark_bar(height=30).encode(
        x=x, x2="to:Q", color=alt.Color("what:N", scale=colour, legend=alt.Legend(columns=2)),
        y=alt.value(24),
    )  # fmt: skip
    interval = alt.Chart(rows_of([{"low": found.low, "high": found.high}]))
    line = interval.mark_rule(color=INK, strokeWidth=3).encode(
        x="low:Q", x2="high:Q", y=alt.value(48)
    )
    texts = alt.Chart(rows_of([{"at": 0.0, "told": found.told}])).mark_text(
        align="left", baseline="top"
    ).encode(x="at:Q", y=alt.value(56), text="told:N")  # fmt: skip
    layers = alt.layer(bars, line, texts)
    return dressed(layers, alone_in_both_alt_text(found), width, 76)


def alone_in_both_alt_text(found: AloneInBoth) -> str:
    """The picture in words."""
    return (
        f"Bar: of {found.sample:,.0f} people alone in the sample, {found.both:,.1f} are expected "
        f"to be "
        f"alone in the population too; 90 % interval {found.low:,.0f} to {found.high:,.0f}."
    )
