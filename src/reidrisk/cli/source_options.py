"""Options that mean the same in every command that takes a TABLE.

Records or statistics: what a source is, and the options that only one of the two has.

--force, and what is never overwritten: every file or folder that a command was given to read.
"""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from reidrisk.cli.exit_status import quoted_pattern
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
    click.option(
        "--empty",
        default="",
        metavar="TEXTS",
        help='Texts to treat as empty too, such as "?,*". [only empty cells]',
    ),
    click.option(
        "--delimiter",
        metavar="CHAR",
        help="Delimiter of a text table: one character, or the word tab. [detected]",
    ),
    click.option(
        "--encoding",
        metavar="NAME",
        help="Encoding of a text table, such as latin-1 or utf-16. [detected]",
    ),
    click.option(
        "--decimal", metavar="MARK", help="Decimal mark of a text table: . or , [detected]"
    ),
    click.option(
        "--no-header",
        is_flag=True,
        help="The first line of a text table is a record; columns are named column1, column2 …",
    ),
    click.option("--sheet", metavar="NAME", help="Sheet of a spreadsheet. [the first]"),
    click.option(
        "--threads", type=click.IntRange(1), metavar="N", help="Number of threads. [all cores]"
    ),
)

place_options = together(
    click.option(
        "--engine",
        default="embedded",
        metavar="NAME",
        help="Where records are counted: codes (in memory), duckdb (on disk), embedded (either), "
        "or a "
        "cluster: spark, spark://host:port, sc://host:port. [embedded]",
    ),
    click.option(
        "--table",
        "table_name",
        metavar="SCHEMA.NAME",
        help="Table of the database; put a name that has a dot in double quotes.",
    ),
    click.option("--query", metavar="SQL", help="Or a query, which the database runs and counts."),
    click.option(
        "--password-prompt",
        is_flag=True,
        help="Prompt for the database's password. [.pgpass, PGPASSWORD]",
    ),
)

seeing_options = together(
    click.option(
        "--columns",
        multiple=True,
        metavar="A,B",
        help="The quasi-identifiers (key variables): what an attacker may know. [all but likely "
        "identifiers, free texts, measurements, counts and weights]",
    ),
    click.option(
        "--column",
        multiple=True,
        metavar="NAME",
        help="One quasi-identifier, for names with commas; repeat it.",
    ),
    click.option(
        "--bands",
        multiple=True,
        metavar="COL=WIDTH",
        help="Group a number or date into bands: age=5, dose=0.5, born=10y (3m, 2w, 7d). [as "
        "recorded]",
    ),
    click.option(
        "--levels",
        multiple=True,
        metavar="COL=DIGITS",
        help="Keep only the first characters of a code: postcode=2. [as recorded]",
    ),
    click.option(
        "--decimals",
        multiple=True,
        metavar="COL=N",
        help="Round a number to N decimals. [as recorded]",
    ),
    click.option(
        "--missing",
        default="own",
        metavar="own|wildcard",
        help="An empty cell is a value of its own, or matches anything. [own]",
    ),
    click.option(
        "--count",
        metavar="COL",
        help="A row stands for this many people: whole numbers, no gaps. [one row per person]",
    ),
    click.option(
        "--weight",
        metavar="COL",
        help="Survey weight (positive); checked and kept for estimates of the population.",
    ),
    click.option(
        "--person",
        metavar="COL",
        help="A person has several rows, which share the value of this column. [one row per "
        "person]",
    ),
    click.option(
        "--rows-are-people",
        is_flag=True,
        help="Each row is one person, even if a column suggests otherwise.",
    ),
    click.option(
        "--memory-limit",
        metavar="SIZE",
        help="Memory to use before counting moves to disk: 4GB, 500MB. [60 % of memory]",
    ),
    place_options,
)

key_option = click.option(
    "--key",
    metavar="COL",
    help="Identify records in the file written by this column. [row numbers]",
)

crowds_option = click.option(
    "--crowds", metavar="2-5,10", help="Crowd sizes to report at. [2,3,4,5,10,20,50,100]"
)

fail_above_option = click.option(
    "--fail-above",
    multiple=True,
    metavar="MEASURE=VALUE",
    help="Exit with status 1 if a measure exceeds a value: overall_risk=0.05, highest_risk=1/11, "
    "or k=11 for crowds of at least 11. Repeat it, or use commas.",
)

output_options = together(
    click.option(
        "--json",
        "as_json",
        is_flag=True,
        help="Print one JSON object on standard output, and nothing else.",
    ),
    click.option(
        "--verbose",
        is_flag=True,
        help="Print on standard error what was detected, which engine counted, how long it took.",
    ),
    click.option("--quiet", is_flag=True, help="Don't show progress or suggest next steps."),
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
            "rows_are_people": given["rows_are_people"],
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
                raise InputError(f"{option} {text} isn't COLUMN=VALUE", "such as age=5")
            if name.strip() in found:
                raise ContradictoryOptions(f"{option} names column {name.strip()!r} twice")
            found[name.strip()] = value.strip()
    return found


source_argument = click.argument("source", nargs=-1, required=True, metavar="TABLE|STATISTICS...")
# What only records have, and only statistics; each with its value when it isn't given.
OF_RECORDS = {
    "decimals": (), "missing": "own", "count": None, "weight": None, "person": None,
    "rows_are_people": False,
    "engine": "embedded", "memory_limit": None, "empty": "", "delimiter": None, "encoding": None,
    "decimal": None, "no_header": False, "sheet": None, "risk_file": None, "person_file": None,
    "unique_up_to": None, "key": None, "table_name": None, "query": None, "password_prompt": False,
}  # fmt: skip
OF_STATISTICS = {"model": None, "background": None, "draws": None}


def are_statistics(source: tuple[str, ...], given: Mapping[str, Any]) -> bool:
    """Whether the source is; options that are for the other kind are refused."""
    from reidrisk.statistics import is_statistics_file

    if all(map(is_statistics_file, source)):
        _refuse("statistics", "records", OF_RECORDS, given)
        return True
    if len(source) > 1:
        raise ContradictoryOptions(
            "several files that aren't all statistics",
            quoted_pattern(source) or "one table, or several statistics files",
        )
    _refuse("records", "statistics", OF_STATISTICS, given)
    return False


def _refuse(these: str, those: str, options: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    for name, usual in options.items():
        if given.get(name, usual) != usual:
            raise ContradictoryOptions(f"--{_option(name)} is for {those}, and these are {these}")


def _option(name: str) -> str:
    return "table" if name == "table_name" else name.replace("_", "-")


def statistics_arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """How statistics are seen and used, from a command's options."""
    from reidrisk.prediction import statistics_from_files

    behind = given["background"]
    return {
        "bands": assignments("--bands", given["bands"]),
        "levels": assignments("--levels", given["levels"]),
        "model": given["model"] or "auto",
        "background": None if behind is None else statistics_from_files([behind]),
    }


# Parameters that say where to write; whatever else names a file is an input.
OUTPUTS = {"output", "risk_file", "person_file", "example", "save_hierarchies"}


def _watch(context: click.Context, parameter: click.Parameter, force: bool) -> None:
    from reidrisk.output_files import overwriting

    # The other parameters are read later than this one.
    command = str(context.info_name)
    context.with_resource(overwriting(force, command, lambda: list(_inputs(context))))


def _inputs(context: click.Context) -> Iterator[Path]:
    """Every existing file or folder named by an argument or an option, alone or after a ``=``."""
    for name, value in context.params.items():
        if name in OUTPUTS:
            continue
        for each in value if isinstance(value, tuple) else (value,):
            if not isinstance(each, str) or "://" in each:
                continue
            for part in {each, each.partition("=")[2]} - {""}:
                names = [part, *(glob.glob(part) if glob.has_magic(part) else ())]
                yield from (Path(found) for found in names if "\0" not in found)


force_option = click.option(
    "--force",
    is_flag=True,
    expose_value=False,
    callback=_watch,
    help="Overwrite a file that this command didn't write, or that has changed since.",
)
