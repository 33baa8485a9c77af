"""Cores: the same work on several slices at once (numpy lets go of the interpreter in it)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

Task = TypeVar("Task")
Answer = TypeVar("Answer")

# Below this many records a thread costs more than it brings.
WORTH_SHARING = 100_000


def available() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each(work: Callable[[Task], Answer], tasks: Iterable[Task], threads: int) -> list[Answer]:
    """`work` on each task, in order, on up to `threads` cores."""
    listed = list(tasks)
    if threads <= 1 or len(listed) <= 1:
        return [work(task) for task in listed]
    pool = ThreadPoolExecutor(threads)
    try:
        return list(pool.map(work, listed))
    finally:
        # Not `with`: an interrupt must not wait for work nobody will look at.
        pool.shutdown(wait=False, cancel_futures=True)


def in_slices(work: Callable[[slice], Answer], length: int, threads: int) -> list[Answer]:
    """`work` on slices that together cover `length` records."""
    parts = threads if length >= WORTH_SHARING else 1
    bounds = [length * part // parts for part in range(parts + 1)]
    slices = [slice(low, high) for low, high in pairwise(bounds)]
    return each(work, slices, threads)
