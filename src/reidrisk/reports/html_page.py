"""The report as one page: no script, no network, pictures drawn in; everything else is escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from reidrisk.charts.drawing import can_draw, svg
from reidrisk.charts.theme import NARROW, WIDE, altair
from reidrisk.errors import MissingExtra
from reidrisk.printable import printable
from reidrisk.reports.markdown_page import publishable_note
from reidrisk.reports.provenance import when
from reidrisk.reports.report import Picture, Report

ROOM = "reidrisk.reports"
# An index of a formula: N_{s}.
_INDEX = re.compile(r"_\{([^{}]*)\}")


def html_page(report: Report) -> str:
    """The whole page."""
    return rendered(
        "report.html",
        report=report,
        made=when(report.made),
        note=_note(report),
        widths=(WIDE, NARROW),
    )


def rendered(name: str, room: str = ROOM, **held: Any) -> str:
    """A template of a room, in the report's dress; what it holds is escaped."""
    page: str = _templates(room).get_template(name).render(style=_resource("report.css"), **held)
    return page


def first_screen(report: Report) -> str:
    """The answer alone, for a notebook; in words where nothing can be drawn."""
    if not can_draw():
        said = (f"{report.answer.verdict}.", *report.answer.sentences)
        return "".join(f"<p>{escape(printable(sentence))}</p>" for sentence in said)
    return f"<div>{rendered('answer.html', report=report, widths=(WIDE,))}</div>"


def _note(report: Report) -> str:
    return "" if report.at_least is None else publishable_note(report.at_least)


def refuse_without_libraries() -> None:
    """Say what is missing before hours of counting, not after."""
    _templates(ROOM)
    altair()
    if not can_draw():
        raise MissingExtra("charts", "report", "drawing")


@cache
def _templates(room: str) -> Any:
    try:
        import jinja2
        from markupsafe import Markup
    except ImportError:
        raise MissingExtra("a page", "report", "writing") from None
    loader = jinja2.FunctionLoader(lambda name: _resource(name, room))
    made = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda held: held if isinstance(held, Markup) or not isinstance(held, str)
        else printable(held),
    )  # fmt: skip
    # The only text that goes in unescaped: drawings, in which the chart library escapes.
    made.globals["drawn"] = lambda picture, widths: Markup(_drawn(picture, widths))
    made.globals["style_of"] = Markup
    made.filters["formula"] = lambda text: Markup(_INDEX.sub(r"<sub>\1</sub>", str(escape(text))))
    return made


def _drawn(picture: Picture, widths: Sequence[int]) -> str:
    """For a wide and for a narrow page; the style shows one of them."""
    return "".join(
        f'<div class="{"wide" if width == WIDE else "narrow"}">{svg(picture.draw(width))}</div>'
        for width in widths
    )


def _resource(name: str, room: str = ROOM) -> str:
    """A room's own template, or the report's, which others are made of."""
    own = files(room) / "templates" / name
    place = own if own.is_file() else files(ROOM) / "templates" / name
    return place.read_text(encoding="utf-8")
