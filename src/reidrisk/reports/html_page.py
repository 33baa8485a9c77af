"""The report as one page: no script, no network, pictures drawn in; everything else is escaped."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any

from reidrisk.charts.drawing import can_draw, svg
from reidrisk.charts.theme import NARROW, WIDE, altair
from reidrisk.errors import MissingExtra
from reidrisk.reports.markdown_page import publishable_note
from reidrisk.reports.report import Picture, Report

# An index of a formula: N_{s}.
_INDEX = re.compile(r"_\{([^{}]*)\}")


def html_page(report: Report) -> str:
    """The whole page."""
    page: str = (
        _templates()
        .get_template("report.html")
        .render(report=report, style=_resource("report.css"), note=_note(report))
    )
    return page


def first_screen(report: Report) -> str:
    """The answer alone, for a notebook."""
    part: str = _templates().get_template("answer.html").render(report=report)
    return f"<div>{part}</div>"


def _note(report: Report) -> str:
    return "" if report.at_least is None else publishable_note(report.at_least)


def refuse_without_libraries() -> None:
    """Say what is missing before hours of counting, not after."""
    _templates()
    altair()
    if not can_draw():
        raise MissingExtra("charts", "report", "drawing")


@cache
def _templates() -> Any:
    try:
        import jinja2
        from markupsafe import Markup, escape
    except ImportError:
        raise MissingExtra("a page", "report", "writing") from None
    loader = jinja2.FunctionLoader(_resource)
    made = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    # The only text that goes in unescaped: drawings, in which the chart library escapes.
    made.globals["drawn"] = lambda picture: Markup(_both(picture))
    made.globals["style_of"] = Markup
    made.filters["formula"] = lambda text: Markup(_INDEX.sub(r"<sub>\1</sub>", str(escape(text))))
    return made


def _both(picture: Picture) -> str:
    """For a wide and for a narrow page; the style shows one of them."""
    wide, narrow = svg(picture.draw(WIDE)), svg(picture.draw(NARROW))
    return f'<div class="wide">{wide}</div><div class="narrow">{narrow}</div>'


def _resource(name: str) -> str:
    return (files("reidrisk.reports") / "templates" / name).read_text(encoding="utf-8")
