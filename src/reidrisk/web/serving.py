"""Serving: a socket of our own, an address to print, and an end that leaves nothing behind."""

from __future__ import annotations

import socket
import threading
import webbrowser
from collections.abc import Callable, Sequence

from reidrisk.errors import InputError, MissingExtra
from reidrisk.web.settings import Settings

LARGEST_PORT = 65_535


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
        log_config=None, log_level="critical", access_log=False, server_header=False,
        proxy_headers=False, ws="none", lifespan="on", timeout_graceful_shutdown=2,
    )  # fmt: skip
    Server(config).run(sockets=[place])
