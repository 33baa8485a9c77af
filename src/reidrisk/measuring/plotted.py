"""Plotted: results that can be drawn. The charts themselves lie further along the road."""

from __future__ import annotations

from typing import Any


class Plotted:
    """A result that plots itself."""

    def plot(self, what: str | None = None, width: int = 640) -> Any:
        """An Altair chart; `what` names another than the first (a wrong name lists them)."""
        from reidrisk.charts.plotting import plot

        return plot(self, what, width)

    def _pictured(self, words: str) -> str:
        """The words for a notebook, and the picture below them."""
        from reidrisk.charts.notebook import with_picture

        return with_picture(words, self)
