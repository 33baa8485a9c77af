"""Drawing: a chart as SVG text, to be put into a page as it is. No network and no script."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET
from typing import Any

from reidrisk import memory
from reidrisk.errors import MissingExtra
from reidrisk.printable import printable
from reidrisk.reports.charts.theme import FONT, Chart

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
    with memory.set_aside(SET_ASIDE):
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
