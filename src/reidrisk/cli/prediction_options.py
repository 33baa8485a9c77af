"""Options that mean the same in every command that predicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from reidrisk.cli.records_options import assignments, chosen_columns, together
from reidrisk.errors import ContradictoryOptions

view_options = together(
    click.option("--columns", multiple=True, metavar="A,B", help="The attributes seen. [all]"),
    click.option(
        "--column", multiple=True, metavar="NAME", help="One of them, for names with commas."
    ),
    click.option(
        "--bands",
        multiple=True,
        metavar="COL=WIDTH",
        help="See numbers in bands: age=5; a band has to hold each listed value whole. [as listed]",
    ),
    click.option(
        "--levels",
        multiple=True,
        metavar="COL=DIGITS",
        help="Keep the first characters of a code. [as listed]",
    ),
)

person_options = together(
    click.option(
        "--given",
        default="member",
        metavar="member|paper|unknown",
        help="What is known: they are in the table, TFRR's eq. 12, or not known. [member]",
    ),
    click.option(
        "--model",
        default="tree",
        metavar="NAME",
        help="tree, pairwise, groups, pair, paper or independent. [tree]",
    ),
)


def seen_statistics(asked: Any, given: Mapping[str, Any]) -> Any:
    """Statistics seen as the options of a table say; those that only a table has are refused."""
    from reidrisk.prediction.viewing import seen_by

    for option in ("count", "weight", "person"):
        if given[option]:
            raise ContradictoryOptions(f"--{option} concerns records, and these are statistics")
    if given["missing"] != "own":
        raise ContradictoryOptions("--missing concerns records, and these are statistics")
    return seen_by(
        asked,
        chosen_columns(given["columns"], given["column"]),
        assignments("--bands", given["bands"]),
        assignments("--levels", given["levels"]),
    )
