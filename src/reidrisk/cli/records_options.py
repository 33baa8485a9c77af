"""Options that mean the same in every command that takes a TABLE."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from reidrisk.errors import ContradictoryOptions, InputError

Command = TypeVar("Command", bound=Callable[..., Any])


def together(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options as one decorator, shown in the order given."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


writing_options = together(
    click.option("--empty", default="", metavar="TEXTS", help='Texts that count as empty: "?,*".'),
    click.option("--delimiter", metavar="CHAR", help="Delimiter of a text table. [found out]"),
    click.option("--encoding", metavar="NAME", help="Encoding of a text table. [found out]"),
    click.option("--decimal", metavar="MARK", help="Decimal mark of a text table. [found out]"),
    click.option("--no-header", is_flag=True, help="The first line of a text table is a record."),
    click.option("--sheet", metavar="NAME", help="Sheet of a spreadsheet. [the first]"),
    click.option("--threads", type=click.IntRange(1), metavar="N", help="Cores to use. [all]"),
)

place_options = together(
    click.option(
        "--engine",
        default="embedded",
        metavar="NAME",
        help="embedded, codes, duckdb, spark, spark://host:port or sc://host:port. [embedded]",
    ),
    click.option("--table", "table_name", metavar="SCHEMA.NAME", help="The table of a database."),
    click.option("--query", metavar="SQL", help="Or a query of it, which is counted there."),
    click.option("--password-prompt", is_flag=True, help="Ask for the database's password."),
)

seeing_options = together(
    click.option(
        "--columns",
        multiple=True,
        metavar="A,B",
        help="The quasi-identifiers. [all but likely identifiers]",
    ),
    click.option(
        "--column", multiple=True, metavar="NAME", help="One of them, for names with commas."
    ),
    click.option(
        "--bands",
        multiple=True,
        metavar="COL=WIDTH",
        help="See a number or date in bands: age=5, born=10y (m, w, d).",
    ),
    click.option(
        "--levels", multiple=True, metavar="COL=DIGITS", help="Keep the first characters of a code."
    ),
    click.option(
        "--decimals", multiple=True, metavar="COL=N", help="Round a number to N decimals."
    ),
    click.option(
        "--missing",
        default="own",
        metavar="own|wildcard",
        help="An empty cell is its own value, or matches anything. [own]",
    ),
    click.option("--count", metavar="COL", help="A row stands for that many people."),
    click.option("--weight", metavar="COL", help="Survey weight, for population estimates."),
    click.option("--person", metavar="COL", help="A person has several rows."),
    click.option("--memory-limit", metavar="SIZE", help="Beyond it, counting goes to disk. [60 %]"),
    place_options,
)

key_option = click.option("--key", metavar="COL", help="Name the records of it by this column.")

crowds_option = click.option("--crowds", metavar="2-5,10", help="Crowd sizes to report at.")

fail_above_option = click.option(
    "--fail-above",
    multiple=True,
    metavar="MEASURE=VALUE",
    help="Exit status 1 when a measure exceeds a value: overall_risk=0.05.",
)

output_options = together(
    click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output."),
    click.option("--verbose", is_flag=True, help="Say what was found out and how long it took."),
    click.option("--quiet", is_flag=True, help="No progress and no next steps."),
)


def reading_arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword arguments of `rr.read` from a command's options."""
    return (
        {
            "columns": chosen_columns(given["columns"], given["column"]),
            "bands": assignments("--bands", given["bands"]),
            "levels": assignments("--levels", given["levels"]),
            "decimals": assignments("--decimals", given["decimals"]),
            "missing": given["missing"],
            "count": given["count"],
            "weight": given["weight"],
            "person": given["person"],
            "memory_limit": given["memory_limit"],
        }
        | writing_arguments(given)
        | place_arguments(given)
    )


def place_arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """Those that say where records are counted; a password is asked for, never shown."""
    password = None
    if given["password_prompt"]:
        password = click.prompt("Password", hide_input=True, err=True, default="")
    return {
        "engine": given["engine"],
        "table_name": given["table_name"],
        "query": given["query"],
        "password": password,
    }


def writing_arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """Those that say how a file is written."""
    return {
        "empty": [text for text in given["empty"].split(",") if text],
        "delimiter": given["delimiter"],
        "encoding": given["encoding"],
        "decimal": given["decimal"],
        "sheet": given["sheet"],
        "header": not given["no_header"],
        "threads": given["threads"],
    }


def chosen_columns(listed: tuple[str, ...], single: tuple[str, ...]) -> list[str] | None:
    """--columns a,b and --column, each repeated or not, together; None when neither was given."""
    if not listed and not single:
        return None
    names = [name.strip() for text in listed for name in text.split(",")]
    return [name for name in names if name] + list(single)


def assignments(option: str, given: tuple[str, ...]) -> dict[str, str]:
    """COL=VALUE, repeated or behind commas; the last = parts the two."""
    found: dict[str, str] = {}
    for text in given:
        for part in text.split(","):
            name, equals, value = part.rpartition("=")
            if not equals or not name.strip() or not value.strip():
                raise InputError(f"{option} {text}: it isn't COLUMN=VALUE", "as in age=5")
            if name.strip() in found:
                raise ContradictoryOptions(f"{option} names column {name.strip()!r} twice")
            found[name.strip()] = value.strip()
    return found


def crowd_list(text: str | None) -> list[int] | None:
    """2-5,10 → 2, 3, 4, 5, 10."""
    return listed_sizes("--crowds", text, "write it as 2-5,10")


def listed_sizes(
    option: str, text: str | None, hint: str, widest: int = 10_000
) -> list[int] | None:
    """Sizes and ranges of them behind commas; a range reaches at most `widest` up."""
    if text is None:
        return None
    sizes: list[int] = []
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        if not low.isdigit() or (dash and not high.isdigit()):
            raise InputError(f"{option} {text}: not a list of sizes", hint)
        first, last = int(low), int(high) if dash else int(low)
        if first < 1 or last < first or last - first > widest:
            raise InputError(f"{option} {text}: sizes start at 1 and rise, 10,000 at most", hint)
        sizes.extend(range(first, last + 1))
    return sizes
