"""Routes of long work: start it, hear how far it is (server-sent events), stop it, take a file."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import numpy as np
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from reidrisk.crowds import CrowdSizes
from reidrisk.errors import InputError
from reidrisk.web.answering import house_of, question_of
from reidrisk.web.asked_view import AskedView, asked_view, mapping
from reidrisk.web.long_questions import QUESTIONS
from reidrisk.web.opened import Opened
from reidrisk.web.viewed import Viewed
from reidrisk.web.works import Work

# A proxy or a browser may close what is silent for long.
SECONDS_SILENT = 15.0


async def start_work(request: Request) -> Response:
    """{source, kind, view, options} → its id."""
    house, asked = house_of(request), await question_of(request)
    kind, options = asked.get("kind"), mapping(asked.get("options") or {}, "options")
    source = house.shelf.get(str(asked.get("source")))
    view = asked_view(asked.get("view"))
    if kind not in QUESTIONS:
        raise InputError(f"there is no such work; there are: {', '.join(QUESTIONS)}")
    await house.counted(lambda: source.source(view))
    work = house.works.start(str(kind), lambda: (kind, source.packed(), view, options))
    if kind == "predict":
        house.works.when_done(work, lambda answer: _keep_prediction(source, view, answer))
    return JSONResponse(work.told(), 202)


def _keep_prediction(source: Opened, view: AskedView, answer: dict[str, Any]) -> None:
    """A view that was predicted once is told at once the next time."""
    crowds = CrowdSizes(
        np.array(answer["sizes"], np.int64), np.array(answer["crowds"]), answer["kind"]
    )
    source.views.keep(view.key, Viewed(answer["told"], crowds))


async def tell_work(request: Request) -> Response:
    """Its state now."""
    return JSONResponse(_work(request).told())


async def hear_work(request: Request) -> Response:
    """Its states as they come."""
    house, work = house_of(request), _work(request)
    events = _events(house.works.listen(work))
    return StreamingResponse(events, media_type="text/event-stream")


async def _events(states: AsyncIterator[dict[str, Any]]) -> AsyncIterator[str]:
    """`data: {…}`, and a comment where nothing is new for long."""
    waiting: asyncio.Task[dict[str, Any]] | None = None
    try:
        while True:
            waiting = waiting or asyncio.ensure_future(anext(states))
            done, _ = await asyncio.wait({waiting}, timeout=SECONDS_SILENT)
            if not done:
                yield ": still here\n\n"
                continue
            try:
                state = waiting.result()
            except StopAsyncIteration:
                return
            waiting = None
            yield f"data: {json.dumps(state)}\n\n"
    finally:
        if waiting is not None:
            waiting.cancel()
            with suppress(asyncio.CancelledError, StopAsyncIteration):
                await waiting
        await states.aclose()  # type: ignore[attr-defined]


async def stop_work(request: Request) -> Response:
    """End its process."""
    work = _work(request)
    await house_of(request).works.stop(work)
    return JSONResponse(work.told())


async def take_file(request: Request) -> Response:
    """The report, to be saved; opened here it may do nothing."""
    work = _work(request)
    file = (work.answer or {}).get("file")
    if file is None:
        raise InputError("this work has no file")
    headers = {
        "Content-Disposition": 'attachment; filename="report.html"',
        "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'",
    }
    return Response(file, media_type="text/html; charset=utf-8", headers=headers)


def _work(request: Request) -> Work:
    return house_of(request).works.get(request.path_params["id"])


ROUTES = [
    Route("/works", start_work, methods=["POST"]),
    Route("/works/{id}", tell_work, methods=["GET"]),
    Route("/works/{id}/events", hear_work, methods=["GET"]),
    Route("/works/{id}/stop", stop_work, methods=["POST"]),
    Route("/works/{id}/report.html", take_file, methods=["GET"]),
]
