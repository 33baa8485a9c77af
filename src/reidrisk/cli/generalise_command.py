"""`reidrisk generalise TABLE|STATISTICS -k 5`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from reidrisk.cli.arguments import (
    are_statistics,
    assignments,
    chosen_columns,
    reading_arguments,
    sensitive_columns,
    statistics_arguments,
)
from reidrisk.cli.options import (
    answer_options,
    draws_option,
    learning_limit_options,
    reading_options,
    sensitive_option,
    source_argument,
    statistics_options,
)
from reidrisk.cli.output import ProgressBar, say_answer, say_how, say_queries, say_text
from reidrisk.errors import InputError


@click.command(
    "generalise",
    epilog="\b\nExample:"
    "\n  reidrisk generalise people.csv --columns county,age,sex -k 5 --suppress 0.01 -o safer.csv"
    "\n  reidrisk generalise people.csv --columns county,age,sex --sensitive marital_state "
    "--l-diversity 2",
)
@source_argument
@click.option(
    "-k", "k", metavar="K", help="Crowds of at least K (k-anonymity): highest_risk ≤ 1/K."
)
@click.option(
    "--measure", metavar="NAME", help="The measure to limit, any but people. [highest_risk]"
)
@click.option(
    "--allowable-risk",
    metavar="V",
    help="Instead of -k: limit of the measure, 0.05 or 1/20 (a minimum where larger is safer).",
)
@sensitive_option
@learning_limit_options
@click.option(
    "--suppress",
    default=0.0,
    metavar="SHARE",
    help="Share of people that may be left out (record suppression). [0]",
)
@click.option(
    "--hierarchies",
    metavar="PLACE",
    help="Generalisation hierarchies: a CSV or TOML file, or a folder of them. "
    "[proposed from the values]",
)
@click.option(
    "--save-hierarchies",
    metavar="FOLDER",
    help="Write the hierarchies used, one CSV per column, to edit and use again; values missing "
    "from one get a line to complete.",
)
@click.option(
    "--loss",
    default="levels",
    metavar="NAME",
    help="Information loss: levels, entropy, discernibility or average_crowd. [levels]",
)
@click.option(
    "--at-least",
    multiple=True,
    metavar="COL=LEVEL",
    help="Release a column at this level or coarser.",
)
@click.option(
    "--at-most",
    multiple=True,
    metavar="COL=LEVEL",
    help="Release a column at this level or finer: sex=0 leaves it as recorded.",
)
@click.option(
    "--frontier",
    metavar="2,3,5",
    help="Also find the least loss for these: crowd sizes with -k, else limits; or none. "
    "[2 to 100 on small tables]",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the safer table (.parquet, .csv, .tsv, .arrow, .jsonl or .xlsx), then read it back "
    "and measure it.",
)
@click.option(
    "--keep",
    multiple=True,
    metavar="A,B",
    help="Also write these columns, unchanged; columns neither kept nor quasi-identifiers are "
    "dropped. [none]",
)
@click.option(
    "--play",
    default=1000,
    metavar="N",
    help="Simulate an attack on N targets before and after; 0 for none. [1000]",
)
@click.option(
    "--time-limit",
    type=float,
    metavar="SECONDS",
    help="Stop the search after this; gap says how far above the least loss it may be.",
)
@click.option(
    "--view-limit", type=int, metavar="N", help="Stop after counting N ways to release the table."
)
@statistics_options
@draws_option
@reading_options
@answer_options
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
    **options: Any,
) -> None:
    """Recode TABLE with the least loss that makes it safe, or say how from STATISTICS.

    Global recoding, optionally with record suppression. The target is -k 5 (crowds of at least
    five), or --measure NAME --allowable-risk V; and, of --sensitive columns, limits on what would
    be learnt about people (--l-diversity, --t-closeness, --certain and the like), several at once,
    with -k or alone. With -o the safer table is written, read back and measured. If the target
    can't be reached, the best that can is given.

    People can be left out for -k, --l-diversity and --certain. The other limits refuse --suppress:
    merging a small crowd that fails into a large one may make that fail too.

    With --person, risk is that of all rows of a person, people are left out with all their rows,
    and the file has a new number for each person. --missing wildcard can't be used.
    """
    from reidrisk.generalisation import generalise

    limits = given_limits(options)
    own = ("measure", "allowable_risk", "suppress", "hierarchies", "loss", "output", "play",
           "time_limit", "view_limit", "seed")  # fmt: skip
    keep_names = [name.strip() for text in keep for name in text.split(",") if name.strip()]
    with ProgressBar(wanted=not quiet and not as_json) as bar:
        subject, view = _source(source, options, keep_names, bar)
        began = time.perf_counter()
        answer = generalise(
            subject,
            k=k,
            limits=limits,
            at_least=_levels("--at-least", at_least),
            at_most=_levels("--at-most", at_most),
            frontier=_steps(frontier, k),
            keep=keep_names,
            save_hierarchies=save_hierarchies,
            progress=bar,
            **{name: options[name] for name in own},
            **view,
        )
    if verbose:
        say_how(answer.envelope, "searched", time.perf_counter() - began)
        if answer.envelope.origin == "records":
            say_queries(subject)
    say_text(answer.to_json()) if as_json else say_answer(answer, verbose)


def _source(
    source: tuple[str, ...], options: Mapping[str, Any], keep_names: list[str], bar: ProgressBar
) -> tuple[Any, dict[str, Any]]:
    """The table, read with the columns to keep; or statistics and how to see them."""
    columns = chosen_columns(options["columns"], options["column"])
    if are_statistics(source, options, both=["sensitive"]):
        from reidrisk.prediction import statistics_from_files
        from reidrisk.searches import DRAWS

        draws = DRAWS if options["draws"] is None else options["draws"]
        view = statistics_arguments(options) | {"columns": columns, "draws": draws}
        view["sensitive"] = sensitive_columns(options["sensitive"])
        return statistics_from_files(source), view
    from reidrisk.output_files import refuse_input_as_output
    from reidrisk.records import read

    if options["output"] is not None:
        refuse_input_as_output(options["output"], [Path(source[0])])
    reading = reading_arguments(options)
    reading["sensitive"] = sensitive_columns(options["sensitive"])
    if not keep_names:
        return read(source[0], **reading, progress=bar), {}
    if columns is None:
        columns = [name for name in read(source[0], **reading).columns if name not in keep_names]
    reading["columns"] = list(dict.fromkeys([*columns, *keep_names]))
    return read(source[0], **reading, progress=bar), {"columns": columns}


def given_limits(options: Mapping[str, Any]) -> dict[str, float] | None:
    """The limits on what is learnt, by the names of their measures."""
    from reidrisk.learning import LIMIT_OPTIONS, learning_limits

    given = {
        name: options[option.removeprefix("--").replace("-", "_")]
        for name, option in LIMIT_OPTIONS.items()
    }
    asked = {name: value for name, value in given.items() if value is not None}
    found = learning_limits(asked, LIMIT_OPTIONS)
    return None if found is None else dict(found.limits)


def _levels(option: str, texts: tuple[str, ...]) -> dict[str, int]:
    levels = {}
    for name, level in assignments(option, texts).items():
        if not (level.isascii() and level.isdigit() and len(level) < 10):
            raise InputError(f"{option} {name}={level}: a level is a whole number", "such as age=1")
        levels[name] = int(level)
    return levels


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
            f"--frontier {text}: with -k these are crowd sizes", "such as 2,3,5"
        ) from None
