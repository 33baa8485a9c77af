"""A result in a notebook: its words and table, and below them its picture where it can be drawn."""

from __future__ import annotations

from html import escape
from typing import Any

from reidrisk.charts.drawing import can_draw, svg
from reidrisk.printable import printable


def with_picture(words: str, result: Any) -> str:
    """The words as they are without the libraries that draw; nothing is fetched in any case."""
    if not can_draw():
        return words
    from reidrisk.charts.plotting import pictures_of

    for draw in pictures_of(result).values():
        chart = draw(640)
        described = escape(printable(chart.to_dict()["description"]), quote=True)
        return f'{words}<div role="img" aria-label="{described}">{svg(chart)}</div>'
    return words
