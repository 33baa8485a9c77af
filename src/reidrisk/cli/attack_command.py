"""`reidrisk attack TABLE|STATISTICS --knows a,b`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import click

from reidrisk.cli.arguments import (
    are_statistics,
    chosen_columns,
    crowd_list,
    reading_arguments,
    sensitive_columns,
    statistics_arguments,
)
from reidrisk.cli.options import (
    answer_options,
    crowds_option,
    fail_above_option,
    of_population_option,
    person_file_options,
    reading_options,
    risk_file_option,
    sensitive_option,
    source_argument,
    statistics_options,
    together,
)
from reidrisk.cli.output import (
    ProgressBar,
    say,
    say_answer,
    say_how,
    say_queries,
)
from reidrisk.cli.person_file import refuse_unwritable, say_person_file, write_person_file
from reidrisk.cli.thresholds import print_answer, refuse_unanswered_rows, thresholds
from reidrisk.errors import ContradictoryOptions

attack_options = together(
    click.option(
        "--knows",
        multiple=True,
        metavar="A,B",
        help="The columns the attacker knows; repeat it for names with commas. [all "
        "quasi-identifiers]",
    ),
    click.option(
        "--up-to",
        type=int,
        metavar="K",
        help="Every combination of up to K of them: mean, worst and best of each size.",
    ),
    click.option(
        "--share",
        type=float,
        metavar="P",
        help="An attacker who knows each column with probability P.",
    ),
    click.option(
        "--errors",
        type=float,
        metavar="E",
        help="An attacker whose values are each wrong with probability E, such as 0.05.",
    ),
    click.option(
        "--play",
        type=int,
        metavar="N",
        help="Simulate the attack on N targets (a matching experiment): hit rate and computed "
        "risk.",
    ),
    sensitive_option,
    click.option(
        "--above",
        default="0.2",
        metavar="RISK",
        help="Count the people whose risk exceeds this: 0.2, 1/5 or k=5. [0.2]",
    ),
    click.option("--measure", metavar="NAME", help="What --up-to ranks by. [overall_risk]"),
    click.option(
        "--view-limit",
        type=int,
        default=10_000,
        metavar="N",
        help="Refuse to count more combinations of columns, and say how many there would be. "
        "[10000]",
    ),
    person_file_options,
    risk_file_option,
    of_population_option,
    statistics_options,
    crowds_option,
    fail_above_option,
)


@click.command(
    "attack",
    epilog="\b\nExample:\n  reidrisk attack people.csv --columns postcode,age,sex --knows age,sex",
)
@source_argument
@attack_options
@reading_options
@answer_options
def command(
    source: tuple[str, ...],
    knows: tuple[str, ...],
    up_to: int | None,
    share: float | None,
    errors: float | None,
    play: int | None,
    above: str,
    measure: str | None,
    view_limit: int,
    crowds: str | None,
    seed: int,
    fail_above: tuple[str, ...],
    as_json: bool,
    verbose: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Simulate an attacker who knows some columns about everybody in TABLE, or in STATISTICS.

    Shows how the probability of being re-identified (prosecutor risk) is distributed over people:
    counted from records, or predicted from statistics (several files are merged). --play also
    simulates the attack and counts its hits. --population estimates the risk of everybody the
    records are a sample of, against somebody who doesn't know who was sampled (journalist risk).
    --unique-up-to finds the smallest sets of columns on
    which each person is unique (minimal sample uniques, as in SUDA).

    --share and --errors are two different attackers; give one at a time. --errors and --play
    compare whole combinations of values, so they can't be used with --person or --missing
    wildcard. Unique sets can't be used with --person, and need the records in memory. A row that
    stands for several people (--count) is never unique.
    """
    limits = thresholds(fail_above)
    if measure is not None and up_to is None:
        raise ContradictoryOptions("--measure says what --up-to ranks by, but --up-to isn't given")
    question = {
        "knows": knows or None, "up_to": up_to, "share": share, "errors": errors, "play": play,
        "above": above, "measure": measure or "overall_risk", "view_limit": view_limit,
        "seed": seed, "crowds": crowd_list(crowds),
    }  # fmt: skip
    options |= {"verbose": verbose, "limits": limits}
    began = time.perf_counter()
    with ProgressBar(wanted=not quiet and not as_json) as bar:
        run = _on_statistics if are_statistics(source, options) else _on_records
        risk = run(source, question, options, bar)
    if verbose:
        say_how(risk.envelope, "attacked", time.perf_counter() - began)
    print_answer(risk, limits, as_json, lambda: _print(risk, options), source)


def _print(risk: Any, options: Mapping[str, Any]) -> None:
    say_answer(risk, options["verbose"])
    if options["risk_file"] is not None:
        say(f"\n  Each record's crowd and risk: {options['risk_file']}")
    say_person_file(options)


def _on_statistics(
    source: tuple[str, ...], question: dict[str, Any], options: dict[str, Any], bar: ProgressBar
) -> Any:
    from reidrisk.attacks import attack, chosen_names
    from reidrisk.prediction import statistics_from_files

    question["population"] = options["population"]
    statistics = statistics_from_files(source)
    chosen = chosen_columns(options["columns"], options["column"])
    quasi_identifiers = chosen_names(chosen, statistics.statistics.names)
    question["knows"] = chosen_names(question["knows"], quasi_identifiers)
    return attack(statistics, progress=bar, **statistics_arguments(options), **question)


def _on_records(
    source: tuple[str, ...], question: dict[str, Any], options: dict[str, Any], bar: ProgressBar
) -> Any:
    from reidrisk.attacks import USUAL_SIZE, attack, chosen_names
    from reidrisk.records import read, refuse_unnamed_records

    refuse_unwritable(source[0], options)
    if options["risk_file"] is not None and options["population"] is not None:
        raise ContradictoryOptions(
            "attack --risk-file is about the records themselves",
            "`population --risk-file` writes each record's risk in the population",
        )
    key = None
    if options["risk_file"] is not None:
        key = options["key"]
        refuse_unnamed_records(source[0], options["engine"], key, options["person"])
    sensitive = sensitive_columns(options["sensitive"])
    table = read(
        source[0], key=key, sensitive=sensitive, progress=bar, **reading_arguments(options)
    )
    refuse_unanswered_rows(options["limits"], table)
    size = options["unique_up_to"]
    if size is None and options["person_file"] is not None:
        size = min(USUAL_SIZE, len(chosen_names(question["knows"], table.columns)))
    risk = attack(
        table,
        unique_up_to=size,
        sensitive=sensitive,
        population=options["population"],
        progress=bar,
        **question,
    )
    if options["risk_file"] is not None:
        from reidrisk.measurement import write_risk_file

        write_risk_file(table, options["risk_file"], crowds=question["crowds"], columns=risk.knows)
    write_person_file(source[0], risk.unique_sets, options)
    if options["verbose"]:
        say_queries(table)
    return risk
