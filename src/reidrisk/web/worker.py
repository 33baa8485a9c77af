"""The worker: a process that answers one long question and ends.

It is given the question, pickled, on standard input, and says on standard output, a line of JSON
each, how far it is and what the answer is. When standard input closes, whoever asked is gone, and
so is the worker.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import threading
import time
from typing import Any, BinaryIO

SECONDS_BETWEEN = 0.1


def main() -> None:
    """Get ready, wait for the question, answer it."""
    # Whatever prints by mistake must not stand between the lines of JSON.
    lines = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    sys.stdout = sys.stderr
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from reidrisk.web import long_questions

    given = sys.stdin.buffer
    size = given.read(8)
    if len(size) < 8:
        return
    question = pickle.loads(given.read(int.from_bytes(size, "big")))
    threading.Thread(target=_end_with, args=(given,), daemon=True).start()
    telling = _Telling(lines)
    telling.line(_outcome(long_questions.answered, question, telling))
    lines.flush()
    os._exit(0)


def _end_with(given: BinaryIO) -> None:
    """Whoever asked holds the other end open, and never writes again."""
    given.read(1)
    os._exit(1)


def _outcome(answered: Any, question: tuple[Any, ...], telling: Any) -> dict[str, Any]:
    from reidrisk.errors import ReidriskError, where_it_failed

    try:
        return {"answer": answered(*question, telling)}
    except ReidriskError as error:
        told = {"kind": error.kind, "message": error.message, "hint": error.hint}
    except MemoryError:
        told = {"kind": "engine_failure", "message": "memory ran out", "hint": ""}
    except Exception as error:
        place = where_it_failed(error)
        told = {"kind": "fault", "message": f"reidrisk failed: {place}", "hint": ""}
    return {"error": told}


class _Telling:
    """Progress as lines, not more than ten a second; called from several threads."""

    def __init__(self, lines: Any) -> None:
        self._lines, self._last, self._turn = lines, 0.0, threading.Lock()

    def __call__(self, what: str, done: int, total: int) -> None:
        with self._turn:
            now = time.monotonic()
            if now - self._last >= SECONDS_BETWEEN:
                self._last = now
                self._write({"progress": {"what": what, "done": done, "total": total}})

    def line(self, told: dict[str, Any]) -> None:
        with self._turn:
            self._write(told)

    def _write(self, told: dict[str, Any]) -> None:
        self._lines.write(json.dumps(told) + "\n")
        self._lines.flush()


if __name__ == "__main__":
    main()
