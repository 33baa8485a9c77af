"""Texts that often mean that there is no value: ?, NA, NULL, nan, -9.

They are noticed and named, never changed: NA may be Namibia. All are from the list here, so naming
them tells nothing of a record.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from reidrisk.engines.coding import CodedColumn
from reidrisk.engines.text_form import number_of
from reidrisk.printable import shell_word

TEXT_MARKS = frozenset(
    (
        *("?", "??", ".", "-", "--", "---", "\\N", "(null)", "<NA>", "NaN", "nan", "NAN", "NaT"),
        *("NA", "na", "N/A", "n/a", "#N/A", "N.A.", "n.a.", "NULL", "Null", "null", "#NULL!"),
        *("None", "Nil", "nil", "Missing", "missing", "MISSING"),
    )
)
# Codes for a missing number, where all other values are far from them: -9 among ages, 999 too.
_BELOW = ("-9", "-99", "-999", "-9999")
_ABOVE = ("999", "9999", "99999")
# How many times the largest other value a code such as 999 has to be.
_FAR = 2.0
_TWO_LETTERS = re.compile(r"[A-Z]{2}")

# Column → {text: rows that hold it}.
Marks = Mapping[str, Mapping[str, int]]


def missing_marks(column: CodedColumn) -> dict[str, int]:
    """Texts of a column that may mean missing, and how many rows hold each."""
    candidates = (TEXT_MARKS | {*_BELOW, *_ABOVE}).intersection(column.texts())
    if not candidates:
        return {}
    texts = list(column.texts())
    others = [text for text in texts if text not in candidates]
    if all(map(_TWO_LETTERS.fullmatch, others)) and others:
        # A column of two-letter codes: NA is one of them.
        candidates -= {"NA"}
    found = candidates & TEXT_MARKS
    numbers = [number_of(text) for text in others]
    if others and None not in numbers:
        known = [number for number in numbers if number is not None]
        found |= _number_codes(candidates - TEXT_MARKS, min(known), max(known))
    return {text: int(column.held[at]) for at, text in enumerate(texts) if text in found}


def _number_codes(candidates: frozenset[str], lowest: float, highest: float) -> frozenset[str]:
    """Those that lie apart from all other values, none of which is negative."""
    if lowest < 0:
        return frozenset()
    below = candidates.intersection(_BELOW)
    return below | {text for text in candidates - below if float(text) > _FAR * highest}


def marks_said(found: Marks) -> list[str]:
    """One sentence that names columns, texts and how often, with the option to copy; or none."""
    held = {name: marks for name, marks in found.items() if marks}
    if not held:
        return []
    columns_of: dict[tuple[str, ...], list[str]] = {}
    for name, marks in held.items():
        columns_of.setdefault(tuple(sorted(marks)), []).append(name)
    parts = []
    for texts, names in columns_of.items():
        times = sum(sum(held[name].values()) for name in names)
        shown = " or ".join(f"'{text}'" for text in texts)
        verb = "holds" if len(names) == 1 else "hold"
        parts.append(f"{_listed(names)} {verb} {shown} {_times(times)}")
    every = sorted({text for marks in held.values() for text in marks})
    option = shell_word(",".join(every))
    option = f"={option}" if every[0].startswith("-") else f" {option}"
    return [
        f"{'; '.join(parts)}: that may mean missing. To count it as an empty cell, in every "
        f"column, add --empty{option}."
    ]


def _listed(names: list[str]) -> str:
    if len(names) <= 3:
        return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return f"{names[0]} and {len(names) - 1} more columns"


def _times(times: int) -> str:
    return "once" if times == 1 else f"{times:,} times"
