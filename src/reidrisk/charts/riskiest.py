"""The riskiest combinations: for each number of attributes known, the worst one beside the mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from reidrisk.charts.theme import (
    ALONE,
    INK,
    WIDE,
    Chart,
    altair,
    dressed,
    per_cent,
    rows_of,
    shortened,
)


class Known(NamedTuple):
    """Knowing so many attributes: the worst combination and its value, the mean of all of them."""

    size: int
    columns: tuple[str, ...]
    worst: float
    mean: float
    told: str = ""


def riskiest(known: Sequence[Known], title: str = "people alone", width: int = WIDE) -> Chart:
    """A bar for the worst combination of each size, a mark at the mean, its columns beside."""
    alt = altair()
    longest = 70 if width >= WIDE else 38
    rows = [
        {
            "size": f"{each.size} known",
            "worst": each.worst,
            "mean": each.mean,
            "names": shortened(" + ".join(each.columns), longest),
            "told": each.told,
        }
        for each in known
    ]
    most = max((each.worst for each in known), default=0.0)
    y = alt.Y("size:N", sort=[row["size"] for row in rows], title=None)
    scale = alt.Scale(domain=[0, most * 1.15 or 1.0])
    x = alt.X("worst:Q", title=title, axis=per_cent(alt, most), scale=scale)
    base = alt.Chart(rows_of(rows))
    bars = base.mark_bar(color=ALONE, height=12, yOffset=8).encode(
        x=x, y=y, tooltip=["names:N", "told:N"]
    )
    mean = base.mark_tick(color=INK, thickness=2, height=16, yOffset=8).encode(x="mean:Q", y=y)
    names = base.mark_text(align="left", dy=-9, fontSize=11).encode(
        x=alt.value(4), y=y, text="names:N"
    )
    values = base.mark_text(align="left", dx=6, dy=8).encode(x=x, y=y, text="told:N")
    layers = alt.layer(bars, mean, names, values)
    return dressed(layers, described(known, title), width, 46 * len(rows))


def described(known: Sequence[Known], title: str) -> str:
    """The picture in words."""
    told = "; ".join(
        f"{each.size} known, worst {' + '.join(each.columns)}: {each.told}" for each in known
    )
    return f"Bars: {title} by how many attributes are known. {told}."
