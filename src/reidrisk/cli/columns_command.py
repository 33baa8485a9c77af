"""`reidrisk columns TABLE`."""

from __future__ import annotations

import shlex
from typing import Any

import click

from reidrisk.cli.processor import sorting_fast
from reidrisk.cli.progress import Bar
from reidrisk.cli.records_options import output_options, writing_arguments, writing_options
from reidrisk.cli.speaking import strong


@click.command("columns", short_help="What is in a table.")
@click.argument("table")
@writing_options
@output_options
def command(table: str, as_json: bool, verbose: bool, quiet: bool, **given: Any) -> None:
    """What is in TABLE: distinct values, empty cells, kind and likely role of each column.

    Ends with the --columns line to copy. TABLE is a CSV, TSV, Parquet, Arrow, JSON lines, Excel,
    SPSS, SAS or Stata file, or a glob of such files ('data/*.parquet').
    """
    sorting_fast()
    from reidrisk.measuring.columns_profile import columns
    from reidrisk.reporting.columns_text import columns_text

    with Bar(wanted=not quiet and not as_json) as bar:
        profile = columns(table, progress=bar, **writing_arguments(given))
    if as_json:
        click.echo(profile.to_json())
        return
    click.echo(columns_text(profile, strong, f"reidrisk measure {shlex.quote(table)} "))
