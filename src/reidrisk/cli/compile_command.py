"""`reidrisk compile age.csv age_by_sex.csv -o statistics.json`."""

from __future__ import annotations

from pathlib import Path

import click

from reidrisk.cli.output import answer, say, say_text, strong
from reidrisk.cli.source_options import force_option
from reidrisk.errors import InputError
from reidrisk.printable import shell_word, shell_words


@click.command(
    "compile",
    short_help="A statistics file from small tables.",
    epilog="\b\nExample:"
    "\n  reidrisk compile --example tables"
    "\n  reidrisk compile tables/age.csv tables/age_by_sex.csv -o club.json",
)
@click.argument("tables", nargs=-1)
@click.option("-o", "--output", metavar="FILE", help="The statistics file to write.")
@click.option(
    "--records",
    type=int,
    metavar="N",
    help="How many people the tables are about; needed for shares. [from the counts]",
)
@click.option(
    "--rounded-to", type=int, metavar="R", help="Counts are rounded to multiples of R. [exact]"
)
@click.option(
    "--population",
    type=int,
    metavar="N",
    help="The tables are about a sample of N people. [everyone]",
)
@click.option("--title", default="", help="What the statistics are about. [the files' names]")
@click.option("--delimiter", metavar="CHAR", help="Delimiter of a text table. [found out]")
@click.option("--encoding", metavar="NAME", help="Encoding of a text table. [found out]")
@click.option("--decimal", metavar="MARK", help="Decimal mark. [found out]")
@click.option("--sheet", metavar="NAME", help="Sheet of a spreadsheet. [the first]")
@click.option("--example", metavar="FOLDER", help="Write small tables to start from.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option("--quiet", is_flag=True, help="No next steps.")
@force_option
def command(
    tables: tuple[str, ...],
    output: str | None,
    records: int | None,
    rounded_to: int | None,
    population: int | None,
    title: str,
    delimiter: str | None,
    encoding: str | None,
    decimal: str | None,
    sheet: str | None,
    example: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Make a statistics file from small TABLES, as published or typed in: CSV or Excel.

    Two columns (age, people) are an attribute; three columns (age, sex, people) or a cross-table
    are a pair. Counts, shares or per cent; totals are checked and left out; "<5", "x", ".." and
    empty cells are held back.
    """
    from reidrisk.output_files import refuse_input_as_output
    from reidrisk.records import Writing
    from reidrisk.statistics import compiled, save_statistics

    if example is not None:
        _write_example(Path(example))
    if not tables and example is not None:
        return
    if output is None:
        raise InputError("the statistics need a file to go to", "say it with -o statistics.json")
    paths = [Path(table) for table in tables]
    refuse_input_as_output(output, paths)
    writing = Writing(encoding, delimiter, decimal, sheet)
    made = compiled(paths, records, rounded_to, population, title, writing)
    held = made.statistics
    save_statistics(held, output)
    if as_json:
        told = answer(
            "compile",
            "statistics",
            paths,
            held.records,
            held.names,
            assumptions=made.notes,
            records=held.records,
            attributes=list(held.names),
            pairs=[list(pair.of) for pair in held.pairs],
            rounded_to=held.rounded_to,
            tables=list(made.read),
            notes=list(made.notes),
            written=output,
        )
        say_text(told)
        return
    say(strong(f"{output}: {held.records:,} people, {len(held.attributes)} attributes"))
    for said in (*made.read, *made.notes):
        say(f"  {said}.")
    if held.rounded_to:
        say(f"  Counts are known to the nearest {held.rounded_to:,}.")
    if not quiet:
        say(f"\nNext: reidrisk check {shell_word(output)}    # does it agree with itself?")


def _write_example(folder: Path) -> None:
    from reidrisk.statistics import write_example_tables

    written = write_example_tables(folder)
    listed = shell_words(map(str, written))
    say(f"Small tables to start from: {listed}")
    say(f"Next: reidrisk compile {listed} -o statistics.json")
