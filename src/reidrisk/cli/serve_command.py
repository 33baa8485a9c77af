"""`reidrisk serve [TABLE|STATISTICS …]`."""

from __future__ import annotations

import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from reidrisk.cli.output import aside, say, strong
from reidrisk.cli.process_setup import sorting_fast
from reidrisk.cli.source_options import writing_arguments, writing_options

SMALLEST_UPLOAD = 1000


@click.command(
    "serve",
    short_help="The local page: tick attributes, see the crowd shrink.",
    epilog="\b\nExample:\n  reidrisk serve people.csv",
)
@click.argument("source", nargs=-1, metavar="[TABLE|STATISTICS]...")
@click.option("--port", type=int, default=0, metavar="N", help="The port. [any that is free]")
@click.option(
    "--host",
    default="127.0.0.1",
    metavar="ADDRESS",
    help="Serve others too; then the token in the address printed is needed. [127.0.0.1]",
)
@click.option(
    "--token",
    is_flag=True,
    help="Ask for a token on loopback as well: a machine with several users.",
)
@click.option(
    "--open/--no-open",
    "browser",
    default=True,
    help="Start a browser; never with a token. [--open]",
)
@click.option(
    "--upload-limit",
    metavar="SIZE",
    help="The largest file that may be dropped on the page. [500MB]",
)
@click.option(
    "--memory-limit",
    metavar="SIZE",
    help="No process of the page takes more; tables held take half of it at most. [60 % of memory]",
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
    **given: Any,
) -> None:
    """Look at tables and statistics in a browser, on this machine alone.

    Nothing is sent anywhere. A --host that others can reach needs the token in the address
    printed. Ctrl-C ends it. Needs: pip install 'reidrisk[page]'.
    """
    sorting_fast()
    from reidrisk.web import address_of, listening, refuse_without_libraries, serve

    refuse_without_libraries()
    from reidrisk.web import is_loopback

    settings = _settings(host, token, upload_limit, memory_limit)
    place = listening(settings.host, port)
    held = _opened(source, given, settings.memory_limit)

    def ready() -> None:
        say(f"{strong('The page:')} {address_of(place, settings)}", own_token=True)
        if not is_loopback(settings.host):
            aside("The connection isn't encrypted: who shares the network can read along.")
        say("  Ctrl-C ends it.")

    with suppress(KeyboardInterrupt):
        # With a token no browser is started: what it is started with, other users can see.
        serve(settings, place, held, browser=browser and not settings.token, ready=ready)
    say("Ended; nothing is left behind.", err=True)


def _settings(host: str, token: bool, upload_limit: str | None, memory_limit: str | None) -> Any:
    from reidrisk.memory import parsed_size, usual_limit
    from reidrisk.web import USUAL_UPLOAD, Settings, is_loopback

    needed = token or not is_loopback(host)
    return Settings(
        host=host,
        token=secrets.token_urlsafe(24) if needed else None,
        upload_limit=parsed_size(upload_limit, "--upload-limit", SMALLEST_UPLOAD) or USUAL_UPLOAD,
        memory_limit=parsed_size(memory_limit) or usual_limit(),
    )


def _opened(source: tuple[str, ...], given: dict[str, Any], memory_limit: int) -> list[Any]:
    """Each table by itself; statistics together, as everywhere."""
    from reidrisk.records import Writing
    from reidrisk.statistics import is_statistics_file
    from reidrisk.web import Desk

    written = writing_arguments(given)
    how = Writing(**{name: written[name] for name in Writing.__dataclass_fields__})
    statistics = [Path(each) for each in source if is_statistics_file(each)]
    tables = [[Path(each)] for each in source if Path(each) not in statistics]
    desk = Desk(memory_limit)
    held = [
        desk.opened(
            paths,
            ", ".join(path.name for path in paths),
            pinned=True,
            empty=tuple(written["empty"]),
            writing=how,
        )
        for paths in ([statistics] if statistics else []) + tables
    ]
    desk.close()
    return held
