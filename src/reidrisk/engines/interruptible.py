"""Interruptible: a long question is asked in a thread of its own.

An interrupt then reaches us at once and not the engine's inside, and can stop the engine's work.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

Answer = TypeVar("Answer")
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
