"""The worker: a process that answers questions, and takes no more memory than it may.

It is given a question, pickled, on standard input, and prints on standard output, a line of JSON
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
    from reidrisk import machine
    from reidrisk.web import questions as question_kinds

    machine.hold_to(machine.beside_libraries(int(sys.argv[1])))
    questions: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(
        target=_read_questions, args=(sys.stdin.buffer, questions), daemon=True
    ).start()
    kinds = question_kinds.LONG_QUESTIONS
    while True:
        kind, *question = pickle.loads(questions.get())
        progress = _Lines(lines)
        if kind in kinds:
            outcome = _outcome(question_kinds.answer_long, kind, *question, progress)
        else:
            outcome = _outcome(question_kinds.answer_short, kind, *question)
        progress.line(outcome | {"most": _peak_memory()})


def _read_questions(stream: BinaryIO, questions: queue.SimpleQueue[bytes]) -> None:
    """Whoever asks holds the other end open; when it closes nobody waits for an answer."""
    while len(size := stream.read(8)) == 8:
        questions.put(stream.read(int.from_bytes(size, "big")))
    os._exit(0)


def _peak_memory() -> int:
    """Bytes this process has had at most; 0 where that isn't told."""
    try:
        import resource
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most << 10


def _outcome(answer: Any, *question: Any) -> dict[str, Any]:
    from reidrisk.errors import ReidriskError, where_it_failed

    try:
        return {"answer": answer(*question)}
    except ReidriskError as error:
        error_object = {"kind": error.kind, "message": error.message, "hint": error.hint}
    except MemoryError:
        error_object = {
            "kind": "engine_failure",
            "message": "this needs more memory than is allowed",
            "hint": "start reidrisk serve with a larger --memory-limit",
        }
    except Exception as error:
        place = where_it_failed(error)
        error_object = {"kind": "fault", "message": f"reidrisk failed: {place}", "hint": ""}
    return {"error": error_object}


class _Lines:
    """Progress as lines, not more than ten a second; called from several threads."""

    def __init__(self, lines: Any) -> None:
        self._lines, self._last, self._turn = lines, 0.0, threading.Lock()

    def __call__(self, what: str, done: int, total: int) -> None:
        with self._turn:
            now = time.monotonic()
            if now - self._last >= SECONDS_BETWEEN:
                self._last = now
                self._write({"progress": {"what": what, "done": done, "total": total}})

    def line(self, message: dict[str, Any]) -> None:
        with self._turn:
            self._write(message)

    def _write(self, message: dict[str, Any]) -> None:
        self._lines.write(json.dumps(message) + "\n")
        self._lines.flush()


if __name__ == "__main__":
    main()
