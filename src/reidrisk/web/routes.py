"""Routes of what is held: open, list, close; a view's figures and pictures; person and group.

Routes of long work: start it, hear how far it is (server-sent events), stop it, take a file.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import partial
from typing import Any

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
from reidrisk.web.answers import drawn
from reidrisk.web.asked_view import AskedView, asked_view, mapping, whole
from reidrisk.web.jobs import Work
from reidrisk.web.opened import Opened, OpenedStatistics, OpenedTable, Viewed
from reidrisk.web.questions import LARGEST_GROUP, LONG_QUESTIONS, about_group, about_person
from reidrisk.web.requests import House, arrived, house_of, question_of


async def list_sources(request: Request) -> Response:
    """What is held."""
    held = [{"id": each.id, "title": each.title} for each in house_of(request).shelf]
    return JSONResponse({"sources": held})


async def open_source(request: Request) -> Response:
    """A file, as the body; its name in a header."""
    house = house_of(request)
    async with house.arriving:
        source = await _arrived(house, request)
    return await _described(house, source)


async def _arrived(house: House, request: Request) -> Opened:
    place = await arrived(request, house.settings.upload_limit, house.folder)
    try:
        source = await house.apart(lambda: house.reading.opened([place], place.name, place.parent))
    except BaseException:
        shutil.rmtree(place.parent, ignore_errors=True)
        raise
    if isinstance(source, OpenedStatistics):
        return house.shelf.put(source, place.parent)
    shutil.rmtree(place.parent, ignore_errors=True)
    return house.shelf.put(source)


async def open_demo(request: Request) -> Response:
    """The generated city, for those without a table at hand."""
    from reidrisk.demo import city
    from reidrisk.records import hold

    house = house_of(request)
    held = await house.counted(lambda: hold(city()))
    return await _described(house, house.shelf.put(OpenedTable(held, "The generated city")))


async def describe_source(request: Request) -> Response:
    """Its attributes, and how each may be seen."""
    return await _described(house_of(request), _source(request))


async def close_source(request: Request) -> Response:
    """Let it go."""
    house_of(request).shelf.close(request.path_params["id"])
    return JSONResponse({})


async def view_source(request: Request) -> Response:
    """The figures of a view; of statistics only where they were predicted before."""
    source, view = _source(request), asked_view((await question_of(request)).get("view"))
    found = await _viewed(house_of(request), source, view)
    return JSONResponse({"told": None if found is None else found.told})


async def draw_view(request: Request) -> Response:
    """One picture of a view."""
    house, source, asked = house_of(request), _source(request), await question_of(request)
    view, name, width = asked_view(asked.get("view")), str(asked.get("picture")), _width(asked)
    found = await _viewed(house, source, view)
    if found is None:
        raise InputError("this view isn't predicted yet")
    if name not in PICTURES:
        raise InputError(f"there is no such picture; there are: {', '.join(PICTURES)}")
    return JSONResponse(await house.counted(lambda: _picture(found, view, name, width)))


async def choices_of(request: Request) -> Response:
    """An attribute's values, to choose one's own from."""
    source, asked = _source(request), await question_of(request)
    name = str(asked.get("attribute"))
    found = await house_of(request).counted(lambda: source.choices(name))
    return JSONResponse({"choices": found})


async def ask_person(request: Request) -> Response:
    """What about somebody with these values?"""
    house, source, asked = house_of(request), _source(request), await question_of(request)
    values = mapping(asked.get("values"), "values")
    texts = {name: str(value) for name, value in values.items() if str(value).strip()}
    if not texts:
        raise InputError("no value was given", "fill in at least one")
    view = asked_view(mapping(asked.get("view"), "view") | {"columns": list(texts)})
    width = _width(asked)

    asked_of = partial(about_person, view=view, values=texts, width=width)
    return JSONResponse(await _answered(house, source, "person", asked_of))


async def ask_group(request: Request) -> Response:
    """Are all members of a group unique? With `curve`, for every size up to almost never."""
    house, source, asked = house_of(request), _source(request), await question_of(request)
    view, width = asked_view(asked.get("view")), _width(asked)
    size = whole(asked.get("size"), "group size", 2, LARGEST_GROUP)
    curve = asked.get("curve") is True

    asked_of = partial(about_group, view=view, size=size, curve=curve, width=width)
    return JSONResponse(await _answered(house, source, "group", asked_of))


async def _answered(house: House, source: Opened, kind: str, asked_of: Any) -> Any:
    """Of a table here and now; of statistics in a process, since nobody has counted them."""
    if isinstance(source, OpenedStatistics):
        question = (kind, source.packed(), *asked_of.keywords.values())
        return await house.apart(lambda: house.predicting.answer(*question))
    return await house.counted(lambda: asked_of(source.packed()))


async def _described(house: House, source: Opened) -> Response:
    return JSONResponse(await house.counted(source.described))


async def _viewed(house: House, source: Opened, view: AskedView) -> Viewed | None:
    if isinstance(source, OpenedStatistics):
        return source.views.get(view.key)
    assert isinstance(source, OpenedTable)
    return await house.counted(lambda: source.viewed(view))


def _picture(found: Viewed, view: AskedView, name: str, width: int) -> dict[str, Any]:
    key = f"{name} {width}"
    if key not in found.pictures:
        found.pictures[key] = drawn(PICTURES[name](found, view, width))
    picture: dict[str, Any] = found.pictures[key]
    return picture


def _crowds(found: Viewed, view: AskedView, width: int) -> Any:
    bins = [each._replace(told=share(each.share)) for each in bins_of(found.crowds)]
    return crowd_histogram(bins, width)


def _attack(found: Viewed, view: AskedView, width: int) -> Any:
    return attack_curve(curve_of(f"{listed(view.columns)} known", found.crowds), width)


PICTURES = {"crowds": _crowds, "attack": _attack}


def _source(request: Request) -> Opened:
    return house_of(request).shelf.get(request.path_params["id"])


def _width(asked: dict[str, Any]) -> int:
    return NARROW if asked.get("width") == "narrow" else WIDE


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


async def start_work(request: Request) -> Response:
    """{source, kind, view, options} → its id."""
    house, asked = house_of(request), await question_of(request)
    kind, options = asked.get("kind"), mapping(asked.get("options") or {}, "options")
    source = house.shelf.get(str(asked.get("source")))
    view = asked_view(asked.get("view"))
    if kind not in LONG_QUESTIONS:
        raise InputError(f"there is no such work; there are: {', '.join(LONG_QUESTIONS)}")
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


JOB_ROUTES = [
    Route("/works", start_work, methods=["POST"]),
    Route("/works/{id}", tell_work, methods=["GET"]),
    Route("/works/{id}/events", hear_work, methods=["GET"]),
    Route("/works/{id}/stop", stop_work, methods=["POST"]),
    Route("/works/{id}/report.html", take_file, methods=["GET"]),
]
