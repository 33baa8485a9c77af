"""Routes: the state every route needs; open tables and statistics; jobs.

Routes of open tables and statistics: open, list, close, figures and charts, person, group.

Routes of jobs: start one, follow it (server-sent events), stop it, download its report.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import anyio
import numpy as np
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from reidrisk.crowds import CrowdSizes
from reidrisk.errors import InputError
from reidrisk.reports import (
    NARROW,
    WIDE,
    attack_curve,
    bins_of,
    crowd_histogram,
    curve_of,
    listed,
    share,
)
from reidrisk.web.answers import chart_elements
from reidrisk.web.guard import Settings
from reidrisk.web.jobs import Job, Jobs
from reidrisk.web.opened import Opened, OpenedStatistics, OpenedTable, OpenSources, Viewed
from reidrisk.web.processes import WorkerProcess
from reidrisk.web.questions import LARGEST_GROUP, LONG_QUESTIONS, about_group, about_person
from reidrisk.web.requests import (
    ViewRequest,
    mapping,
    parsed_view,
    question_of,
    received_file,
    whole,
)

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


async def list_sources(request: Request) -> Response:
    """What is held."""
    held = [{"id": each.id, "title": each.title} for each in state_of(request).sources]
    return JSONResponse({"sources": held})


async def open_source(request: Request) -> Response:
    """A file, as the body; its name in a header."""
    state = state_of(request)
    async with state.receiving:
        source = await _receive(state, request)
    return await _description(state, source)


async def _receive(state: ServerState, request: Request) -> Opened:
    place = await received_file(request, state.settings.upload_limit, state.folder)
    try:
        source = await state.on_waiting_thread(
            lambda: state.reader.open_source([place], place.name, place.parent)
        )
    except BaseException:
        shutil.rmtree(place.parent, ignore_errors=True)
        raise
    if isinstance(source, OpenedStatistics):
        return state.sources.put(source, place.parent)
    shutil.rmtree(place.parent, ignore_errors=True)
    return state.sources.put(source)


async def open_demo(request: Request) -> Response:
    """The generated city, for those without a table at hand."""
    from reidrisk.demo import city
    from reidrisk.records import hold

    state = state_of(request)
    held = await state.on_thread(lambda: hold(city()))
    return await _description(state, state.sources.put(OpenedTable(held, "The generated city")))


async def describe_source(request: Request) -> Response:
    """Its attributes, and how each may be seen."""
    return await _description(state_of(request), _source(request))


async def close_source(request: Request) -> Response:
    """Let it go."""
    state_of(request).sources.close(request.path_params["id"])
    return JSONResponse({})


async def view_source(request: Request) -> Response:
    """The figures of a view; of statistics only where they were predicted before."""
    source, view = _source(request), parsed_view((await question_of(request)).get("view"))
    viewed = await _view_answer(state_of(request), source, view)
    return JSONResponse({"told": None if viewed is None else viewed.told})


async def draw_view(request: Request) -> Response:
    """One picture of a view."""
    state, source, question = state_of(request), _source(request), await question_of(request)
    view, name = parsed_view(question.get("view")), str(question.get("picture"))
    width = _width(question)
    viewed = await _view_answer(state, source, view)
    if viewed is None:
        raise InputError("nothing is predicted yet for these columns")
    if name not in PICTURES:
        raise InputError(f"there is no such picture; there are: {', '.join(PICTURES)}")
    return JSONResponse(await state.on_thread(lambda: _picture(viewed, view, name, width)))


async def choices_of(request: Request) -> Response:
    """An attribute's values, to choose one's own from."""
    source, question = _source(request), await question_of(request)
    name = str(question.get("attribute"))
    choices = await state_of(request).on_thread(lambda: source.choices(name))
    return JSONResponse({"choices": choices})


async def ask_person(request: Request) -> Response:
    """What about somebody with these values?"""
    state, source, question = state_of(request), _source(request), await question_of(request)
    values = mapping(question.get("values"), "values")
    texts = {name: str(value) for name, value in values.items() if str(value).strip()}
    if not texts:
        raise InputError("no value was given", "fill in at least one")
    view = parsed_view(mapping(question.get("view"), "view") | {"columns": list(texts)})
    width = _width(question)

    about = partial(about_person, view=view, values=texts, width=width)
    return JSONResponse(await _answer(state, source, "person", about))


async def ask_group(request: Request) -> Response:
    """Are all members of a group unique? With `curve`, for every size up to almost never."""
    state, source, question = state_of(request), _source(request), await question_of(request)
    view, width = parsed_view(question.get("view")), _width(question)
    size = whole(question.get("size"), "people asked", 2, LARGEST_GROUP)
    curve = question.get("curve") is True

    about = partial(about_group, view=view, size=size, curve=curve, width=width)
    return JSONResponse(await _answer(state, source, "group", about))


async def _answer(state: ServerState, source: Opened, kind: str, about: Any) -> Any:
    """Of a table here and now; of statistics in a process, since nobody has counted them."""
    if isinstance(source, OpenedStatistics):
        question = (kind, source.packed(), *about.keywords.values())
        return await state.on_waiting_thread(lambda: state.predictor.answer(*question))
    return await state.on_thread(lambda: about(source.packed()))


async def _description(state: ServerState, source: Opened) -> Response:
    return JSONResponse(await state.on_thread(source.described))


async def _view_answer(state: ServerState, source: Opened, view: ViewRequest) -> Viewed | None:
    if isinstance(source, OpenedStatistics):
        return source.views.get(view.key)
    assert isinstance(source, OpenedTable)
    return await state.on_thread(lambda: source.viewed(view))


def _picture(viewed: Viewed, view: ViewRequest, name: str, width: int) -> dict[str, Any]:
    key = f"{name} {width}"
    if key not in viewed.pictures:
        viewed.pictures[key] = chart_elements(PICTURES[name](viewed, view, width))
    picture: dict[str, Any] = viewed.pictures[key]
    return picture


def _crowds(viewed: Viewed, view: ViewRequest, width: int) -> Any:
    bins = [each._replace(told=share(each.share)) for each in bins_of(viewed.crowds)]
    return crowd_histogram(bins, width)


def _attack(viewed: Viewed, view: ViewRequest, width: int) -> Any:
    return attack_curve(curve_of(f"{listed(view.columns)} known", viewed.crowds), width)


PICTURES = {"crowds": _crowds, "attack": _attack}


def _source(request: Request) -> Opened:
    return state_of(request).sources.get(request.path_params["id"])


def _width(question: dict[str, Any]) -> int:
    return NARROW if question.get("width") == "narrow" else WIDE


SOURCE_ROUTES = [
    Route("/sources", list_sources, methods=["GET"]),
    Route("/sources", open_source, methods=["POST"]),
    Route("/demo", open_demo, methods=["POST"]),
    Route("/sources/{id}", describe_source, methods=["GET"]),
    Route("/sources/{id}", close_source, methods=["DELETE"]),
    Route("/sources/{id}/view", view_source, methods=["POST"]),
    Route("/sources/{id}/picture", draw_view, methods=["POST"]),
    Route("/sources/{id}/choices", choices_of, methods=["POST"]),
    Route("/sources/{id}/person", ask_person, methods=["POST"]),
    Route("/sources/{id}/group", ask_group, methods=["POST"]),
]


# A proxy or a browser may close what is silent for long.
SECONDS_SILENT = 15.0


async def start_job(request: Request) -> Response:
    """{source, kind, view, options} → its id."""
    state, question = state_of(request), await question_of(request)
    kind, options = question.get("kind"), mapping(question.get("options") or {}, "options")
    source = state.sources.get(str(question.get("source")))
    view = parsed_view(question.get("view"))
    if kind not in LONG_QUESTIONS:
        raise InputError(f"there is no such job; there are: {', '.join(LONG_QUESTIONS)}")
    await state.on_thread(lambda: source.source(view))
    job = state.jobs.start(str(kind), lambda: (kind, source.packed(), view, options))
    if kind == "predict":
        state.jobs.when_done(job, lambda answer: _keep_prediction(source, view, answer))
    return JSONResponse(job.to_json(), 202)


def _keep_prediction(source: Opened, view: ViewRequest, answer: dict[str, Any]) -> None:
    """A view that was predicted once is told at once the next time."""
    crowds = CrowdSizes(
        np.array(answer["sizes"], np.int64), np.array(answer["crowds"]), answer["kind"]
    )
    source.views.keep(view.key, Viewed(answer["told"], crowds))


async def show_job(request: Request) -> Response:
    """Its state now."""
    return JSONResponse(_job(request).to_json())


async def follow_job(request: Request) -> Response:
    """Its states as they come."""
    state, job = state_of(request), _job(request)
    events = _events(state.jobs.follow(job))
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


async def stop_job(request: Request) -> Response:
    """End its process."""
    job = _job(request)
    await state_of(request).jobs.stop(job)
    return JSONResponse(job.to_json())


async def download_report(request: Request) -> Response:
    """The report, to be saved; opened here it may do nothing."""
    job = _job(request)
    file = (job.answer or {}).get("file")
    if file is None:
        raise InputError("this job has no file")
    headers = {
        "Content-Disposition": 'attachment; filename="report.html"',
        "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'",
    }
    return Response(file, media_type="text/html; charset=utf-8", headers=headers)


def _job(request: Request) -> Job:
    return state_of(request).jobs.get(request.path_params["id"])


JOB_ROUTES = [
    Route("/jobs", start_job, methods=["POST"]),
    Route("/jobs/{id}", show_job, methods=["GET"]),
    Route("/jobs/{id}/events", follow_job, methods=["GET"]),
    Route("/jobs/{id}/stop", stop_job, methods=["POST"]),
    Route("/jobs/{id}/report.html", download_report, methods=["GET"]),
]
