"""`reidrisk group TABLE|STATISTICS --size 29`."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import click

from reidrisk.cli.arguments import (
    assignments,
    chosen_columns,
    member_values,
    reading_arguments,
    size_list,
    values_of,
    widths_of,
)
from reidrisk.cli.options import answer_options, reading_options, seed_option
from reidrisk.cli.output import say, say_answer, say_note, say_queries, say_text


@click.command(
    "group",
    epilog="\b\nExample:\n  reidrisk group statistics.json --columns age,sex --size 41",
)
@click.argument("source", nargs=-1, required=True)
@click.option("--size", type=int, metavar="K", help="Number of members of the group.")
@click.option("--sizes", metavar="2-60", help="Several sizes, with a plot in the terminal.")
@click.option("--by", metavar="COL", help="One group for each value of this column of a table.")
@click.option(
    "--values",
    multiple=True,
    metavar="COL=0-94",
    help="All values a column may have, as a range or a list (sex=f/m); people with others are "
    "left out. [those in SOURCE]",
)
@click.option(
    "--under",
    type=float,
    metavar="P",
    help="Find the size from which the probability is at most P.",
)
@click.option(
    "--member",
    multiple=True,
    metavar="COL=VALUE",
    help="How likely is a member with these values to be unique? Repeat it for each column.",
)
@click.option(
    "--model",
    default="auto",
    metavar="NAME",
    help="The model for statistics: tree or independent; auto takes tree where there are two-way "
    "tables. [auto]",
)
@click.option(
    "--simulate",
    type=float,
    metavar="R",
    help="Simulate groups until the relative half-width is R, such as 0.1.",
)
@click.option(
    "--confidence",
    type=float,
    default=0.95,
    metavar="A",
    help="Confidence level of --simulate. [0.95]",
)
@seed_option
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write people and κ of each group as .csv or .parquet, made to be published.",
)
@click.option(
    "--at-least",
    default=5,
    metavar="N",
    help="With -o: the base of random rounding, as of `publish`; groups that it wouldn't name are "
    "left out. 1 writes everything as it is. [5]",
)
@click.option(
    "--key-file",
    metavar="FILE",
    help="With -o: the key of rounding, that of `publish`, made where there is none. [beside "
    "TABLE, named after it]",
)
@reading_options
@answer_options
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
    key_file: str | None,
    as_json: bool,
    verbose: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """How likely is every member of a group from SOURCE to be unique within the group?

    The birthday problem for quasi-identifiers that aren't equally likely (Koot et al.). SOURCE is a
    table, one or more statistics files about the same people, or a file that --by and -o wrote; for
    the last, the published approximations are given.
    """
    from reidrisk.output_files import refuse_input_as_output
    from reidrisk.prediction import group, write_group_file
    from reidrisk.records import Table
    from reidrisk.reports import agreed

    widths = widths_of(options["bands"])
    listed = values_of(values)
    subject, view_left = _subject(source, widths, listed, by, options)
    if output is not None:
        refuse_input_as_output(output, map(Path, source))
    risk = group(
        subject,
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
        **view_left,
    )
    if verbose and isinstance(subject, Table):
        say_queries(subject)
    left_out = 0
    if output is not None:
        place = _key_place(subject, source[0], output, at_least, key_file)
        left_out = write_group_file(risk, output, at_least, place)
    say_text(risk.to_json()) if as_json else say_answer(risk, verbose)
    if output is not None and not as_json:
        say(f"\n  Written: {output}")
    if left_out:
        groups = agreed(left_out, "group", "groups")
        say_note(
            f"Left out of the file: {groups} of fewer than {2 * at_least} people once rounded "
            "(--at-least)."
        )


def _key_place(
    subject: Any, source: str, output: str, at_least: int, key_file: str | None
) -> str | Path | None:
    """Where the table's key lies, if its records are to be rounded."""
    from reidrisk.errors import ContradictoryOptions
    from reidrisk.publishing import place_beside
    from reidrisk.records import Table

    if not isinstance(subject, Table) or at_least == 1:
        if key_file is not None:
            raise ContradictoryOptions("--key-file belongs to rounding records for a file")
        return None
    place = key_file or place_beside(source, output, "key")
    if Path(place).resolve() == Path(output).resolve():
        raise ContradictoryOptions(f"{output} is the key of this table, which stays with you")
    return place


def _subject(
    source: tuple[str, ...],
    widths: dict[str, list[str]],
    listed: Collection[str],
    by: str | None,
    options: dict[str, Any],
) -> tuple[Any, dict[str, Any]]:
    """What is asked, and what of the view is left to be asked for."""
    from reidrisk.errors import InputError
    from reidrisk.prediction import is_group_file, statistics_from_files
    from reidrisk.records import read
    from reidrisk.statistics import is_statistics_file

    columns = chosen_columns(options["columns"], options["column"])
    view: dict[str, Any] = {"columns": columns, "bands": widths}
    if len(source) == 1 and is_group_file(Path(source[0])):
        return source[0], {}
    if all(map(is_statistics_file, source)):
        levels = assignments("--levels", options["levels"])
        return statistics_from_files(source), view | {"levels": levels}
    if len(source) > 1:
        raise InputError(
            "several files are merged only if all are statistics",
            "give one table, or a pattern in quotes",
        )
    arguments = reading_arguments(options | {"bands": ()})
    # One width is seen while reading, so that measurements can be read at all; with listed values
    # it is seen afterwards, when those who hold others have been left out.
    at_once = {n: each[0] for n, each in widths.items() if len(each) == 1 and n not in listed}
    arguments["bands"] = at_once
    if columns is not None and by is not None and by not in columns:
        arguments["columns"] = [*columns, by]
    afterwards = {name: each for name, each in widths.items() if name not in at_once}
    return read(source[0], **arguments), view | {"bands": afterwards}
