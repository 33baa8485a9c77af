"""`reidrisk search TABLE|STATISTICS …`."""

from __future__ import annotations

import time
from typing import Any

import click

from reidrisk.cli.processor import sorting_fast
from reidrisk.cli.progress import Bar
from reidrisk.cli.records_options import (
    assignments,
    chosen_columns,
    output_options,
    reading_arguments,
    seeing_options,
    writing_options,
)
from reidrisk.cli.speaking import aside, strong


@click.command("search", short_help="Dangerous combinations: by risk, by ratio, by cost.")
@click.argument("source")
@click.option("--allowable-risk", type=float, metavar="V", help="Combinations beyond this.")
@click.option("--ratio", type=float, metavar="Y", help="Combinations that tell Y times as much …")
@click.option("--attributes", type=int, metavar="X", help="… with X attributes each.")
@click.option("--costs", metavar="FILE", help="A cost for each attribute, as TOML.")
@click.option("--budget", metavar="R", help="What may be spent: how much success it buys.")
@click.option("--success", type=float, metavar="P", help="The cheapest way to this much.")
@click.option(
    "--measure",
    metavar="NAME",
    help="Judge by it. [highest_risk; overall_risk on statistics and for costs]",
)
@click.option("--up-to", type=int, metavar="N", help="Know at most N attributes. [all, if few]")
@click.option("--time-limit", type=float, metavar="SECONDS", help="Stop then; say what is open.")
@click.option("--view-limit", type=int, metavar="N", help="Stop after counting N views.")
@click.option(
    "--model", default="auto", metavar="NAME", help="On statistics, as in predict. [auto]"
)
@click.option("--draws", default=5, metavar="N", help="Tables drawn from the model. [5]")
@click.option("--seed", default=0, metavar="N", help="Where chance begins. [0]")
@seeing_options
@writing_options
@output_options
def command(
    source: str,
    allowable_risk: float | None,
    ratio: float | None,
    attributes: int | None,
    costs: str | None,
    budget: str | None,
    success: float | None,
    measure: str | None,
    up_to: int | None,
    time_limit: float | None,
    view_limit: int | None,
    model: str,
    draws: int,
    seed: int,
    as_json: bool,
    verbose: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Which combinations of attributes make people stand out in SOURCE, a table or statistics.

    Ask one question: --allowable-risk V for the smallest combinations beyond it, --ratio Y
    --attributes X for those that tell more than their attributes do, --costs FILE --budget R for
    the most that each cost buys.
    """
    sorting_fast()
    from reidrisk.reporting.search_text import search_text
    from reidrisk.statistics.statistics_file import is_statistics_file
    from reidrisk.views.searching import search

    with Bar(wanted=not quiet and not as_json) as bar:
        seen: dict[str, Any] = {}
        asked: Any = source
        if is_statistics_file(source):
            seen = {
                "columns": chosen_columns(reading["columns"], reading["column"]),
                "bands": assignments("--bands", reading["bands"]),
                "levels": assignments("--levels", reading["levels"]),
            }
        else:
            from reidrisk.engines import read

            asked = read(source, **reading_arguments(reading), progress=bar)
        began = time.perf_counter()
        found = search(
            asked,
            allowable_risk=allowable_risk,
            ratio=ratio,
            attributes=attributes,
            costs=costs,
            budget=budget,
            success=success,
            measure=measure,
            up_to=up_to,
            time_limit=time_limit,
            view_limit=view_limit,
            model=model,
            draws=draws,
            seed=seed,
            progress=bar,
            **seen,
        )
    if verbose:
        aside(f"searched in {time.perf_counter() - began:.2f} s")
    click.echo(found.to_json() if as_json else search_text(found, strong))
