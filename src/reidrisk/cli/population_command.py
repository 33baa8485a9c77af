"""`reidrisk population TABLE --population N`."""

from __future__ import annotations

import time
from typing import Any

import click

from reidrisk.cli.arguments import reading_arguments
from reidrisk.cli.options import (
    answer_options,
    fail_above_option,
    key_option,
    reading_options,
    seed_option,
    together,
)
from reidrisk.cli.output import ProgressBar, say, say_answer, say_how
from reidrisk.cli.thresholds import print_answer, refuse_unanswered_rows, thresholds
from reidrisk.errors import ContradictoryOptions

population_options = together(
    click.option(
        "--population",
        type=int,
        metavar="N",
        help="How many people the sample was drawn from. [what --weight adds up to]",
    ),
    click.option(
        "--fraction",
        type=float,
        metavar="F",
        help="Or which share of them was sampled: 0.01 for 1 %.",
    ),
    click.option(
        "--panel",
        is_flag=True,
        help="Also what published estimators say: Ewens, Pitman, Zayatz, SNB, Dankar's rule, "
        "Benedetti–Franconi, log-linear models.",
    ),
    click.option(
        "--household",
        metavar="COL",
        help="People with the same value live together: also the risk that at least one of them is "
        "re-identified.",
    ),
    click.option(
        "--risk-file",
        metavar="FILE",
        help="Write row, crowd and risk of each record, and population_unique, P(nobody else "
        "in the population has these values), and population_risk, the mean of 1/crowd there; with "
        "--weight also individual_risk (Benedetti–Franconi), with --household household_risk: "
        ".parquet, .csv, .tsv, .arrow, .jsonl or .xlsx.",
    ),
    key_option,
    seed_option,
)


@click.command(
    "population",
    epilog="\b\nExample:\n  reidrisk population people.csv --columns postcode,age,sex "
    "--fraction 0.05",
)
@click.argument("table")
@population_options
@reading_options
@fail_above_option
@answer_options
def command(
    table: str,
    population: int | None,
    fraction: float | None,
    panel: bool,
    household: str | None,
    risk_file: str | None,
    key: str | None,
    seed: int,
    fail_above: tuple[str, ...],
    as_json: bool,
    verbose: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Of those alone in TABLE, a sample, how many are alone in the population?

    Estimates people alone in both (sample uniques that are population unique), right guesses to be
    expected, people alone in the population, and the overall and highest risk against somebody who
    doesn't know who is in the sample (journalist risk), each with a 90 % interval. How large the
    population is has to be said: --population, --fraction or --weight.

    --fail-above judges overall_risk, alone_share and highest_risk in the population.
    """
    from reidrisk.records import read, refuse_unnamed_records
    from reidrisk.samples import population as estimate

    limits = thresholds(fail_above)
    if risk_file is not None:
        refuse_unnamed_records(table, options["engine"], key, options["person"])
    elif key is not None:
        raise ContradictoryOptions(
            "--key names the records of --risk-file, but --risk-file isn't given"
        )
    began = time.perf_counter()
    with ProgressBar(wanted=not quiet and not as_json) as bar:
        records = read(
            table, key=key, household=household, progress=bar, **reading_arguments(options)
        )
        refuse_unanswered_rows(limits, records)
        risk = estimate(
            records, population=population, fraction=fraction, panel=panel, risk_file=risk_file,
            seed=seed, progress=bar,
        )  # fmt: skip
    if verbose:
        say_how(risk.envelope, "estimated", time.perf_counter() - began)

    def say_it() -> None:
        say_answer(risk, verbose)
        if risk_file is not None:
            say(f"\n  Each record's risk, here and in the population: {risk_file}")

    print_answer(risk, limits, as_json, say_it, [table])
