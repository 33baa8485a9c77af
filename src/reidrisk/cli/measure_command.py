"""`reidrisk measure TABLE`."""

from __future__ import annotations

import time
from typing import Any

import click

from reidrisk.cli.exit_status import ThresholdCrossed
from reidrisk.cli.output import (
    Bar,
    say,
    say_answer,
    say_counted,
    say_text,
)
from reidrisk.cli.prediction_options import crowd_list
from reidrisk.cli.process_setup import sorting_fast
from reidrisk.cli.source_options import (
    crowds_option,
    fail_above_option,
    force_option,
    key_option,
    output_options,
    reading_arguments,
    seeing_options,
    writing_options,
)
from reidrisk.cli.thresholds import thresholds, verdict_on
from reidrisk.errors import ContradictoryOptions


@click.command(
    "measure",
    short_help="Crowd sizes of a table and every measure of them.",
    epilog="\b\nExample:\n  reidrisk measure people.csv --columns postcode,age,sex",
)
@click.argument("table")
@seeing_options
@writing_options
@click.option(
    "--dependence",
    metavar="A,B:C",
    help="How far A and B together depend on C. [every pair, up to 12 columns and a million rows]",
)
@click.option("--no-dependence", is_flag=True, help="Leave the dependence of columns out.")
@crowds_option
@click.option(
    "--risk-file",
    metavar="FILE",
    help="Write row (or person), crowd and risk of each record, with --crowds also "
    "k2 …: .parquet, .csv, .tsv, .arrow, .jsonl or .xlsx.",
)
@key_option
@fail_above_option
@output_options
@force_option
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
    **given: Any,
) -> None:
    """Count the crowds of TABLE: who is alone, and every measure of the crowd sizes.

    TABLE is a CSV, TSV, Parquet, Arrow, JSON lines, Excel, SPSS, SAS or Stata file, a folder of
    such files or a pattern of them ('lake/**/*.parquet'; folders such as year=2024 are columns),
    the same in a store (s3://bucket/lake/, gs://, az://), - for standard input, a database's
    address with --table or --query, or with --engine spark what the cluster reads. Without
    --columns, likely identifiers are left out and named.

    --fail-above takes overall_risk, alone_share, highest_risk, lowest_risk, share_above:0.2,
    expected_reidentifications, distinct and people. Limits may be fractions: highest_risk=1/11. For
    "nobody in a crowd below five" write k=5; measures that are safer when they are larger
    (smallest_crowd, share_in_crowds_of_at_least) are refused. With --json the answer carries each
    limit, the verdict and the file.
    """
    sorting_fast()
    from pathlib import Path

    from reidrisk.measurement import measure
    from reidrisk.records import begin_hashing, read, refuse_unnamed_records

    sizes = crowd_list(crowds)
    limits = thresholds(fail_above)
    if dependence and no_dependence:
        raise ContradictoryOptions("--dependence and --no-dependence can't both hold")
    if risk_file is not None:
        from reidrisk.measurement import write_risk_file
        from reidrisk.output_files import refuse_input_as_output, table_kind

        table_kind(Path(risk_file))
        refuse_input_as_output(risk_file, [Path(table)])
        refuse_unnamed_records(table, given["engine"], key, given["person"])
    elif key is not None:
        raise ContradictoryOptions("--key names the records of --risk-file, which wasn't asked for")
    began = time.perf_counter()
    if as_json:
        begin_hashing(table)
    with Bar(wanted=not quiet and not as_json) as bar:
        records = read(table, key=key, progress=bar, **reading_arguments(given))
        asked = False if no_dependence else dependence
        risk = measure(records, crowds=sizes, dependence=asked)
        if risk_file is not None:
            write_risk_file(records, risk_file, crowds=sizes)
    if verbose:
        say_counted(records, time.perf_counter() - began)
    verdict = verdict_on(risk, limits)
    try:
        if as_json:
            say_text(verdict.json(risk, [table]))
        else:
            _tell(risk, records, risk_file, quiet, verbose)
    finally:
        # Also when nobody reads the answer any more: the status is what a pipeline looks at.
        verdict.say(quietly=as_json)
        if verdict.crossed:
            raise ThresholdCrossed


def _tell(risk: Any, records: Any, risk_file: str | None, quiet: bool, verbose: bool) -> None:
    from reidrisk.reports import next_steps

    say_answer(risk, verbose)
    if risk_file is not None:
        say(f"\n  Each record's crowd and risk: {risk_file}")
    if not quiet:
        steps = next_steps(risk, records, wrote_risk_file=risk_file is not None)
        say_text("\nNext, add to this command:\n" + "\n".join(f"  {step}" for step in steps))
