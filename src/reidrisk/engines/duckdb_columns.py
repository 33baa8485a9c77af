"""How DuckDB sees a column: its distinct values are labelled once, here, not row by row in SQL.

Most text columns turn out to be in their text form already and are grouped as they are stored.
Where some value changes, the column is seen through a small table (value, label). Only a column
with more than `MANY_VALUES` different values has its text form worked out in SQL.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from reidrisk.engines.coding import CodedColumn, code_column, summed
from reidrisk.engines.contract import Marginal
from reidrisk.engines.duckdb_relation import StoredTable, kind_of
from reidrisk.engines.duckdb_session import Session
from reidrisk.engines.labelling import Labelling
from reidrisk.engines.missing_marks import missing_marks
from reidrisk.engines.reading import coarsened, faults_of
from reidrisk.engines.seeing import Seeing
from reidrisk.engines.text_form import NUMBER_PATTERN, sql_literal
from reidrisk.errors import UnusableColumn

MANY_VALUES = 1_000_000


@dataclass(frozen=True)
class SeenColumn:
    """One column of the relation: an expression, and the table of labels it goes through."""

    name: str
    expression: str
    labels: pa.Table | None
    marginal: Marginal | None
    # Values held, longest text, all are numbers, some have fractions.
    faults: tuple[Any, ...]
    said: tuple[str, ...] = ()
    # Texts that may mean missing; not known of a column with too many values to be listed.
    marks: Mapping[str, int] = field(default_factory=dict)


def seen_column(session: Session, table: StoredTable, name: str, seeing: Seeing) -> SeenColumn:
    """Look at the distinct values of a column and settle how it is seen."""
    kind_of(name, table.types[name])
    found = session.table(
        f"SELECT {table.alias[name]} AS value, count(*) AS held FROM {table.source} "
        f"GROUP BY {table.alias[name]} LIMIT {MANY_VALUES + 1}"
    )
    if len(found) > MANY_VALUES:
        return _of_many(session, table, name, seeing)
    column = counted_column(name, found, Labelling(seeing.empty, table.decimal_comma))
    faults, marks = faults_of(column), missing_marks(column)
    said: list[str] = []
    if name in seeing.coarser:
        column, said = coarsened(column, seeing.coarser[name])
    marginal = Marginal(column.values, column.held[:-1], int(column.held[-1]))
    return SeenColumn(
        name, *_expression(table, column, found), marginal, faults, tuple(said), marks
    )


def _expression(
    table: StoredTable, column: CodedColumn, found: pa.Table
) -> tuple[str, pa.Table | None]:
    """The column itself where every value is its own label, else a look into the labels."""
    labels = column.text_of_each()
    value = found.column("value")
    if table.types[column.name] == "VARCHAR" and labels.to_pylist() == value.to_pylist():
        return f"stored.{table.alias[column.name]}", None
    return "", pa.table({"value": value, "label": labels})


def counted_column(name: str, found: pa.Table, labelling: Labelling) -> CodedColumn:
    """The distinct values of a column, coded, with how many rows hold each (value, held)."""
    column = code_column(name, found.column("value").chunks, labelling)
    rows = found.column("held").to_numpy().astype(np.int64)
    return replace(column, held=summed(column.codes, len(column.held), rows))


def _of_many(session: Session, table: StoredTable, name: str, seeing: Seeing) -> SeenColumn:
    if name in seeing.coarser:
        raise UnusableColumn(
            f"column {name!r} has more than {MANY_VALUES:,} different values: too many to see "
            f"{seeing.coarser[name].describe()} in this engine",
            "raise --memory-limit so that the table fits in memory",
        )
    text = table.text_of(name)
    if seeing.empty:
        empty = ", ".join(sql_literal(value) for value in sorted(seeing.empty))
        text = f"CASE WHEN {text} IN ({empty}) THEN NULL ELSE {text} END"
    (faults,) = session.rows(f"SELECT {_faults(text)} FROM {table.source} AS stored")
    return SeenColumn(name, text, None, None, faults)


def _faults(text: str) -> str:
    amount = f"TRY_CAST({text} AS DOUBLE)"
    return ", ".join(
        [
            f"count({text})",
            f"coalesce(max(length({text})), 0)",
            f"coalesce(bool_and(regexp_matches({text}, '^{NUMBER_PATTERN}$')), false)",
            f"coalesce(bool_or({amount} <> floor({amount})), false)",
        ]
    )
