"""The one text form of a value, whatever the file format or engine.

39, 39.0, " 39", the integer 39 and the decimal 39.00 are one value, "39"; 01234 keeps its zero;
dates are ISO (a midnight time is dropped); booleans are true and false; white space around a
value is not part of it; the empty cell is no value (None).

The rule looks at one value at a time, never at its neighbours, so it gives the same text when a
table is split over files, and it can be said in SQL (`sql_text_form`).
"""

from __future__ import annotations

import datetime
import re
from decimal import Decimal

WHITE_SPACE = "".join(chr(point) for point in range(0x3001) if chr(point).isspace())
# Written once for Python and SQL: both engines of expressions read these the same way.
_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_WHOLE_PATTERN = r"(-?)(0|[1-9][0-9]*)(?:\.0*)?"
_TIME_PATTERN = r"([0-9]{2}:[0-9]{2}:[0-9]{2})(?:(\.[0-9]*[1-9])0*|\.0+)?"
_MOMENT_PATTERN = rf"({_DAY})[ T]{_TIME_PATTERN}(Z|[+-][0-9:]+)?"
_WHOLE = re.compile(_WHOLE_PATTERN)
_TIME = re.compile(_TIME_PATTERN)
_MOMENT = re.compile(_MOMENT_PATTERN)
_BOOLEANS = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false"}
_FRACTION_COMMA = re.compile(r"([+-]?[0-9]+),([0-9]+)")
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
    """The same number with a point, where a table writes 39,5."""
    stripped = text.strip()
    comma = _FRACTION_COMMA.fullmatch(stripped)
    return f"{comma[1]}.{comma[2]}" if comma else text


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


def sql_text_form(column: str, kind: str) -> str:
    """SQL that gives the one text form of `column` (quoted already), NULL for the empty cell.

    `kind` is what the engine stores: text, whole, boolean, fraction, decimal or date.
    Written for engines with RE2 or Java expressions and CASE, as DuckDB.
    """
    if kind in ("whole", "boolean", "date"):
        return f"CAST({column} AS VARCHAR)"
    if kind == "fraction":
        return (
            f"CASE WHEN isnan({column}) THEN NULL WHEN {column} = floor({column}) AND "
            f"abs({column}) < 1e38 THEN CAST(CAST({column} AS HUGEINT) AS VARCHAR) "
            f"ELSE CAST({column} AS VARCHAR) END"
        )
    if kind == "decimal":
        return _sql_decimal(f"CAST({column} AS VARCHAR)")
    return _sql_text(f"CAST({column} AS VARCHAR)")


def _sql_decimal(text: str) -> str:
    return (
        f"CASE WHEN {text} LIKE '%.%' THEN "
        f"regexp_replace(regexp_replace({text}, '0+$', ''), '\\.$', '') ELSE {text} END"
    )


def _sql_text(text: str) -> str:
    trimmed = f"trim({text}, {sql_literal(WHITE_SPACE)})"
    whole, moment, time = (
        f"^{pattern}$" for pattern in (_WHOLE_PATTERN, _MOMENT_PATTERN, _TIME_PATTERN)
    )
    return (
        f"CASE WHEN regexp_matches({trimmed}, '^[-0-9]') THEN CASE "
        f"WHEN regexp_matches({trimmed}, '{whole}') THEN "
        f"regexp_replace(regexp_replace({trimmed}, '{whole}', '\\1\\2'), '^-0$', '0') "
        f"WHEN regexp_matches({trimmed}, '{moment}') THEN "
        f"regexp_replace(regexp_replace({trimmed}, '{moment}', '\\1T\\2\\3\\4'), "
        f"'^({_DAY})T00:00:00$', '\\1') "
        f"WHEN regexp_matches({trimmed}, '{time}') THEN "
        f"regexp_replace({trimmed}, '{time}', '\\1\\2') ELSE {trimmed} END "
        f"WHEN {trimmed} IN ('True', 'TRUE') THEN 'true' "
        f"WHEN {trimmed} IN ('False', 'FALSE') THEN 'false' "
        f"ELSE nullif({trimmed}, '') END"
    )


def sql_literal(text: str) -> str:
    """A text as an SQL literal: quotes doubled, nothing else is special."""
    return "'" + text.replace("'", "''") + "'"


def sql_name(name: str) -> str:
    """A column's name as an SQL identifier: double quotes doubled."""
    return '"' + name.replace('"', '""') + '"'
