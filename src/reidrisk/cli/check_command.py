"""`reidrisk check STATISTICS`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reidrisk.cli.arguments import reading_arguments, sensitive_columns
from reidrisk.cli.options import (
    force_option,
    json_option,
    published_sensitive_option,
    reading_options,
)
from reidrisk.cli.output import answer_json, bold, say, say_text
from reidrisk.errors import ContradictoryOptions, InputError

if TYPE_CHECKING:
    from reidrisk.publishing import DerivableCounts, HomogeneousValue, TrueCounts, TwoReleases
    from reidrisk.statistics import Statistics

# The file names its attributes.
NAMED_BY_THE_FILE = ("columns", "column")
OWN = (
    "statistics",
    "example",
    "against",
    "after",
    "at_least",
    "sensitive",
    "time_limit",
    "as_json",
    "force",
)


@click.command(
    "check",
    epilog="\b\nExample:\n  reidrisk check statistics.json",
)
@click.argument("statistics", nargs=-1)
@click.option("--example", metavar="FILE", help="Write a small example of a statistics file.")
@click.option(
    "--against",
    metavar="TABLE",
    help="The records the file was made from: how many of their small counts are shown or derived, "
    "and whether rightly. Read with the options of reading below.",
)
@click.option(
    "--after",
    metavar="EARLIER",
    help="A statistics file about nearly the same people, published earlier: what both reveal "
    "together.",
)
@click.option(
    "--at-least",
    type=click.IntRange(min=2),
    metavar="M",
    help="A count of fewer people is small. [what the file says, else 5]",
)
@published_sensitive_option
@click.option(
    "--time-limit",
    type=float,
    default=60.0,
    metavar="SECONDS",
    help="Stop looking for small counts that can be derived. [60]",
)
@json_option
@force_option
@reading_options
@click.pass_context
def command(
    context: click.Context,
    /,
    statistics: tuple[str, ...],
    example: str | None,
    against: str | None,
    after: str | None,
    at_least: int | None,
    sensitive: tuple[str, ...],
    time_limit: float,
    as_json: bool,
    **options: Any,
) -> None:
    """Check STATISTICS for consistency, and attack them; several files are checked together.

    Every contradiction is listed with both numbers: sums against the number of records, two-way
    tables against their attributes, unknown and repeated values. Exit status 2 if there is one.

    Then the attack: which small counts that the file hides can be derived from all its tables
    together (interval propagation). An attacker who knows more than the file may derive more: other
    releases (--after), or the program that chose what to hide. Whether what is derived is true
    shows --against, which prints no value of a record.
    """
    from reidrisk.publishing import (
        derivable_counts,
        homogeneous_values,
        told_together,
        without_table,
    )
    from reidrisk.reports import homogeneous_sentences, paragraph
    from reidrisk.statistics import example_statistics, load_statistics, save_statistics

    _refuse_reading_nothing(context, against)
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
    asked = sensitive_columns(sensitive)
    homogeneous = homogeneous_values(known, asked, at_least)
    releases = None
    if after is not None:
        releases = told_together(load_statistics(Path(after)), known, time_limit)
    true = None
    if against is not None:
        true = _held_against(known, against, options, at_least, time_limit)
    found = true.attacked if true else derivable_counts(known, at_least, time_limit)
    if as_json:
        say_text(_as_json(statistics, known, found, true, releases, homogeneous))
    else:
        _say(statistics, known, found, true, releases)
        for name in asked:
            for sentence in homogeneous_sentences(name, homogeneous, without_table(known, name)):
                say_text(paragraph(sentence, "  "))


command.params = [each for each in command.params if each.name not in NAMED_BY_THE_FILE]


def _refuse_reading_nothing(context: click.Context, against: str | None) -> None:
    """Options that say how records are read, where there are none."""
    if against is not None:
        return
    for option in command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name not in OWN and source is click.core.ParameterSource.COMMANDLINE:
            raise ContradictoryOptions(
                f"{option.opts[0]} says how records are read, and there are none",
                "name them with --against TABLE",
            )


def _held_against(
    known: Statistics,
    against: str,
    options: dict[str, Any],
    at_least: int | None,
    time_limit: float,
) -> TrueCounts:
    from reidrisk.publishing import true_counts
    from reidrisk.records import read

    reading = reading_arguments(options | dict.fromkeys(NAMED_BY_THE_FILE, ()))
    with read(against, **reading | {"columns": list(known.names)}) as records:
        return true_counts(known, records, at_least, time_limit)


def _as_json(
    paths: tuple[str, ...],
    known: Statistics,
    found: DerivableCounts,
    true: TrueCounts | None,
    releases: TwoReleases | None,
    homogeneous: Sequence[HomogeneousValue],
) -> str:
    return answer_json(
        "check",
        "statistics",
        paths,
        known.records,
        known.names,
        faults=[],
        records=known.records,
        attributes=list(known.names),
        pairs=[list(pair.of) for pair in known.pairs],
        triples=[list(triple.of) for triple in known.triples],
        shared=None if known.shared is None else asdict(known.shared),
        protection=None if known.protection is None else known.protection.stated(),
        derivable=found.to_dict(),
        against=None if true is None else true.to_dict(),
        after=None if releases is None else releases.to_dict(),
        homogeneous=[each.to_dict() for each in homogeneous],
    )


def _say(
    paths: tuple[str, ...],
    known: Statistics,
    found: DerivableCounts,
    true: TrueCounts | None,
    releases: TwoReleases | None,
) -> None:
    from reidrisk.reports import agreed, derivable_sentences, paragraph, shared_sentences

    say(bold(f"{', '.join(paths)}: consistent"))
    attributes = agreed(len(known.attributes), "attribute", "attributes")
    tables = agreed(len(known.pairs), "two-way table", "two-way tables")
    if known.triples:
        three = agreed(len(known.triples), "three-way table", "three-way tables")
        tables = f"{tables}, {three}"
    say(f"  {known.records:,} records, {attributes} ({', '.join(known.names)}), {tables}")
    for sentence in shared_sentences(known):
        say_text(paragraph(sentence, "  "))
    for sentence in derivable_sentences(found, known, true, releases):
        say_text(paragraph(sentence, "  "))
