"""Drawing: a chart as SVG text, to be put into a page as it is. No network and no script."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from typing import Any

from reidrisk import machine
from reidrisk.errors import MissingExtra
from reidrisk.printable import printable

SVG = "http://www.w3.org/2000/svg"
# What Vega writes for its own sake, or for readers who get a table instead.
_TALKATIVE = ("aria-hidden", "aria-roledescription", "aria-label", "role", "class")
_SPARED = (*_TALKATIVE, "pointer-events", "version")
_REFERENCE = re.compile(r"url\(#([\w-]+)\)")
# A hundredth of a pixel is finer than any screen, and a third of the letters.
_DIGITS = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
# Vega's interpreter sets aside some 600 MB of memory, of which it uses a tenth.
SET_ASIDE = 2 << 30
_number = itertools.count(1)


def svg(chart: Chart) -> str:
    """The chart's SVG element as text."""
    ET.register_namespace("", SVG)
    return ET.tostring(svg_element(chart), encoding="unicode")


def svg_file(chart: Chart) -> str:
    """The chart as a file of its own: dark ink on white, since an image knows no page around it."""
    ET.register_namespace("", SVG)
    drawing = svg_element(chart)
    drawing.set("color", "#1c2127")
    drawing.insert(0, ET.Element(f"{{{SVG}}}rect", width="100%", height="100%", fill="#ffffff"))
    return ET.tostring(drawing, encoding="unicode") + "\n"


def svg_element(chart: Chart) -> ET.Element:
    """The chart's SVG element; its names are unlike those of any other drawing of this process.

    Screen readers pass it by: whoever places it says what it shows.
    """
    drawing = ET.fromstring(_drawn(chart))
    mark = f"drawing{next(_number)}-"
    for element in drawing.iter():
        for name in _SPARED:
            element.attrib.pop(name, None)
        if "font-family" in element.attrib:
            element.set("font-family", FONT)
        for name, value in element.attrib.items():
            value = _DIGITS.sub(_shorter, value)
            own = _REFERENCE.sub(rf"url(#{mark}\1)", value)
            element.set(name, f"{mark}{value}" if name == "id" else own)
        clips = element.tag == f"{{{SVG}}}clipPath"
        for inner in [each for each in element if not clips and _shows_nothing(each)]:
            element.remove(inner)
    drawing.set("aria-hidden", "true")
    return drawing


def _shorter(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")


def _shows_nothing(element: ET.Element) -> bool:
    shape = element.get("d")
    return element.tag == f"{{{SVG}}}path" and (
        not shape or (element.get("fill") is None and element.get("stroke") is None)
    )


def _drawn(chart: Chart) -> str:
    described = _printable(chart.to_dict())
    # A list of fonts is looked for one by one, and here there is only the last of them.
    described["config"]["font"] = "sans-serif"
    with machine.set_aside(SET_ASIDE):
        try:
            import vl_convert
        except ImportError:
            raise MissingExtra("charts", "report", "drawing") from None
        drawn: str = vl_convert.vegalite_to_svg(described, allowed_base_urls=[])
    return drawn


def _printable(described: Any) -> Any:
    """Names and values are data in it; a control character would break the drawing's XML."""
    if isinstance(described, str):
        return printable(described)
    if isinstance(described, list):
        return [_printable(each) for each in described]
    if isinstance(described, dict):
        return {name: _printable(held) for name, held in described.items()}
    return described


def can_draw() -> bool:
    """Whether what charts need is installed."""
    from importlib.util import find_spec

    return all(find_spec(name) is not None for name in ("altair", "vl_convert"))


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
