"""`reidrisk predict STATISTICS`."""

from __future__ import annotations

import time
from functools import partial

import click

from reidrisk.cli.arguments import assignments, chosen_columns, crowd_list
from reidrisk.cli.options import (
    background_option,
    crowds_option,
    fail_above_option,
    output_options,
    seed_option,
    table_model_option,
    view_options,
)
from reidrisk.cli.output import ProgressBar, say_answer, say_note
from reidrisk.cli.thresholds import print_answer, thresholds


@click.command(
    "predict",
    epilog="\b\nExample:\n  reidrisk predict statistics.json",
)
@click.argument("statistics", nargs=-1, required=True)
@view_options
@table_model_option
@background_option
@seed_option
@click.option(
    "--samples", default=100, metavar="N", help="Number of samples for --model shuffle. [100]"
)
@click.option(
    "--capacity",
    default=50,
    metavar="N",
    help="Shuffled tables per sample for --model shuffle. [50]",
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

    Two-way and three-way tables (margins) are used; attributes without any are treated as
    independent. --model auto chooses independent if there are no such tables, triples if there are
    three-way tables, tree if the two-way tables form a tree (or are too many to fit), else
    pairwise, a log-linear model. Also given are the figures as if all attributes
    were independent (a reference, not a bound), whether the fit converged, and 90 % intervals.
    These hold chance and the model's own error, as learned from public tables.

    If the statistics describe a sample (sample_of), the population's table is predicted. Suppressed
    and rounded counts, and values merged into "other", are imputed first; the answer says how.
    """
    from reidrisk.prediction import predict, statistics_from_files

    limits = thresholds(fail_above)
    began = time.perf_counter()
    with ProgressBar(wanted=not quiet and not as_json) as bar:
        risk = predict(
            statistics_from_files(statistics),
            columns=chosen_columns(columns, column),
            bands=assignments("--bands", bands),
            levels=assignments("--levels", levels),
            model=model,
            background=None if background is None else statistics_from_files([background]),
            crowds=crowd_list(crowds),
            seed=seed,
            samples=samples,
            capacity=capacity,
            progress=bar,
        )
    if verbose:
        say_note(f"model {risk.envelope.model}: fitted in {time.perf_counter() - began:.2f} s")
    print_answer(risk, limits, as_json, partial(say_answer, risk, verbose), statistics)
