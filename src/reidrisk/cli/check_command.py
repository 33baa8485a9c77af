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
@click.option(
    "--at-least",
    type=click.IntRange(min=2),
    metavar="M",
    help="A count of fewer people is small. [what the file says, else 5]",
)
@click.option(
    "--time-limit",
    type=float,
    default=60.0,
    metavar="SECONDS",
    help="Stop looking for small counts that can be derived. [60]",
)
@json_option
@force_option
def command(
    statistics: tuple[str, ...],
    example: str | None,
    at_least: int | None,
    time_limit: float,
    as_json: bool,
) -> None:
    """Check STATISTICS for consistency, and attack them; several files are checked together.

    Every contradiction is listed with both numbers: sums against the number of records, two-way
    tables against their attributes, unknown and repeated values. Exit status 2 if there is one.

    Then the attack: which small counts that the file hides can be derived from all its tables
    together (interval propagation). An attacker who knows more than the file may derive more.
    """
    from reidrisk.errors import InputError
    from reidrisk.publishing import derivable_counts
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
    found = derivable_counts(known, at_least, time_limit)
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
            derivable=found.to_dict(),
        )
        say_text(keys)
        return
    from reidrisk.reports import agreed, derivable_sentences, paragraph

    say(bold(f"{', '.join(statistics)}: consistent"))
    attributes = agreed(len(known.attributes), "attribute", "attributes")
    tables = agreed(len(known.pairs), "two-way table", "two-way tables")
    say(f"  {known.records:,} records, {attributes} ({', '.join(known.names)}), {tables}")
    for sentence in derivable_sentences(found):
        say_text(paragraph(sentence, "  "))
