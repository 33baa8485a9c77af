"""`reidrisk person TABLE|STATISTICS age=39 sex=Male …`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from reidrisk.cli.arguments import crowd_list, reading_arguments, seen_statistics
from reidrisk.cli.options import (
    crowds_option,
    of_population_option,
    output_options,
    person_options,
    reading_options,
)
from reidrisk.cli.output import say, say_answer, say_queries, say_text
from reidrisk.errors import InputError
from reidrisk.printable import printable

# More choices than this aren't listed one by one.
MOST_LISTED = 40


@click.command(
    "person",
    epilog="\b\nExample:\n  reidrisk person statistics.json age=39 sex=female county=Eastvale",
)
@click.argument("source")
@click.argument("values", nargs=-1, metavar="[NAME=VALUE]...")
@click.option(
    "--ask",
    is_flag=True,
    help="Prompt for the values, listing the choices; they stay out of the shell's history.",
)
@person_options
@of_population_option
@crowds_option
@reading_options
@output_options
def command(
    source: str,
    values: tuple[str, ...],
    ask: bool,
    given: str,
    model: str,
    population: int | None,
    crowds: str | None,
    as_json: bool,
    verbose: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """How many people in SOURCE, a table or statistics, share one person's values.

    Give the values as age=39 sex=Male, or use --ask to be prompted for them. In a table the crowd
    (equivalence class) is counted; from statistics it is predicted, with the probability of being
    unique and the attribute that gives most away. If the statistics are about the population, or
    the table is a sample of --population N, the risk is the journalist risk.

    Case, spaces and accents don't matter, and 22 matches the band 20-24; the answer shows what was
    matched. Options about how records are read are for a table.
    """
    from reidrisk.prediction import person, statistics_or_table
    from reidrisk.records import Table, read
    from reidrisk.statistics import is_statistics_file

    sizes = crowd_list(crowds)
    if is_statistics_file(source):
        subject: Any = seen_statistics(statistics_or_table(source), reading)
    else:
        subject = read(source, **reading_arguments(reading))
    wanted = _prompted(subject) if ask else parsed_values(values, _names(subject))
    risk = person(
        subject,
        wanted,
        given=given,  # type: ignore[arg-type]
        crowds=sizes,
        model=model,
        population=population,
    )
    if verbose and isinstance(subject, Table):
        say_queries(subject)
    say_text(risk.to_json()) if as_json else say_answer(risk, verbose)


def _names(subject: Any) -> Sequence[str]:
    names: Sequence[str] = (
        subject.statistics.names if hasattr(subject, "statistics") else subject.columns
    )
    return names


def parsed_values(given: Sequence[str], names: Sequence[str] = ()) -> dict[str, str]:
    """NAME=VALUE, split behind the longest of the names, else at the first =."""
    chosen: dict[str, str] = {}
    for text in given:
        fitting = [name for name in names if text.startswith(f"{name}=")]
        attribute = max(fitting, key=len, default=text.partition("=")[0])
        equals, value = text[len(attribute) : len(attribute) + 1], text[len(attribute) + 1 :]
        if not equals or not attribute.strip():
            raise InputError(
                "values are written NAME=VALUE", "such as age=39 sex=Male, or use --ask"
            )
        if attribute.strip() in chosen:
            raise InputError(f"{attribute.strip()!r} was given twice")
        chosen[attribute.strip()] = value.strip()
    return chosen


def _prompted(subject: Any) -> dict[str, str]:
    """Ask on standard error, so that standard output stays the answer's."""
    chosen: dict[str, str] = {}
    say("Press Enter to leave an attribute out.", err=True)
    for name, choices in _choices(subject):
        named, shown = printable(name), list(map(printable, choices))
        numbers = any(choice[:1].isdigit() for choice in choices)
        if numbers and len(choices) <= MOST_LISTED:
            say(f"{named}: {', '.join(shown)}", err=True)
        elif 0 < len(choices) <= MOST_LISTED:
            listed = "  ".join(f"{at}: {choice}" for at, choice in enumerate(shown, start=1))
            say_text(f"{named}\n  {listed}", err=True)
        else:
            say(
                f"{named}: {len(choices):,} values, such as {', '.join(shown[:5])}",
                err=True,
            )
        prompt = "  value" if numbers or len(choices) > MOST_LISTED else "  number or value"
        answer = click.prompt(prompt, default="", show_default=False, err=True).strip()
        if answer:
            chosen[name] = _chosen(answer, choices)
    return chosen


def _chosen(answer: str, choices: Sequence[str]) -> str:
    """A number stands for a choice of the list, unless values are numbers themselves."""
    numbered = answer.isdigit() and not any(choice[:1].isdigit() for choice in choices)
    place = int(answer) if numbered else 0
    return choices[place - 1] if 1 <= place <= min(len(choices), MOST_LISTED) else answer


def _choices(subject: Any) -> list[tuple[str, list[str]]]:
    from reidrisk.records import Table

    if isinstance(subject, Table):
        return [(name, sorted(subject.engine.marginal(name).values)) for name in subject.columns]
    return [(each.name, list(each.counts)) for each in subject.statistics.attributes]
