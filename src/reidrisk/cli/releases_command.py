"""`reidrisk releases FIRST SECOND …`."""

from __future__ import annotations

import time
from typing import Any

import click

from reidrisk.cli.arguments import (
    OF_RECORDS,
    chosen_columns,
    crowd_list,
    reading_arguments,
    refuse_options,
)
from reidrisk.cli.options import answer_options, crowds_option, reading_options
from reidrisk.cli.output import ProgressBar, say_answer, say_how
from reidrisk.cli.thresholds import print_answer, refuse_unanswered_rows, thresholds
from reidrisk.errors import InputError

NOT_OF_STATISTICS = OF_RECORDS | {"bands": (), "levels": (), "table_name": (), "query": ()}


@click.command(
    "releases",
    epilog="\b\nExample:\n  reidrisk releases monday.csv tuesday.csv --columns county,age,sex",
)
@click.argument("given", nargs=-1, metavar="FIRST SECOND...")
@click.option(
    "-k",
    "k",
    type=click.IntRange(min=2),
    default=5,
    metavar="K",
    help="The crowd from which somebody counts as hidden in a release. [5]",
)
@click.option(
    "--fail-above",
    multiple=True,
    metavar="MEASURE=VALUE",
    help="Exit with status 1 if a measure of the difference exceeds a value: "
    "added_alone_share=0.05, alone_in_difference_only=0. Repeat it, or use commas.",
)
@reading_options
@crowds_option
@answer_options
def command(
    given: tuple[str, ...],
    k: int,
    fail_above: tuple[str, ...],
    crowds: str | None,
    as_json: bool,
    verbose: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """What do releases of the same people reveal together that none of them reveals alone?

    FIRST SECOND … are tables of the same columns, the earliest first. Whoever is known to be new
    in a release lies in its difference from the earlier ones, and stands there in a much smaller
    crowd; so do people who left and, with --person, people whose values changed. Each release is
    compared with all before it together. Rows of a negative --count correct an earlier release:
    they are left out.

    Of statistics files, the tables of counts that all of them list are compared.

    --fail-above judges the last release: added_alone_share, added_overall_risk and
    added_highest_risk, the same of removed_ and, with --person, changed_, and
    alone_in_difference_only, a number of people.
    """
    from reidrisk.republication import DIFFERENCE_MEASURES, releases
    from reidrisk.statistics import is_statistics_file

    limits = thresholds(fail_above, DIFFERENCE_MEASURES, "added_alone_share=0.05")
    _refuse_one(given)
    if all(map(is_statistics_file, given)):
        refuse_options("statistics", "records", NOT_OF_STATISTICS, options)
        reading: dict[str, Any] = {"columns": chosen_columns(options["columns"], options["column"])}
    else:
        reading = reading_arguments(options)
    began = time.perf_counter()
    with ProgressBar(wanted=not quiet and not as_json) as bar:
        risk = releases(*given, k=k, crowds=crowd_list(crowds), progress=bar, **reading)
    if risk.envelope.input.unit is not None:
        refuse_unanswered_rows(limits, risk.envelope.input)
    if verbose:
        say_how(risk.envelope, "compared", time.perf_counter() - began)
    print_answer(risk, limits, as_json, lambda: say_answer(risk, verbose), given)


def _refuse_one(given: tuple[str, ...]) -> None:
    if len(given) < 2:
        raise InputError(
            "one release has no difference: name two or more, the earliest first",
            "as in: reidrisk releases first.csv second.csv",
        )


def _several(option: str) -> click.Option:
    """An option of one database as one of several."""
    (found,) = (each for each in command.params if each.name == option)
    assert isinstance(found, click.Option)
    told = (found.help or "").removesuffix(".")
    return click.Option(
        [*found.opts, option], multiple=True, metavar=str(found.metavar),
        help=f"{told}; once for each release in a database.",
    )  # fmt: skip


command.params = [
    _several(each.name) if each.name in ("table_name", "query") else each for each in command.params
]
