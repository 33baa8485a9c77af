"""The application: the routes behind the guard, and what begins and ends with it.

Routes of the page itself: one page, its style, its scripts. Nothing else is on the disk here.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from reidrisk import machine
from reidrisk.errors import MissingExtra, ReidriskError
from reidrisk.output_files import temporary_folder
from reidrisk.reports import PERSON
from reidrisk.version import __version__
from reidrisk.web import routes
from reidrisk.web.guard import Guard, Settings
from reidrisk.web.opened import Opened, OpenSources
from reidrisk.web.requests import error_response, not_found
from reidrisk.web.routes import ServerState, state_of

KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


@cache
def assets() -> dict[str, tuple[bytes, str]]:
    """{name: (content, media type)} of what lies in `static`; read once."""
    found = {}
    for each in (files("reidrisk.web") / "static").iterdir():
        kind = KINDS.get(f".{each.name.rpartition('.')[2]}")
        if kind is not None:
            found[each.name] = (each.read_bytes(), kind)
    return found


@cache
def _template() -> Any:
    try:
        import jinja2
    except ImportError:
        raise MissingExtra("a page", "page", "serving") from None
    made = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    text = (files("reidrisk.web") / "templates" / "page.html").read_text(encoding="utf-8")
    return made.from_string(text)


async def show_page(request: Request) -> Response:
    """The page; its session is known to nobody else."""
    settings = state_of(request).settings
    return HTMLResponse(
        _template().render(
            session=settings.session,
            version=__version__,
            person=PERSON,
            upload_limit=settings.upload_limit,
        )
    )


async def send_asset(request: Request) -> Response:
    """A script, the style, the icon."""
    name = request.path_params["name"]
    if name not in assets():
        return await not_found(request, KeyError())
    content, kind = assets()[name]
    return Response(content, media_type=kind)


PAGE_ROUTES = [
    Route("/", show_page, methods=["GET"]),
    Route("/static/{name}", send_asset, methods=["GET"]),
]


def application(settings: Settings, opened: Sequence[Opened] = ()) -> Starlette:
    """An application of its own, holding what was opened before it."""
    state = ServerState(
        settings, OpenSources(settings), temporary_folder(), max(machine.available(), 2)
    )
    for source in opened:
        state.sources.put(source)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        threading.Thread(target=_draw_a_first_chart, daemon=True).start()
        state.jobs.get_ready()
        threading.Thread(target=state.reader.get_ready, daemon=True).start()
        try:
            yield
        finally:
            await state.jobs.stop_all()
            state.reader.close()
            state.predictor.close()
            shutil.rmtree(state.folder, ignore_errors=True)

    made = Starlette(
        routes=[*PAGE_ROUTES, *routes.SOURCE_ROUTES, *routes.JOB_ROUTES],
        middleware=[Middleware(Guard, settings=settings)],
        exception_handlers={ReidriskError: error_response, 404: not_found},
        lifespan=lifespan,
    )
    made.state.server = state
    return made


def _draw_a_first_chart() -> None:
    """The first picture takes a second, for imports; it is drawn before anybody waits for it."""
    from reidrisk.reports import AtLeast, at_least
    from reidrisk.web.answers import chart_elements

    chart_elements(at_least([AtLeast(2, 1.0)]))
