"""Numbers with marks between thousands: 1.234,5 and 1,234.5.

The column decides: some value has both marks, or a mark twice, and none contradicts it. 1.234 alone
stays the number 1.234, and 1,234 alone a text: each may mean either.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_MARKED = re.compile(r"[+-]?[0-9][0-9.,]*")


@dataclass(frozen=True)
class NumberMarks:
    """The mark between thousands, and the one before the fraction."""

    thousands: str
    decimal: str

    @property
    def said(self) -> str:
        """For people."""
        return f"its numbers are read with '{self.thousands}' between thousands"

    def plain(self, text: str) -> str | None:
        """The same number with digits and a point alone; None where it isn't written so."""
        if not self._pattern.fullmatch(text):
            return None
        return text.replace(self.thousands, "").replace(self.decimal, ".")

    @property
    def _pattern(self) -> re.Pattern[str]:
        return _PATTERNS[self.decimal]


_POINTS, _COMMAS = NumberMarks(".", ","), NumberMarks(",", ".")
_PATTERNS = {
    marks.decimal: re.compile(
        rf"[+-]?(?:[0-9]{{1,3}}(?:\{marks.thousands}[0-9]{{3}})+|[0-9]+)(?:\{marks.decimal}[0-9]+)?"
    )
    for marks in (_POINTS, _COMMAS)
}


def number_marks(texts: Iterable[str]) -> NumberMarks | None:
    """How a column marks thousands; None where it doesn't, or its values don't agree."""
    found = [text for text in texts if _MARKED.fullmatch(text)]
    marks = next(
        (marks for marks in (_POINTS, _COMMAS) if any(_shows(t, marks) for t in found)), None
    )
    if marks is None or any(marks.plain(text) is None for text in found):
        return None
    return marks


def _shows(text: str, marks: NumberMarks) -> bool:
    """Whether the value can be written with these marks only."""
    several = text.count(marks.thousands) > 1 or (marks.thousands in text and marks.decimal in text)
    return several and marks.plain(text) is not None
