"""Dates as tables write them: 2020-12-31, 31.12.2020, 12/31/20, 20201231, 3-Jan-2020, with times.

What a value says by itself is read value by value. Day and month of 03/04/2020 are told apart by
the column: a number above 12 can't be a month. Where none is, points mean day first (31.12.2020);
nothing else is guessed. Two-digit years are 1930 to 2029, as in spreadsheets.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

FIRST_SHORT_YEAR = 1930
_TIME = (
    r"(?:[T :]\s*[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?: ?[AaPp]\.?[Mm]\.?)?"
    r"(?:Z| ?[+-][0-9]{2}:?[0-9]{2})?)?"
)
_YEAR_FIRST = re.compile(rf"([0-9]{{4}})([-./])([0-9]{{1,2}})\2([0-9]{{1,2}})(?:T.*|{_TIME})")
_COMPACT = re.compile(rf"([0-9]{{4}})([0-9]{{2}})([0-9]{{2}}){_TIME}")
_NUMBERS = re.compile(rf"([0-9]{{1,2}})([-./])([0-9]{{1,2}})\2([0-9]{{4}}|[0-9]{{2}}){_TIME}")
_DAY_NAMED = re.compile(
    rf"([0-9]{{1,2}})[-./ ]?([A-Za-z]{{3,9}})[-./, ]{{0,2}}([0-9]{{4}}|[0-9]{{2}}){_TIME}"
)
_NAMED_DAY = re.compile(rf"([A-Za-z]{{3,9}})\.? ([0-9]{{1,2}}),? ([0-9]{{4}}){_TIME}")
_MONTH_NAMES = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, start=1)}
_MONTHS |= {name[:3]: number for name, number in _MONTHS.items()} | {"sept": 9}
ORDER_UNKNOWN = "date, order unknown"
# Eight digits are a date only within these years.
_PLAUSIBLE_YEARS = range(1850, 2101)


@dataclass(frozen=True)
class DateOrder:
    """The order of three numbers: 'day first', 'month first', 'year first', or '' unknown."""

    name: str = ""
    why: str = ""
    short_years: bool = False

    @property
    def said(self) -> str:
        """For people, what was decided and by what; empty where nothing had to be."""
        parts = [f"its dates are read {self.name} ({self.why})"] if self.name else []
        last = FIRST_SHORT_YEAR + 99
        parts += (
            [f"two-digit years are read as {FIRST_SHORT_YEAR} to {last}"]
            if self.short_years
            else []
        )
        return ", and ".join(parts)


NO_ORDER = DateOrder()


def date_order(texts: Iterable[str]) -> DateOrder:
    """What the values of a column, taken together, say about the order of their numbers."""
    texts = list(texts)
    found = [match for match in map(_NUMBERS.fullmatch, texts) if match]
    if not found:
        named = (match for match in map(_DAY_NAMED.fullmatch, texts) if match)
        return DateOrder(short_years=any(len(match[3]) == 2 for match in named))
    numbers = [(int(match[1]), int(match[3]), int(match[4])) for match in found]
    short = any(len(match[4]) == 2 for match in found)
    marks = {match[2] for match in found}
    first, second, third = (max(place) for place in zip(*numbers, strict=True))
    if short and first > 31:
        known = all(len(match[4]) == 2 for match in found) and second <= 12 and third <= 31
        return DateOrder("year first" if known else "", "some begin with a number above 31", short)
    if short and third <= 31 and "-" in marks:
        return DateOrder("", "no number is above 31, so none is known to be the year", short)
    if first > 12 and second > 12:
        return DateOrder("", "some values have the day first, others the month", short)
    if first > 12:
        return DateOrder("day first", "some have a first number above 12", short)
    if second > 12:
        return DateOrder("month first", "some have a second number above 12", short)
    if marks == {"."}:
        return DateOrder("day first", "as dates with points are; no value tells", short)
    return DateOrder("", "no value has a day above 12", short)


def written_date(text: str, order: DateOrder) -> datetime.date | None:
    """The day a text stands for; None where it is no date, or its order isn't known."""
    found = _parts(text, order)
    if found is None or not found[1]:
        return None
    try:
        return datetime.date(*found)
    except ValueError:
        return None


def written_year(text: str, order: DateOrder) -> int | None:
    """Its year, which is also told where day and month aren't."""
    found = _parts(text, order)
    if found is None:
        return None
    return found[0] if not found[1] or written_date(text, order) else None


def _parts(text: str, order: DateOrder) -> tuple[int, int, int] | None:
    """Year, month, day; month and day 0 where their order isn't known."""
    if match := _YEAR_FIRST.fullmatch(text):
        return int(match[1]), int(match[3]), int(match[4])
    if match := _NUMBERS.fullmatch(text):
        return _in_order(match, order)
    if match := _COMPACT.fullmatch(text):
        found = int(match[1]), int(match[2]), int(match[3])
        return found if found[0] in _PLAUSIBLE_YEARS else None
    if match := _DAY_NAMED.fullmatch(text):
        return _named(match[3], match[2], match[1])
    if match := _NAMED_DAY.fullmatch(text):
        return _named(match[3], match[1], match[2])
    return None


def _in_order(match: re.Match[str], order: DateOrder) -> tuple[int, int, int] | None:
    first, second = int(match[1]), int(match[3])
    if order.name == "year first":
        return _year(match[1]), second, int(match[4])
    if order.name:
        day, month = (first, second) if order.name == "day first" else (second, first)
        return _year(match[4]), month, day
    if max(first, second) > 31 or min(first, second) > 12:
        return None
    # Without an order a year of two digits may stand at either end.
    return None if len(match[4]) == 2 and match[2] == "-" else (_year(match[4]), 0, 0)


def _named(year: str, name: str, day: str) -> tuple[int, int, int] | None:
    month = _MONTHS.get(name.casefold())
    return None if month is None else (_year(year), month, int(day))


def _year(digits: str) -> int:
    if len(digits) == 4:
        return int(digits)
    return FIRST_SHORT_YEAR + (int(digits) - FIRST_SHORT_YEAR) % 100


def date_kind(texts: Sequence[str]) -> str | None:
    """'date', 'date, day first', 'date, month first' or 'date, order unknown'; None where it isn't.

    Every value has to be one.
    """
    order = date_order(texts)
    if not texts or any(written_year(text, order) is None for text in texts):
        return None
    if not any(map(_NUMBERS.fullmatch, texts)):
        return "date"
    return f"date, {order.name}" if order.name else ORDER_UNKNOWN
