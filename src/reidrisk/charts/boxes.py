"""Boxes: quartiles and whiskers of many samples, beside each other and grouped by colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reidrisk.charts.theme import INK, LINES, WIDE, Chart, altair, looking_alike, rows_of

# Whiskers leave out one in twenty at either end.
_PARTS = (0.05, 0.25, 0.5, 0.75, 0.95)


class Box(NamedTuple):
    """One sample: where it stands (sector, place within it, colour) and five of its quantiles."""

    sector: str
    place: str
    colour: str
    quantiles: tuple[float, float, float, float, float]

    @classmethod
    def of(cls, sector: str, place: str, colour: str, values: ArrayLike) -> Box:
        """The 5 %, 25 %, 50 %, 75 % and 95 % quantiles of some values."""
        found = np.quantile(np.asarray(values, dtype=np.float64), _PARTS)
        low, quarter, half, three, high = (float(each) for each in found)
        return cls(sector, place, colour, (low, quarter, half, three, high))


def boxes(parts: Sequence[Box], title: str, across: str, width: int = WIDE) -> Chart:
    """Sectors side by side, each with its places along the axis and its colours beside them."""
    alt = altair()
    rows = [_row(part) for part in parts]
    sectors, places, colours = (
        list(dict.fromkeys(getattr(part, name) for part in parts))
        for name in ("sector", "place", "colour")
    )
    x = alt.X("place:N", title=across, sort=places, axis=alt.Axis(labelAngle=0))
    offset = alt.XOffset("colour:N", sort=colours)
    colour = alt.Color("colour:N", sort=colours, scale=alt.Scale(domain=colours, range=LINES))
    base = alt.Chart(rows_of(rows)).encode(x=x, xOffset=offset)
    # One small box stands for each: its width is what the sectors leave.
    side_by_side = len(sectors) if width >= WIDE else min(2, len(sectors))
    each = round((width - 70) / side_by_side) - 10
    wide = max(2, min(14, round(0.6 * each / (len(places) * len(colours)))))
    whiskers = base.mark_rule(color=INK, opacity=0.6).encode(
        y=alt.Y("low:Q", title=title), y2="high:Q"
    )
    bodies = base.mark_bar(width=wide).encode(y="quarter:Q", y2="three:Q", color=colour)
    middles = base.mark_tick(color=INK, width=wide, thickness=1.5).encode(y="half:Q")
    layers = alt.layer(whiskers, bodies, middles).properties(width=each, height=240)
    header = alt.Header(labelColor=INK)
    split = layers.facet(
        alt.Facet("sector:N", sort=sectors, title=None, header=header),
        columns=side_by_side,
        spacing=10,
    )
    told = f"Boxes of {title} by {across}, {len(parts)} in all."
    return looking_alike(split.properties(description=told))


def _row(part: Box) -> dict[str, object]:
    names = ("low", "quarter", "half", "three", "high")
    held = dict(zip(names, part.quantiles, strict=True))
    return {"sector": part.sector, "place": part.place, "colour": part.colour, **held}
