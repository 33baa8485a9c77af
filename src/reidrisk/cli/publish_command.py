"""`reidrisk publish TABLE -o statistics.json`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from reidrisk.cli.arguments import reading_arguments
from reidrisk.cli.options import answer_options, reading_options
from reidrisk.cli.output import ProgressBar, answer_json, bold, say, say_queries, say_text
from reidrisk.printable import shell_word

# `check` looks longer.
ATTACKED_SECONDS = 10.0
ABOUT_PERSONS = (
    "Each person ({}) is counted once, by the set of values in their rows (a + b). How many rows "
    "they have isn't published: predictions are about people described this way, and an attacker "
    "who knows all rows re-identifies more."
)


@click.command(
    "publish",
    epilog="\b\nExample:"
    "\n  reidrisk publish people.csv --columns county,age,sex,marital_state -o statistics.json",
)
@click.argument("table")
@click.option("-o", "--output", required=True, metavar="FILE", help="The statistics file to write.")
@click.option(
    "--pairs",
    default="all",
    metavar="all|strong|none",
    help="Which two-way tables to write; other pairs are predicted as independent. [all]",
)
@click.option(
    "--strong",
    default=0.5,
    metavar="G",
    help="Gain ratio from which a pair counts as strong, in either direction. [0.5]",
)
@click.option(
    "--at-least",
    default=5,
    metavar="M",
    help="Suppress counts of fewer people (cell suppression); 1 suppresses none. [5]",
)
@click.option("--round", "round_to", type=int, metavar="R", help="Round counts to multiples of R.")
@click.option(
    "--population",
    type=int,
    metavar="N",
    help="The table is a sample from a population of N people; its own counts are written. "
    "[the table is the population]",
)
@click.option("--title", default="", help="What the statistics are about. [the file's name]")
@reading_options
@answer_options
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
    **options: Any,
) -> None:
    """Write counts of TABLE instead of its records: frequency tables without small counts.

    Counts below --at-least are suppressed, and enough others that the sums of one table don't give
    them back (primary and complementary cell suppression). Several tables together can: by a
    hierarchy such as postcode and county, by attributes that follow from others, or by a second
    file about the same people. With --person a cell counts people: if a
    person's rows have several values of a column, together they form one value ("eye + heart"). How
    many rows people have isn't published, so predictions are about people described this way.
    """
    from reidrisk.output_files import refuse_input_as_output
    from reidrisk.publishing import derivable_counts
    from reidrisk.records import read
    from reidrisk.reports import agreed, derivable_sentences, paragraph
    from reidrisk.statistics import publish, save_statistics

    refuse_input_as_output(output, [Path(table)])
    with ProgressBar(wanted=not quiet and not as_json) as bar:
        records = read(table, progress=bar, **reading_arguments(options))
        statistics = publish(
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
    save_statistics(statistics, output)
    person = records.engine.options.person
    assumptions = [ABOUT_PERSONS.format(person)] if person else []
    merged = {a.name: a.other.values for a in statistics.attributes if a.other is not None}
    if as_json:
        keys = answer_json(
            "publish",
            "records",
            records.paths,
            statistics.records,
            statistics.names,
            engine=records.engine.name,
            assumptions=assumptions,
            warnings=records.warnings,
            records=statistics.records,
            attributes=list(statistics.names),
            pairs=[list(pair.of) for pair in statistics.pairs],
            merged=merged,
            written=output,
        )
        say_text(keys)
        return
    say(bold(f"{output}: {statistics.records:,} people, {len(statistics.attributes)} attributes"))
    pairs_told = ", ".join(" with ".join(pair.of) for pair in statistics.pairs) or "none"
    say_text(paragraph(f"Two-way tables: {pairs_told}.", "  "))
    columns = len(statistics.names)
    missing = columns * (columns - 1) // 2 - len(statistics.pairs)
    if missing and not quiet:
        lacking = agreed(missing, "pair has", "pairs have")
        say(f"  {lacking} no two-way table: predicted as independent.")
    for name, values in merged.items():
        say(f"  {name}: {agreed(values, 'value', 'values')} merged into 'other'.")
    for sentence in assumptions:
        say_text(paragraph(sentence, "  "))
    for warning in records.warnings:
        say(f"  Note: {warning}")
    if statistics.at_least is not None:
        found = derivable_counts(statistics, seconds=ATTACKED_SECONDS)
        if found.derived or not quiet:
            for sentence in derivable_sentences(found):
                say_text(paragraph(sentence, "  "))
    if not quiet:
        say(f"\nNext: reidrisk check {shell_word(output)}    # is it consistent?")
