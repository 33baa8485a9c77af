"""`reidrisk compile age.csv age_by_sex.csv -o statistics.json`."""

from __future__ import annotations

from pathlib import Path

import click

from reidrisk.cli.options import force_option, json_option
from reidrisk.cli.output import answer_json, bold, say, say_text
from reidrisk.errors import InputError
from reidrisk.printable import shell_word, shell_words


@click.command(
    "compile",
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
    help="Number of people the tables are about; needed for shares. [from the counts]",
)
@click.option(
    "--rounded-to", type=int, metavar="R", help="The counts were rounded to multiples of R. [exact]"
)
@click.option(
    "--population",
    type=int,
    metavar="N",
    help="The tables describe a sample from a population of N people. [the whole population]",
)
@click.option("--title", default="", help="What the statistics are about. [the files' names]")
@click.option("--delimiter", metavar="CHAR", help="Delimiter of a text table. [detected]")
@click.option("--encoding", metavar="NAME", help="Encoding of a text table. [detected]")
@click.option("--decimal", metavar="MARK", help="Decimal mark. [detected]")
@click.option("--sheet", metavar="NAME", help="Sheet of a spreadsheet. [the first]")
@click.option("--example", metavar="FOLDER", help="Write small example tables.")
@json_option
@click.option("--quiet", is_flag=True, help="Don't suggest next steps.")
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
    """Build a statistics file from small TABLES of counts, published or typed in (CSV, Excel).

    Two columns (age, people) are one attribute; three columns (age, sex, people) or a cross-table
    are a two-way table. Cells may be counts, shares or percentages. Totals are checked and dropped;
    "<5", "x", ".." and empty cells are suppressed counts.
    """
    from reidrisk.output_files import refuse_input_as_output
    from reidrisk.records import ReadOptions
    from reidrisk.statistics import compiled, save_statistics

    if example is not None:
        _write_example(Path(example))
    if not tables and example is not None:
        return
    if output is None:
        raise InputError(
            "there is no file to write the statistics to", "name it: -o statistics.json"
        )
    paths = [Path(table) for table in tables]
    refuse_input_as_output(output, paths)
    writing = ReadOptions.of(encoding=encoding, delimiter=delimiter, decimal=decimal, sheet=sheet)
    made = compiled(paths, records, rounded_to, population, title, writing)
    statistics = made.statistics
    save_statistics(statistics, output)
    if as_json:
        keys = answer_json(
            "compile",
            "statistics",
            paths,
            statistics.records,
            statistics.names,
            assumptions=made.notes,
            records=statistics.records,
            attributes=list(statistics.names),
            pairs=[list(pair.of) for pair in statistics.pairs],
            triples=[list(triple.of) for triple in statistics.triples],
            rounded_to=statistics.rounded_to,
            tables=list(made.read),
            notes=list(made.notes),
            written=output,
        )
        say_text(keys)
        return
    say(bold(f"{output}: {statistics.records:,} people, {len(statistics.attributes)} attributes"))
    for note in (*made.read, *made.notes):
        say(f"  {note}.")
    if statistics.rounded_to:
        say(f"  Counts are known to the nearest {statistics.rounded_to:,}.")
    if not quiet:
        say(f"\nNext: reidrisk check {shell_word(output)}    # is it consistent?")


def _write_example(folder: Path) -> None:
    from reidrisk.statistics import write_example_tables

    written = write_example_tables(folder)
    listed = shell_words(map(str, written))
    say(f"Example tables: {listed}")
    say(f"Next: reidrisk compile {listed} -o statistics.json")
