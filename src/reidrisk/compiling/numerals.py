"""Numerals: what a cell of a published table says: a number, or that it was held back.

1,234.5 and 1.234,5 and 1 234,5 are one number; which mark is the decimal one is settled for a whole
table, never for a cell. "<5", "x", ".", "/", ":" and the empty cell are held back; "-" is nobody.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from reidrisk.statistics.statistics import Suppressed

Number = Decimal | Suppressed

_HELD_BACK = frozenset(
    (
        "",
        "x",
        ".",
        "..",
        "...",
        "…",
        ":",
        "/",
        "c",
        "s",
        "*",
        "n/a",
        "na",
        "n.a.",
        "nan",
        "null",
        "#",
    )
)
_NOBODY = frozenset(("-", "–", "—", "−", "nil", "nihil", "none"))
_BELOW = re.compile(r"(<|<=|≤|less than|under|fewer than)\s*([0-9]+)", re.IGNORECASE)
_FROM_ONE = re.compile(r"[01]\s*[-–—]\s*([0-9]+)")
# Marks of a footnote or of a provisional figure behind the number.
_FOOTNOTE = re.compile(r"\s*(?:[*†‡¹²³⁴⁵⁶⁷⁸⁹⁰]+|[(\[][0-9a-zA-Z]{1,2}[)\]]|(?<=[0-9])\s+[per])$")
_SPACES = " \u00a0\u2009\u202f'’"
_GROUPED = {
    decimal: re.compile(rf"[+-]?[1-9][0-9]{{0,2}}([{other}{_SPACES}])[0-9]{{3}}(?:\1[0-9]{{3}})*")
    for decimal, other in ((".", ","), (",", "."))
}


@dataclass(frozen=True)
class Numerals:
    """A table's cells read with one decimal mark."""

    decimal: str
    numbers: tuple[Number, ...]
    # Digits behind the decimal mark, at most.
    decimals: int
    percent_signs: bool

    @property
    def whole(self) -> bool:
        """No cell has digits behind a decimal mark."""
        return self.decimals == 0

    @property
    def whole_but_for_zeros(self) -> bool:
        """12.0: there are digits behind the mark, and all of them are zeros."""
        held = [number for number in self.numbers if isinstance(number, Decimal)]
        return all(number == number.to_integral_value() for number in held)


def readings(texts: Sequence[str], decimal: str | None = None) -> list[Numerals]:
    """The ways to read all cells, those without fractions first; none where a cell is no number.

    Two ways remain only where every mark has three digits behind it: 12.345 may be either.
    """
    found = [_read(texts, mark) for mark in ((decimal,) if decimal else (".", ","))]
    valid = [each for each in found if each is not None]
    if len(valid) == 2 and valid[0].numbers == valid[1].numbers:
        return valid[:1]
    return sorted(valid, key=lambda each: each.decimals)


# More people than there are: a mistake, not a count.
MOST_DIGITS = 16


def is_number(text: str) -> bool:
    """Whether a cell holds a number under some reading, or was held back in so many words."""
    bare = text.replace("%", "").strip()
    return bool(bare) and any(_number(text, mark) is not None for mark in ".,")


def _read(texts: Sequence[str], decimal: str) -> Numerals | None:
    numbers, decimals = [], 0
    for text in texts:
        number = _number(text, decimal)
        if number is None:
            return None
        numbers.append(number)
        if isinstance(number, Decimal):
            decimals = max(decimals, -int(number.as_tuple().exponent))
    signs = any("%" in text for text in texts)
    return Numerals(decimal, tuple(numbers), decimals, signs)


def _number(text: str, decimal: str) -> Number | None:
    bare = text.replace("%", "").strip()
    if bare.casefold() in _HELD_BACK:
        return Suppressed()
    if bare.casefold() in _NOBODY:
        return Decimal(0)
    if below := _BELOW.fullmatch(bare):
        reached = below[1] in ("<=", "≤")
        return Suppressed(int(below[2]) + reached)
    if up_to := _FROM_ONE.fullmatch(bare):
        return Suppressed(int(up_to[1]) + 1)
    return _plain(_FOOTNOTE.sub("", bare), decimal)


def _plain(text: str, decimal: str) -> Decimal | None:
    whole, mark, fraction = text.partition(decimal)
    if grouped := _GROUPED[decimal].fullmatch(whole):
        whole = whole.replace(grouped[1], "")
    if not re.fullmatch(r"[+-]?[0-9]+", whole) and not (mark and whole in ("", "-", "+")):
        return None
    if len(whole) > MOST_DIGITS:
        return None
    if mark and not re.fullmatch(r"[0-9]+" if whole in ("", "-", "+") else r"[0-9]*", fraction):
        return None
    return Decimal(f"{whole or '0'}.{fraction or '0'}" if fraction else whole)
