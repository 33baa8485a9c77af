"""Units: "in thousands", "x 1 000", "en milliers" beside a table multiply its numbers.

Only a text that is about the numbers counts: in brackets, behind "in", or alone between commas.
"more than ten thousand inhabitants" is a title, and "per 1 000" is a rate.
"""

from __future__ import annotations

import re

_GAP = "[ .,'’\u00a0\u2009\u202f]?"
_THOUSANDS = r"thousands?|tausend|tsd\.?|milliers|duizend(?:tallen)?|miles|migliaia"
_MILLIONS = r"millions?|millionen|mio\.?|miljoen(?:en)?|mln\.?|millones|milioni"
_OF_PEOPLE = (
    r"(?:\s+(?:of\s+|de\s+|d['’])?(?:people|persons|personen|personnes|personas|persone|inhabitants"
    r"|einwohner|inwoners|habitants|habitantes))?"
)


def _said(words: str, digits: str) -> re.Pattern[str]:
    """In brackets, behind in or ×, or (but for digits) alone between commas."""
    word = rf"(?:{words}|{digits})"
    return re.compile(
        rf"\s*[(\[]\s*(?:in|en|x|×|\*)?\s*{word}{_OF_PEOPLE}\s*[)\]]"
        rf"|,?\s*(?:^|(?<=[\s,;:(]))(?:in|en|×|x|\*)\s*{word}{_OF_PEOPLE}(?=\s*(?:$|[;:)]|,(?![0-9])))"
        rf"|(?:^|[,;:]\s*)(?:{words}){_OF_PEOPLE}\s*(?=$|[,;])",
        re.IGNORECASE,
    )


# Millions first: 1 000 is also the beginning of 1 000 000.
_UNITS = (
    (1_000_000, _said(_MILLIONS, rf"1{_GAP}000{_GAP}000")),
    (1000, _said(_THOUSANDS, rf"1{_GAP}000s?|'?000s?")),
)


def times_of(text: str) -> int:
    """By how much a text says that numbers have to be multiplied; 1 where it says nothing."""
    return next((times for times, unit in _UNITS if unit.search(text)), 1)


def without_unit(text: str) -> str:
    """A heading without what it says about the size of the numbers."""
    for _, unit in _UNITS:
        text = unit.sub("", text)
    return text.strip()
