"""`reidrisk plan STATISTICS --asked age,sex --size 500`."""

from __future__ import annotations

import click

from reidrisk.cli.arguments import values_of, widths_of
from reidrisk.cli.options import output_options, seed_option, table_model_option
from reidrisk.cli.output import ProgressBar, say_answer, say_text


@click.command(
    "plan",
    epilog="\b\nExample:"
    "\n  reidrisk plan statistics.json --asked age,sex --could-ask county --size 500",
)
@click.argument("statistics", nargs=-1, required=True)
@click.option("--asked", required=True, metavar="A,B", help="The questions planned.")
@click.option("--could-ask", metavar="C,D", help="Questions that could be added. [all others]")
@click.option("--size", required=True, type=int, metavar="K", help="Number of people asked.")
@click.option(
    "--bands",
    multiple=True,
    metavar="COL=5,10",
    help="Widths of bands to try. [2, 5, 10, 20 for whole numbers close together]",
)
@click.option(
    "--values",
    multiple=True,
    metavar="COL=0-94",
    help="All values a column may have, as a range or a list (sex=f/m). [those in STATISTICS]",
)
@click.option(
    "--measure",
    default="overall_risk",
    metavar="NAME",
    help="Rank by overall_risk, alone_share, exact or expected_unique. [overall_risk]",
)
@table_model_option
@seed_option
@output_options
def command(
    statistics: tuple[str, ...],
    asked: str,
    could_ask: str | None,
    size: int,
    bands: tuple[str, ...],
    values: tuple[str, ...],
    measure: str,
    model: str,
    seed: int,
    as_json: bool,
    verbose: bool,
    quiet: bool,
) -> None:
    """Rank ways to ask a survey: as planned, with one more question, with a coarser one.

    STATISTICS describe the population to be asked; several files are merged. Each way is given with
    the people alone (unique) and the overall risk in the population, as in predict, and with
    P(all unique) and the expected number of unique members among those asked, as in group.
    """
    from reidrisk.prediction import plan, statistics_from_files

    with ProgressBar(wanted=not quiet and not as_json) as bar:
        answer = plan(
            statistics_from_files(statistics),
            _names(asked),
            size,
            could_ask=None if could_ask is None else _names(could_ask),
            bands=widths_of(bands) if bands else None,
            values=values_of(values),
            measure=measure,
            model=model,
            seed=seed,
            progress=bar,
        )
    say_text(answer.to_json()) if as_json else say_answer(answer, verbose)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
