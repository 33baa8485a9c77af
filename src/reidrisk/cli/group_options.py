"""Options of the commands about groups: sizes, widths, listed values, a member's values."""

from __future__ import annotations

from reidrisk.cli.size_lists import listed_sizes
from reidrisk.errors import ContradictoryOptions, InputError

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
                raise InputError(f"--bands {text}: it isn't COLUMN=WIDTH", "as in age=5")
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
            raise InputError(f"{option}: it is written NAME=VALUE", f"as in {example}")
        if name.strip() in found:
            raise ContradictoryOptions(f"{option} names {name.strip()!r} twice")
        found[name.strip()] = value.strip()
    return found
