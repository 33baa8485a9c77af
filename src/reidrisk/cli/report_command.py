"""`reidrisk report TABLE|STATISTICS -o report.html`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from reidrisk.cli.exit_status import ThresholdCrossed
from reidrisk.cli.output import Bar, aside, say, say_queries, say_text, strong
from reidrisk.cli.prediction_options import crowd_list, seen_statistics
from reidrisk.cli.process_setup import sorting_fast
from reidrisk.cli.rerun_command import command_again, unnamed
from reidrisk.cli.source_options import (
    are_statistics,
    assignments,
    crowds_option,
    fail_above_option,
    force_option,
    output_options,
    reading_arguments,
    seeing_options,
    source_argument,
    together,
    writing_options,
)
from reidrisk.cli.thresholds import thresholds, verdict_on, with_target
from reidrisk.errors import ContradictoryOptions

report_options = together(
    click.option(
        "-o",
        "--output",
        metavar="FILE",
        help="Where to; its ending says .html, .md or .json. [standard output]",
    ),
    click.option(
        "--format",
        "kind",
        metavar="html|md|json",
        help="The format, whatever the file is called. [by its ending; md]",
    ),
    click.option(
        "--title",
        default="",
        metavar="TEXT",
        help="The report's title. [the file's name; none with --publishable]",
    ),
    click.option(
        "--publishable",
        is_flag=True,
        help="For publication: no value of a record, no file's name or hash, no figure that "
        "tells a small count.",
    ),
    click.option(
        "--at-least",
        type=int,
        metavar="N",
        help="With --publishable: no count of people below N can be worked out. [5]",
    ),
    click.option(
        "--statistics",
        multiple=True,
        metavar="FILE",
        help="Hold this prediction against the records; repeated, files are merged. "
        "[made as by publish]",
    ),
    click.option(
        "--hierarchies",
        metavar="PLACE",
        help="Show what coarser values would do, with these hierarchies as in generalise.",
    ),
    click.option("-k", "k", metavar="K", help="The target, crowds of at least K: is it met?"),
    click.option(
        "--allowable-risk",
        metavar="V",
        help="Instead of -k: the measure up to V: 0.05, 1/20. Limits of --fail-above count too.",
    ),
    click.option("--measure", metavar="NAME", help="Of --allowable-risk. [highest_risk]"),
    click.option(
        "--before",
        metavar="FILE",
        help="The table that this one was made from: what was done to it. [the record that "
        "generalise left beside TABLE]",
    ),
    click.option("--model", default="auto", metavar="NAME", help="As in predict. [auto]"),
    click.option("--seed", default=0, metavar="N", help="Where chance begins. [0]"),
    click.option(
        "--up-to",
        type=int,
        metavar="N",
        help="Combinations of at most N columns. [all within 15,000 combinations and 4·10⁹ rows]",
    ),
    click.option(
        "--time-limit",
        type=float,
        default=20.0,
        metavar="SECONDS",
        help="Count combinations no longer; the report says so. [20]",
    ),
)


@click.command(
    "report",
    short_help="One page to look at: figures, meaning, pictures.",
    epilog="\b\nExample:\n  reidrisk report people.csv --columns county,age,sex -o report.html",
)
@source_argument
@report_options
@seeing_options
@writing_options
@crowds_option
@fail_above_option
@output_options
@force_option
@click.pass_context
def command(
    context: click.Context,
    /,
    source: tuple[str, ...],
    output: str | None,
    kind: str | None,
    title: str,
    publishable: bool,
    at_least: int | None,
    crowds: str | None,
    fail_above: tuple[str, ...],
    as_json: bool,
    verbose: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """What a TABLE, or STATISTICS, mean for the people in them: one page, a text or JSON.

    Without -o the text goes to standard output. A page needs the libraries that draw:
    pip install 'reidrisk[report]'.
    """
    sorting_fast()
    from reidrisk.reports import USUAL_LEAST, report

    limits = thresholds(fail_above)
    target = with_target(limits, given)
    written = _checked(source, output, kind, publishable, at_least)
    began = time.perf_counter()
    with Bar(wanted=not quiet and not as_json) as bar:
        asked, options = _asked(source, given, bar)
        found = report(
            asked,
            title=title,
            publishable=publishable,
            at_least=USUAL_LEAST if at_least is None else at_least,
            crowds=crowd_list(crowds),
            model=given["model"],
            seed=given["seed"],
            up_to=given["up_to"],
            hierarchies=given["hierarchies"],
            limits=target,
            time_limit=given["time_limit"],
            command=command_again(context, unnamed(asked) if publishable else ""),
            progress=bar,
            **options,
        )
        if output is not None:
            found.save(output, written)
    if verbose:
        aside(f"reported in {time.perf_counter() - began:.2f} s")
        if found.envelope.origin == "records":
            say_queries(asked)
    verdict = verdict_on(found, limits)
    try:
        if as_json:
            say_text(verdict.json(found, source, named=not publishable))
        else:
            _tell(found, output, written)
    finally:
        # Also when nobody reads the answer any more: the status is what a pipeline looks at.
        verdict.say(quietly=as_json)
        if verdict.crossed:
            raise ThresholdCrossed


def _checked(
    source: Sequence[str],
    output: str | None,
    kind: str | None,
    publishable: bool,
    at_least: int | None,
) -> str:
    """The format to write; what can be refused before anything is read is."""
    from reidrisk.output_files import refuse_input_as_output
    from reidrisk.reports import chosen_format, refuse_without_libraries

    if at_least is not None and not publishable:
        raise ContradictoryOptions("--at-least folds small counts of a --publishable report")
    written = chosen_format(output, kind)
    if written == "html":
        refuse_without_libraries()
    if output is not None:
        refuse_input_as_output(output, [Path(each) for each in source])
    return written


def _asked(source: tuple[str, ...], given: dict[str, Any], bar: Bar) -> tuple[Any, dict[str, Any]]:
    """What is reported on, and how what is held against it is seen."""
    from reidrisk.prediction import asked_statistics

    against = given["statistics"]
    # The model is for records too: it predicts from what could be published of them.
    if are_statistics(source, {name: given[name] for name in given if name != "model"}):
        if against:
            raise ContradictoryOptions("--statistics are held against records", "give the table")
        return seen_statistics(asked_statistics(source), given), {}
    from reidrisk.records import begin_hashing, read

    begin_hashing(source[0])
    how = reading_arguments(given)
    options: dict[str, Any] = {
        "statistics": asked_statistics(against) if against else None,
        "bands": assignments("--bands", given["bands"]),
        "levels": assignments("--levels", given["levels"]),
    }
    now = read(source[0], progress=bar, **how)
    if given["before"] is not None:
        same = how | {"columns": list(now.columns)}
        options["before"] = read(given["before"], progress=bar, **same)
    return now, options


def _tell(found: Any, output: str | None, written: str) -> None:
    from reidrisk.reports import opening

    if output is None:
        say_text(found.written(written), nl=False)
    else:
        for line in opening(strong(f"{found.answer.verdict}."), found.envelope):
            say_text(line)
        for sentence in found.answer.sentences:
            say(f"  {sentence}")
        say(f"\n  The report: {output}")
