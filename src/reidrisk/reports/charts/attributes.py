"""Attributes: shares as bars, the riskiest combinations, dependence as a heat map.

Shade is strength, as opacity, so that weak cells take the colour of the page, light or dark.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from reidrisk.reports.charts.drawing import (
    ALONE,
    HIDDEN,
    INK,
    WIDE,
    Chart,
    altair,
    dressed,
    per_cent,
    rows_of,
    shortened,
)
from reidrisk.statistics import Dependence


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


# Beyond this a cell can't hold its number.
MOST_NUMBERED = 14
MOST_SHOWN, MOST_NARROW = 20, 10


class Cell(NamedTuple):
    """How far attribute `of` depends on `on`: 0 not at all, 1 entirely."""

    of: str
    on: str
    ratio: float


def cells_of(found: Iterable[Dependence]) -> list[Cell]:
    """Pairs of single attributes."""
    return [
        Cell(each.of[0], each.on[0], each.gain_ratio)
        for each in found
        if len(each.of) == len(each.on) == 1
    ]


def shown_columns(
    cells: Sequence[Cell], columns: Sequence[str], most: int = MOST_SHOWN
) -> list[str]:
    """The columns there is room for: those in the strongest dependences, in the table's order."""
    strongest: dict[str, None] = {}
    for cell in sorted(cells, key=lambda cell: -cell.ratio):
        strongest |= {cell.of: None, cell.on: None}
    chosen = set(list(strongest)[:most])
    return [name for name in columns if name in chosen]


def dependence_map(cells: Sequence[Cell], columns: Sequence[str], width: int = WIDE) -> Chart:
    """Rows depend on columns."""
    alt = altair()
    names = shown_columns(cells, columns, MOST_SHOWN if width >= WIDE else MOST_NARROW)
    rows = [
        {"of": cell.of, "on": cell.on, "ratio": cell.ratio, "told": f"{cell.ratio:.2f}"}
        for cell in cells
        if cell.of in names and cell.on in names
    ]
    plain = {"labelLimit": 130 if width >= WIDE else 76, "ticks": False, "domain": False}
    x = alt.X("on:N", sort=names, title="known", axis=alt.Axis(labelAngle=-50, **plain))
    y = alt.Y("of:N", sort=names, title=None, axis=alt.Axis(**plain))
    shade = alt.Scale(domain=[0, 1], range=[0.02, 1])
    base = alt.Chart(rows_of(rows))
    boxes = base.mark_rect(color=HIDDEN, cornerRadius=2, stroke=INK, strokeOpacity=0.12).encode(
        x=x,
        y=y,
        fillOpacity=alt.Opacity("ratio:Q", scale=shade, legend=None),
        tooltip=["of:N", "on:N", "told:N"],
    )
    side = 26 * len(names) + 40
    if len(names) > (MOST_NUMBERED if width >= WIDE else 6):
        return dressed(boxes, dependence_map_alt_text(cells), width, side)
    white = alt.condition("datum.ratio > 0.5", alt.value("#ffffff"), alt.value(INK))
    numbers = base.mark_text(fontSize=11).encode(x=x, y=y, text="told:N", color=white)
    return dressed(alt.layer(boxes, numbers), dependence_map_alt_text(cells), width, side)


def dependence_map_alt_text(cells: Sequence[Cell]) -> str:
    """The picture in words."""
    strong = sorted(cells, key=lambda cell: -cell.ratio)[:5]
    told = "; ".join(f"{cell.of} from {cell.on}: {cell.ratio:.2f}" for cell in strong)
    return f"Heat map: how well one attribute predicts another, from 0 to 1. Strongest: {told}."


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
    return dressed(layers, riskiest_alt_text(known, title), width, 46 * len(rows))


def riskiest_alt_text(known: Sequence[Known], title: str) -> str:
    """The picture in words."""
    told = "; ".join(
        f"{each.size} known, worst {' + '.join(each.columns)}: {each.told}" for each in known
    )
    return f"Bars: {title} by how many attributes are known. {told}."
