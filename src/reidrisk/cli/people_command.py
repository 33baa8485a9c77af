"""`reidrisk people STATISTICS RECORDS -o FILE`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from reidrisk.cli.arguments import crowd_list, reading_arguments, seen_statistics
from reidrisk.cli.options import answer_options, crowds_option, person_options, reading_options
from reidrisk.cli.output import ProgressBar, say_answer, say_text
from reidrisk.errors import InputError


@click.command(
    "people",
    epilog="\b\nExample:\n  reidrisk people statistics.json people.csv -o scores.csv",
)
@click.argument("statistics")
@click.argument("records")
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FILE",
    help="The file to write: .parquet, .csv, .tsv, .arrow, .jsonl or .xlsx.",
)
@click.option("--key", metavar="COL", help="Name rows by this column of RECORDS. [row numbers]")
@person_options
@crowds_option
@reading_options
@answer_options
def command(
    statistics: str,
    records: str,
    output: str,
    key: str | None,
    given: str,
    model: str,
    crowds: str | None,
    as_json: bool,
    verbose: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Score each record of RECORDS against STATISTICS: expected crowd, risk, P(crowd ≥ k).

    If the statistics are about the population, the risk is the journalist risk. FILE has the
    columns row (or --key), expected_crowd, risk, k2, k3 … and none of RECORDS' own. Columns that
    the statistics have are used. A record with a value that isn't in them has no answer.
    """
    from reidrisk.output_files import refuse_input_as_output
    from reidrisk.prediction import people, statistics_from_files
    from reidrisk.records import ReadOptions, open_source, read, refuse_records_elsewhere
    from reidrisk.statistics import KnownValues, is_statistics_file

    sizes = crowd_list(crowds)
    refuse_input_as_output(output, [Path(statistics), Path(records)])
    refuse_records_elsewhere(records, reading["engine"], "scoring people")
    arguments = reading_arguments(reading)
    if not is_statistics_file(statistics):
        raise InputError(
            "people are scored against statistics", "make a statistics file with `publish`"
        )
    population = statistics_from_files([statistics])
    if arguments["columns"] is None:
        # The statistics say which columns are used, not what looks like an identifier.
        all_columns = list(open_source(records, ReadOptions.of(**arguments)).names)
        names = KnownValues(population.statistics.names)
        used = [name for name in all_columns if name == key or names.match(name) is not None]
        arguments["columns"] = used or all_columns
    with ProgressBar(wanted=not quiet and not as_json) as bar:
        table = read(records, progress=bar, **arguments)
        # --columns says which of the records' columns are read; bands are those of both.
        bands_of_both = reading | {"columns": (), "column": (), "count": None, "weight": None}
        scores = people(
            seen_statistics(population, bands_of_both),
            table,
            output,
            given=given,  # type: ignore[arg-type]
            crowds=sizes,
            model=model,
            key=key,
            progress=bar,
        )
    if as_json:
        say_text(scores.to_json())
        return
    say_answer(scores, verbose)
