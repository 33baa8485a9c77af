"""`reidrisk person TABLE|STATISTICS age=39 sex=Male …`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from reidrisk.cli.output import (
    say,
    say_answer,
    say_queries,
    say_text,
)
from reidrisk.cli.prediction_options import crowd_list, person_options, seen_statistics
from reidrisk.cli.process_setup import sorting_fast
from reidrisk.cli.source_options import (
    crowds_option,
    output_options,
    reading_arguments,
    seeing_options,
    writing_options,
)
from reidrisk.errors import InputError
from reidrisk.printable import printable

# More choices than this aren't listed one by one.
MOST_LISTED = 40


@click.command(
    "person",
    short_help="One person: how many share their tuple, what gives most away.",
    epilog="\b\nExample:\n  reidrisk person statistics.json age=39 sex=female county=Eastvale",
)
@click.argument("source")
@click.argument("values", nargs=-1, metavar="[NAME=VALUE]...")
@click.option(
    "--ask",
    is_flag=True,
    help="Ask for the values, listing the choices, so that they stay out of the shell's history.",
)
@person_options
@crowds_option
@seeing_options
@writing_options
@output_options
def command(
    source: str,
    values: tuple[str, ...],
    ask: bool,
    given: str,
    model: str,
    crowds: str | None,
    as_json: bool,
    verbose: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """One person: how many people share their tuple in SOURCE, statistics or a table.

    Values are given as age=39 sex=Male; with --ask they are asked for instead, so that they stay
    out of the shell's history. From statistics the crowd is predicted, in a table it is counted.

    Values are matched without case, spaces and accents; 22 finds the band 20-24; both are said. The
    options that say what is looked at are for a table.
    """
    sorting_fast()
    from reidrisk.prediction import asked_of, person
    from reidrisk.records import Table, read
    from reidrisk.statistics import is_statistics_file

    sizes = crowd_list(crowds)
    if is_statistics_file(source):
        asked: Any = seen_statistics(asked_of(source), reading)
    else:
        asked = read(source, **reading_arguments(reading))
    wanted = _asked_for(asked) if ask else parsed_values(values, _names(asked))
    risk = person(asked, wanted, given=given, crowds=sizes, model=model)  # type: ignore[arg-type]
    if verbose and isinstance(asked, Table):
        say_queries(asked)
    say_text(risk.to_json()) if as_json else say_answer(risk, verbose)


def _names(asked: Any) -> Sequence[str]:
    names: Sequence[str] = asked.statistics.names if hasattr(asked, "statistics") else asked.columns
    return names


def parsed_values(given: Sequence[str], names: Sequence[str] = ()) -> dict[str, str]:
    """NAME=VALUE, split behind the longest of the names, else at the first =."""
    found: dict[str, str] = {}
    for text in given:
        fitting = [name for name in names if text.startswith(f"{name}=")]
        held = max(fitting, key=len, default=text.partition("=")[0])
        name, equals, value = held, text[len(held) : len(held) + 1], text[len(held) + 1 :]
        if not equals or not name.strip():
            raise InputError("a value is written NAME=VALUE", "as in age=39 sex=Male, or use --ask")
        if name.strip() in found:
            raise InputError(f"{name.strip()!r} was given twice")
        found[name.strip()] = value.strip()
    return found


def _asked_for(asked: Any) -> dict[str, str]:
    """Ask on standard error, so that standard output stays the answer's."""
    found: dict[str, str] = {}
    say("Enter leaves an attribute out.", err=True)
    for name, choices in _choices(asked):
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
        wanted = "  value" if numbers or len(choices) > MOST_LISTED else "  number or value"
        answer = click.prompt(wanted, default="", show_default=False, err=True).strip()
        if answer:
            found[name] = _chosen(answer, choices)
    return found


def _chosen(answer: str, choices: Sequence[str]) -> str:
    """A number stands for a choice of the list, unless values are numbers themselves."""
    numbered = answer.isdigit() and not any(choice[:1].isdigit() for choice in choices)
    place = int(answer) if numbered else 0
    return choices[place - 1] if 1 <= place <= min(len(choices), MOST_LISTED) else answer


def _choices(asked: Any) -> list[tuple[str, list[str]]]:
    from reidrisk.records import Table

    if isinstance(asked, Table):
        return [(name, sorted(asked.engine.marginal(name).values)) for name in asked.columns]
    return [(each.name, list(each.counts)) for each in asked.statistics.attributes]
