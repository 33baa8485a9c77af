"""The dependence heat map: how much knowing one attribute tells of another.

Shade is strength, as opacity, so that weak cells take the colour of the page, light or dark.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from reidrisk.reports.charts.theme import HIDDEN, INK, WIDE, Chart, altair, dressed, rows_of
from reidrisk.statistics import Dependence

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
    return f"Heat map: how much one attribute tells of another, from 0 to 1. Strongest: {told}."
