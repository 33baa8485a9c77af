"""The records as DuckDB sees them: one relation of text forms over the source's files."""

from __future__ import annotations

from collections.abc import Sequence

from reidrisk.engines.questions import PEOPLE, PERSON, ROW
from reidrisk.engines.seeing import Seeing
from reidrisk.engines.text_form import sql_literal, sql_name, sql_text_form
from reidrisk.errors import UnusableColumn

_DECIMAL_COMMA = r"^\s*([+-]?[0-9]+),([0-9]+)\s*$"


def kind_of(name: str, stored: str) -> str:
    """What DuckDB's type means for the text form."""
    stored = stored.upper()
    if stored.endswith("]") or stored.startswith(("STRUCT", "MAP", "UNION")):
        raise UnusableColumn(
            f"column {name!r} holds lists or structures, not single values",
            "leave it out of --columns, or flatten it first",
        )
    if "INT" in stored:
        return "whole"
    if stored.startswith(("DOUBLE", "FLOAT", "REAL")):
        return "fraction"
    if stored.startswith("TIMESTAMP WITH TIME ZONE"):
        return "zoned"
    return {"BOOLEAN": "boolean", "DATE": "date"}.get(
        stored, "decimal" if stored.startswith("DECIMAL") else "text"
    )


def text_of(name: str, stored: str, decimal_comma: bool) -> str:
    """SQL for the text form of a column as it is stored."""
    kind, column = kind_of(name, stored), sql_name(name)
    if kind == "zoned":
        column, kind = f"replace(CAST({column} AS VARCHAR), '+00', 'Z')", "text"
    if kind == "text" and decimal_comma:
        column = rf"regexp_replace({column}, '{_DECIMAL_COMMA}', '\1.\2')"
    return sql_text_form(column, kind)


def texts_relation(
    source: str, stored: dict[str, str], seeing: Seeing, decimal_comma: bool, numbered: bool
) -> str:
    """SELECT the text forms of the columns looked at, and what each row stands for."""
    taken = [_seen_text(name, stored[name], seeing, decimal_comma) for name in seeing.columns]
    if seeing.count:
        text = text_of(seeing.count, stored[seeing.count], decimal_comma)
        taken.append(f"CAST({text} AS BIGINT) AS {PEOPLE}")
    if seeing.person:
        taken.append(f"{text_of(seeing.person, stored[seeing.person], decimal_comma)} AS {PERSON}")
    if numbered:
        taken.append(f"row_number() OVER () AS {ROW}")
    return f"SELECT {', '.join(taken)} FROM {source}"


def _seen_text(name: str, stored: str, seeing: Seeing, decimal_comma: bool) -> str:
    text = text_of(name, stored, decimal_comma)
    if seeing.empty:
        empty = ", ".join(sql_literal(value) for value in sorted(seeing.empty))
        text = f"CASE WHEN {text} IN ({empty}) THEN NULL ELSE {text} END"
    return f"{text} AS {sql_name(name)}"


def coarser_relation(texts: str, columns: Sequence[str], labels: dict[str, str]) -> str:
    """The texts with some columns seen through a table of (value, label) each."""
    taken = ", ".join(
        f"{labels[name]}.label AS {sql_name(name)}" if name in labels else f"texts.{sql_name(name)}"
        for name in columns
    )
    joins = " ".join(
        f"LEFT JOIN {table} ON texts.{sql_name(name)} = {table}.value"
        for name, table in labels.items()
    )
    return f"SELECT texts.* EXCLUDE ({_excluded(columns)}), {taken} FROM {texts} AS texts {joins}"


def _excluded(columns: Sequence[str]) -> str:
    return ", ".join(sql_name(name) for name in columns)


def faults(table: str, columns: Sequence[str]) -> str:
    """One row: for each column (values, longest text, all are numbers, some have fractions)."""
    number = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
    asked = []
    for name in columns:
        column = sql_name(name)
        amount = f"TRY_CAST({column} AS DOUBLE)"
        asked += [
            f"count({column})",
            f"coalesce(max(length({column})), 0)",
            f"coalesce(bool_and(regexp_matches({column}, '{number}')), false)",
            f"coalesce(bool_or({amount} <> floor({amount})), false)",
        ]
    return f"SELECT count(*), {', '.join(asked)} FROM {table}"
