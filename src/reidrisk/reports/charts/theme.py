"""The theme: one look for every chart, readable on light and dark, told apart without colour sight.

Colours are those of Okabe and Ito. Ink is ``currentColor``: text and lines take the colour of the
page around them. Column names and values travel as data, never as field names or expressions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reidrisk.errors import MissingExtra

# An altair.Chart, or several in one; Altair is installed only on request.
Chart = Any

ALONE, SMALL, HIDDEN = "#D55E00", "#E69F00", "#0072B2"
LINES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
INK = "currentColor"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"
WIDE, NARROW = 640, 340
# Letters are measured before it is known in which font a page will show them: room to the left.
PADDING = {"left": 12, "right": 6, "top": 4, "bottom": 4}


def altair() -> Any:
    """The library that charts are written with, or the command that installs it."""
    try:
        import altair
    except ImportError:
        raise MissingExtra("charts", "report", "drawing") from None
    return altair


def rows_of(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Plain data inside the chart: no file and no address beside it."""
    return altair().Data(values=[dict(row) for row in rows])


def dressed(chart: Chart, description: str, width: int, height: int | None = None) -> Chart:
    """The finished chart: as wide as asked with everything around it, and described in words."""
    sized = {"width": width, "description": description}
    if height is not None:
        sized["height"] = height
    fitted = chart.properties(**sized, autosize={"type": "fit-x", "contains": "padding"})
    return looking_alike(fitted)


def looking_alike(chart: Chart) -> Chart:
    """Colours, letters and lines alone: for charts side by side, which keep their own widths."""
    alt = altair()
    text = {"labelColor": INK, "titleColor": INK, "labelFontSize": 12, "titleFontSize": 12}
    axis = alt.AxisConfig(
        **text, domainColor=INK, domainOpacity=0.35, tickColor=INK, tickOpacity=0.35,
        gridColor=INK, gridOpacity=0.12, titleFontWeight="normal", titlePadding=10, labelLimit=220,
    )  # fmt: skip
    legend = alt.LegendConfig(
        **text, title=None, orient="top", symbolSize=120, labelLimit=420, columnPadding=18,
        symbolStrokeWidth=2,
    )  # fmt: skip
    # In one go: Altair copies the whole chart at each step.
    return chart.configure(
        background="transparent", font=FONT, padding=PADDING, axis=axis, legend=legend,
        view=alt.ViewConfig(stroke=None), text=alt.MarkConfig(color=INK, fontSize=12),
    )  # fmt: skip


def per_cent(alt: Any, most: float = 1.0) -> Any:
    """An axis of shares, with as many digits as its span needs."""
    digits = 0 if most > 0.1 else 1 if most > 0.01 else 3
    return alt.Axis(format=f".{digits}%", tickCount=5)


def shortened(text: str, longest: int = 46) -> str:
    """A label that leaves room for the picture."""
    return text if len(text) <= longest else text[: longest - 1] + "…"
