"""`reidrisk publish TABLE -o statistics.json`."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reidrisk.cli.arguments import reading_arguments, sensitive_columns
from reidrisk.cli.options import answer_options, published_sensitive_option, reading_options
from reidrisk.cli.output import ProgressBar, answer_json, bold, say, say_queries, say_text
from reidrisk.printable import shell_word

if TYPE_CHECKING:
    from reidrisk.publishing import Publication, Reconstruction, Wish
    from reidrisk.records import Table
    from reidrisk.statistics import Statistics

# People whose records are tried to be reconstructed: more take longer than publishing them.
MOST_RECONSTRUCTED = 40_000
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
    help="Which two-way tables to write; other pairs are predicted as independent. Which are "
    "strong is decided by the protected numbers. [all]",
)
@click.option(
    "--strong",
    default=0.5,
    metavar="G",
    help="Gain ratio from which a pair counts as strong, in either direction. [0.5]",
)
@click.option(
    "--triples",
    is_flag=True,
    help="Write three-way tables too: of d columns the d − 2 that say most beyond the two-way "
    "tables, which predictions gain by. Not with --exact or --epsilon.",
)
@click.option(
    "--household",
    metavar="COL,COL,COL",
    help="Write how many people share all of these columns, as members of a household do, and how "
    "many combinations there are: two-way tables don't show it, and predictions gain by it. Three "
    "columns or more. Not with --exact or --epsilon.",
)
@click.option(
    "--at-least",
    default=5,
    metavar="M",
    help="Round numbers at random to multiples of M; with --exact, leave out counts of fewer "
    "people. [5]",
)
@click.option(
    "--exact",
    is_flag=True,
    help="Write exact counts instead; small ones are left out so that each could be another number "
    "(swap-certified cell suppression).",
)
@click.option(
    "--width",
    type=int,
    metavar="1|2",
    help="With --exact: how many other numbers a small count could be. [1]",
)
@click.option(
    "--epsilon",
    type=float,
    metavar="E",
    help="Differential privacy instead: noise on every number, whose bound holds whatever anyone "
    "knows.",
)
@click.option(
    "--unprotected",
    is_flag=True,
    help="Write every count as it is, for statistics that stay inside.",
)
@click.option(
    "--key-file",
    metavar="FILE",
    help="The key of rounding, made where there is none. [beside TABLE, named after it]",
)
@click.option(
    "--ledger",
    metavar="FILE",
    help="With --epsilon: what releases about these people have spent. [beside TABLE, named after "
    "it]",
)
@click.option(
    "--budget",
    type=float,
    metavar="E",
    help="With --epsilon: what all releases in a new ledger may spend. [that of the first]",
)
@click.option(
    "--after",
    metavar="FILE",
    help="Statistics published earlier about nearly the same people: refused where both together "
    "tell what neither does.",
)
@click.option(
    "--population",
    type=int,
    metavar="N",
    help="The table is a sample from a population of N people; its own counts are written. "
    "[the table is the population; with --weight, what equal weights add up to, roughly where "
    "numbers are rounded]",
)
@published_sensitive_option
@click.option("--title", default="", help="What the statistics are about. [the file's name]")
@reading_options
@answer_options
def command(
    table: str,
    output: str,
    pairs: str,
    strong: float,
    triples: bool,
    household: str | None,
    at_least: int,
    exact: bool,
    width: int | None,
    epsilon: float | None,
    unprotected: bool,
    key_file: str | None,
    ledger: str | None,
    budget: float | None,
    after: str | None,
    population: int | None,
    sensitive: tuple[str, ...],
    title: str,
    as_json: bool,
    verbose: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Write counts of TABLE instead of its records: frequency tables, with a protection.

    By default every number is rounded at random to a multiple of --at-least, correct on average
    (random rounding). The rounding is drawn by a secret key, in a file that stays with you; the
    same key rounds the same counts alike. The file is attacked before it is written: none of its
    small counts can be derived by interval propagation over all tables together. That is tested,
    not proven. A second file about nearly the same people can tell more than both.

    With --exact every small count left out has, in some other table of records, another number and
    the same file: proven against whoever has nothing but this file. With --epsilon the bound holds
    whatever anyone knows, and each release adds to it. With --person a cell counts people: if a
    person's rows have several values of a column, together they form one value ("eye + heart"). How
    many rows people have isn't published, so predictions are about people described this way.
    """
    from reidrisk.output_files import refuse_input_as_output
    from reidrisk.publishing import Wish, place_beside, published, reconstruction
    from reidrisk.statistics import save_statistics

    refuse_input_as_output(output, [Path(table)])
    with ProgressBar(wanted=not quiet and not as_json) as bar:
        asked = sensitive_columns(sensitive)
        records = _read_with(table, asked, reading_arguments(options), bar)
        refuse_input_as_output(output, records.paths)
        wish = Wish(
            pairs, strong, at_least, exact, width, epsilon, unprotected, key_file, ledger, budget,
            after, population, title, triples, _listed(household), bar,
        )  # fmt: skip
        if wish.rounds:
            place = Path(key_file or place_beside(table, output, "key"))
            _refuse_lost_key(place, output)
            wish = replace(wish, key_file=place)
        if epsilon is not None and ledger is None:
            wish = replace(wish, ledger=place_beside(table, output, "ledger"))
        _refuse_secrets_as_output(output, wish)
        made = published(records, wish)
        save_statistics(made.statistics, output)
        bar("reconstructing", 0, 0)
        tried = None if unprotected else reconstruction(records, wish, most=MOST_RECONSTRUCTED)
    if verbose:
        say_queries(records)
    if as_json:
        say_text(_json(records, made, tried, output, asked))
    else:
        _say(records, made, tried, output, quiet, asked)


def _read_with(
    table: str, sensitive: list[str], reading: dict[str, Any], bar: ProgressBar
) -> Table:
    """The records; sensitive columns are published as the others are, named among them or not."""
    from reidrisk.records import read

    columns = reading["columns"]
    if columns is None and sensitive:
        columns = read(table, progress=bar, **reading).columns
    if sensitive:
        more = [name for name in sensitive if name not in columns]
        reading = reading | {"columns": [*columns, *more]}
    return read(table, progress=bar, **reading)


def _listed(household: str | None) -> tuple[str, ...]:
    """Columns behind commas."""
    return () if household is None else tuple(each.strip() for each in household.split(","))


def _about_persons(records: Table) -> list[str]:
    person = records.engine.options.person
    return [ABOUT_PERSONS.format(person)] if person else []


def _merged(statistics: Statistics) -> dict[str, int]:
    return {a.name: a.other.values for a in statistics.attributes if a.other is not None}


def _json(
    records: Table,
    made: Publication,
    tried: Reconstruction | None,
    output: str,
    sensitive: list[str],
) -> str:
    from reidrisk.publishing import homogeneous_values
    from reidrisk.reports import to_print

    statistics = made.statistics
    return answer_json(
        "publish",
        "records",
        records.paths,
        statistics.records,
        statistics.names,
        engine=records.engine.name,
        assumptions=_about_persons(records),
        warnings=records.warnings,
        records=statistics.records,
        attributes=list(statistics.names),
        pairs=[list(pair.of) for pair in statistics.pairs],
        triples=[list(triple.of) for triple in statistics.triples],
        shared=None if statistics.shared is None else asdict(statistics.shared),
        merged=_merged(statistics),
        protection=made.to_dict(),
        reconstruction=None if tried is None else asdict(tried),
        homogeneous=[each.to_dict() for each in homogeneous_values(statistics, sensitive)],
        to_print=to_print(statistics),
        written=output,
    )


def _say(
    records: Table,
    made: Publication,
    tried: Reconstruction | None,
    output: str,
    quiet: bool,
    sensitive: list[str],
) -> None:
    from reidrisk.publishing import homogeneous_values, without_table
    from reidrisk.reports import (
        agreed,
        derivable_sentences,
        homogeneous_sentences,
        paragraph,
        protected_sentences,
        reconstruction_sentences,
        shared_sentences,
        to_print,
    )

    statistics = made.statistics
    people = agreed(statistics.records, "person", "people")
    attributes = agreed(len(statistics.attributes), "attribute", "attributes")
    say(bold(f"{output}: {people}, {attributes}"))
    pairs_told = ", ".join(" with ".join(pair.of) for pair in statistics.pairs) or "none"
    sentences = [f"Two-way tables: {pairs_told}."]
    if statistics.triples:
        told = "; ".join(f"{a} with {b} and {c}" for a, b, c in (t.of for t in statistics.triples))
        sentences.append(f"Three-way tables: {told}.")
    sentences += shared_sentences(statistics)
    columns = len(statistics.names)
    missing = columns * (columns - 1) // 2 - len(statistics.pairs)
    if missing and not quiet:
        lacking = agreed(missing, "pair has", "pairs have")
        sentences.append(f"{lacking} no two-way table: predicted as independent.")
    for name, values in _merged(statistics).items():
        sentences.append(f"{name}: {agreed(values, 'value', 'values')} merged into 'other'.")
    sentences += _about_persons(records)
    sentences += [f"Note: {warning}" for warning in records.warnings]
    sentences += protected_sentences(made)
    if made.attacked is not None:
        sentences += derivable_sentences(made.attacked)
    found = homogeneous_values(statistics, sensitive)
    for name in sensitive:
        sentences += homogeneous_sentences(name, found, without_table(statistics, name))
    if tried is not None:
        sentences += reconstruction_sentences(tried)
    for sentence in sentences:
        say_text(paragraph(sentence, "  "))
    if quiet:
        return
    if to_print(statistics):
        say("\nTo print with the file:")
        say_text(paragraph(to_print(statistics), "  "))
    say(f"\nNext: reidrisk check {shell_word(output)}    # is it consistent?")


def _refuse_secrets_as_output(output: str, wish: Wish) -> None:
    """The file to be given away must not be the one that stays."""
    from reidrisk.errors import ContradictoryOptions

    for option, place in (("key", wish.key_file), ("ledger", wish.ledger)):
        if place is not None and Path(place).resolve() == Path(output).resolve():
            raise ContradictoryOptions(
                f"{output} is the {option} of this table, which stays with you",
                "write the statistics to another file",
            )


def _refuse_lost_key(place: Path, output: str) -> None:
    """A new key for a file that was rounded by another one."""
    from reidrisk.errors import UnreadableInput
    from reidrisk.statistics import is_rounded_file

    if not place.exists() and is_rounded_file(output):
        raise UnreadableInput(
            f"{output} was rounded by a key, and there is no key file {place}",
            "a new key would round the same counts otherwise, and both files together tell more "
            "than each: restore the key, or write another file",
        )
