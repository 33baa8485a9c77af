"""Requests: the server's state, JSON bodies in, errors out, and files as they are uploaded.

An uploaded file is written to a folder of its own as it arrives.

The limit holds while it comes: what is too large is never on the disk as a whole. A table's file
is removed as soon as its records are held as codes; that of statistics stays until they go.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote

import anyio
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from reidrisk.errors import InputError, ReidriskError
from reidrisk.web.guard import LARGEST_QUESTION, Settings
from reidrisk.web.jobs import Jobs
from reidrisk.web.opened import OpenSources
from reidrisk.web.processes import WorkerProcess

LONGEST_NAME = 120
SECONDS_FOR_BLOCK = 20.0
# Bytes a second: slower than any line, faster than who only wants to keep us waiting.
LEAST_PACE = 10_000
_UNUSABLE = re.compile(r"[\x00-\x1f\x7f]")


class TooLarge(InputError):
    """An upload beyond the limit."""

    kind = "too_large"

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"the file is larger than {limit:,} bytes",
            "open it with: reidrisk serve FILE, or start with a larger --upload-limit",
        )


def file_name(name: str) -> str:
    """The last part of the name a browser gives, which says the format; never a path."""
    name = _UNUSABLE.sub("", unquote(name)).replace("\\", "/").rpartition("/")[2].strip()
    short = name.encode()[-LONGEST_NAME:].decode(errors="ignore")
    return short if short.strip(".") else "table"


class TooSlow(InputError):
    """What was announced doesn't come."""

    kind = "slow"

    def __init__(self) -> None:
        super().__init__("the rest of it didn't arrive in time", "try it again")


async def body_blocks(request: Request) -> AsyncIterator[bytes]:
    """A request's body as it comes; whoever lets us wait is hung up on."""
    stream, began, size = request.stream(), time.monotonic(), 0
    while True:
        try:
            block = await asyncio.wait_for(anext(stream), SECONDS_FOR_BLOCK)
        except StopAsyncIteration:
            return
        except TimeoutError:
            raise TooSlow from None
        size += len(block)
        if time.monotonic() - began > SECONDS_FOR_BLOCK + size / LEAST_PACE:
            raise TooSlow
        yield block


async def received_file(request: Request, limit: int, under: Path) -> Path:
    """The file, in a folder of its own; nothing is left of one that doesn't arrive whole."""
    announced = request.headers.get("content-length", "0")
    is_number = announced.isascii() and announced.isdigit()
    if is_number and (len(announced) > 18 or int(announced) > limit):
        raise TooLarge(limit)
    folder = Path(tempfile.mkdtemp(dir=under))
    place = folder / file_name(request.headers.get("x-file-name", ""))
    try:
        size = 0
        with place.open("wb") as file:
            async for block in body_blocks(request):
                size += len(block)
                if size > limit:
                    raise TooLarge(limit)
                file.write(block)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return place


MOST_ARRIVING = 8
Answer = TypeVar("Answer")


class ServerState:
    """What every route needs: settings, open sources, jobs, worker processes and threads."""

    def __init__(
        self, settings: Settings, sources: OpenSources, folder: Path, threads: int
    ) -> None:
        self.settings, self.sources, self.folder, self._threads = settings, sources, folder, threads
        self._jobs: Jobs | None = None
        self._few_threads: anyio.CapacityLimiter | None = None
        # One reads files, one answers about statistics: neither keeps the other waiting.
        self.reader, self.predictor = (WorkerProcess(settings.memory_limit) for _ in range(2))
        self._waiting_threads: anyio.CapacityLimiter | None = None
        self._receiving: anyio.CapacityLimiter | None = None

    @property
    def jobs(self) -> Jobs:
        """Made inside the loop that runs them."""
        if self._jobs is None:
            self._jobs = Jobs(self.settings.memory_limit)
        return self._jobs

    @property
    def receiving(self) -> anyio.CapacityLimiter:
        """Few files arrive at once, the others wait: the disk is bounded too."""
        if self._receiving is None:
            self._receiving = anyio.CapacityLimiter(MOST_ARRIVING)
        return self._receiving

    async def on_thread(self, task: Callable[[], Answer]) -> Answer:
        """Something short, on one of a few threads."""
        if self._few_threads is None:
            self._few_threads = anyio.CapacityLimiter(self._threads)
        return await anyio.to_thread.run_sync(task, limiter=self._few_threads)

    async def on_waiting_thread(self, task: Callable[[], Answer]) -> Answer:
        """Something that waits for a process; ticks don't wait for it."""
        if self._waiting_threads is None:
            self._waiting_threads = anyio.CapacityLimiter(MOST_ARRIVING)
        return await anyio.to_thread.run_sync(task, limiter=self._waiting_threads)


def state_of(request: Request) -> ServerState:
    """The state of the server that a request came to."""
    state: ServerState = request.app.state.server
    return state


async def question_of(request: Request) -> dict[str, Any]:
    """A small JSON object."""
    body = bytearray()
    async for block in body_blocks(request):
        body += block
        if len(body) > LARGEST_QUESTION:
            raise InputError("the question is too long")
    try:
        asked = json.loads(body or b"{}")
    except (ValueError, RecursionError):
        raise InputError("the question isn't JSON") from None
    if not isinstance(asked, dict):
        raise InputError("the question isn't an object")
    return asked


async def error_response(request: Request, error: Exception) -> Response:
    """An error that was raised on purpose, in words."""
    assert isinstance(error, ReidriskError)
    error_object = {"kind": error.kind, "message": error.message, "hint": error.hint}
    status = {"too_large": 413, "let_go": 404, "slow": 408, "fault": 500}.get(error.kind, 400)
    # The rest of what is too large or too slow isn't waited for.
    headers = {"Connection": "close"} if status in (408, 413) else None
    return JSONResponse({"error": error_object}, status, headers)


async def not_found(request: Request, error: Exception) -> Response:
    """An address that isn't one."""
    error_object = {"kind": "no_page", "message": "there is nothing at this address", "hint": ""}
    return JSONResponse({"error": error_object}, 404)
