"""`reidrisk publish TABLE -o statistics.json`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from reidrisk.cli.output import Bar, answer, say, say_queries, say_text
from reidrisk.cli.output import strong as bold
from reidrisk.cli.process_setup import sorting_fast
from reidrisk.cli.source_options import (
    force_option,
    output_options,
    reading_arguments,
    seeing_options,
    writing_options,
)
from reidrisk.printable import shell_word

ABOUT_PERSONS = (
    "A person ({}) is counted once, by the set of values in their rows (a + b). How many rows they "
    "have isn't published: predictions are for people described so, and whoever knows all rows "
    "picks out more."
)


@click.command(
    "publish",
    short_help="Counts of a table that may be shared.",
    epilog="\b\nExample:"
    "\n  reidrisk publish people.csv --columns county,age,sex,marital_state -o statistics.json",
)
@click.argument("table")
@click.option("-o", "--output", required=True, metavar="FILE", help="The statistics file to write.")
@click.option(
    "--pairs",
    default="all",
    metavar="all|strong|none",
    help="Which pair tables; pairs without one are predicted as independent. [all]",
)
@click.option(
    "--strong",
    default=0.5,
    metavar="G",
    help="Gain ratio from which a pair is strong, in either direction. [0.5]",
)
@click.option(
    "--at-least", default=5, metavar="M", help="Fold counts of fewer people; 1 folds none. [5]"
)
@click.option("--round", "round_to", type=int, metavar="R", help="Round counts to multiples of R.")
@click.option(
    "--population",
    type=int,
    metavar="N",
    help="The table is a sample of N people; its own counts are kept. [the table is everyone]",
)
@click.option("--title", default="", help="What the statistics are about. [the file's name]")
@seeing_options
@writing_options
@output_options
@force_option
def command(
    table: str,
    output: str,
    pairs: str,
    strong: float,
    at_least: int,
    round_to: int | None,
    population: int | None,
    title: str,
    as_json: bool,
    verbose: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Write the counts of TABLE that may be shared: no record, no count of few people.

    Counts below --at-least are folded so that they can't be worked out from the others. With
    --person a cell counts people: a person whose rows have several values of a column has all of
    them as one value ("eye + heart"). How many rows people have isn't published, so what is
    predicted from the file is about people described like that.
    """
    sorting_fast()
    from reidrisk.output_files import refuse_input_as_output
    from reidrisk.records import read
    from reidrisk.reports import paragraph
    from reidrisk.statistics import publish, save_statistics

    refuse_input_as_output(output, [Path(table)])
    with Bar(wanted=not quiet and not as_json) as bar:
        records = read(table, progress=bar, **reading_arguments(given))
        held = publish(
            records,
            pairs=pairs,
            strong=strong,
            at_least=at_least,
            round_to=round_to,
            population=population,
            title=title,
        )
    if verbose:
        say_queries(records)
    refuse_input_as_output(output, records.paths)
    save_statistics(held, output)
    person = records.engine.seeing.person
    said = [ABOUT_PERSONS.format(person)] if person else []
    folded = {a.name: a.other.values for a in held.attributes if a.other is not None}
    if as_json:
        told = answer(
            "publish",
            "records",
            records.paths,
            held.records,
            held.names,
            engine=records.engine.name,
            assumptions=said,
            warnings=records.warnings,
            records=held.records,
            attributes=list(held.names),
            pairs=[list(pair.of) for pair in held.pairs],
            folded=folded,
            written=output,
        )
        say_text(told)
        return
    say(bold(f"{output}: {held.records:,} people, {len(held.attributes)} attributes"))
    say(f"  Pair tables: {', '.join(' with '.join(p.of) for p in held.pairs) or 'none'}.")
    left = len(held.names) * (len(held.names) - 1) // 2 - len(held.pairs)
    if left and not quiet:
        say(f"  {left:,} pairs have no table: predictions will take them as independent.")
    for name, values in folded.items():
        say(f"  {name}: {values:,} values lumped together.")
    for sentence in said:
        say_text(paragraph(sentence, "  "))
    for warning in records.warnings:
        say(f"  Note: {warning}")
    if not quiet:
        say(f"\nNext: reidrisk check {shell_word(output)}    # does it agree with itself?")
