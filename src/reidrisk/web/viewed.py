"""Viewed: answers about views, remembered for a while; the one unasked for longest goes first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from reidrisk.crowds import CrowdSizes

MOST_VIEWS = 64


@dataclass(frozen=True, eq=False)
class Viewed:
    """A view that was answered: what is told of it, and its crowds for the pictures."""

    told: dict[str, Any]
    crowds: CrowdSizes
    # Pictures that were drawn already, by name and width.
    pictures: dict[str, Any] = field(default_factory=dict)


class Views:
    """The views answered last; the one asked for longest ago goes first."""

    def __init__(self) -> None:
        self._held: OrderedDict[str, Viewed] = OrderedDict()
        self._counting: dict[str, threading.Lock] = {}
        self._turn = threading.Lock()

    @contextmanager
    def turn(self, key: str) -> Iterator[None]:
        """Figures and pictures are asked for together: one of them counts, the others wait."""
        with self._turn:
            mine = self._counting.setdefault(key, threading.Lock())
        with mine:
            try:
                yield
            finally:
                self._counting.pop(key, None)

    def get(self, key: str) -> Viewed | None:
        """The answer, if it is still held."""
        with self._turn:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    def keep(self, key: str, viewed: Viewed) -> Viewed:
        """Hold an answer."""
        with self._turn:
            self._held[key] = viewed
            while len(self._held) > MOST_VIEWS:
                self._held.popitem(last=False)
        return viewed
