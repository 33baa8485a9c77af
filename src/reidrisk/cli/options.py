"""Options that several commands share, each declared once; what they say is read by `arguments`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from reidrisk.cli.arguments import watch_outputs

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
        help="Survey weight (positive): how many people of the population somebody stands for; for "
        "`population`.",
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

reading_options = together(seeing_options, writing_options)

key_option = click.option(
    "--key",
    metavar="COL",
    help="Identify records in the file written by this column. [row numbers]",
)

sensitive_option = click.option(
    "--sensitive",
    multiple=True,
    metavar="COL,COL",
    help="The columns that somebody may learn about people, such as a diagnosis; they are never "
    "quasi-identifiers.",
)

published_sensitive_option = click.option(
    "--sensitive",
    multiple=True,
    metavar="COL,COL",
    help="Columns that somebody may learn about people, such as a diagnosis: which values of other "
    "columns tell them, by their two-way tables as published (homogeneity).",
)

learning_limit_options = together(
    click.option(
        "--l-diversity",
        metavar="L",
        help="At least L different sensitive values in every crowd (distinct l-diversity).",
    ),
    click.option(
        "--entropy-l",
        metavar="L",
        help="Values at least as evenly spread in every crowd as L equally common ones (entropy "
        "l-diversity).",
    ),
    click.option(
        "--t-closeness",
        metavar="T",
        help="The values of every crowd at most this far from everybody's, 0 to 1 (t-closeness).",
    ),
    click.option(
        "--certain",
        metavar="SHARE",
        help="At most this share of people in crowds that all have one value; 0 for nobody "
        "(homogeneity).",
    ),
    click.option(
        "--beta-likeness",
        metavar="B",
        help="No value more than 1 + B times as common in a crowd as among everybody (β-likeness).",
    ),
    click.option(
        "--alpha",
        metavar="A",
        help="No value held by more than this share of a crowd ((α,k)-anonymity).",
    ),
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

json_option = click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print one JSON object on standard output, and nothing else.",
)

output_options = together(
    json_option,
    click.option(
        "--verbose",
        is_flag=True,
        help="Print on standard error what was detected, which engine counted, how long it took.",
    ),
    click.option("--quiet", is_flag=True, help="Don't show progress or suggest next steps."),
)

view_options = together(
    click.option(
        "--columns",
        multiple=True,
        metavar="A,B",
        help="The quasi-identifiers: attributes an attacker may know. [all]",
    ),
    click.option(
        "--column", multiple=True, metavar="NAME", help="One of them, for names with commas."
    ),
    click.option(
        "--bands",
        multiple=True,
        metavar="COL=WIDTH",
        help="Group numbers into bands: age=5; no listed value may straddle two. [as listed]",
    ),
    click.option(
        "--levels",
        multiple=True,
        metavar="COL=DIGITS",
        help="Keep the first characters of a code. [as listed]",
    ),
)

seed_option = click.option("--seed", default=0, metavar="N", help="Random seed. [0]")

model_option = click.option(
    "--model", metavar="NAME", help="The model for STATISTICS, as in predict. [auto]"
)

background_option = click.option(
    "--background",
    metavar="STATISTICS",
    help="Take two-way tables that these statistics lack from other statistics, raked to these "
    "counts (as in R3A).",
)

statistics_options = together(model_option, background_option, seed_option)

table_model_option = click.option(
    "--model",
    default="auto",
    metavar="NAME",
    help="auto, independent, pair, tree, pairwise, triples or shuffle. [auto]",
)


def draws_option_of(usual: int) -> Callable[[Command], Command]:
    """--draws, with how many it is by default."""
    return click.option(
        "--draws",
        type=int,
        metavar="N",
        help=f"Tables drawn from the model of STATISTICS, 1,000 at most. [{usual}]",
    )


draws_option = draws_option_of(5)

risk_file_option = click.option(
    "--risk-file",
    metavar="FILE",
    help="Write row (or person), crowd and risk of each record, with --crowds also k2 …: "
    ".parquet, .csv, .tsv, .arrow, .jsonl or .xlsx.",
)

of_population_option = click.option(
    "--population",
    type=int,
    metavar="N",
    help="The records are a sample of N people: answer for all of them (journalist risk), by the "
    "laws of `population`. [the records are everybody]",
)

person_options = together(
    click.option(
        "--given",
        default="member",
        metavar="member|paper|unknown",
        help="What the attacker knows: they are in the table (member), TFRR eq. 12 (paper), or "
        "nothing (unknown). [member]",
    ),
    click.option(
        "--model",
        default="auto",
        metavar="NAME",
        help="independent, pair, tree, pairwise, triples, groups or paper; auto takes triples "
        "where there are three-way tables, else tree where there are two-way tables. [auto]",
    ),
)

person_file_options = together(
    click.option(
        "--unique-up-to",
        type=int,
        metavar="K",
        help="Minimal unique sets (minimal sample uniques, SUDA): who is singled out by K "
        "columns or "
        "fewer.",
    ),
    click.option(
        "--person-file",
        metavar="FILE",
        help="Write each record's minimal unique sets: row, sets, smallest, "
        "minimal_sets, matters_most, share_NAME. [of up to 3]",
    ),
    key_option,
)

source_argument = click.argument("source", nargs=-1, required=True, metavar="TABLE|STATISTICS...")

force_option = click.option(
    "--force",
    is_flag=True,
    expose_value=False,
    callback=watch_outputs,
    help="Overwrite a file that this command didn't write, or that has changed since.",
)

answer_options = together(output_options, force_option)
