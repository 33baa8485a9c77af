"""The worker: a process that answers questions, and takes no more memory than it may.

It is given a question, pickled, on standard input, and says on standard output, a line of JSON
each, how far it is and what the answer is. When standard input closes, whoever asked is gone, and
so is the worker.
"""

from __future__ import annotations

import json
import os
import pickle
import queue
import sys
import threading
import time
from typing import Any, BinaryIO

SECONDS_BETWEEN = 0.1


def main() -> None:
    """Get ready, wait for questions, answer them."""
    # Whatever prints by mistake must not stand between the lines of JSON.
    lines = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    sys.stdout = sys.stderr
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from reidrisk import memory
    from reidrisk.web import questions as asked

    memory.hold_to(memory.beside_libraries(int(sys.argv[1])))
    questions: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_taken, args=(sys.stdin.buffer, questions), daemon=True).start()
    kinds = asked.LONG_QUESTIONS
    while True:
        kind, *question = pickle.loads(questions.get())
        telling = _Telling(lines)
        if kind in kinds:
            said = _outcome(asked.answered, kind, *question, telling)
        else:
            said = _outcome(asked.answered_at_once, kind, *question)
        telling.line(said | {"most": _most()})


def _taken(given: BinaryIO, questions: queue.SimpleQueue[bytes]) -> None:
    """Whoever asks holds the other end open; when it closes nobody waits for an answer."""
    while len(size := given.read(8)) == 8:
        questions.put(given.read(int.from_bytes(size, "big")))
    os._exit(0)


def _most() -> int:
    """Bytes this process has had at most; 0 where that isn't told."""
    try:
        import resource
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most << 10


def _outcome(answered: Any, *question: Any) -> dict[str, Any]:
    from reidrisk.errors import ReidriskError, where_it_failed

    try:
        return {"answer": answered(*question)}
    except ReidriskError as error:
        told = {"kind": error.kind, "message": error.message, "hint": error.hint}
    except MemoryError:
        told = {
            "kind": "engine_failure",
            "message": "it takes more memory than is given",
            "hint": "start the page with a larger --memory-limit",
        }
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
