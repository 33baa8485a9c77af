"""Records or statistics: what a source is, and the options that only one of the two has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from reidrisk.cli.ending import quoted_pattern
from reidrisk.cli.records_options import assignments
from reidrisk.errors import ContradictoryOptions

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
    from reidrisk.statistics.statistics_file import is_statistics_file

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
    from reidrisk.prediction.asking import asked_statistics

    behind = given["background"]
    return {
        "bands": assignments("--bands", given["bands"]),
        "levels": assignments("--levels", given["levels"]),
        "model": given["model"] or "auto",
        "background": None if behind is None else asked_statistics([behind]),
    }
