"""`reidrisk group TABLE|STATISTICS --size 29`."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import click

from reidrisk.cli.output import (
    aside,
    say,
    say_answer,
    say_queries,
    say_text,
)
from reidrisk.cli.prediction_options import member_values, size_list, values_of, widths_of
from reidrisk.cli.process_setup import sorting_fast
from reidrisk.cli.source_options import (
    assignments,
    chosen_columns,
    force_option,
    output_options,
    reading_arguments,
    seeing_options,
    writing_options,
)


@click.command(
    "group",
    short_help="Are all members of a group unique? Exact, and as published.",
    epilog="\b\nExample:\n  reidrisk group statistics.json --columns age,sex --size 41",
)
@click.argument("source", nargs=-1, required=True)
@click.option("--size", type=int, metavar="K", help="How many members the group has.")
@click.option(
    "--sizes", metavar="2-60", help="Several sizes: a curve, with a plot in the terminal."
)
@click.option("--by", metavar="COL", help="A group for each value of a column of a table.")
@click.option(
    "--values",
    multiple=True,
    metavar="COL=0-94",
    help="All values a column may have: a range, or sex=f/m; people with others are "
    "left out. [those known]",
)
@click.option(
    "--under", type=float, metavar="P", help="From which size on the probability is at most P."
)
@click.option(
    "--member",
    multiple=True,
    metavar="COL=VALUE",
    help="How likely is a member with these values unique? Repeat it, one for each column.",
)
@click.option(
    "--model",
    default="tree",
    metavar="NAME",
    help="How pair tables of statistics are used: tree or independent. [tree]",
)
@click.option(
    "--simulate",
    type=float,
    metavar="R",
    help="Draw groups until the relative half-width is R, such as 0.1.",
)
@click.option(
    "--confidence", type=float, default=0.95, metavar="A", help="Confidence of --simulate. [0.95]"
)
@click.option("--seed", default=0, metavar="N", help="Where chance begins. [0]")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write group, outcomes, people, kappa, exact, size, discrepancy as .csv or .parquet.",
)
@click.option(
    "--at-least",
    default=5,
    metavar="N",
    help="With -o: name no group of fewer people, and round so that no smaller number shows; "
    "1 writes all as it is. [5]",
)
@seeing_options
@writing_options
@output_options
@force_option
def command(
    source: tuple[str, ...],
    size: int | None,
    sizes: str | None,
    by: str | None,
    values: tuple[str, ...],
    under: float | None,
    member: tuple[str, ...],
    model: str,
    simulate: float | None,
    confidence: float,
    seed: int,
    output: str | None,
    at_least: int,
    as_json: bool,
    verbose: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """How likely are all members of a group to be unique in SOURCE, statistics or a table?

    SOURCE is a table, one or several files of statistics about the same people, or a file that
    --by and -o wrote: then the published approximations are given.
    """
    sorting_fast()
    from reidrisk.output_files import refuse_input_as_output
    from reidrisk.prediction import group, write_group_file
    from reidrisk.records import Table
    from reidrisk.reports import agreed

    widths = widths_of(reading["bands"])
    listed = values_of(values)
    asked, left = _asked(source, widths, listed, by, reading)
    if output is not None:
        refuse_input_as_output(output, map(Path, source))
    risk = group(
        asked,
        size,
        sizes=size_list(sizes),
        by=by,
        values=listed,
        under=under,
        member=member_values(member),
        model=model,
        simulate=simulate,
        confidence=confidence,
        seed=seed,
        **left,
    )
    if verbose and isinstance(asked, Table):
        say_queries(asked)
    left_out = 0 if output is None else write_group_file(risk, output, at_least)
    say_text(risk.to_json()) if as_json else say_answer(risk, verbose)
    if output is not None and not as_json:
        say(f"\n  Written: {output}")
    if left_out:
        groups = agreed(left_out, "group", "groups")
        aside(f"Left out of the file: {groups} of fewer than {at_least} people (--at-least).")


def _asked(
    source: tuple[str, ...],
    widths: dict[str, list[str]],
    listed: Collection[str],
    by: str | None,
    given: dict[str, Any],
) -> tuple[Any, dict[str, Any]]:
    """What is asked, and what of the view is left to be asked for."""
    from reidrisk.errors import InputError
    from reidrisk.prediction import asked_statistics, is_group_file
    from reidrisk.records import read
    from reidrisk.statistics import is_statistics_file

    columns = chosen_columns(given["columns"], given["column"])
    view: dict[str, Any] = {"columns": columns, "bands": widths}
    if len(source) == 1 and is_group_file(Path(source[0])):
        return source[0], {}
    if all(map(is_statistics_file, source)):
        return asked_statistics(source), view | {"levels": assignments("--levels", given["levels"])}
    if len(source) > 1:
        raise InputError(
            "several files are merged only where all are statistics", "give one table, or a glob"
        )
    arguments = reading_arguments(given | {"bands": ()})
    # One width is seen while reading, so that measurements can be read at all; with listed values
    # it is seen afterwards, when those who hold others have been left out.
    at_once = {n: each[0] for n, each in widths.items() if len(each) == 1 and n not in listed}
    arguments["bands"] = at_once
    if columns is not None and by is not None and by not in columns:
        arguments["columns"] = [*columns, by]
    later = {name: each for name, each in widths.items() if name not in at_once}
    return read(source[0], **arguments), view | {"bands": later}
