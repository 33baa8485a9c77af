"""Options that mean the same in every command that predicts."""

from __future__ import annotations

import click

from reidrisk.cli.records_options import together

view_options = together(
    click.option("--columns", multiple=True, metavar="A,B", help="The attributes seen. [all]"),
    click.option(
        "--column", multiple=True, metavar="NAME", help="One of them, for names with commas."
    ),
    click.option(
        "--bands", multiple=True, metavar="COL=WIDTH", help="See numbers in bands: age=5."
    ),
    click.option(
        "--levels", multiple=True, metavar="COL=DIGITS", help="Keep the first characters of a code."
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
