"""Drawn: charts as trees of elements, which the page builds one by one.

[name, {attribute: text}, [children]], a text being a child: nothing is ever parsed as HTML, and no
element or attribute that could load or run something passes. What a chart would say by a style
attribute, which the page's policy forbids, it says by attributes of its own.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

from reidrisk.charts.drawing import SVG, svg_element
from reidrisk.charts.theme import NARROW, WIDE, Chart

ELEMENTS = frozenset(
    ("svg", "g", "path", "line", "rect", "circle", "text", "tspan", "defs", "clipPath", "title")
)
ATTRIBUTES = frozenset(
    (
        "width", "height", "viewBox", "fill", "fill-opacity", "stroke", "stroke-width",
        "stroke-opacity", "stroke-dasharray", "stroke-dashoffset", "stroke-linecap",
        "stroke-linejoin", "stroke-miterlimit", "opacity", "transform", "d", "x", "y", "x1", "x2",
        "y1", "y2", "cx", "cy", "r", "rx", "ry", "dx", "dy", "text-anchor", "dominant-baseline",
        "font-family", "font-size", "font-weight", "font-style", "aria-hidden", "id", "clip-path",
    )
)  # fmt: skip
Tree = list[Any]


def drawn(chart: Chart) -> dict[str, Any]:
    """A chart's tree, and what it shows in words."""
    return {"tree": tree_of(svg_element(chart)), "described": chart.description or ""}


def both_widths(draw: Callable[[int], Chart]) -> dict[str, Any]:
    """For a wide and for a narrow page."""
    return {"wide": drawn(draw(WIDE)), "narrow": drawn(draw(NARROW))}


def tree_of(element: ET.Element) -> Tree:
    """An element with what may pass of its attributes and children."""
    name = element.tag.removeprefix(f"{{{SVG}}}")
    given = {**_styled(element.get("style", "")), **element.attrib}
    kept = {key: text for key, text in given.items() if key in ATTRIBUTES}
    children: Tree = [element.text] if element.text else []
    for child in element:
        if isinstance(child.tag, str) and child.tag.removeprefix(f"{{{SVG}}}") in ELEMENTS:
            children.append(tree_of(child))
        if child.tail:
            children.append(child.tail)
    return [name, kept, children]


def _styled(style: str) -> dict[str, str]:
    """fill: red; opacity: 1 as attributes."""
    parts = (part.partition(":") for part in style.split(";"))
    return {name.strip(): text.strip() for name, colon, text in parts if colon}
