"""Processes: the page's work is done in them, each under the memory limit; its server does none.

A file that turns out larger than any memory ends the process that reads it, not the page. On
Linux the operating system keeps the limit; elsewhere only what is counted beforehand is refused.
"""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import subprocess
import sys
import tempfile
import threading
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from reidrisk.errors import InputError, ReidriskError
from reidrisk.output_files import temporary_folder
from reidrisk.prediction import LoadedStatistics
from reidrisk.records import ReadOptions
from reidrisk.web.opened import OpenedStatistics, OpenedTable

LONGEST_LINE = 256 * 10**6
# What a process has once held it may keep: one that grew beyond this share makes way for another.
GROWN = 0.25
PROCESS_ENDED = (
    "the process that worked on this ended: it needs more memory than is allowed, or the file is "
    "damaged"
)
MORE_MEMORY = "start reidrisk serve with a larger --memory-limit"


class WorkerError(ReidriskError):
    """What went wrong in a process, as it told it."""

    def __init__(self, kind: str, message: str, hint: str) -> None:
        super().__init__(message, hint)
        self.kind = kind
        self.exit_status = 3 if kind in ("engine_failure", "fault") else InputError.exit_status


def arguments(limit: int) -> list[str]:
    """The command of a process that works under a limit."""
    return [sys.executable, "-m", "reidrisk.web.worker", str(limit)]


async def start_worker(limit: int) -> Process:
    """One that waits for a long question."""
    return await asyncio.create_subprocess_exec(
        *arguments(limit), stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=LONGEST_LINE
    )


async def kill(process: Process) -> None:
    """Killed if it still runs, and waited for, whatever happens meanwhile."""
    with suppress(ProcessLookupError):
        process.kill()
    await asyncio.shield(process.wait())


class WorkerProcess:
    """One process that answers short questions, one after the other; a new one where it ends."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def get_ready(self) -> None:
        """Have the process waiting."""
        with self._turn:
            self._running()

    def answer(self, *question: Any) -> Any:
        """Ask, and wait for the answer; what went wrong is raised."""
        with self._turn:
            reply = self._reply(pickle.dumps(question))
        if "error" in reply:
            raise WorkerError(**reply["error"])
        return reply["answer"]

    def open_source(
        self,
        paths: list[Path],
        title: str,
        into: Path | None = None,
        *,
        options: ReadOptions | None = None,
        pinned: bool = False,
    ) -> OpenedTable | OpenedStatistics:
        """Files of statistics, or one table; what is to be held comes through a file."""
        handle, named = tempfile.mkstemp(dir=into or temporary_folder())
        os.close(handle)
        file_between = Path(named)
        limited = replace(options or ReadOptions(), memory_limit=self._limit, threads=1)
        try:
            self.answer("open", paths, limited, file_between)
            with file_between.open("rb") as file:
                source = pickle.load(file)
        finally:
            file_between.unlink(missing_ok=True)
        if isinstance(source, LoadedStatistics):
            return OpenedStatistics(source, title, pinned)
        return OpenedTable(source, title, pinned)

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for end in (process.stdin, process.stdout):
            if end is not None:
                with suppress(OSError):
                    end.close()
        process.wait()

    def __del__(self) -> None:
        self.close()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = subprocess.Popen(
                arguments(self._limit),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        return self._process

    def _reply(self, question: bytes) -> dict[str, Any]:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(len(question).to_bytes(8, "big") + question)
            process.stdin.flush()
            reply: dict[str, Any] = {}
            while not {"answer", "error"} & reply.keys():
                reply = json.loads(process.stdout.readline())
        except (OSError, ValueError):
            self.close()
            return {
                "error": {"kind": "needs_memory", "message": PROCESS_ENDED, "hint": MORE_MEMORY}
            }
        if reply.pop("most", 0) > GROWN * self._limit:
            self.close()
        return reply
