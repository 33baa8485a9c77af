"""`reidrisk report TABLE|STATISTICS -o report.html`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from reidrisk.cli.arguments import (
    are_statistics,
    assignments,
    command_again,
    crowd_list,
    placeholder,
    reading_arguments,
    seen_statistics,
    sensitive_columns,
)
from reidrisk.cli.options import (
    answer_options,
    crowds_option,
    fail_above_option,
    reading_options,
    seed_option,
    sensitive_option,
    source_argument,
    together,
)
from reidrisk.cli.output import ProgressBar, bold, say, say_note, say_queries, say_text
from reidrisk.cli.thresholds import print_answer, thresholds, with_target
from reidrisk.errors import ContradictoryOptions

report_options = together(
    click.option(
        "-o",
        "--output",
        metavar="FILE",
        help="The file to write: .html, .md or .json. [standard output]",
    ),
    click.option(
        "--format",
        "kind",
        metavar="html|md|json",
        help="The format, whatever the file's name. [from the name; md]",
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
        help="For publication: no values of records, no file name or hash, no figure that "
        "reveals a small count.",
    ),
    click.option(
        "--at-least",
        type=int,
        metavar="N",
        help="With --publishable: no count of people below N can be derived. [5]",
    ),
    click.option(
        "--statistics",
        multiple=True,
        metavar="FILE",
        help="Compare the records with a prediction from these; if repeated, files are merged. "
        "[statistics as publish makes them]",
    ),
    click.option(
        "--hierarchies",
        metavar="PLACE",
        help="Show what coarser values would do, with these hierarchies (see generalise).",
    ),
    click.option(
        "-k", "k", metavar="K", help="Is the target met: crowds of at least K (k-anonymity)?"
    ),
    click.option(
        "--allowable-risk",
        metavar="V",
        help="Instead of -k: limit of the measure, 0.05 or 1/20. Limits of --fail-above count too.",
    ),
    click.option(
        "--measure", metavar="NAME", help="The measure of --allowable-risk. [highest_risk]"
    ),
    click.option(
        "--before",
        metavar="FILE",
        help="The table this one was made from, to show what changed. [the record that "
        "generalise wrote next to TABLE]",
    ),
    click.option(
        "--population",
        type=int,
        metavar="N",
        help="TABLE is a sample of N people: also who of those alone is alone among them.",
    ),
    sensitive_option,
    click.option(
        "--model",
        default="auto",
        metavar="NAME",
        help="The model for statistics, as in predict. [auto]",
    ),
    seed_option,
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
        help="Stop counting combinations of columns after this; the report says so. [20]",
    ),
)


@click.command(
    "report",
    epilog="\b\nExample:\n  reidrisk report people.csv --columns county,age,sex -o report.html",
)
@source_argument
@report_options
@reading_options
@crowds_option
@fail_above_option
@answer_options
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
    **options: Any,
) -> None:
    """What TABLE or STATISTICS mean for the people in them: a page, a text or JSON.

    Without -o the text goes to standard output. A page needs libraries for charts:
    pip install 'reidrisk[report]'.
    """
    from reidrisk.reports import USUAL_LEAST, report

    limits = thresholds(fail_above)
    target = with_target(limits, options)
    written = _checked_format(source, output, kind, publishable, at_least)
    began = time.perf_counter()
    with ProgressBar(wanted=not quiet and not as_json) as bar:
        subject, compared = _subject(source, options, bar)
        made = report(
            subject,
            title=title,
            publishable=publishable,
            at_least=USUAL_LEAST if at_least is None else at_least,
            crowds=crowd_list(crowds),
            model=options["model"],
            seed=options["seed"],
            up_to=options["up_to"],
            hierarchies=options["hierarchies"],
            population=options["population"],
            limits=target,
            time_limit=options["time_limit"],
            command=command_again(context, placeholder(subject) if publishable else ""),
            progress=bar,
            **compared,
        )
        if output is not None:
            made.save(output, written)
    if verbose:
        say_note(f"reported in {time.perf_counter() - began:.2f} s")
        if made.envelope.origin == "records":
            say_queries(subject)
    text = partial(_print, made, output, written)
    print_answer(made, limits, as_json, text, source, named=not publishable)


def _checked_format(
    source: Sequence[str],
    output: str | None,
    kind: str | None,
    publishable: bool,
    at_least: int | None,
) -> str:
    """The format to write; what can be refused before anything is read is."""
    from reidrisk.output_files import refuse_input_as_output
    from reidrisk.reports import chosen_format, refuse_small_threshold, refuse_without_libraries

    if at_least is not None and not publishable:
        raise ContradictoryOptions("--at-least is for a --publishable report")
    if at_least is not None:
        refuse_small_threshold(at_least)
    written = chosen_format(output, kind)
    if written == "html":
        refuse_without_libraries()
    if output is not None:
        refuse_input_as_output(output, [Path(each) for each in source])
    return written


def _subject(
    source: tuple[str, ...], options: dict[str, Any], bar: ProgressBar
) -> tuple[Any, dict[str, Any]]:
    """What to report on, and the options for what it is compared with."""
    from reidrisk.prediction import statistics_from_files

    statistics = options["statistics"]
    # The model is for records too: it predicts from what could be published of them.
    if are_statistics(source, options, both=["model"]):
        if statistics:
            raise ContradictoryOptions("--statistics are compared with records", "give the table")
        return seen_statistics(statistics_from_files(source), options), {}
    from reidrisk.input_hash import begin_hashing
    from reidrisk.records import read

    begin_hashing(source[0])
    how = reading_arguments(options)
    compared: dict[str, Any] = {
        "statistics": statistics_from_files(statistics) if statistics else None,
        "bands": assignments("--bands", options["bands"]),
        "levels": assignments("--levels", options["levels"]),
    }
    table = read(source[0], sensitive=sensitive_columns(options["sensitive"]), progress=bar, **how)
    if options["before"] is not None:
        like_table = how | {"columns": list(table.columns)}
        compared["before"] = read(options["before"], progress=bar, **like_table)
    return table, compared


def _print(made: Any, output: str | None, written: str) -> None:
    from reidrisk.reports import opening

    if output is None:
        say_text(made.written(written), nl=False)
    else:
        for line in opening(bold(f"{made.answer.verdict}."), made.envelope.unit_warning):
            say_text(line)
        for sentence in made.answer.sentences:
            say(f"  {sentence}")
        for section in made.sections:
            if section.key == "target":
                say(f"  {' '.join(section.sentences)}")
        say(f"\n  The report: {output}")
