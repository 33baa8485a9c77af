"""`reidrisk check STATISTICS`."""

from __future__ import annotations

from pathlib import Path

import click

from reidrisk.cli.output import answer, say, say_text, strong
from reidrisk.cli.source_options import force_option


@click.command(
    "check",
    short_help="Does a statistics file agree with itself?",
    epilog="\b\nExample:\n  reidrisk check statistics.json",
)
@click.argument("statistics", nargs=-1)
@click.option("--example", metavar="FILE", help="Write a small statistics file to start from.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@force_option
def command(statistics: tuple[str, ...], example: str | None, as_json: bool) -> None:
    """Check STATISTICS: every fault, with both numbers. Several files are checked together.

    Looked at are sums against records, pair tables against the attributes, unknown values and
    repeated ones. Exit status 2 when something disagrees.
    """
    from reidrisk.errors import InputError
    from reidrisk.statistics import example_statistics, load_statistics, save_statistics

    if example is not None:
        save_statistics(example_statistics(), example)
        say(f"A statistics file to start from: {example}")
    if not statistics:
        if example is None:
            raise InputError("no statistics file was named", "or write one with --example FILE")
        return
    held = load_statistics([Path(each) for each in statistics])
    if as_json:
        told = answer(
            "check",
            "statistics",
            statistics,
            held.records,
            held.names,
            faults=[],
            records=held.records,
            attributes=list(held.names),
            pairs=[list(pair.of) for pair in held.pairs],
        )
        say_text(told)
        return
    from reidrisk.reports import agreed

    say(strong(f"{', '.join(statistics)}: consistent"))
    attributes = agreed(len(held.attributes), "attribute", "attributes")
    tables = agreed(len(held.pairs), "pair table", "pair tables")
    say(f"  {held.records:,} records, {attributes} ({', '.join(held.names)}), {tables}")
