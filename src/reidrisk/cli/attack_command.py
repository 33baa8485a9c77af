"""`reidrisk attack TABLE|STATISTICS --knows a,b`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from reidrisk.cli.ending import ThresholdCrossed
from reidrisk.cli.processor import sorting_fast
from reidrisk.cli.progress import Bar
from reidrisk.cli.records_options import (
    assignments,
    chosen_columns,
    crowd_list,
    output_options,
    reading_arguments,
    seeing_options,
    together,
    writing_arguments,
    writing_options,
)
from reidrisk.cli.speaking import strong
from reidrisk.cli.thresholds import crossed_thresholds, thresholds
from reidrisk.errors import ContradictoryOptions

attack_options = together(
    click.option(
        "--knows", multiple=True, metavar="A,B", help="The attributes known. [all looked at]"
    ),
    click.option("--up-to", type=int, metavar="K", help="All knowledge of up to K of them."),
    click.option(
        "--share", type=float, metavar="P", help="Know each only with a probability of P."
    ),
    click.option("--errors", type=float, metavar="E", help="Each value is wrong so often: 0.05."),
    click.option("--play", type=int, metavar="N", help="Play the attack against N targets."),
    click.option(
        "--above", type=float, default=0.2, metavar="RISK", help="Count people above it. [0.2]"
    ),
    click.option(
        "--measure",
        default="overall_risk",
        metavar="NAME",
        help="What --up-to judges by. [overall_risk]",
    ),
    click.option(
        "--view-limit", type=int, default=10_000, metavar="N", help="Views at most. [10000]"
    ),
    click.option(
        "--unique-up-to", type=int, metavar="K", help="Minimal unique sets of up to K attributes."
    ),
    click.option(
        "--person-file", metavar="FILE", help="Write each record's minimal unique sets. [up to 3]"
    ),
    click.option("--key", metavar="COL", help="Name its rows by this column, not by numbers."),
    click.option(
        "--risk-file", metavar="FILE", help="Write each record's crowd and risk (.parquet, .csv)."
    ),
    click.option("--model", metavar="NAME", help="How STATISTICS are used, as in predict. [auto]"),
    click.option("--background", metavar="STATISTICS", help="Dependence from other statistics."),
    click.option("--seed", default=0, metavar="N", help="Where chance begins. [0]"),
    click.option("--crowds", metavar="2-5,10", help="Crowd sizes to report at."),
    click.option(
        "--fail-above",
        multiple=True,
        metavar="MEASURE=VALUE",
        help="Exit status 1 when a measure exceeds a value: highest_risk=0.2.",
    ),
)
# What only records have, and only statistics; each with its value when it isn't given.
OF_RECORDS = {
    "decimals": (), "missing": "own", "count": None, "weight": None, "person": None,
    "engine": "embedded", "memory_limit": None, "risk_file": None, "person_file": None,
    "unique_up_to": None, "key": None,
}  # fmt: skip
OF_STATISTICS = {"model": None, "background": None}


@click.command("attack", short_help="A simulated attack: who is picked out, knowing what.")
@click.argument("source", nargs=-1, required=True, metavar="TABLE|STATISTICS...")
@attack_options
@seeing_options
@writing_options
@output_options
def command(
    source: tuple[str, ...],
    knows: tuple[str, ...],
    up_to: int | None,
    share: float | None,
    errors: float | None,
    play: int | None,
    above: float,
    measure: str,
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
    statistics predicted. --play also plays the attack and says how many targets it hit.
    """
    sorting_fast()
    limits = thresholds(fail_above)
    asked = {
        "knows": knows or None, "up_to": up_to, "share": share, "errors": errors, "play": play,
        "above": above, "measure": measure, "view_limit": view_limit, "seed": seed,
        "crowds": crowd_list(crowds),
    }  # fmt: skip
    with Bar(wanted=not quiet and not as_json) as bar:
        risk = _attacked(source, asked, given, bar)
    if as_json:
        click.echo(risk.to_json())
    else:
        _tell(risk, given)
    if crossed_thresholds(risk, limits):
        raise ThresholdCrossed


def _tell(risk: Any, given: Mapping[str, Any]) -> None:
    from reidrisk.reporting.attack_text import attack_text

    click.echo(attack_text(risk, strong))
    if given["risk_file"] is not None:
        click.echo(f"\n  Each record's crowd and risk: {given['risk_file']}")
    if given["person_file"] is not None:
        click.echo(f"\n  Each record's minimal unique sets: {given['person_file']}")


def _attacked(
    source: tuple[str, ...], asked: dict[str, Any], given: dict[str, Any], bar: Bar
) -> Any:
    from reidrisk.statistics.statistics_file import is_statistics_file

    if all(map(is_statistics_file, source)):
        refuse_others("statistics", "records", OF_RECORDS, given)
        return _on_statistics(source, asked, given, bar)
    if len(source) > 1:
        raise ContradictoryOptions(
            "several files that aren't all statistics", "one table, or several statistics files"
        )
    refuse_others("records", "statistics", OF_STATISTICS, given)
    return _on_records(source[0], asked, given, bar)


def refuse_others(
    these: str, those: str, options: Mapping[str, Any], given: Mapping[str, Any]
) -> None:
    """Options that were given though they are for the other kind of input."""
    for name, usual in options.items():
        if given[name] != usual:
            raise ContradictoryOptions(
                f"--{name.replace('_', '-')} is for {those}, and these are {these}"
            )


def _on_statistics(
    source: tuple[str, ...], asked: dict[str, Any], given: dict[str, Any], bar: Bar
) -> Any:
    from reidrisk.attacks.attacking import attack
    from reidrisk.attacks.checking import chosen_names
    from reidrisk.prediction.asking import asked_statistics

    behind = given["background"]
    statistics = asked_statistics(source)
    looked_at = chosen_columns(given["columns"], given["column"])
    there = chosen_names(looked_at, statistics.statistics.names)
    asked["knows"] = chosen_names(asked["knows"], there)
    return attack(
        statistics,
        bands=assignments("--bands", given["bands"]),
        levels=assignments("--levels", given["levels"]),
        model=given["model"] or "auto",
        background=None if behind is None else asked_statistics([behind]),
        progress=bar,
        **asked,
    )


def _on_records(source: str, asked: dict[str, Any], given: dict[str, Any], bar: Bar) -> Any:
    from reidrisk.attacks.attacking import attack
    from reidrisk.attacks.checking import chosen_names
    from reidrisk.attacks.unique_sets import USUAL_SIZE
    from reidrisk.engines import read

    _refuse_unwritable(source, given)
    if given["key"] is not None and given["person_file"] is None:
        raise ContradictoryOptions("--key names the rows of --person-file, which wasn't asked for")
    table = read(source, progress=bar, **reading_arguments(given))
    size = given["unique_up_to"]
    if size is None and given["person_file"] is not None:
        size = min(USUAL_SIZE, len(chosen_names(asked["knows"], table.columns)))
    risk = attack(table, unique_up_to=size, progress=bar, **asked)
    if given["risk_file"] is not None:
        from reidrisk.measuring.risk_file import write_risk_file

        write_risk_file(table, given["risk_file"], crowds=asked["crowds"], columns=risk.knows)
    if given["person_file"] is not None:
        _write_persons(source, risk, given)
    return risk


def _refuse_unwritable(source: str, given: Mapping[str, Any]) -> None:
    from reidrisk.writing import refuse_input_as_output, table_kind

    wanted = [given[name] for name in ("risk_file", "person_file") if given[name] is not None]
    for path in wanted:
        table_kind(Path(path))
        refuse_input_as_output(path, [Path(source)])
    if len(wanted) == 2 and Path(wanted[0]).resolve() == Path(wanted[1]).resolve():
        raise ContradictoryOptions("--risk-file and --person-file name the same file")


def _write_persons(source: str, risk: Any, given: dict[str, Any]) -> None:
    from reidrisk.attacks.unique_file import write_unique_sets
    from reidrisk.engines import read

    names = None
    if given["key"] is not None:
        names = read(source, columns=[given["key"]], **writing_arguments(given))
    write_unique_sets(risk.unique_sets, given["person_file"], names=names)
