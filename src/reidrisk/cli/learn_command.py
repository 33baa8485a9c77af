"""`reidrisk learn TABLE|STATISTICS --sensitive COL`."""

from __future__ import annotations

import time
from typing import Any

import click

from reidrisk.cli.arguments import (
    are_statistics,
    chosen_columns,
    crowd_list,
    reading_arguments,
    statistics_arguments,
)
from reidrisk.cli.options import (
    answer_options,
    crowds_option,
    draws_option_of,
    key_option,
    reading_options,
    sensitive_columns,
    sensitive_option,
    source_argument,
    statistics_options,
    together,
)
from reidrisk.cli.output import ProgressBar, say, say_answer, say_counted, say_how
from reidrisk.cli.thresholds import print_answer, refuse_unanswered_rows, thresholds
from reidrisk.errors import ContradictoryOptions

learn_options = together(
    sensitive_option,
    click.option(
        "--hierarchies",
        metavar="PLACE",
        help="Hierarchies of sensitive columns, for t-closeness: a folder or file as in "
        "generalise. "
        "[by order for numbers, bands and dates, else all values equally far apart]",
    ),
    click.option(
        "--recursive-l",
        type=int,
        metavar="L",
        help="The l of recursive (c,l)-diversity. [the table's own distinct l]",
    ),
    click.option(
        "--risk-file",
        metavar="FILE",
        help="Write row, crowd and, for each sensitive column, the share of the crowd with the "
        "same value, whether it is certain, and the chance that it is guessed with the table, "
        "without the person's record, and without the table: .parquet, .csv, .tsv, .arrow, .jsonl "
        "or .xlsx.",
    ),
    key_option,
    click.option(
        "--fail-above",
        multiple=True,
        metavar="MEASURE=VALUE",
        help="Exit with status 1 if a measure exceeds a value: certain_share=0, t_closeness=0.2; "
        "or if a crowd has fewer values than l=3. Repeat it, or use commas.",
    ),
)


@click.command(
    "learn",
    epilog="\b\nExample:\n  reidrisk learn people.csv --columns county,age,sex "
    "--sensitive occupation",
)
@source_argument
@learn_options
@statistics_options
@draws_option_of(20)
@reading_options
@crowds_option
@answer_options
def command(
    source: tuple[str, ...],
    sensitive: tuple[str, ...],
    hierarchies: str | None,
    recursive_l: int | None,
    crowds: str | None,
    fail_above: tuple[str, ...],
    seed: int,
    as_json: bool,
    verbose: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """What would be learnt about people in TABLE without picking them out (attribute disclosure)?

    If everybody in a crowd has the same diagnosis, it is certain for each of them, however large
    the crowd. Shown are: for how many people a sensitive value is certain; how often an attacker
    who guesses it is right, with the table, without the person's own record, and without the
    table; and the field's measures: l-diversity (distinct, entropy, recursive), t-closeness,
    β-likeness, δ-disclosure, (α,k)-anonymity.

    From STATISTICS the same is predicted: the sensitive attribute is one more attribute of the
    model, and figures are means over tables drawn from it, with 90 % intervals. --columns says
    which other attributes an attacker knows, all of them by default.

    --fail-above judges certain_share, t_closeness, beta_likeness, enhanced_beta_likeness,
    delta_disclosure, alpha, recursive_c, guess_gain and guess_costs, each for the sensitive column
    where it is worst, and l=3 asks for at least three values in every crowd.
    """
    from reidrisk.learning import LEARNING_MEASURES

    limits = thresholds(fail_above, LEARNING_MEASURES)
    question = {
        "sensitive": sensitive_columns(sensitive), "hierarchies": hierarchies,
        "recursive_l": recursive_l, "crowds": crowd_list(crowds),
    }  # fmt: skip
    began = time.perf_counter()
    with ProgressBar(wanted=not quiet and not as_json) as bar:
        if are_statistics(source, options):
            risk = _predicted(source, question | {"seed": seed}, options, bar)
        else:
            risk = _counted(source[0], question, options, limits, bar, verbose)
    if verbose and risk.envelope.origin == "statistics":
        say_how(risk.envelope, "drew and counted", time.perf_counter() - began)
    risk_file = options["risk_file"]

    def say_it() -> None:
        say_answer(risk, verbose)
        if risk_file is not None:
            say(f"\n  What would be learnt of each record: {risk_file}")

    print_answer(risk, limits, as_json, say_it, source)


def _predicted(
    source: tuple[str, ...], question: dict[str, Any], options: dict[str, Any], bar: ProgressBar
) -> Any:
    from reidrisk.learning import learn
    from reidrisk.prediction import statistics_from_files

    seen = statistics_arguments(options)
    columns = chosen_columns(options["columns"], options["column"])
    return learn(
        statistics_from_files(source), columns=columns, draws=options["draws"], progress=bar,
        **seen, **question,
    )  # fmt: skip


def _counted(
    table: str,
    question: dict[str, Any],
    options: dict[str, Any],
    limits: tuple[Any, ...],
    bar: ProgressBar,
    verbose: bool,
) -> Any:
    from reidrisk.learning import learn
    from reidrisk.records import read, refuse_unnamed_records

    risk_file, key = options["risk_file"], options["key"]
    if risk_file is not None:
        refuse_unnamed_records(table, options["engine"], key, options["person"])
    elif key is not None:
        raise ContradictoryOptions(
            "--key names the records of --risk-file, but --risk-file isn't given"
        )
    began = time.perf_counter()
    records = read(
        table,
        key=key,
        sensitive=question.pop("sensitive"),
        progress=bar,
        **reading_arguments(options),
    )
    refuse_unanswered_rows(limits, records)
    risk = learn(records, risk_file=risk_file, progress=bar, **question)
    if verbose:
        say_counted(records, time.perf_counter() - began)
    return risk
