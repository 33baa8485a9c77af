"""Cores: the same work on several slices at once (numpy and Arrow let go of the interpreter).

Interruptible: a long question is asked in a thread of its own.

An interrupt then reaches us at once and not the engine's inside, and can stop the engine's work.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import pairwise
from typing import TypeVar

# What is being done, how much of it is done, of how much.
Progress = Callable[[str, int, int], None]


def no_progress(what: str, done: int, total: int) -> None:
    """Progress nobody looks at."""


Task = TypeVar("Task")
Answer = TypeVar("Answer")

# Below this many records a thread costs more than it brings.
WORTH_SHARING = 100_000


def available() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each(work: Callable[[Task], Answer], tasks: Iterable[Task], threads: int) -> list[Answer]:
    """`work` on each task, answers in order, on up to `threads` cores, this one among them.

    Plain daemon threads: an interrupted command needn't wait for work nobody will look at, and
    a pool would cost every command the imports of `concurrent.futures`.
    """
    listed = list(tasks)
    answers: dict[int, Answer] = {}
    faults: list[BaseException] = []
    waiting = iter(range(len(listed)))
    turn = threading.Lock()

    def take_turns() -> None:
        while not faults:
            with turn:
                place = next(waiting, None)
            if place is None:
                return
            try:
                answers[place] = work(listed[place])
            except BaseException as fault:
                faults.append(fault)

    others = [
        threading.Thread(target=take_turns, daemon=True)
        for _ in range(min(threads, len(listed)) - 1)
    ]
    for other in others:
        other.start()
    take_turns()
    if not any(isinstance(fault, KeyboardInterrupt) for fault in faults):
        for other in others:
            other.join()
    if faults:
        raise faults[0]
    return [answers[place] for place in range(len(listed))]


def in_slices(work: Callable[[slice], Answer], length: int, threads: int) -> list[Answer]:
    """`work` on slices that together cover `length` records."""
    parts = threads if length >= WORTH_SHARING else 1
    bounds = [length * part // parts for part in range(parts + 1)]
    return each(work, [slice(low, high) for low, high in pairwise(bounds)], threads)


PATIENCE = 0.3
LAST_WORDS = 5.0


def asked(
    question: Callable[[], Answer],
    stop: Callable[[], object],
    meanwhile: Callable[[], object] = lambda: None,
) -> Answer:
    """The answer, or what went wrong; on an interrupt `stop` is called and waited for a little."""
    answers: list[Answer] = []
    faults: list[BaseException] = []

    def ask() -> None:
        try:
            answers.append(question())
        except BaseException as fault:
            faults.append(fault)

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    try:
        asking.join(PATIENCE)
        while asking.is_alive():
            meanwhile()
            asking.join(PATIENCE)
    except KeyboardInterrupt:
        with suppress(Exception):
            stop()
        asking.join(LAST_WORDS)
        raise
    if faults:
        raise faults[0]
    return answers[0]
