"""Options that mean the same in every command that predicts.

Lists of sizes as they are written in options: 2-5,10.

Options of the commands about groups: sizes, widths, listed values, a member's values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from reidrisk.cli.source_options import assignments, chosen_columns, together
from reidrisk.errors import ContradictoryOptions, InputError

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
    help="Take two-way tables that these statistics lack from other statistics.",
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
        default="tree",
        metavar="NAME",
        help="tree, pairwise, groups, pair, paper or independent. [tree]",
    ),
)


def seen_statistics(asked: Any, given: Mapping[str, Any]) -> Any:
    """Statistics seen as the options of a table say; those that only a table has are refused."""
    from reidrisk.prediction import recoded_as

    for option in ("count", "weight", "person"):
        if given[option]:
            raise ContradictoryOptions(f"--{option} is for records, and these are statistics")
    if given["missing"] != "own":
        raise ContradictoryOptions("--missing is for records, and these are statistics")
    return recoded_as(
        asked,
        chosen_columns(given["columns"], given["column"]),
        assignments("--bands", given["bands"]),
        assignments("--levels", given["levels"]),
    )


MOST_DIGITS = 16


def crowd_list(text: str | None) -> list[int] | None:
    """2-5,10 → 2, 3, 4, 5, 10."""
    return listed_sizes("--crowds", text, "write it as 2-5,10")


def listed_sizes(
    option: str, text: str | None, hint: str, widest: int = 10_000
) -> list[int] | None:
    """Sizes and ranges of them behind commas; a range reaches at most `widest` up."""
    if text is None:
        return None
    sizes: list[int] = []
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        if not _is_size(low) or (dash and not _is_size(high)):
            raise InputError(f"{option} {text}: not a list of sizes", hint)
        if max(len(low), len(high)) > MOST_DIGITS:
            raise InputError(f"{option}: there are no crowds of so many people", hint)
        first, last = int(low), int(high) if dash else int(low)
        if first < 1 or last < first or last - first > widest:
            raise InputError(f"{option} {text}: sizes start at 1 and rise, 10,000 at most", hint)
        sizes.extend(range(first, last + 1))
    return sizes


def _is_size(text: str) -> bool:
    """Digits as everybody writes them: ² is one too."""
    return text.isascii() and text.isdigit()


MOST_SIZES = 10_000


def size_list(text: str | None) -> list[int] | None:
    """2-60 or 10,20,50 → the sizes."""
    return listed_sizes("--sizes", text, "write it as 2-60 or 10,20,50", MOST_SIZES - 1)


def widths_of(given: tuple[str, ...]) -> dict[str, list[str]]:
    """age=2,5,10 → three widths of age; what stands behind a comma without = is one more width."""
    found: dict[str, list[str]] = {}
    for text in given:
        name = ""
        for part in text.split(","):
            before, equals, width = part.rpartition("=")
            if equals:
                name = before.strip()
                if name in found:
                    raise ContradictoryOptions(f"--bands names column {name!r} twice")
                found[name] = []
            if not name or not width.strip():
                raise InputError(f"--bands {text} isn't COLUMN=WIDTH", "such as age=5")
            found[name].append(width.strip())
    return found


def values_of(given: tuple[str, ...]) -> dict[str, str]:
    """age=0-94 and sex=f/m, repeated or behind commas."""
    return _named("--values", [part for text in given for part in text.split(",")], "age=0-94")


def member_values(given: tuple[str, ...]) -> dict[str, str] | None:
    """age=39, repeated; a value may hold commas and more =."""
    return _named("--member", given, "age=39") if given else None


def _named(option: str, given: tuple[str, ...] | list[str], example: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise InputError(f"{option} is written NAME=VALUE", f"such as {example}")
        if name.strip() in found:
            raise ContradictoryOptions(f"{option} names {name.strip()!r} twice")
        found[name.strip()] = value.strip()
    return found
