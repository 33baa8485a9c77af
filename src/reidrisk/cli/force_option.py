"""--force, and what is never overwritten: every file or folder that a command was given to read."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from pathlib import Path

import click

# Parameters that say where to write; whatever else names a file is an input.
OUTPUTS = {"output", "risk_file", "person_file", "example", "save_hierarchies"}


def _watch(context: click.Context, parameter: click.Parameter, force: bool) -> None:
    from reidrisk.overwriting import overwriting

    # The other parameters are read later than this one.
    command = str(context.info_name)
    context.with_resource(overwriting(force, command, lambda: list(_inputs(context))))


def _inputs(context: click.Context) -> Iterator[Path]:
    """Every existing file or folder named by an argument or an option, alone or after a ``=``."""
    for name, value in context.params.items():
        if name in OUTPUTS:
            continue
        for each in value if isinstance(value, tuple) else (value,):
            if not isinstance(each, str) or "://" in each:
                continue
            for part in {each, each.partition("=")[2]} - {""}:
                names = [part, *(glob.glob(part) if glob.has_magic(part) else ())]
                yield from (Path(found) for found in names if "\0" not in found)


force_option = click.option(
    "--force",
    is_flag=True,
    expose_value=False,
    callback=_watch,
    help="Replace a file that this command didn't write, or that was changed since.",
)
