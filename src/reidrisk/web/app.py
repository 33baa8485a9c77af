"""The application: the routes behind the guard, and what begins and ends with it."""

from __future__ import annotations

import shutil
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware

from reidrisk import cores
from reidrisk.errors import ReidriskError
from reidrisk.web import page_routes, source_routes, work_routes
from reidrisk.web.answering import House, no_such_page, refused
from reidrisk.web.guard import Guard
from reidrisk.web.opened import Opened
from reidrisk.web.settings import Settings
from reidrisk.web.shelf import Shelf
from reidrisk.writing import temporary_folder


def application(settings: Settings, held: Sequence[Opened] = ()) -> Starlette:
    """An application of its own, holding what was opened before it."""
    house = House(settings, Shelf(settings), temporary_folder(), max(cores.available(), 2))
    for source in held:
        house.shelf.put(source)

    @asynccontextmanager
    async def living(app: Starlette) -> AsyncIterator[None]:
        threading.Thread(target=_draw_once, daemon=True).start()
        house.works.get_ready()
        threading.Thread(target=house.reading.get_ready, daemon=True).start()
        try:
            yield
        finally:
            await house.works.stop_all()
            house.reading.close()
            house.predicting.close()
            shutil.rmtree(house.folder, ignore_errors=True)

    made = Starlette(
        routes=[*page_routes.ROUTES, *source_routes.ROUTES, *work_routes.ROUTES],
        middleware=[Middleware(Guard, settings=settings)],
        exception_handlers={ReidriskError: refused, 404: no_such_page},
        lifespan=living,
    )
    made.state.house = house
    return made


def _draw_once() -> None:
    """The first picture takes a second, for imports; it is drawn before anybody waits for it."""
    from reidrisk.charts.at_least import AtLeast, at_least
    from reidrisk.web.drawn import drawn

    drawn(at_least([AtLeast(2, 1.0)]))
