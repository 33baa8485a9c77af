"""The records as DuckDB sees them: one relation of text forms over the source's files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reidrisk.engines.questions import KEY, PEOPLE, PERSON, ROW
from reidrisk.engines.seeing import Seeing
from reidrisk.engines.sql_text_form import sql_text_form
from reidrisk.errors import UnusableColumn

_DECIMAL_COMMA = r"^\s*([+-]?(?:[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+)),([0-9]+)\s*$"


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
            column = (
                f"CASE WHEN regexp_matches({column}, '{_DECIMAL_COMMA}') "
                f"THEN replace(replace({column}, '.', ''), ',', '.') ELSE {column} END"
            )
        return sql_text_form(column, kind)


@dataclass(frozen=True)
class SeenTable:
    """The records as they are seen.

    `expressions` gives a column in terms of ``stored``; `labels` names the table (value, label)
    that the other columns go through.
    """

    table: StoredTable
    seeing: Seeing
    expressions: Mapping[str, str]
    labels: Mapping[str, str]

    def rows(self, numbered: bool) -> str:
        """SELECT the columns as they are seen, and what each row stands for."""
        table, seeing = self.table, self.seeing
        taken = [self._seen(name, self.expressions[name]) for name in seeing.columns]
        source = table.source
        if seeing.count:
            taken.append(f"{self._people} AS {PEOPLE}")
        if seeing.person:
            taken.append(f"{table.text_of(seeing.person)} AS {PERSON}")
        if seeing.key:
            taken.append(f"{table.text_of(seeing.key)} AS {KEY}")
        if numbered:
            taken.append(f"stored.{ROW}")
            source = f"(SELECT *, row_number() OVER () AS {ROW} FROM {source})"
        return f"SELECT {', '.join(taken)} FROM {source} AS stored {self._joins(seeing.columns)}"

    def tuples(self, columns: Sequence[str]) -> str:
        """SELECT the tuples of a few columns as they are seen, and how many people hold each.

        Grouped as stored first, so that labels are looked up for the few tuples and not the rows.
        """
        alias = self.table.alias
        groups = ", ".join(str(place) for place in range(1, len(columns) + 1))
        as_stored = ", ".join(
            f"{self.expressions[name] or f'stored.{alias[name]}'} AS {alias[name]}"
            for name in columns
        )
        people = f"sum({self._people})" if self.seeing.count else "count(*)"
        found = (
            f"SELECT {as_stored}, CAST({people} AS BIGINT) AS {PEOPLE} "
            f"FROM {self.table.source} AS stored GROUP BY {groups}"
        )
        if not any(name in self.labels for name in columns):
            return found
        as_seen = ", ".join(self._seen(name, f"stored.{alias[name]}") for name in columns)
        return (
            f"SELECT {as_seen}, CAST(sum({PEOPLE}) AS BIGINT) AS {PEOPLE} "
            f"FROM ({found}) AS stored {self._joins(columns)} GROUP BY {groups}"
        )

    @property
    def _people(self) -> str:
        return f"CAST({self.table.text_of(self.seeing.count or '')} AS BIGINT)"

    def _seen(self, name: str, expression: str) -> str:
        shown = f"{self.labels[name]}.label" if name in self.labels else expression
        return f"{shown} AS {self.table.alias[name]}"

    def _joins(self, columns: Sequence[str]) -> str:
        return " ".join(
            f"LEFT JOIN {self.labels[name]} "
            f"ON stored.{self.table.alias[name]} = {self.labels[name]}.value"
            for name in columns
            if name in self.labels
        )
