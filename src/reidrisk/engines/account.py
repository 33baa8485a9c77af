"""The account: how many queries were asked, how long they took, how many rows came back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Account:
    """Kept by a session; nothing in it comes from a record."""

    def __init__(self) -> None:
        self.queries = 0
        self.seconds = 0.0
        self.longest = 0.0
        self.rows = 0

    @contextmanager
    def query(self, asked_anew: bool = True) -> Iterator[None]:
        """Time one query, also one that fails, or more of the answer to the last one."""
        began = time.perf_counter()
        self.queries += asked_anew
        try:
            yield
        finally:
            took = time.perf_counter() - began
            self.seconds += took
            self.longest = max(self.longest, took)

    def said(self) -> str:
        """For --verbose."""
        queries = "1 query" if self.queries == 1 else f"{self.queries:,} queries"
        rows = "1 row" if self.rows == 1 else f"{self.rows:,} rows"
        return (
            f"{queries} in {self.seconds:.2f} s, the longest {self.longest:.2f} s; "
            f"{rows} of counts came back"
        )
