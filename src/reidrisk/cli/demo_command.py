"""`reidrisk demo`: the tour, on a generated city."""

from __future__ import annotations

import click

from reidrisk.cli.output import say, say_text, strong
from reidrisk.cli.source_options import force_option
from reidrisk.printable import json_text, shell_word


@click.command(
    "demo",
    short_help="The tour, on a table it generates.",
    epilog="\b\nExample:\n  reidrisk demo -o people.csv",
)
@click.option("-o", "--output", metavar="FILE", help="Keep the city's table (.csv or .parquet).")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@force_option
def command(output: str | None, as_json: bool) -> None:
    """A city of 100,000 generated people, measured and explained. No file is needed.

    The seed is 2015, so it is the same city everywhere. -o keeps its table, to try other commands
    on.
    """
    from reidrisk.demo import Tour, write_city

    if output is not None:
        write_city(output)
    tour = Tour()
    if as_json:
        say_text(json_text(tour.to_dict()))
        return
    for text in tour.told(strong):
        say_text(text)
    keep = shell_word(output) if output else "city.csv"
    begin = "Next:" if output else f"Next:\n  reidrisk demo -o {keep}    # keep the table\n "
    say_text(f"{begin} reidrisk columns {keep}    # what is in it")
    say(f"  reidrisk measure {keep} --columns postcode,age,sex --bands age=10")
