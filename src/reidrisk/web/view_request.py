"""A view as the page requests it: which attributes, each in how much detail; checked."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reidrisk.crowds import measure_named
from reidrisk.errors import InputError
from reidrisk.printable import shell_words

MOST_COLUMNS = 1000


@dataclass(frozen=True)
class ViewRequest:
    """The options mean what they mean on the command line."""

    columns: tuple[str, ...]
    bands: Mapping[str, str] = field(default_factory=dict)
    levels: Mapping[str, str] = field(default_factory=dict)
    decimals: Mapping[str, str] = field(default_factory=dict)
    missing: str = "own"
    count: str | None = None
    person: str | None = None
    rows_are_people: bool = False

    @property
    def key(self) -> str:
        """The same for the same view."""
        coarser = [sorted(each.items()) for each in (self.bands, self.levels, self.decimals)]
        unit = [self.count, self.person, self.rows_are_people]
        return json.dumps([self.columns, coarser, self.missing, unit])

    @property
    def options(self) -> dict[str, Any]:
        """What `HeldRecords.view` is given beside the columns."""
        return {
            "bands": self.bands,
            "levels": self.levels,
            "decimals": self.decimals,
            "missing": self.missing,
            "count": self.count,
            "person": self.person,
            "rows_are_people": self.rows_are_people,
        }

    def command(self, verb: str, named: Sequence[str], *more: str) -> str:
        """The command that asks the same."""
        words = ["reidrisk", verb, *named]
        for name in self.columns:
            words += ["--column", name]
        for option in ("bands", "levels", "decimals"):
            for name, how in getattr(self, option).items():
                words += [f"--{option}", f"{name}={how}"]
        words += ["--missing", self.missing] if self.missing != "own" else []
        words += ["--count", self.count] if self.count is not None else []
        words += ["--person", self.person] if self.person is not None else []
        words += ["--rows-are-people"] if self.rows_are_people else []
        return shell_words([*words, *more])


def parsed_view(body: Any) -> ViewRequest:
    """From the page's JSON; whether the table has it is checked later."""
    given = mapping(body, "view")
    columns = texts(given.get("columns"), "columns")
    if not columns:
        raise InputError("no attribute is ticked", "tick at least one")
    coarser = {
        option: {
            name: str(how)
            for name, how in mapping(given.get(option) or {}, option).items()
            if name in columns
        }
        for option in ("bands", "levels", "decimals")
    }
    count, person = given.get("count"), given.get("person")
    return ViewRequest(
        tuple(columns), **coarser, missing=str(given.get("missing") or "own"),
        count=None if not count else str(count), person=None if not person else str(person),
        rows_are_people=given.get("rows_are_people") is True,
    )  # fmt: skip


def mapping(given: Any, what: str) -> dict[str, Any]:
    """A JSON object."""
    if not isinstance(given, dict):
        raise InputError(f"{what}: an object was expected")
    return given


def texts(given: Any, what: str) -> list[str]:
    """A list of texts."""
    few = isinstance(given, list) and len(given) <= MOST_COLUMNS
    if not few or not all(isinstance(each, str) for each in given):
        raise InputError(f"{what}: a list of at most {MOST_COLUMNS:,} names was expected")
    return list(given)


def whole(given: Any, what: str, least: int, most: int) -> int:
    """A whole number between two others."""
    if isinstance(given, bool) or not isinstance(given, int) or not least <= given <= most:
        raise InputError(f"{what}: a whole number from {least:,} to {most:,} was expected")
    return given


def part(given: Any, what: str, measure: str = "highest_risk") -> float:
    """A number from 0 to 1; as a text also a fraction such as 1/11, or k=11."""
    number = isinstance(given, (int, float, str)) and not isinstance(given, bool)
    value = measure_named(measure).limit(given, what) if number else math.nan
    if not 0 <= value <= 1:
        raise InputError(f"{what}: a number from 0 to 1 was expected")
    return value
