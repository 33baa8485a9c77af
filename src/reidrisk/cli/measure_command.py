"""`reidrisk measure TABLE`."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import click

from reidrisk.cli.arguments import crowd_list, reading_arguments
from reidrisk.cli.options import (
    answer_options,
    crowds_option,
    fail_above_option,
    key_option,
    reading_options,
    risk_file_option,
)
from reidrisk.cli.output import ProgressBar, say, say_answer, say_counted, say_text
from reidrisk.cli.thresholds import print_answer, refuse_unanswered_rows, thresholds
from reidrisk.errors import ContradictoryOptions


@click.command(
    "measure",
    epilog="\b\nExample:\n  reidrisk measure people.csv --columns postcode,age,sex",
)
@click.argument("table")
@reading_options
@click.option(
    "--dependence",
    metavar="A,B:C",
    help="How well A and B together predict C (gain ratio). [every pair, up to 12 columns and a "
    "million rows]",
)
@click.option("--no-dependence", is_flag=True, help="Leave out the dependence between columns.")
@crowds_option
@risk_file_option
@key_option
@fail_above_option
@answer_options
def command(
    table: str,
    dependence: str | None,
    no_dependence: bool,
    crowds: str | None,
    risk_file: str | None,
    key: str | None,
    fail_above: tuple[str, ...],
    as_json: bool,
    verbose: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Measure TABLE: crowd sizes (equivalence classes), who is alone (unique), every risk.

    A crowd is the people who share all values of the quasi-identifiers (key variables). Shown are
    the smallest crowd (k of k-anonymity), the highest risk (maximum prosecutor risk), the overall
    risk (average prosecutor risk, marketer risk) and more. Without --columns, likely identifiers
    are left out, and a note names them.

    TABLE is a CSV, TSV, Parquet, Arrow, JSON lines, Excel, SPSS, SAS or Stata file, or - for
    standard input; a folder or pattern of such files ('lake/**/*.parquet'; folders such as
    year=2024 become columns); the same in an object store (s3://bucket/lake/, gs://, az://); the
    address of a database, with --table or --query; or, with --engine spark, whatever the cluster
    can read.

    --fail-above takes overall_risk, alone_share, highest_risk, lowest_risk, share_above:0.2,
    expected_reidentifications, distinct and people. Limits may be fractions: highest_risk=1/11. For
    "nobody in a crowd below five" write k=5; measures where larger is safer (smallest_crowd,
    share_in_crowds_of_at_least) are refused. With --json the answer has each limit, the verdict and
    the file. While it isn't clear that each row is one person, no limit is judged: exit status 2.
    """
    from pathlib import Path

    from reidrisk.input_hash import begin_hashing
    from reidrisk.measurement import measure
    from reidrisk.records import read, refuse_unnamed_records

    sizes = crowd_list(crowds)
    limits = thresholds(fail_above)
    if dependence and no_dependence:
        raise ContradictoryOptions("--dependence and --no-dependence can't both hold")
    if risk_file is not None:
        from reidrisk.measurement import write_risk_file
        from reidrisk.output_files import refuse_input_as_output, table_kind

        table_kind(Path(risk_file))
        refuse_input_as_output(risk_file, [Path(table)])
        refuse_unnamed_records(table, options["engine"], key, options["person"])
    elif key is not None:
        raise ContradictoryOptions(
            "--key names the records of --risk-file, but --risk-file isn't given"
        )
    began = time.perf_counter()
    if as_json:
        begin_hashing(table)
    with ProgressBar(wanted=not quiet and not as_json) as bar:
        records = read(table, key=key, progress=bar, **reading_arguments(options))
        refuse_unanswered_rows(limits, records)
        pairs = False if no_dependence else dependence
        risk = measure(records, crowds=sizes, dependence=pairs)
        if risk_file is not None:
            write_risk_file(records, risk_file, crowds=sizes)
    if verbose:
        say_counted(records, time.perf_counter() - began)
    text = partial(_print, risk, records, risk_file, quiet, verbose)
    print_answer(risk, limits, as_json, text, [table])


def _print(risk: Any, records: Any, risk_file: str | None, quiet: bool, verbose: bool) -> None:
    from reidrisk.reports import next_steps

    say_answer(risk, verbose)
    if risk_file is not None:
        say(f"\n  Each record's crowd and risk: {risk_file}")
    if not quiet:
        steps = next_steps(risk, records, wrote_risk_file=risk_file is not None)
        say_text("\nNext, add to this command:\n" + "\n".join(f"  {step}" for step in steps))
