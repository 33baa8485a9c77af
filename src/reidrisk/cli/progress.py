"""Progress on standard error: a bar, only on a terminal, only once work turns out long."""

from __future__ import annotations

import os
import sys
import threading
import time
from types import TracebackType
from typing import Any

from reidrisk.printable import printable

PATIENCE = 0.8


class Bar:
    """Called by the engine with what is done; shows itself after `PATIENCE` seconds."""

    def __init__(self, wanted: bool) -> None:
        self._wanted = wanted and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._began = time.monotonic()
        self._shown: Any = None
        self._tasks: dict[str, Any] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> Bar:
        return self

    def __call__(self, what: str, done: int, total: int) -> None:
        """`done` of `total` of `what`."""
        if not self._wanted or time.monotonic() - self._began < PATIENCE:
            return
        with self._lock:
            self._show(what, done, total)

    def _show(self, what: str, done: int, total: int) -> None:
        if self._shown is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            self._shown = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._shown.start()
        if what not in self._tasks:
            self._tasks[what] = self._shown.add_task(printable(what), total=total)
        self._shown.update(self._tasks[what], completed=done, total=total)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._shown is not None:
            self._shown.stop()
