"""Answering: JSON in, JSON out, counting beside the loop on a few threads, errors in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import anyio
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from reidrisk.errors import InputError, ReidriskError
from reidrisk.web.arriving import blocks_of
from reidrisk.web.processes import Desk
from reidrisk.web.settings import LARGEST_QUESTION, Settings
from reidrisk.web.shelf import Shelf
from reidrisk.web.works import Works

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
