"""`reidrisk demo`: the tour, on a generated city."""

from __future__ import annotations

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
    keep = shell_word(output) if output else "city.csv"
    begin = "Next:" if output else f"Next:\n  reidrisk demo -o {keep}    # save the table\n "
    say_text(f"{begin} reidrisk columns {keep}    # what is in it")
    say(f"  reidrisk measure {keep} --columns postcode,age,sex --bands age=10")
