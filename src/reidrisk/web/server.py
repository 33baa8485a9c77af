"""Serving: a socket of our own, an address to print, and an end that leaves nothing behind."""

from __future__ import annotations

import asyncio
import socket
import threading
import webbrowser
from collections.abc import Callable, Sequence
from typing import Any

from reidrisk.errors import InputError, MissingExtra
from reidrisk.web.guard import Settings

LARGEST_PORT = 65_535
SECONDS_FOR_HEADERS = 10.0
MOST_CONNECTIONS = 500


def refuse_without_libraries() -> None:
    """Say what is missing before a table is read."""
    from importlib.util import find_spec

    needed = ("starlette", "uvicorn", "jinja2", "altair", "vl_convert")
    if not all(find_spec(name) is not None for name in needed):
        raise MissingExtra("the page", "page", "serving")


def listening(host: str, port: int) -> socket.socket:
    """A socket at the address; port 0 takes any that is free."""
    if not 0 <= port <= LARGEST_PORT:
        raise InputError(f"--port {port}: ports go from 0, any that is free, to {LARGEST_PORT:,}")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    place = socket.socket(family, socket.SOCK_STREAM)
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        place.bind((host, port))
    except OSError as error:
        place.close()
        raise InputError(
            f"the page can't be served at {host}, port {port}: {error.strerror or 'no such host'}",
            "give another --port, or none to take any that is free",
        ) from None
    return place


def address_of(place: socket.socket, settings: Settings) -> str:
    """What to type into a browser; the token stands in it."""
    port = place.getsockname()[1]
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    token = "" if settings.token is None else f"?token={settings.token}"
    return f"http://{host}:{port}/{token}"


def serve(
    settings: Settings,
    place: socket.socket,
    held: Sequence[object],
    *,
    browser: bool,
    ready: Callable[[], None],
) -> None:
    """Serve until interrupted. Nothing is logged: an address may tell what was asked."""
    import logging

    import uvicorn

    from reidrisk.web.app import application

    # Libraries would tell of what went wrong, in words that may quote a record.
    logging.disable(logging.CRITICAL)

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready()
            if browser:
                address = address_of(place, settings)
                threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    config = uvicorn.Config(
        application(settings, held),  # type: ignore[arg-type]
        http=_impatient(), limit_concurrency=MOST_CONNECTIONS,
        log_config=None, log_level="critical", access_log=False, server_header=False,
        proxy_headers=False, ws="none", lifespan="on", timeout_graceful_shutdown=2,
    )  # fmt: skip
    Server(config).run(sockets=[place])


def _impatient() -> Any:
    """uvicorn's protocol, but who doesn't say within seconds what is asked for is hung up on."""
    import h11
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Impatient(H11Protocol):
        _waiting: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            super().connection_made(transport)  # type: ignore[arg-type]
            self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_watching()
            super().connection_lost(exc)

        def _watch(self) -> None:
            if self.conn.their_state is not h11.IDLE:
                self._stop_watching()
            elif self._waiting is None:
                self._waiting = self.loop.call_later(SECONDS_FOR_HEADERS, self._hang_up)

        def _stop_watching(self) -> None:
            if self._waiting is not None:
                self._waiting.cancel()
                self._waiting = None

        def _hang_up(self) -> None:
            self._waiting = None
            if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
                self.transport.close()

    return Impatient
