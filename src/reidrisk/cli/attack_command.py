"""`reidrisk attack TABLE|STATISTICS --knows a,b`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import click

from reidrisk.cli.exit_status import ThresholdCrossed
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
    tell_person_file,
    write_person_file,
)
from reidrisk.cli.prediction_options import crowd_list
from reidrisk.cli.process_setup import sorting_fast
from reidrisk.cli.source_options import (
    are_statistics,
    chosen_columns,
    crowds_option,
    fail_above_option,
    force_option,
    output_options,
    reading_arguments,
    seeing_options,
    source_argument,
    statistics_arguments,
    together,
    writing_options,
)
from reidrisk.cli.thresholds import thresholds, verdict_on
from reidrisk.errors import ContradictoryOptions

attack_options = together(
    click.option(
        "--knows",
        multiple=True,
        metavar="A,B",
        help="The attributes known; repeat it for names with commas. [all looked at]",
    ),
    click.option(
        "--up-to",
        type=int,
        metavar="K",
        help="All knowledge of up to K of them: mean, worst and best view of each size.",
    ),
    click.option(
        "--share",
        type=float,
        metavar="P",
        help="An attacker who knows each attribute with a probability of P.",
    ),
    click.option(
        "--errors",
        type=float,
        metavar="E",
        help="An attacker whose values are wrong with a probability of E: 0.05.",
    ),
    click.option(
        "--play",
        type=int,
        metavar="N",
        help="Play the attack against N targets: hit rate beside the computed risk.",
    ),
    click.option(
        "--above",
        default="0.2",
        metavar="RISK",
        help="Count the people whose risk exceeds it: 0.2, 1/5 or k=5. [0.2]",
    ),
    click.option("--measure", metavar="NAME", help="What --up-to judges by. [overall_risk]"),
    click.option(
        "--view-limit",
        type=int,
        default=10_000,
        metavar="N",
        help="Refuse to count more views, and say how many there would be. [10000]",
    ),
    person_file_options,
    click.option(
        "--risk-file",
        metavar="FILE",
        help="Write row (or person), crowd and risk of each record: .parquet, .csv …",
    ),
    click.option("--model", metavar="NAME", help="How STATISTICS are used, as in predict. [auto]"),
    click.option(
        "--background",
        metavar="STATISTICS",
        help="Pair tables that these statistics lack, from other ones.",
    ),
    click.option("--seed", default=0, metavar="N", help="Where chance begins. [0]"),
    crowds_option,
    fail_above_option,
)


@click.command(
    "attack",
    short_help="A simulated attack: who is picked out, knowing what.",
    epilog="\b\nExample:\n  reidrisk attack people.csv --columns postcode,age,sex --knows age,sex",
)
@source_argument
@attack_options
@seeing_options
@writing_options
@output_options
@force_option
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
    **given: Any,
) -> None:
    """Attack everybody in a TABLE, or whom STATISTICS describe, knowing some of their attributes.

    The distribution of the probability to be picked out over people: with records counted, with
    statistics (several files are merged) predicted. --play also plays the attack and says how many
    targets it hit.

    --share and --errors are two attackers: one at a time. --errors and --play match whole tuples,
    so --person and --missing wildcard are refused with them; unique sets are refused with
    --person, and need the records in memory. A row that stands for several people (--count) is
    never alone.
    """
    sorting_fast()
    limits = thresholds(fail_above)
    if measure is not None and up_to is None:
        raise ContradictoryOptions("--measure is what --up-to judges by, which wasn't asked for")
    asked = {
        "knows": knows or None, "up_to": up_to, "share": share, "errors": errors, "play": play,
        "above": above, "measure": measure or "overall_risk", "view_limit": view_limit,
        "seed": seed, "crowds": crowd_list(crowds),
    }  # fmt: skip
    began = time.perf_counter()
    with Bar(wanted=not quiet and not as_json) as bar:
        attacked = _on_statistics if are_statistics(source, given) else _on_records
        risk = attacked(source, asked, given | {"verbose": verbose}, bar)
    if verbose:
        say_how(risk.envelope, "attacked", time.perf_counter() - began)
    verdict = verdict_on(risk, limits)
    try:
        if as_json:
            say_text(verdict.json(risk, source))
        else:
            _tell(risk, given)
    finally:
        # Also when nobody reads the answer any more: the status is what a pipeline looks at.
        verdict.say(quietly=as_json)
        if verdict.crossed:
            raise ThresholdCrossed


def _tell(risk: Any, given: Mapping[str, Any]) -> None:
    say_answer(risk, given["verbose"])
    if given["risk_file"] is not None:
        say(f"\n  Each record's crowd and risk: {given['risk_file']}")
    tell_person_file(given)


def _on_statistics(
    source: tuple[str, ...], asked: dict[str, Any], given: dict[str, Any], bar: Bar
) -> Any:
    from reidrisk.attacks import attack, chosen_names
    from reidrisk.prediction import asked_statistics

    statistics = asked_statistics(source)
    looked_at = chosen_columns(given["columns"], given["column"])
    there = chosen_names(looked_at, statistics.statistics.names)
    asked["knows"] = chosen_names(asked["knows"], there)
    return attack(statistics, progress=bar, **statistics_arguments(given), **asked)


def _on_records(
    source: tuple[str, ...], asked: dict[str, Any], given: dict[str, Any], bar: Bar
) -> Any:
    from reidrisk.attacks import USUAL_SIZE, attack, chosen_names
    from reidrisk.records import read, refuse_unnamed_records

    refuse_unwritable(source[0], given)
    key = None
    if given["risk_file"] is not None:
        key = given["key"]
        refuse_unnamed_records(source[0], given["engine"], key, given["person"])
    table = read(source[0], key=key, progress=bar, **reading_arguments(given))
    size = given["unique_up_to"]
    if size is None and given["person_file"] is not None:
        size = min(USUAL_SIZE, len(chosen_names(asked["knows"], table.columns)))
    risk = attack(table, unique_up_to=size, progress=bar, **asked)
    if given["risk_file"] is not None:
        from reidrisk.measurement import write_risk_file

        write_risk_file(table, given["risk_file"], crowds=asked["crowds"], columns=risk.knows)
    write_person_file(source[0], risk.unique_sets, given)
    if given["verbose"]:
        say_queries(table)
    return risk
