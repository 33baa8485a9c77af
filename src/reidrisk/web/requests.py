"""Answering: JSON in, JSON out, counting beside the loop on a few threads, errors in words.

Arriving: a file that is dropped on the page, written to a folder of its own as it comes.

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
from reidrisk.web.jobs import Works
from reidrisk.web.opened import Shelf
from reidrisk.web.processes import Desk

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
            "start with a larger --upload-limit, or name the file: reidrisk serve FILE",
        )


def file_name(given: str) -> str:
    """The last part of the name a browser gives, which says the format; never a path."""
    name = _UNUSABLE.sub("", unquote(given)).replace("\\", "/").rpartition("/")[2].strip()
    short = name.encode()[-LONGEST_NAME:].decode(errors="ignore")
    return short if short.strip(".") else "table"


class TooSlow(InputError):
    """What was announced doesn't come."""

    kind = "slow"

    def __init__(self) -> None:
        super().__init__("the rest of it didn't come in time", "try it again")


async def blocks_of(request: Request) -> AsyncIterator[bytes]:
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


async def arrived(request: Request, limit: int, under: Path) -> Path:
    """The file, in a folder of its own; nothing is left of one that doesn't arrive whole."""
    said = request.headers.get("content-length", "0")
    if said.isascii() and said.isdigit() and (len(said) > 18 or int(said) > limit):
        raise TooLarge(limit)
    folder = Path(tempfile.mkdtemp(dir=under))
    place = folder / file_name(request.headers.get("x-file-name", ""))
    try:
        size = 0
        with place.open("wb") as file:
            async for block in blocks_of(request):
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


class House:
    """What every route needs: the settings, what is held, what is under way, and its threads."""

    def __init__(self, settings: Settings, shelf: Shelf, folder: Path, threads: int) -> None:
        self.settings, self.shelf, self.folder, self._threads = settings, shelf, folder, threads
        self._works: Works | None = None
        self._limiter: anyio.CapacityLimiter | None = None
        # One reads files, one answers about statistics: neither keeps the other waiting.
        self.reading, self.predicting = (Desk(settings.memory_limit) for _ in range(2))
        self._apart: anyio.CapacityLimiter | None = None
        self._arriving: anyio.CapacityLimiter | None = None

    @property
    def works(self) -> Works:
        """Made inside the loop that runs them."""
        if self._works is None:
            self._works = Works(self.settings.memory_limit)
        return self._works

    @property
    def arriving(self) -> anyio.CapacityLimiter:
        """Few files arrive at once, the others wait: the disk is bounded too."""
        if self._arriving is None:
            self._arriving = anyio.CapacityLimiter(MOST_ARRIVING)
        return self._arriving

    async def counted(self, work: Callable[[], Answer]) -> Answer:
        """Something short, on one of a few threads."""
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(self._threads)
        return await anyio.to_thread.run_sync(work, limiter=self._limiter)

    async def apart(self, work: Callable[[], Answer]) -> Answer:
        """Something that waits for a process; ticks don't wait for it."""
        if self._apart is None:
            self._apart = anyio.CapacityLimiter(MOST_ARRIVING)
        return await anyio.to_thread.run_sync(work, limiter=self._apart)


def house_of(request: Request) -> House:
    """The house a request came to."""
    house: House = request.app.state.house
    return house


async def question_of(request: Request) -> dict[str, Any]:
    """A small JSON object."""
    body = bytearray()
    async for block in blocks_of(request):
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


async def refused(request: Request, error: Exception) -> Response:
    """An error that was raised on purpose, in words."""
    assert isinstance(error, ReidriskError)
    told = {"kind": error.kind, "message": error.message, "hint": error.hint}
    status = {"too_large": 413, "let_go": 404, "slow": 408, "fault": 500}.get(error.kind, 400)
    # The rest of what is too large or too slow isn't waited for.
    headers = {"Connection": "close"} if status in (408, 413) else None
    return JSONResponse({"error": told}, status, headers)


async def no_such_page(request: Request, error: Exception) -> Response:
    """An address that isn't one."""
    told = {"kind": "no_page", "message": "there is nothing at this address", "hint": ""}
    return JSONResponse({"error": told}, 404)
