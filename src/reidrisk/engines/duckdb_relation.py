"""The records as DuckDB sees them: one relation of text forms over the source's files."""

from __future__ import annotations

from dataclasses import dataclass

from reidrisk.engines.questions import PEOPLE, PERSON, ROW
from reidrisk.engines.seeing import Seeing
from reidrisk.engines.text_form import sql_text_form
from reidrisk.errors import UnusableColumn

_DECIMAL_COMMA = r"^\s*([+-]?[0-9]+),([0-9]+)\s*$"


def kind_of(name: str, stored: str) -> str:
    """What DuckDB's type means for the text form."""
    stored = stored.upper()
    if stored.endswith("]") or stored.startswith(("STRUCT", "MAP", "UNION")):
        raise UnusableColumn(
            f"column {name!r} holds lists or structures, not single values",
            "leave it out of --columns, or make texts or numbers of it first",
        )
    if stored == "INTERVAL":
        raise UnusableColumn(
            f"column {name!r} holds durations, not single values",
            "leave it out of --columns, or make texts or numbers of it first",
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


@dataclass(frozen=True)
class StoredTable:
    """The records as DuckDB finds them: a table's name, and its columns' names there and types."""

    source: str
    alias: dict[str, str]
    types: dict[str, str]
    decimal_comma: bool

    def text_of(self, name: str) -> str:
        """SQL for the text form of a column of ``stored``."""
        kind, column = kind_of(name, self.types[name]), f"stored.{self.alias[name]}"
        if kind == "zoned":
            column, kind = f"replace(CAST({column} AS VARCHAR), '+00', 'Z')", "text"
        if kind == "text" and self.decimal_comma:
            column = rf"regexp_replace({column}, '{_DECIMAL_COMMA}', '\1.\2')"
        return sql_text_form(column, kind)


def seen_relation(
    table: StoredTable,
    seeing: Seeing,
    expressions: dict[str, str],
    labels: dict[str, str],
    numbered: bool,
) -> str:
    """SELECT the columns as they are seen, and what each row stands for.

    `expressions` gives a column in terms of ``stored``; `labels` names the table (value, label)
    that the other columns go through.
    """
    taken = [
        f"{labels[name]}.label AS {table.alias[name]}"
        if name in labels
        else f"{expressions[name]} AS {table.alias[name]}"
        for name in seeing.columns
    ]
    source = table.source
    if seeing.count:
        taken.append(f"CAST({table.text_of(seeing.count)} AS BIGINT) AS {PEOPLE}")
    if seeing.person:
        taken.append(f"{table.text_of(seeing.person)} AS {PERSON}")
    if numbered:
        taken.append(f"stored.{ROW}")
        source = f"(SELECT *, row_number() OVER () AS {ROW} FROM {source})"
    return f"SELECT {', '.join(taken)} FROM {source} AS stored {_joins(table, labels)}"


def _joins(table: StoredTable, labels: dict[str, str]) -> str:
    return " ".join(
        f"LEFT JOIN {name} ON stored.{table.alias[column]} = {name}.value"
        for column, name in labels.items()
    )
