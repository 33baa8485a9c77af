"""The crowd-size histogram: which share of the people sits in crowds of which size.

Bars hold people, not crowds: one crowd of a thousand counts as much as a thousand people alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from reidrisk.charts.theme import (
    ALONE,
    HIDDEN,
    SMALL,
    WIDE,
    Chart,
    altair,
    dressed,
    per_cent,
    rows_of,
)
from reidrisk.crowds import CrowdSizes

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
    return dressed(layers, described(bins), width, 240)


def described(bins: Sequence[Bin]) -> str:
    """The picture in words."""
    told = "; ".join(f"{each.label}: {each.told}" for each in bins if each.share)
    return f"Bars: share of the people by how many share their tuple. {told}."
