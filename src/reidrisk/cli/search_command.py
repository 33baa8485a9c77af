"""`reidrisk search TABLE|STATISTICS …`."""

from __future__ import annotations

import time
from typing import Any

import click

from reidrisk.cli.arguments import (
    are_statistics,
    chosen_columns,
    reading_arguments,
    sensitive_columns,
    statistics_arguments,
)
from reidrisk.cli.options import (
    answer_options,
    draws_option,
    person_file_options,
    reading_options,
    sensitive_option,
    source_argument,
    statistics_options,
)
from reidrisk.cli.output import ProgressBar, say, say_answer, say_how, say_queries, say_text
from reidrisk.cli.person_file import (
    refuse_unwritable,
    say_person_file,
    sets_wanted,
    write_person_file,
)
from reidrisk.printable import json_text

QUESTIONS = ("allowable_risk", "ratio", "attributes", "costs", "budget", "success")


@click.command(
    "search",
    epilog="\b\nExample:\n  reidrisk search people.csv --allowable-risk 0.01 --measure alone_share",
)
@source_argument
@click.option(
    "--allowable-risk",
    metavar="V",
    help="Find the smallest combinations whose measure exceeds V (0.05, 1/20 or k=20), and the "
    "largest that don't exceed it.",
)
@click.option(
    "--ratio",
    type=float,
    metavar="Y",
    help="Find combinations whose measure is more than Y times that of their best column …",
)
@click.option("--attributes", type=int, metavar="X", help="… among combinations of X columns.")
@click.option(
    "--costs",
    metavar="FILE",
    help="What learning each column costs an attacker: TOML, with lines such as age = 1.",
)
@click.option("--budget", metavar="R", help="Find the most an attacker gets for each cost up to R.")
@click.option(
    "--success", metavar="P", help="With a budget: find the cheapest way to reach this much."
)
@click.option(
    "--measure",
    metavar="NAME",
    help="The measure to judge by, any but people. [highest_risk; overall_risk for statistics "
    "and costs]; of --sensitive columns also t_closeness, distinct_l, certain_share and the like",
)
@sensitive_option
@click.option(
    "--up-to",
    type=int,
    metavar="N",
    help="Combinations of at most N columns. [all up to 17, else within 200,000 combinations]",
)
@click.option(
    "--time-limit",
    type=float,
    metavar="SECONDS",
    help="Stop after this; the answer gives bounds for combinations not yet counted.",
)
@click.option("--view-limit", type=int, metavar="N", help="Stop after counting N combinations.")
@person_file_options
@statistics_options
@draws_option
@reading_options
@answer_options
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
    **options: Any,
) -> None:
    """Find combinations of columns that are dangerous to know, in TABLE or from STATISTICS.

    Ask one question: --allowable-risk V for the smallest combinations that exceed it; --ratio Y
    --attributes X for those that reveal more than their columns do alone; --costs FILE --budget R
    for the most an attacker gets for each cost. --person-file FILE, alone or with one of them,
    writes for each person the smallest combinations on which they are unique (minimal sample
    uniques, SUDA).

    V is in (0, 1] for risks and shares, a number for smallest_crowd, distinct and
    expected_reidentifications. --allowable-risk with --costs and no budget ranks the dangerous
    combinations by cost. With --person, people whose rows are the same share a crowd. --missing
    wildcard can't be used.

    With --sensitive COL combinations can be judged by what would be learnt about people:
    certain_share, distinct_l, entropy_l, t_closeness, beta_likeness, enhanced_beta_likeness, alpha
    and guess_gain, each for the column where it is worst.
    """
    question = {
        "allowable_risk": allowable_risk, "ratio": ratio, "attributes": attributes, "costs": costs,
        "budget": budget, "success": success, "measure": measure, "up_to": up_to,
        "time_limit": time_limit, "view_limit": view_limit, "seed": seed,
    }  # fmt: skip
    options |= {"verbose": verbose}
    began = time.perf_counter()
    with ProgressBar(wanted=not quiet and not as_json) as bar:
        predicted = are_statistics(source, options, both=["sensitive"])
        run = _on_statistics if predicted else _on_records
        answer, sets = run(source, question, options, bar)
    if verbose:
        say_how((answer or sets).envelope, "searched", time.perf_counter() - began)
    if as_json:
        say_text(_json(answer, sets))
    else:
        _print(answer, sets, options)


def _on_statistics(
    source: tuple[str, ...], question: dict[str, Any], options: dict[str, Any], bar: ProgressBar
) -> tuple[Any, Any]:
    from reidrisk.prediction import statistics_from_files
    from reidrisk.searches import DRAWS, search

    view = statistics_arguments(options) | {
        "columns": chosen_columns(options["columns"], options["column"]),
        "draws": DRAWS if options["draws"] is None else options["draws"],
        "sensitive": sensitive_columns(options["sensitive"]),
    }
    return search(statistics_from_files(source), progress=bar, **view, **question), None


def _on_records(
    source: tuple[str, ...], question: dict[str, Any], options: dict[str, Any], bar: ProgressBar
) -> tuple[Any, Any]:
    """What was found, if a question was asked, and minimal unique sets if they were."""
    from reidrisk.attacks import USUAL_LIMIT, unique_sets
    from reidrisk.records import read
    from reidrisk.searches import Question, search

    wants_sets = sets_wanted(options)
    has_question = not wants_sets or any(question[name] is not None for name in QUESTIONS)
    if has_question:
        Question(**{name: question[name] for name in (*QUESTIONS, "measure", "up_to")})
    refuse_unwritable(source[0], options)
    sensitive = sensitive_columns(options["sensitive"])
    table = read(source[0], sensitive=sensitive, progress=bar, **reading_arguments(options))
    answer = search(table, progress=bar, **question) if has_question else None
    if options["verbose"]:
        say_queries(table)
    if not wants_sets:
        return answer, None
    limit = question["view_limit"] or USUAL_LIMIT
    sets = unique_sets(table, up_to=options["unique_up_to"], view_limit=limit, progress=bar)
    write_person_file(source[0], sets, options)
    return answer, sets


def _json(answer: Any, sets: Any) -> str:
    """With the keys of every search, whichever question was asked."""
    keys = (answer or sets_alone(sets)).to_dict()
    keys["unique_sets"] = None if sets is None else sets.figures()
    return json_text(keys)


def sets_alone(sets: Any) -> Any:
    """The answer of a search that only looked for minimal unique sets: every view was counted."""
    from dataclasses import replace

    from reidrisk.attacks import number_of_views
    from reidrisk.searches import SearchAnswer, Searched

    views = number_of_views(len(sets.columns), sets.up_to)
    envelope = replace(sets.envelope, command="search")
    return SearchAnswer(envelope, Searched(views, views, {}, sets.up_to), None, "")


def _print(answer: Any, sets: Any, options: dict[str, Any]) -> None:
    answers = [each for each in (answer, sets) if each is not None]
    for place, each in enumerate(answers):
        if place:
            say("")
        say_answer(each, options["verbose"])
    say_person_file(options)
