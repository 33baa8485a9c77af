"""Rendering: how an answer asks to be shown, without knowing who does it.

Results lie left of `reports`, which shows them by their type. The package, which may know every
room, registers it here; it is imported when the first answer is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol


class Renderer(Protocol):
    """Shows any answer by its type."""

    def text(self, answer: Any) -> str:
        """For a terminal, a log, `print`."""

    def html(self, answer: Any) -> str:
        """For a notebook; everything from the data is escaped."""

    def plot(self, answer: Any, what: str | None, width: int) -> Any:
        """One of its pictures, the first by default."""


_registered: list[Callable[[], Renderer]] = []


def register(renderer: Callable[[], Renderer]) -> None:
    """Who shows answers: called when one is shown, so that nothing is imported before."""
    _registered[:] = [renderer]


def renderer() -> Renderer:
    """Who shows answers."""
    return _registered[0]()
