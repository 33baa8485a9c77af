"""Routes of the page itself: one page, its style, its scripts. Nothing else is on the disk here."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from reidrisk.charts.hundred_people import PERSON
from reidrisk.errors import MissingExtra
from reidrisk.version import __version__
from reidrisk.web.answering import house_of, no_such_page

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
    settings = house_of(request).settings
    return HTMLResponse(
        _template().render(
            session=settings.session,
            version=__version__,
            person=PERSON,
            upload_limit=settings.upload_limit,
        )
    )


async def give_asset(request: Request) -> Response:
    """A script, the style, the icon."""
    name = request.path_params["name"]
    if name not in assets():
        return await no_such_page(request, KeyError())
    content, kind = assets()[name]
    return Response(content, media_type=kind)


ROUTES = [
    Route("/", show_page, methods=["GET"]),
    Route("/static/{name}", give_asset, methods=["GET"]),
]
