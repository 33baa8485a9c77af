"""Matching: which of an attribute's values is meant by what somebody wrote.

First the value itself, in its one text form; then the same text but for case, spaces, accents and
dashes; then the same band written another way ([20-25) for 20-24); then the band that holds the
number asked for (22 finds 20-24). What fits two values fits none: nobody should guess.
"""

from __future__ import annotations

import difflib
import itertools
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from reidrisk.engines.text_form import number_of, value_form
from reidrisk.statistics.band_labels import Band, band_of

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
        self._spelled = _unambiguous((folded(value), value) for value in self.values)
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
        spelled = self._spelled.get(folded(text))
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

    def near(self, asked: object) -> list[str]:
        """Up to five values that look like what was asked, for an error's hint."""
        wanted = number_of(str(asked))
        if wanted is not None:
            numbers = [(number_of(value), value) for value in self.values]
            held = [
                (abs(number - wanted), value) for number, value in numbers if number is not None
            ]
            if held:
                return [value for _, value in sorted(held, key=lambda each: each[0])[:NEAR]]
        by_form = {folded(value): value for value in self.values}
        close = difflib.get_close_matches(folded(str(asked)), list(by_form), n=NEAR, cutoff=0.6)
        return [by_form[form] for form in close]

    def fits_kind(self, asked: object, among_words: bool = False) -> bool:
        """Whether it might be a value that happens to be nobody's: a number among numbers, bands.

        Among words any word might be (`among_words`, where some aren't known).
        """
        numbers = bool(self.values) and all(
            number_of(value) is not None or band_of(value) is not None for value in self.values
        )
        text = value_form(asked)
        return number_of(text or "") is not None if numbers else among_words

    def _band(self, text: str) -> str | None:
        same = band_of(text)
        if same is not None:
            return self._same_band.get(same)
        holding = self.fitting(text)
        return holding[0] if len(holding) == 1 else None


def folded(text: str) -> str:
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
