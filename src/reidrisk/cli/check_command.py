"""`reidrisk check STATISTICS`."""

from __future__ import annotations

from pathlib import Path

import click

from reidrisk.cli.options import force_option, json_option
from reidrisk.cli.output import answer_json, bold, say, say_text


@click.command(
    "check",
    epilog="\b\nExample:\n  reidrisk check statistics.json",
)
@click.argument("statistics", nargs=-1)
@click.option("--example", metavar="FILE", help="Write a small example of a statistics file.")
@json_option
@force_option
def command(statistics: tuple[str, ...], example: str | None, as_json: bool) -> None:
    """Check STATISTICS for consistency; several files are checked together.

    Every contradiction is listed with both numbers: sums against the number of records, two-way
    tables against their attributes, unknown and repeated values. Exit status 2 if there is one.
    """
    from reidrisk.errors import InputError
    from reidrisk.statistics import example_statistics, load_statistics, save_statistics

    if example is not None:
        save_statistics(example_statistics(), example)
        say(f"Example of a statistics file: {example}")
    if not statistics:
        if example is None:
            raise InputError(
                "no statistics file was given", "name one, or write an example with --example FILE"
            )
        return
    known = load_statistics([Path(each) for each in statistics])
    if as_json:
        keys = answer_json(
            "check",
            "statistics",
            statistics,
            known.records,
            known.names,
            faults=[],
            records=known.records,
            attributes=list(known.names),
            pairs=[list(pair.of) for pair in known.pairs],
        )
        say_text(keys)
        return
    from reidrisk.reports import agreed

    say(bold(f"{', '.join(statistics)}: consistent"))
    attributes = agreed(len(known.attributes), "attribute", "attributes")
    tables = agreed(len(known.pairs), "two-way table", "two-way tables")
    say(f"  {known.records:,} records, {attributes} ({', '.join(known.names)}), {tables}")
