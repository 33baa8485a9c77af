"""`reidrisk link RELEASED REGISTER --on age,sex,zip=postcode`."""

from __future__ import annotations

import time
from typing import Any

import click

from reidrisk.cli.arguments import assignments, reading_arguments
from reidrisk.cli.options import answer_options, reading_options, seed_option, together
from reidrisk.cli.output import ProgressBar, say, say_answer, say_how
from reidrisk.cli.thresholds import print_answer, thresholds

link_options = together(
    click.option(
        "--on",
        multiple=True,
        metavar="COL,COL=OTHER",
        help="Columns to compare; behind = what the register calls it. [those both have]",
    ),
    click.option(
        "--errors",
        type=int,
        default=0,
        metavar="E",
        help="Up to so many of the values may differ. [0]",
    ),
    click.option(
        "--tolerance",
        multiple=True,
        metavar="COL=AMOUNT",
        help="Numbers (age=1) or dates (born=3d) that near agree.",
    ),
    click.option(
        "--compare",
        multiple=True,
        metavar="COL=FORM",
        help="Compare texts normalised (case, accents, marks) or phonetic (by their sound).",
    ),
    click.option(
        "--register-covers",
        type=float,
        metavar="SHARE",
        help="The share of those whom the released people come from that is in the register: "
        "claims are then right less often. [1: everybody]",
    ),
    click.option(
        "--population",
        type=int,
        metavar="N",
        help="Or how many people that are altogether.",
    ),
    click.option(
        "--truth",
        metavar="COL",
        help="The column that names the same person in both (id, or id=number): claims are "
        "compared with it, never made by it.",
    ),
    click.option(
        "--risk-file",
        metavar="FILE",
        help="Write each released record's candidates, by how many values they differ, and the "
        "chance of a right guess.",
    ),
    click.option(
        "--show-matches",
        metavar="FILE",
        help="Write which of the register each record with one candidate is claimed to be, named "
        "by --register-key. A private file.",
    ),
    click.option(
        "--register-key",
        metavar="COL",
        help="What names the register's people in --show-matches.",
    ),
    click.option(
        "--register-bands",
        multiple=True,
        metavar="COL=WIDTH",
        help="Bands of the register's columns. [as --bands of the column compared]",
    ),
    click.option(
        "--register-levels",
        multiple=True,
        metavar="COL=DIGITS",
        help="First characters kept of the register's columns. [as --levels]",
    ),
    click.option(
        "--register-count", metavar="COL", help="How many people a row of the register stands for."
    ),
    click.option(
        "--register-table", metavar="NAME", help="The register's table, if it is in a database."
    ),
    seed_option,
)


@click.command(
    "link",
    epilog="\b\nExample:\n  reidrisk link released.csv register.csv --on age,sex,zip=postcode "
    "--register-covers 0.6",
)
@click.argument("released")
@click.argument("register")
@link_options
@reading_options
@click.option(
    "--fail-above",
    multiple=True,
    metavar="MEASURE=VALUE",
    help="Exit with status 1 if a measure exceeds a value: one_candidate_share=0.05. Repeat it, or "
    "use commas.",
)
@answer_options
def command(
    released: str,
    register: str,
    on: tuple[str, ...],
    errors: int,
    tolerance: tuple[str, ...],
    compare: tuple[str, ...],
    register_covers: float | None,
    population: int | None,
    truth: str | None,
    risk_file: str | None,
    show_matches: str | None,
    register_key: str | None,
    register_bands: tuple[str, ...],
    register_levels: tuple[str, ...],
    register_count: str | None,
    register_table: str | None,
    seed: int,
    fail_above: tuple[str, ...],
    as_json: bool,
    verbose: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """How many people of REGISTER could be each person of RELEASED (record linkage)?

    REGISTER is what an attacker holds, with names; the people of it who agree with somebody
    released are their candidates. Shown are the fewest candidates (k-map), the highest risk
    (journalist risk), how many people have exactly one candidate, and how many of these claims are
    right. Nobody is named: --show-matches writes that to a private file.

    Candidates with up to --errors values that differ are counted, not searched for: no record is
    compared with another one by one. --missing wildcard lets an empty cell agree with anything.

    --fail-above judges one_candidate_share, journalist_risk, expected_links_share and presence.
    """
    from reidrisk.linkage import LINKAGE_MEASURES, link

    limits = thresholds(fail_above, LINKAGE_MEASURES)
    reading = reading_arguments(options)
    chosen = reading.pop("columns")
    pairs = [part.strip() for text in on for part in text.split(",") if part.strip()]
    names = pairs or chosen
    bands, levels = (assignments(f"--{each}", options[each]) for each in ("bands", "levels"))
    own = {
        "bands": _of_register(bands, names, assignments("--register-bands", register_bands)),
        "levels": _of_register(levels, names, assignments("--register-levels", register_levels)),
        "key": register_key,
        "count": register_count,
        "table_name": register_table,
        "rows_are_people": reading["rows_are_people"] and register_count is None,
    }
    shared = ("missing", "empty", "encoding", "delimiter", "decimal", "header", "engine",
              "memory_limit", "threads", "password")  # fmt: skip
    began = time.perf_counter()
    with ProgressBar(wanted=not quiet and not as_json) as bar:
        risk = link(
            released,
            register,
            on=names,
            errors=errors,
            tolerance=assignments("--tolerance", tolerance),
            compare=assignments("--compare", compare),
            register_covers=register_covers,
            population=population,
            truth=truth,
            risk_file=risk_file,
            show_matches=show_matches,
            register_options={name: reading[name] for name in shared} | own,
            seed=seed,
            progress=bar,
            **reading,
        )
    if verbose:
        say_how(risk.envelope, "compared", time.perf_counter() - began)

    def say_it() -> None:
        say_answer(risk, verbose)
        for what, place in (("candidates", risk_file), ("claimed match", show_matches)):
            if place is not None:
                say(f"\n  Each record's {what}: {place}")

    print_answer(risk, limits, as_json, say_it, [released, register])


def _of_register(
    given: dict[str, str], pairs: list[str] | None, own: dict[str, str]
) -> dict[str, str]:
    """The release's recoding under the register's names, unless that has its own."""
    called = dict(pair.partition("=")[::2] for pair in pairs or [])
    return {called.get(name) or name: how for name, how in given.items()} | own
