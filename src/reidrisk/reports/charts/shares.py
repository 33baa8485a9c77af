"""Named shares as bars: what each attribute adds, which values stand out, ways to ask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from reidrisk.reports.charts.theme import (
    HIDDEN,
    WIDE,
    Chart,
    altair,
    dressed,
    per_cent,
    rows_of,
    shortened,
)


class Share(NamedTuple):
    """A name, its share, and the share in words."""

    name: str
    share: float
    told: str = ""


def shares(parts: Sequence[Share], title: str, width: int = WIDE, colour: str = HIDDEN) -> Chart:
    """Bars in the order given."""
    alt = altair()
    longest = 90 if width >= WIDE else 46
    rows = [
        # Two parts may have the same name: their places keep them apart.
        {"place": f"{place:04d}{part.name}", "name": shortened(part.name, longest),
         "share": part.share, "told": part.told}
        for place, part in enumerate(parts)
    ]  # fmt: skip
    most = max((part.share for part in parts), default=0.0)
    y = alt.Y("place:N", axis=None)
    x = alt.X(
        "share:Q",
        title=title,
        axis=per_cent(alt, most),
        scale=alt.Scale(domain=[0, most * 1.18 or 1.0], nice=False),
    )
    base = alt.Chart(rows_of(rows))
    bars = base.mark_bar(color=colour, height=12, yOffset=8).encode(
        x=x, y=y, tooltip=["name:N", "told:N"]
    )
    # Names stand above their bars: they take no room from them, however long they are.
    names = base.mark_text(align="left", dy=-8).encode(x=alt.value(1), y=y, text="name:N")
    texts = base.mark_text(align="left", dx=6, dy=8).encode(x=x, y=y, text="told:N")
    layers = alt.layer(bars, names, texts)
    return dressed(layers, shares_alt_text(parts, title), width, 40 * len(rows) + 6)


def shares_alt_text(parts: Sequence[Share], title: str) -> str:
    """The picture in words."""
    told = "; ".join(f"{part.name}: {part.told}" for part in parts)
    return f"Bars: {title}. {told}."
