"""The one text form of a value, whatever the file format or engine.

39, 39.0, " 39", the integer 39 and the decimal 39.00 are one value, "39"; 01234 keeps its zero;
dates are ISO (a midnight time is dropped); booleans are true and false; white space around a
value is not part of it; the empty cell is no value (None).

The rule looks at one value at a time, never at its neighbours, so it gives the same text when a
table is split over files, and it can be said in SQL (`sql_text_form.py`).

Numbers with marks between thousands: 1.234,5 and 1,234.5.

The column decides: some value has both marks, or a mark twice, and none contradicts it. 1.234 alone
stays the number 1.234, and 1,234 alone a text: each may mean either.

Dates as tables write them: 2020-12-31, 31.12.2020, 12/31/20, 20201231, 3-Jan-2020, with times.

What a value says by itself is read value by value. Day and month of 03/04/2020 are told apart by
the column: a number above 12 can't be a month. Where none is, points mean day first (31.12.2020);
nothing else is guessed. Two-digit years are 1930 to 2029, as in spreadsheets.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

WHITE_SPACE = "".join(chr(point) for point in range(0x3001) if chr(point).isspace())
# Written once for Python and SQL: both engines of expressions read these the same way.
DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
WHOLE_PATTERN = r"(-?)(0|[1-9][0-9]*)(?:\.0*)?"
TIME_PATTERN = r"([0-9]{2}:[0-9]{2}:[0-9]{2})(?:(\.[0-9]*[1-9])0*|\.0+)?"
MOMENT_PATTERN = rf"({DAY})[ T]{TIME_PATTERN}(Z|[+-][0-9:]+)?"
_WHOLE = re.compile(WHOLE_PATTERN)
_TIME = re.compile(TIME_PATTERN)
_MOMENT = re.compile(MOMENT_PATTERN)
_BOOLEANS = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false"}
_FRACTION_COMMA = re.compile(r"([+-]?(?:[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+)),([0-9]+)")
NUMBER_PATTERN = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+|inf)(?:[eE][+-]?[0-9]+)?"
_NUMBER = re.compile(NUMBER_PATTERN)
_FIRST_OF_NUMBER = frozenset("-0123456789")


def text_form(text: str) -> str | None:
    """The one form of a value given as text; None for the empty cell."""
    text = text.strip()
    if not text:
        return None
    if text[0] not in _FIRST_OF_NUMBER:
        return _BOOLEANS.get(text, text)
    if whole := _WHOLE.fullmatch(text):
        return whole[2] if whole[2] == "0" else whole[1] + whole[2]
    if moment := _MOMENT.fullmatch(text):
        return _moment_form(moment)
    if time := _TIME.fullmatch(text):
        return time[1] + (time[2] or "")
    return text


def _moment_form(moment: re.Match[str]) -> str:
    day, time, fraction, zone = moment.groups()
    if time == "00:00:00" and not fraction and not zone:
        return day
    return f"{day}T{time}{fraction or ''}{zone or ''}"


def with_decimal_comma(text: str) -> str:
    """The same number with a point, where a table writes 39,5 or 1.234,5."""
    stripped = text.strip()
    comma = _FRACTION_COMMA.fullmatch(stripped)
    return f"{comma[1].replace('.', '')}.{comma[2]}" if comma else text


def value_form(value: object) -> str | None:
    """The one form of a value of any Python type; None for the empty cell and not-a-number."""
    if value is None or isinstance(value, str):
        return None if value is None else text_form(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float_form(value)
    if isinstance(value, Decimal):
        return _decimal_form(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return text_form(value.isoformat())
    if isinstance(value, bytes):
        return _bytes_form(value)
    return text_form(str(value))


def _bytes_form(value: bytes) -> str | None:
    try:
        return text_form(value.decode("utf-8"))
    except UnicodeDecodeError:
        return "0x" + value.hex()


def _float_form(value: float) -> str | None:
    if value != value:
        return None
    return str(int(value)) if value.is_integer() else repr(value)


def _decimal_form(value: Decimal) -> str | None:
    if value.is_nan():
        return None
    if not value.is_finite():
        return str(value)
    text = format(value, "f")
    return text_form(text.rstrip("0") if "." in text else text)


def number_of(text: str) -> float | None:
    """The number a text form stands for, or None; codes such as 01234 count as numbers here."""
    return float(text) if _NUMBER.fullmatch(text) else None


def in_order(text: str) -> tuple[float, str]:
    """Numbers by size, then texts: one order whatever engine counted."""
    number = number_of(text)
    return (math.inf if number is None else number), text


def sql_literal(text: str) -> str:
    """A text as an SQL literal: quotes doubled, nothing else is special."""
    return "'" + text.replace("'", "''") + "'"


def sql_name(name: str) -> str:
    """A column's name as an SQL identifier: double quotes doubled."""
    return '"' + name.replace('"', '""') + '"'


_MARKED = re.compile(r"[+-]?[0-9][0-9.,]*")


@dataclass(frozen=True)
class NumberMarks:
    """The mark between thousands, and the one before the fraction."""

    thousands: str
    decimal: str

    def describe(self) -> str:
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


FIRST_SHORT_YEAR = 1930
_CLOCK = (
    r"(?:[T :]\s*[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?: ?[AaPp]\.?[Mm]\.?)?"
    r"(?:Z| ?[+-][0-9]{2}:?[0-9]{2})?)?"
)
_YEAR_FIRST = re.compile(rf"([0-9]{{4}})([-./])([0-9]{{1,2}})\2([0-9]{{1,2}})(?:T.*|{_CLOCK})")
_COMPACT = re.compile(rf"([0-9]{{4}})([0-9]{{2}})([0-9]{{2}}){_CLOCK}")
_NUMBERS = re.compile(rf"([0-9]{{1,2}})([-./])([0-9]{{1,2}})\2([0-9]{{4}}|[0-9]{{2}}){_CLOCK}")
_DAY_NAMED = re.compile(
    rf"([0-9]{{1,2}})[-./ ]?([A-Za-z]{{3,9}})[-./, ]{{0,2}}([0-9]{{4}}|[0-9]{{2}}){_CLOCK}"
)
_NAMED_DAY = re.compile(rf"([A-Za-z]{{3,9}})\.? ([0-9]{{1,2}}),? ([0-9]{{4}}){_CLOCK}")
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

    def describe(self) -> str:
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
        return DateOrder("day first", "as dates with points are; no value decides it", short)
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
