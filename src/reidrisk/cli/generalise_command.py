"""`reidrisk generalise TABLE|STATISTICS -k 5`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from reidrisk.cli.output import (
    Bar,
    say_answer,
    say_how,
    say_queries,
    say_text,
)
from reidrisk.cli.process_setup import sorting_fast
from reidrisk.cli.source_options import (
    are_statistics,
    assignments,
    chosen_columns,
    force_option,
    output_options,
    reading_arguments,
    seeing_options,
    source_argument,
    statistics_arguments,
    writing_options,
)
from reidrisk.errors import InputError


@click.command(
    "generalise",
    short_help="The least change that makes a table safe; writes it.",
    epilog="\b\nExample:"
    "\n  reidrisk generalise people.csv --columns county,age,sex -k 5 --suppress 0.01 -o safer.csv",
)
@source_argument
@click.option("-k", "k", metavar="K", help="Crowds of at least K: highest_risk ≤ 1/K.")
@click.option("--measure", metavar="NAME", help="Judge by any measure but people. [highest_risk]")
@click.option(
    "--allowable-risk",
    metavar="V",
    help="Instead of -k: the measure up to V, 0.05 or 1/20 (at least V where larger is safer).",
)
@click.option(
    "--suppress", default=0.0, metavar="SHARE", help="Share of people that may be left out. [0]"
)
@click.option(
    "--hierarchies",
    metavar="PLACE",
    help="A folder of CSV or TOML files, or one of them; columns without one get a "
    "proposal. [proposed from the values]",
)
@click.option(
    "--save-hierarchies",
    metavar="FOLDER",
    help="Write those used, a CSV a column, to be edited and given back; one that lacks values, "
    "with a line for each to be completed.",
)
@click.option(
    "--loss",
    default="levels",
    metavar="NAME",
    help="levels, entropy, discernibility or average_crowd. [levels]",
)
@click.option(
    "--at-least", multiple=True, metavar="COL=LEVEL", help="See a column no finer than this level."
)
@click.option(
    "--at-most",
    multiple=True,
    metavar="COL=LEVEL",
    help="See a column no coarser than this level: sex=0 leaves it as recorded.",
)
@click.option(
    "--frontier",
    metavar="2,3,5",
    help="The least loss for these too: crowd sizes with -k, else values; none for none. "
    "[2 to 100 on small tables]",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the safer table: .parquet, .csv, .tsv, .arrow, .jsonl or .xlsx; read back and "
    "measured.",
)
@click.option(
    "--keep",
    multiple=True,
    metavar="A,B",
    help="Write these columns as they are; all others but those judged are left aside. [none]",
)
@click.option(
    "--play",
    default=1000,
    metavar="N",
    help="Targets of the attack played before and after; 0 plays none. [1000]",
)
@click.option(
    "--time-limit",
    type=float,
    metavar="SECONDS",
    help="Stop then; gap says how far above the least the loss may be.",
)
@click.option("--view-limit", type=int, metavar="N", help="Stop after counting N releases.")
@click.option("--model", metavar="NAME", help="How STATISTICS are used, as in predict. [auto]")
@click.option(
    "--background",
    metavar="STATISTICS",
    help="Pair tables that these statistics lack, from other ones.",
)
@click.option(
    "--draws", type=int, metavar="N", help="Tables drawn from the model of STATISTICS. [5]"
)
@click.option("--seed", default=0, metavar="N", help="Where chance begins. [0]")
@seeing_options
@writing_options
@output_options
@force_option
def command(
    source: tuple[str, ...],
    k: str | None,
    frontier: str | None,
    at_least: tuple[str, ...],
    at_most: tuple[str, ...],
    keep: tuple[str, ...],
    save_hierarchies: str | None,
    as_json: bool,
    verbose: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """The levels of least loss that make a TABLE safe, or one that STATISTICS describe.

    The target is -k 5 (crowds of at least five), or --measure NAME --allowable-risk V. With -o the
    safer table is written, read back and measured; an impossible target says the best that can be
    reached. With --person each row is released at the levels chosen, people are judged and left out
    by all their rows, and the file has a new number for each. --missing wildcard is refused.
    """
    sorting_fast()
    from reidrisk.generalisation import generalise

    own = ("measure", "allowable_risk", "suppress", "hierarchies", "loss", "output", "play",
           "time_limit", "view_limit", "seed")  # fmt: skip
    kept = [name.strip() for text in keep for name in text.split(",") if name.strip()]
    with Bar(wanted=not quiet and not as_json) as bar:
        asked, seen = _source(source, given, kept, bar)
        began = time.perf_counter()
        found = generalise(
            asked,
            k=k,
            at_least=_levels("--at-least", at_least),
            at_most=_levels("--at-most", at_most),
            frontier=_steps(frontier, k),
            keep=kept,
            save_hierarchies=save_hierarchies,
            progress=bar,
            **{name: given[name] for name in own},
            **seen,
        )
    if verbose:
        say_how(found.envelope, "searched", time.perf_counter() - began)
        if found.envelope.origin == "records":
            say_queries(asked)
    say_text(found.to_json()) if as_json else say_answer(found, verbose)


def _source(
    source: tuple[str, ...], given: Mapping[str, Any], kept: list[str], bar: Bar
) -> tuple[Any, dict[str, Any]]:
    """The table, read with the columns to keep; or statistics and how to see them."""
    columns = chosen_columns(given["columns"], given["column"])
    if are_statistics(source, given):
        from reidrisk.prediction import asked_statistics
        from reidrisk.searches import DRAWS

        draws = DRAWS if given["draws"] is None else given["draws"]
        seen = statistics_arguments(given) | {"columns": columns, "draws": draws}
        return asked_statistics(source), seen
    from reidrisk.output_files import refuse_input_as_output
    from reidrisk.records import read

    if given["output"] is not None:
        refuse_input_as_output(given["output"], [Path(source[0])])
    how = reading_arguments(given)
    if not kept:
        return read(source[0], **how, progress=bar), {}
    judged = columns or [name for name in read(source[0], **how).columns if name not in kept]
    every = list(dict.fromkeys([*judged, *kept]))
    return read(source[0], **(how | {"columns": every}), progress=bar), {"columns": judged}


def _levels(option: str, given: tuple[str, ...]) -> dict[str, int]:
    found = {}
    for name, level in assignments(option, given).items():
        if not (level.isascii() and level.isdigit() and len(level) < 10):
            raise InputError(f"{option} {name}={level}: a level is a whole number", "as in age=1")
        found[name] = int(level)
    return found


def _steps(text: str | None, k: str | None) -> list[str] | list[float] | bool | None:
    """Crowd sizes with -k, else allowable values."""
    from reidrisk.crowds import crowd_size

    if text is None or text == "none":
        return None if text is None else False
    parts = [each.strip() for each in text.split(",")]
    try:
        return parts if k is None else [1.0 / crowd_size(each) for each in parts]
    except InputError:
        raise InputError(
            f"--frontier {text}: with -k they are crowd sizes", "as in 2,3,5"
        ) from None
