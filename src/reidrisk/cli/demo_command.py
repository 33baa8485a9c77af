"""`reidrisk demo`: the tour, on a generated city."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from reidrisk.cli.options import force_option, json_option
from reidrisk.cli.output import bold, say, say_text
from reidrisk.printable import json_text, shell_word


@click.command(
    "demo",
    epilog="\b\nExample:\n  reidrisk demo -o people.csv",
)
@click.option("-o", "--output", metavar="FILE", help="Save the city's table (.csv or .parquet).")
@json_option
@force_option
def command(output: str | None, as_json: bool) -> None:
    """A guided tour: a generated city of 100,000 people, measured and explained.

    The random seed is fixed (2015), so the city is the same everywhere. -o saves its table to try
    the other commands on.
    """
    from reidrisk.demo import Tour, write_city

    if output is not None:
        write_city(output)
    tour = Tour()
    if as_json:
        say_text(json_text(tour.to_dict()))
        return
    for text in tour.told(bold):
        say_text(text)
    keep, program = shell_word(output) if output else "city.csv", shell_word(_program())
    begin = "Next:" if output else f"Next:\n  {program} demo -o {keep}    # save the table\n "
    say_text(f"{begin} {program} columns {keep}    # what is in it")
    say(f"  {program} measure {keep} --columns postcode,age,sex --bands age=10")


def _program() -> str:
    """How this command is typed: by its path, where a shell wouldn't find it by its name."""
    called = sys.argv[0]
    found = (
        shutil.which("reidrisk") or Path(called).name != "reidrisk" or not Path(called).is_file()
    )
    return "reidrisk" if found else called
