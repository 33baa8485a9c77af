"""`reidrisk columns TABLE`."""

from __future__ import annotations

from typing import Any

import click

from reidrisk.cli.arguments import options_again, place_arguments, writing_arguments
from reidrisk.cli.options import output_options, place_options, writing_options
from reidrisk.cli.output import IN_FULL, ProgressBar, bold, say_text
from reidrisk.printable import shell_words, without_password


@click.command(
    "columns",
    epilog="\b\nExample:\n  reidrisk columns people.csv",
)
@click.argument("table")
@writing_options
@place_options
@output_options
@click.pass_context
def command(
    context: click.Context, /, table: str, as_json: bool, verbose: bool, quiet: bool, **options: Any
) -> None:
    """Profile TABLE: distinct values, empty cells, kind and likely role of each column.

    Roles are quasi-identifier (key variable), identifier, constant, free text, measurement
    (numbers with fractions), count and weight. The last line is the --columns option to copy.

    TABLE is a CSV, TSV, Parquet, Arrow, JSON lines, Excel, SPSS, SAS or Stata file; a folder or
    pattern of such files ('lake/**/*.parquet'; folders such as year=2024 become columns); the same
    in an object store (s3://bucket/lake/, gs://, az://); the address of a database, with --table
    or --query; or, with --engine spark, whatever the cluster can read.
    """
    from reidrisk.measurement import columns
    from reidrisk.reports import columns_blocks, text_of

    with ProgressBar(wanted=not quiet and not as_json) as bar:
        profile = columns(
            table, progress=bar, **writing_arguments(options), **place_arguments(options)
        )
    if as_json:
        say_text(profile.to_json())
        return
    blocks = columns_blocks(profile, _measure_command(context))
    say_text(text_of(blocks, bold, in_full=verbose, where=IN_FULL))


def _measure_command(context: click.Context) -> str:
    """The command that goes with what was looked at, read in the same way, without a password."""
    table = without_password(context.params["table"])
    words = ["reidrisk", "measure", table, *options_again(context, without_password, here=True)]
    return shell_words(words) + " "
