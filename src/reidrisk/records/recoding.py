"""Recoding an attribute: bands of a number or date, digits kept, decimals kept.

Each way is a function of one text form, so it is applied to a column's distinct values instead of
its records. How dates and numbers are written is detected first, over all of them (`fitted`).
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from typing import Protocol

from reidrisk.errors import InputError, UnusableColumn
from reidrisk.records.text_forms import (
    NO_ORDER,
    DateOrder,
    NumberMarks,
    date_order,
    number_marks,
    number_of,
    written_date,
    written_year,
)

_WIDTH = re.compile(r"([0-9]*\.?[0-9]+)([ymwd]?)")
MOST_DECIMALS = 100
_EXACT = Context(prec=250)
_MONDAY = datetime.date(1970, 1, 5).toordinal()


class Recoding(Protocol):
    """How one attribute is recoded."""

    def label(self, text: str) -> str | None:
        """The label of a text form; None where it can't be recoded so."""

    def describe(self) -> str:
        """For people: 'in bands of 5'."""


@dataclass(frozen=True)
class NumberBands:
    """Bands of `width`: [⌊x/w⌋·w, ⌊x/w⌋·w + w). A whole width is labelled 35-39.

    In decimals, not floating point, where 0.3 lies below three times 0.1.
    """

    width: Decimal
    marks: NumberMarks | None = None

    def label(self, text: str) -> str | None:
        """37 → 35-39 at width 5; 0.7 → [0.5-1) at width 0.5."""
        number = _decimal(text, self.marks)
        if number is None:
            return None
        steps = _EXACT.divide(number, self.width).to_integral_value(ROUND_FLOOR, _EXACT)
        low = _EXACT.multiply(steps, self.width)
        high = _EXACT.add(low, self.width)
        if self.width == self.width.to_integral_value():
            return _span(_written(low), _written(_EXACT.subtract(high, Decimal(1))))
        return f"[{_written(low)}-{_written(high)})"

    def describe(self) -> str:
        """For people."""
        return f"in bands of {_written(self.width)}"


@dataclass(frozen=True)
class DateBands:
    """Bands of `width` years, months, weeks or days of dates."""

    width: int
    unit: str
    order: DateOrder = NO_ORDER

    def label(self, text: str) -> str | None:
        """1984-03-01 → 1980-1989 at 10y, 1984-03 at 1m."""
        if self.unit == "y":
            year = written_year(text, self.order)
            if year is None:
                return None
            low = year // self.width * self.width
            return _span(f"{low:04d}", f"{low + self.width - 1:04d}")
        date = written_date(text, self.order)
        if date is None:
            return None
        if self.unit == "m":
            low = (date.year * 12 + date.month - 1) // self.width * self.width
            return _span(_month(low), _month(low + self.width - 1), " to ")
        return self._days(date.toordinal(), self.width * (7 if self.unit == "w" else 1))

    @staticmethod
    def _days(ordinal: int, width: int) -> str:
        low = (ordinal - _MONDAY) // width * width + _MONDAY
        first = datetime.date.fromordinal(max(low, 1))
        last = datetime.date.fromordinal(min(low + width - 1, datetime.date.max.toordinal()))
        return _span(first.isoformat(), last.isoformat(), " to ")

    def describe(self) -> str:
        """For people."""
        unit = {"y": "year", "m": "month", "w": "week", "d": "day"}[self.unit]
        return f"in bands of {self.width} {unit}{'s' if self.width > 1 else ''}"


@dataclass(frozen=True)
class DigitsKept:
    """The first `digits` characters of a code: 1234 → 12 at two digits."""

    digits: int

    def label(self, text: str) -> str | None:
        """The leading characters; a shorter code stays as it is."""
        return text[: self.digits]

    def describe(self) -> str:
        """For people."""
        return f"by the first {self.digits} character{'s' if self.digits > 1 else ''}"


@dataclass(frozen=True)
class DecimalsKept:
    """A number rounded to `decimals` places, half to even."""

    decimals: int
    marks: NumberMarks | None = None

    def label(self, text: str) -> str | None:
        """3.14159 → 3.14 at two decimals, 3 at none."""
        number = _decimal(text, self.marks)
        if number is None:
            return None
        return _written(number.quantize(Decimal(1).scaleb(-self.decimals), ROUND_HALF_EVEN, _EXACT))

    def describe(self) -> str:
        """For people."""
        return f"rounded to {self.decimals} decimal{'' if self.decimals == 1 else 's'}"


def fitted(how: Recoding, column: str, values: Sequence[str]) -> tuple[Recoding, list[str]]:
    """The same way for a column of these values as they are written, and what was read into them.

    Bands of months or days are refused where no value tells day from month.
    """
    if isinstance(how, DateBands):
        order = date_order(values)
        how = replace(how, order=order)
        if order.why and not order.name and how.unit != "y":
            raise UnusableColumn(
                f"column {column!r}: which number of its dates is the day isn't known: {order.why}",
                f"see years (--bands {column}=1y), or write the dates as in 2020-12-31",
            )
        return how, [f"{column}: {order.describe()}."] if order.describe() else []
    if isinstance(how, (NumberBands, DecimalsKept)):
        marks = number_marks(values)
        return replace(how, marks=marks), [f"{column}: {marks.describe()}."] if marks else []
    return how, []


def parsed_bands(column: str, width: str) -> Recoding:
    """`5` gives bands of a number; `10y`, `3m`, `2w`, `7d` bands of a date."""
    found = _WIDTH.fullmatch(width.strip())
    size = Decimal(found[1]) if found else Decimal(0)
    if not found or size <= 0 or (found[2] and size != size.to_integral_value()):
        raise InputError(
            f"--bands {column}={width}: the width isn't a positive number",
            "write --bands age=5 for a number, --bands born=10y (or 3m, 2w, 7d) for a date",
        )
    return DateBands(int(size), found[2]) if found[2] else NumberBands(size)


def parsed_digits(column: str, digits: str) -> Recoding:
    """The number of leading characters to keep."""
    return DigitsKept(_whole(f"--levels {column}={digits}", digits, lowest=1))


def parsed_decimals(column: str, decimals: str) -> Recoding:
    """The number of decimals to keep."""
    return DecimalsKept(
        _whole(f"--decimals {column}={decimals}", decimals, lowest=0, most=MOST_DECIMALS)
    )


def _whole(option: str, text: str, lowest: int, most: int = 10_000) -> int:
    digits = text.strip()
    written = digits.isascii() and digits.isdigit() and len(digits) <= len(str(most))
    if not written or not lowest <= int(digits) <= most:
        raise InputError(
            f"{option}: a whole number from {lowest} is needed", f"{most:,} is the most"
        )
    return int(digits)


def _decimal(text: str, marks: NumberMarks | None = None) -> Decimal | None:
    """The number a text stands for; None for no number, infinity and beyond a hundred digits."""
    text = (marks.plain(text) if marks else None) or text
    if number_of(text) is None or "inf" in text:
        return None
    number = Decimal(text)
    return number if abs(number.adjusted()) < 100 else None


def _written(number: Decimal) -> str:
    """Digits without an exponent, zeros behind the point or a sign on nought."""
    text = format(number, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def _month(months: int) -> str:
    return f"{months // 12:04d}-{months % 12 + 1:02d}"


def _span(low: str, high: str, between: str = "-") -> str:
    if low == high:
        return low
    return f"{low} to {high}" if low.startswith("-") else f"{low}{between}{high}"
