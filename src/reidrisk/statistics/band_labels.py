"""Band labels: 20-24, 20–24, [20-30), 85+, <5, "65 and over" are understood as ranges of numbers.

Published tables write the same band in many ways, in English, German, French and Dutch. A label
that isn't one is None; a number is found in the band that holds it, so age 22 finds 20-24.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

_NUMBER = r"(-?[0-9]+(?:\.[0-9]+)?)"
_YEARS = r"(?:years?(?: old)?|yrs?|jaar|jahren?|ans?)"
_AGE = rf"{_NUMBER}(?:\s*{_YEARS}\b)?"
_DASH = r"\s*(?:-|–|—|−|to|until|bis|à)\s*"
_BELOW_HIGH = r"\s*(?:to (?:under|less than)|bis unter|tot)\s*"
_RANGE = re.compile(rf"{_NUMBER}{_DASH}{_NUMBER}", re.IGNORECASE)
_UP_TO = re.compile(rf"{_NUMBER}{_BELOW_HIGH}{_NUMBER}", re.IGNORECASE)
_BRACKETS = re.compile(rf"([\[(]){_NUMBER}(?:{_DASH}|\s*,\s*){_NUMBER}([\])])")
_AND = r"(?:and|or|und|oder|et|ou|en|of)"
_AND_OVER = re.compile(
    rf"(?:≥|>=|from|over|at least)?\s*{_AGE}\s*"
    rf"(?:\+|{_AND} (?:over|older|above|more|mehr|älter|darüber|plus|ouder|meer)|plus)",
    re.IGNORECASE,
)
_AT_LEAST = re.compile(
    rf"(?:≥|>=|from|at least|ab|mindestens|à partir de|vanaf)\s*{_NUMBER}", re.IGNORECASE
)
_MORE_THAN = re.compile(
    r"(?:>|more than|over|older than|über|mehr als|älter als|plus de|meer dan|ouder dan)"
    rf"\s*{_NUMBER}",
    re.IGNORECASE,
)
_LESS_THAN = re.compile(
    r"(?:<|under|below|less than|younger than|(?:bis )?unter|weniger als|jünger als|moins de"
    rf"|jonger dan|minder dan|onder)\s*{_NUMBER}",
    re.IGNORECASE,
)
_AT_MOST = re.compile(
    rf"(?:(?:≤|<=|up to|at most|höchstens|jusqu['’]à)\s*{_NUMBER}"
    rf"|{_AGE}\s*{_AND} (?:under|younger|below|less|weniger|jünger|darunter|moins|jonger|minder))",
    re.IGNORECASE,
)
_UNIT = re.compile(rf"\s*{_YEARS}\s*$", re.IGNORECASE)


@dataclass(frozen=True)
class Band:
    """Numbers from `low` to `high`; `high` belongs to it unless it is open there.

    A band of whole numbers, 20-24, reaches up to but not including 25.
    """

    low: float
    high: float
    high_open: bool = False
    low_open: bool = False

    def __contains__(self, number: float) -> bool:
        above = number > self.low if self.low_open else number >= self.low
        return above and (number < self.high if self.high_open else number <= self.high)

    def overlaps(self, other: Band) -> bool:
        """Whether a number lies in both: 10 in 0-10 and 10-20."""
        first, second = sorted((self, other), key=lambda band: (band.low, band.low_open))
        if first.high == second.low:
            return not first.high_open and not second.low_open
        return first.high > second.low


def band_of(label: str) -> Band | None:
    """The range a label stands for; None where it is no band."""
    text = _UNIT.sub("", label.strip().replace("−", "-"))
    if bracketed := _BRACKETS.fullmatch(text):
        opening, low, high, closing = bracketed.groups()
        return _ordered(Band(float(low), float(high), closing == ")", opening == "("))
    if between := _RANGE.fullmatch(text):
        low, high = between.groups()
        return _ordered(_whole_band(low, high))
    if below := _UP_TO.fullmatch(text):
        return _ordered(Band(float(below[1]), float(below[2]), high_open=True))
    return _one_sided(text)


def _whole_band(low: str, high: str) -> Band:
    """20-24 holds 24.5 years as well: whole numbers stand for what is rounded down to them."""
    if "." in low or "." in high:
        return Band(float(low), float(high))
    return Band(float(low), float(high) + 1, high_open=True)


def _ordered(band: Band) -> Band | None:
    return band if band.low <= band.high else None


def _one_sided(text: str) -> Band | None:
    if found := _AND_OVER.fullmatch(text) or _AT_LEAST.fullmatch(text):
        return Band(float(found[1]), math.inf)
    if found := _MORE_THAN.fullmatch(text):
        return Band(float(found[1]), math.inf, low_open=True)
    if found := _LESS_THAN.fullmatch(text):
        return Band(-math.inf, float(found[1]), high_open=True)
    if found := _AT_MOST.fullmatch(text):
        highest = found[1] or found[2]
        return Band(-math.inf, float(highest) + (0 if "." in highest else 1), "." not in highest)
    return None
