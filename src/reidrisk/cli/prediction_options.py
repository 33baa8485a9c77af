"""Options that mean the same in every command that predicts."""

from __future__ import annotations

import click

from reidrisk.cli.records_options import together

person_options = together(
    click.option(
        "--given",
        default="member",
        metavar="member|paper|unknown",
        help="What is known: they are in the table, TFRR's eq. 12, or not known. [member]",
    ),
    click.option(
        "--dependence",
        default="tree",
        metavar="tree|groups|pair|paper|none",
        help="How pair tables are used. [tree]",
    ),
)
