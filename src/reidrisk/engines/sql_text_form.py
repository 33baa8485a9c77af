"""The one text form of a value (`text_form`), said in SQL.

For columns of so many values that they can't be labelled one by one.
"""

from __future__ import annotations

from reidrisk.engines.dialects import DUCKDB, Dialect, spaces_trimmed
from reidrisk.engines.text_form import DAY, MOMENT_PATTERN, TIME_PATTERN, WHOLE_PATTERN


def sql_text_form(column: str, kind: str, dialect: Dialect = DUCKDB) -> str:
    """SQL that gives the one text form of `column` (quoted already), NULL for the empty cell.

    `kind` is what the engine stores: text, whole, boolean, fraction, decimal or date.
    """
    text = dialect.cast_to_text(column)
    if kind in ("whole", "boolean", "date"):
        return text
    if kind == "fraction":
        return (
            f"CASE WHEN isnan({column}) THEN NULL WHEN {column} = floor({column}) AND "
            f"abs({column}) < 1e38 THEN CAST(CAST({column} AS HUGEINT) AS VARCHAR) "
            f"ELSE {text} END"
        )
    return _decimal(text, dialect) if kind == "decimal" else _text(text, dialect)


def _decimal(text: str, dialect: Dialect) -> str:
    assert dialect.replaced is not None
    no_zeros = dialect.replaced(dialect.replaced(text, "0+$", ""), r"\.$", "")
    return f"CASE WHEN {text} LIKE '%.%' THEN {no_zeros} ELSE {text} END"


def _text(text: str, dialect: Dialect) -> str:
    trimmed = spaces_trimmed(dialect, text)
    whole, moment, time = (
        f"^{pattern}$" for pattern in (WHOLE_PATTERN, MOMENT_PATTERN, TIME_PATTERN)
    )
    fits, replaced = dialect.matches, dialect.replaced
    assert fits is not None
    assert replaced is not None
    number = replaced(replaced(trimmed, whole, r"\1\2"), "^-0$", "0")
    clock = replaced(trimmed, time, r"\1\2")
    told = replaced(replaced(trimmed, moment, r"\1T\2\3\4"), f"^({DAY})T00:00:00$", r"\1")
    return (
        f"CASE WHEN {fits(trimmed, '^[-0-9]')} THEN CASE "
        f"WHEN {fits(trimmed, whole)} THEN {number} "
        f"WHEN {fits(trimmed, moment)} THEN {told} "
        f"WHEN {fits(trimmed, time)} THEN {clock} "
        f"ELSE {trimmed} END "
        f"WHEN {trimmed} IN ('True', 'TRUE') THEN 'true' "
        f"WHEN {trimmed} IN ('False', 'FALSE') THEN 'false' "
        f"ELSE nullif({trimmed}, '') END"
    )
