"""`reidrisk search TABLE|STATISTICS …`."""

from __future__ import annotations

import time
from typing import Any

import click

from reidrisk.cli.output import (
    Bar,
    say,
    say_answer,
    say_how,
    say_queries,
    say_text,
)
from reidrisk.cli.person_file import (
    person_file_options,
    refuse_unwritable,
    sets_wanted,
    tell_person_file,
    write_person_file,
)
from reidrisk.cli.process_setup import sorting_fast
from reidrisk.cli.source_options import (
    are_statistics,
    chosen_columns,
    force_option,
    output_options,
    reading_arguments,
    seeing_options,
    source_argument,
    statistics_arguments,
    writing_options,
)
from reidrisk.printable import json_text

QUESTIONS = ("allowable_risk", "ratio", "attributes", "costs", "budget", "success")


@click.command(
    "search",
    short_help="Dangerous combinations: by risk, by ratio, by cost.",
    epilog="\b\nExample:\n  reidrisk search people.csv --allowable-risk 0.01 --measure alone_share",
)
@source_argument
@click.option(
    "--allowable-risk",
    metavar="V",
    help="The smallest combinations whose measure is beyond V (0.05, 1/20 or k=20), and the "
    "largest that aren't.",
)
@click.option(
    "--ratio",
    type=float,
    metavar="Y",
    help="Combinations that tell more than Y times what the best of their attributes tells …",
)
@click.option("--attributes", type=int, metavar="X", help="… with X attributes each.")
@click.option(
    "--costs", metavar="FILE", help="A cost for each attribute, as TOML: a line such as age = 1."
)
@click.option(
    "--budget", metavar="R", help="What may be spent: the most that each cost up to R buys."
)
@click.option("--success", metavar="P", help="With a budget: the cheapest way to this much.")
@click.option(
    "--measure",
    metavar="NAME",
    help="Judge by any measure but people. [highest_risk; overall_risk on statistics "
    "and for costs]",
)
@click.option(
    "--up-to",
    type=int,
    metavar="N",
    help="Know at most N attributes. [all up to 17, else within 200,000 views]",
)
@click.option(
    "--time-limit",
    type=float,
    metavar="SECONDS",
    help="Stop then; the answer says between which figures the open views lie.",
)
@click.option("--view-limit", type=int, metavar="N", help="Stop after counting N views.")
@person_file_options
@click.option("--model", metavar="NAME", help="How STATISTICS are used, as in predict. [auto]")
@click.option(
    "--background",
    metavar="STATISTICS",
    help="Pair tables that these statistics lack, from other ones.",
)
@click.option(
    "--draws",
    type=int,
    metavar="N",
    help="Tables drawn from the model of STATISTICS, 1,000 at most. [5]",
)
@click.option("--seed", default=0, metavar="N", help="Where chance begins. [0]")
@seeing_options
@writing_options
@output_options
@force_option
def command(
    source: tuple[str, ...],
    allowable_risk: str | None,
    ratio: float | None,
    attributes: int | None,
    costs: str | None,
    budget: str | None,
    success: str | None,
    measure: str | None,
    up_to: int | None,
    time_limit: float | None,
    view_limit: int | None,
    seed: int,
    as_json: bool,
    verbose: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Which combinations of attributes make people stand out in a TABLE, or by STATISTICS alone.

    Ask one question: --allowable-risk V for the smallest combinations beyond it, --ratio Y
    --attributes X for those that tell more than their attributes do, --costs FILE --budget R for
    the most that each cost buys. --person-file FILE, beside it or alone, writes the smallest
    combinations that single out each person.

    V lies in (0, 1] for risks and shares; for smallest_crowd, distinct and
    expected_reidentifications it is a number. --allowable-risk with --costs and no budget ranks the
    risky combinations by cost. With --person a crowd is people who have the same rows; --missing
    wildcard is refused.
    """
    sorting_fast()
    asked = {
        "allowable_risk": allowable_risk, "ratio": ratio, "attributes": attributes, "costs": costs,
        "budget": budget, "success": success, "measure": measure, "up_to": up_to,
        "time_limit": time_limit, "view_limit": view_limit, "seed": seed,
    }  # fmt: skip
    began = time.perf_counter()
    with Bar(wanted=not quiet and not as_json) as bar:
        searched = _on_statistics if are_statistics(source, given) else _on_records
        found, sets = searched(source, asked, given | {"verbose": verbose}, bar)
    if verbose:
        say_how((found or sets).envelope, "searched", time.perf_counter() - began)
    if as_json:
        say_text(_json(found, sets))
    else:
        _tell(found, sets, given)


def _on_statistics(
    source: tuple[str, ...], asked: dict[str, Any], given: dict[str, Any], bar: Bar
) -> tuple[Any, Any]:
    from reidrisk.prediction import asked_statistics
    from reidrisk.searches import DRAWS, search

    seen = statistics_arguments(given) | {
        "columns": chosen_columns(given["columns"], given["column"]),
        "draws": DRAWS if given["draws"] is None else given["draws"],
    }
    return search(asked_statistics(source), progress=bar, **seen, **asked), None


def _on_records(
    source: tuple[str, ...], asked: dict[str, Any], given: dict[str, Any], bar: Bar
) -> tuple[Any, Any]:
    """What was found, if a question was asked, and minimal unique sets if they were."""
    from reidrisk.attacks import USUAL_LIMIT, unique_sets
    from reidrisk.records import read
    from reidrisk.searches import refuse_contradictions, search

    wanted = sets_wanted(given)
    asks = not wanted or any(asked[name] is not None for name in QUESTIONS)
    if asks:
        refuse_contradictions(**{name: asked[name] for name in (*QUESTIONS, "measure", "up_to")})
    refuse_unwritable(source[0], given)
    table = read(source[0], progress=bar, **reading_arguments(given))
    found = search(table, progress=bar, **asked) if asks else None
    if given["verbose"]:
        say_queries(table)
    if not wanted:
        return found, None
    most = asked["view_limit"] or USUAL_LIMIT
    sets = unique_sets(table, up_to=given["unique_up_to"], view_limit=most, progress=bar)
    write_person_file(source[0], sets, given)
    return found, sets


def _json(found: Any, sets: Any) -> str:
    """With the keys of every search, whichever question was asked."""
    told = (found or sets_alone(sets)).to_dict()
    told["unique_sets"] = None if sets is None else sets.figures()
    return json_text(told)


def sets_alone(sets: Any) -> Any:
    """The answer of a search that only looked for minimal unique sets: every view was counted."""
    from dataclasses import replace

    from reidrisk.attacks import number_of_views
    from reidrisk.searches import SearchAnswer, Searched

    views = number_of_views(len(sets.columns), sets.up_to)
    about = replace(sets.envelope, command="search")
    return SearchAnswer(about, Searched(views, views, {}, sets.up_to), None, "")


def _tell(found: Any, sets: Any, given: dict[str, Any]) -> None:
    answers = [each for each in (found, sets) if each is not None]
    for place, each in enumerate(answers):
        if place:
            say("")
        say_answer(each, given["verbose"])
    tell_person_file(given)
