"""`reidrisk serve [TABLE|STATISTICS …]`."""

from __future__ import annotations

import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from reidrisk.cli.arguments import writing_arguments
from reidrisk.cli.options import writing_options
from reidrisk.cli.output import bold, say, say_note

SMALLEST_UPLOAD = 1000


@click.command(
    "serve",
    epilog="\b\nExample:\n  reidrisk serve people.csv",
)
@click.argument("source", nargs=-1, metavar="[TABLE|STATISTICS]...")
@click.option("--port", type=int, default=0, metavar="N", help="Port. [any that is free]")
@click.option(
    "--host",
    default="127.0.0.1",
    metavar="ADDRESS",
    help="Address to listen on. If others can reach it, the printed address has a token they need. "
    "[127.0.0.1]",
)
@click.option(
    "--token",
    is_flag=True,
    help="Require a token on loopback too, for a machine with several users.",
)
@click.option(
    "--open/--no-open",
    "browser",
    default=True,
    help="Open a browser; never with a token. [--open]",
)
@click.option(
    "--upload-limit",
    metavar="SIZE",
    help="Largest file the page accepts. [500MB]",
)
@click.option(
    "--memory-limit",
    metavar="SIZE",
    help="Most memory any process of the page may use; open tables use at most half of it. "
    "[60 % of memory]",
)
@writing_options
def command(
    source: tuple[str, ...],
    port: int,
    host: str,
    token: bool,
    browser: bool,
    upload_limit: str | None,
    memory_limit: str | None,
    **options: Any,
) -> None:
    """Explore tables and statistics in a browser, on this machine only.

    Nothing is sent anywhere. Stop it with Ctrl-C. Needs: pip install 'reidrisk[page]'.
    """
    from reidrisk.web import address_of, listening, refuse_without_libraries, serve

    refuse_without_libraries()
    from reidrisk.web import is_loopback

    settings = _settings(host, token, upload_limit, memory_limit)
    listener = listening(settings.host, port)
    opened = _opened(source, options, settings.memory_limit)

    def announce() -> None:
        say(f"{bold('The page:')} {address_of(listener, settings)}", own_token=True)
        if not is_loopback(settings.host):
            say_note("The connection isn't encrypted: others on the network can read it.")
        say("  Stop it with Ctrl-C.")

    with suppress(KeyboardInterrupt):
        # With a token no browser is started: what it is started with, other users can see.
        serve(settings, listener, opened, browser=browser and not settings.token, ready=announce)
    say("Stopped; nothing is left behind.", err=True)


def _settings(host: str, token: bool, upload_limit: str | None, memory_limit: str | None) -> Any:
    from reidrisk.machine import parsed_size, usual_limit
    from reidrisk.web import USUAL_UPLOAD, Settings, is_loopback

    needed = token or not is_loopback(host)
    return Settings(
        host=host,
        token=secrets.token_urlsafe(24) if needed else None,
        upload_limit=parsed_size(upload_limit, "--upload-limit", SMALLEST_UPLOAD) or USUAL_UPLOAD,
        memory_limit=parsed_size(memory_limit) or usual_limit(),
    )


def _opened(source: tuple[str, ...], options: dict[str, Any], memory_limit: int) -> list[Any]:
    """Each table by itself; statistics together, as everywhere."""
    from reidrisk.records import ReadOptions
    from reidrisk.statistics import is_statistics_file
    from reidrisk.web import WorkerProcess

    read_options = ReadOptions.of(**writing_arguments(options))
    statistics = [Path(each) for each in source if is_statistics_file(each)]
    tables = [[Path(each)] for each in source if Path(each) not in statistics]
    worker = WorkerProcess(memory_limit)
    opened = [
        worker.open_source(
            paths,
            ", ".join(path.name for path in paths),
            pinned=True,
            options=read_options,
        )
        for paths in ([statistics] if statistics else []) + tables
    ]
    worker.close()
    return opened
