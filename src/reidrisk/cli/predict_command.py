"""`reidrisk predict STATISTICS`."""

from __future__ import annotations

import time

import click

from reidrisk.cli.exit_status import ThresholdCrossed
from reidrisk.cli.output import (
    Bar,
    aside,
    say_answer,
    say_text,
)
from reidrisk.cli.prediction_options import crowd_list, view_options
from reidrisk.cli.source_options import (
    assignments,
    chosen_columns,
    crowds_option,
    fail_above_option,
    output_options,
)
from reidrisk.cli.thresholds import thresholds, verdict_on


@click.command(
    "predict",
    short_help="The measures of a table, from its statistics alone.",
    epilog="\b\nExample:\n  reidrisk predict statistics.json",
)
@click.argument("statistics", nargs=-1, required=True)
@view_options
@click.option(
    "--model",
    default="auto",
    metavar="NAME",
    help="auto, independent, pair, tree, pairwise or shuffle. [auto]",
)
@click.option(
    "--background",
    metavar="STATISTICS",
    help="Pair tables that these statistics lack, from other ones, raked to these "
    "counts (R3A's protocol).",
)
@click.option("--seed", default=0, metavar="N", help="Where chance begins. [0]")
@click.option("--samples", default=100, metavar="N", help="Samples of --model shuffle. [100]")
@click.option(
    "--capacity", default=50, metavar="N", help="Shuffled tables a sample, of --model shuffle. [50]"
)
@crowds_option
@fail_above_option
@output_options
def command(
    statistics: tuple[str, ...],
    columns: tuple[str, ...],
    column: tuple[str, ...],
    bands: tuple[str, ...],
    levels: tuple[str, ...],
    model: str,
    background: str | None,
    seed: int,
    samples: int,
    capacity: int,
    crowds: str | None,
    fail_above: tuple[str, ...],
    as_json: bool,
    verbose: bool,
    quiet: bool,
) -> None:
    """Predict every measure of a table from STATISTICS alone; several files are merged.

    Pair tables in the statistics are used; without them attributes are taken as independent.
    --model auto takes independent without pair tables, tree if they form one (or are too many to
    fit), else pairwise. Beside the figures stand those as if independent (a reference, no bound),
    how the fit ended, and 90 % intervals: nine of ten tables that have these counts lie in them;
    the model's own error isn't in them.

    Where the statistics are of a sample (sample_of), the population's table is predicted. Values
    lumped together, counts held back and rounded ones are settled first, and how is said.
    """
    from reidrisk.prediction import asked_statistics, predict

    limits = thresholds(fail_above)
    began = time.perf_counter()
    with Bar(wanted=not quiet and not as_json) as bar:
        risk = predict(
            asked_statistics(statistics),
            columns=chosen_columns(columns, column),
            bands=assignments("--bands", bands),
            levels=assignments("--levels", levels),
            model=model,
            background=None if background is None else asked_statistics([background]),
            crowds=crowd_list(crowds),
            seed=seed,
            samples=samples,
            capacity=capacity,
            progress=bar,
        )
    if verbose:
        aside(f"model {risk.envelope.model}: fitted in {time.perf_counter() - began:.2f} s")
    verdict = verdict_on(risk, limits)
    try:
        if as_json:
            say_text(verdict.json(risk, statistics))
        else:
            say_answer(risk, verbose)
    finally:
        # Also when nobody reads the answer any more: the status is what a pipeline looks at.
        verdict.say(quietly=as_json)
        if verdict.crossed:
            raise ThresholdCrossed
