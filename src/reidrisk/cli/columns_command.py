"""`reidrisk columns TABLE`."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

import click

from reidrisk.cli.processor import sorting_fast
from reidrisk.cli.progress import Bar
from reidrisk.cli.records_options import (
    output_options,
    place_arguments,
    place_options,
    writing_arguments,
    writing_options,
)
from reidrisk.cli.speaking import strong


@click.command(
    "columns",
    short_help="What is in a table.",
    epilog="\b\nExample:\n  reidrisk columns people.csv",
)
@click.argument("table")
@writing_options
@place_options
@output_options
def command(table: str, as_json: bool, verbose: bool, quiet: bool, **given: Any) -> None:
    """What is in TABLE: distinct values, empty cells, kind and likely role of each column.

    Roles are quasi-identifier, identifier, constant, free text, measurement (numbers with
    fractions), count and weight. Ends with the --columns line to copy. TABLE is a CSV, TSV,
    Parquet, Arrow, JSON lines, Excel, SPSS, SAS or Stata file, a glob of such files
    ('data/*.parquet'), a database's address with --table or --query, or with --engine spark what
    the cluster reads.
    """
    sorting_fast()
    from reidrisk.measuring.columns_profile import columns
    from reidrisk.reporting.columns_text import columns_text

    with Bar(wanted=not quiet and not as_json) as bar:
        profile = columns(table, progress=bar, **writing_arguments(given), **place_arguments(given))
    if as_json:
        click.echo(profile.to_json())
        return
    click.echo(columns_text(profile, strong, _measuring(table, given)))


def _measuring(table: str, given: Mapping[str, Any]) -> str:
    """The command that goes with what was looked at, without a password."""
    from reidrisk.engines.elsewhere.addresses import without_password

    said = ["reidrisk", "measure", without_password(table)]
    for name, option in (("table_name", "--table"), ("query", "--query")):
        said += [option, given[name]] if given[name] is not None else []
    if given["engine"] != "embedded":
        said += ["--engine", given["engine"]]
    return " ".join(map(shlex.quote, said)) + " "
