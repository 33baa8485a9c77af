"""Matching: which of an attribute's values is meant by what somebody wrote.

First the value itself, in its one text form; then the same text but for case, spaces, accents and
dashes; then the same band written another way ([20-25) for 20-24); then the band that holds the
number asked for (22 finds 20-24). What fits two values fits none: nobody should guess.

Band labels: 20-24, 20–24, [20-30), 85+, <5, "65 and over" are understood as ranges of numbers.

Published tables write the same band in many ways, in English, German, French and Dutch. A label
that isn't one is None; a number is found in the band that holds it, so age 22 finds 20-24.
"""

from __future__ import annotations

import difflib
import itertools
import math
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from reidrisk.records import number_of, value_form

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
    if match := _AND_OVER.fullmatch(text) or _AT_LEAST.fullmatch(text):
        return Band(float(match[1]), math.inf)
    if match := _MORE_THAN.fullmatch(text):
        return Band(float(match[1]), math.inf, low_open=True)
    if match := _LESS_THAN.fullmatch(text):
        return Band(-math.inf, float(match[1]), high_open=True)
    if match := _AT_MOST.fullmatch(text):
        highest = match[1] or match[2]
        return Band(-math.inf, float(highest) + (0 if "." in highest else 1), "." not in highest)
    return None


How = Literal["exact", "spelling", "band"]
_DASHES = re.compile("[‐‑‒–—−]")
_SPACES = re.compile(r"[\s_]+")
NEAR = 5


@dataclass(frozen=True)
class Match:
    """The value found for what was asked, and what had to be forgiven."""

    asked: str
    value: str
    how: How

    def said(self, attribute: str) -> str | None:
        """A sentence for the answer; None where nothing was forgiven."""
        if self.how == "exact":
            return None
        word = "band" if self.how == "band" else "value"
        return f"{attribute} {self.asked} was taken as the {word} {self.value}."


class KnownValues:
    """An attribute's values, prepared to be looked up many times."""

    def __init__(self, values: Iterable[str]) -> None:
        self.values = tuple(values)
        self.values_set = frozenset(self.values)
        self._exact = {value_form(value) or value: value for value in self.values}
        self._spelled = _unambiguous((normalised(value), value) for value in self.values)
        banded = [(band_of(value), value) for value in self.values]
        self._bands = [(band, value) for band, value in banded if band is not None]
        self._same_band = _unambiguous(self._bands)

    def match(self, asked: object) -> Match | None:
        """The one value that is meant; None without one, or with several."""
        text = value_form(asked)
        if text is None:
            return None
        if text in self._exact:
            return Match(text, self._exact[text], "exact")
        spelled = self._spelled.get(normalised(text))
        if spelled is not None:
            return Match(text, spelled, "spelling")
        found = self._band(text)
        return None if found is None else Match(text, found, "band")

    def same(self, label: str) -> str:
        """A table's label as it is spelled here; unchanged where there is no such value.

        A number isn't the band that holds it: 22 and 20-24 may both be labels of one table.
        """
        match = self.match(label)
        if match is None or (match.how == "band" and band_of(label) is None):
            return label
        return match.value

    def fitting(self, asked: object) -> list[str]:
        """Every band that holds the number asked for: several where bands overlap."""
        text = value_form(asked)
        number = None if text is None else number_of(text)
        if number is None:
            return []
        return [value for band, value in self._bands if number in band]

    def overlapping(self) -> list[tuple[str, str]]:
        """Bands next to each other, by where they begin, that hold the same number."""
        ordered = sorted(self._bands, key=lambda held: (held[0].low, held[0].high))
        return [
            (label, other)
            for (band, label), (next_one, other) in itertools.pairwise(ordered)
            if band.overlaps(next_one)
        ]

    def near(self, wanted_text: object) -> list[str]:
        """Up to five values that look like what was asked, for an error's hint."""
        wanted = number_of(str(wanted_text))
        if wanted is not None:
            numbers = [(number_of(value), value) for value in self.values]
            by_distance = [
                (abs(number - wanted), value) for number, value in numbers if number is not None
            ]
            if by_distance:
                return [value for _, value in sorted(by_distance, key=lambda each: each[0])[:NEAR]]
        by_form = {normalised(value): value for value in self.values}
        close = difflib.get_close_matches(
            normalised(str(wanted_text)), list(by_form), n=NEAR, cutoff=0.6
        )
        return [by_form[form] for form in close]

    def fits_kind(self, value: object, among_words: bool = False) -> bool:
        """Whether it might be a value that happens to be nobody's: a number among numbers, bands.

        Among words any word might be (`among_words`, where some aren't known).
        """
        numbers = bool(self.values) and all(
            number_of(value) is not None or band_of(value) is not None for value in self.values
        )
        text = value_form(value)
        return number_of(text or "") is not None if numbers else among_words

    def _band(self, text: str) -> str | None:
        same = band_of(text)
        if same is not None:
            return self._same_band.get(same)
        holding = self.fitting(text)
        return holding[0] if len(holding) == 1 else None


def normalised(text: str) -> str:
    """A text without case, accents, spaces and the differences between dashes."""
    apart = unicodedata.normalize("NFKD", _DASHES.sub("-", text))
    bare = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return _SPACES.sub("", bare.casefold())


def _unambiguous(pairs: Iterable[tuple[str | Band, str]]) -> dict[str | Band, str]:
    """Keys that lead to one value only."""
    found: dict[str | Band, str | None] = {}
    for key, value in pairs:
        found[key] = value if key not in found else None
    return {key: value for key, value in found.items() if value is not None}
