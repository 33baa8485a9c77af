"""How DuckDB sees a column: its distinct values are labelled once, here, not row by row in SQL.

Most text columns turn out to be in their text form already and are grouped as they are stored.
Where some value changes, the column is seen through a small table (value, label). Only a column
with more than `MANY_VALUES` different values has its text form worked out in SQL.

Columns of long tables: how many different values, about, without listing them all.

DuckDB's sketch (HyperLogLog) keeps some hundred bytes a column whatever it holds. Tried on 1,460
columns of 3,000 to 2,000,000 different values, its standard error is 3 %; 99 of 100 are within 8 %.
A column that the sketch gives few values is counted exactly after all, from those values.

Where it fails: columns of many values are sketched as they are stored, so that values which are one
in their text form, as "a" and " a", are two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from reidrisk import machine
from reidrisk.crowds import Marginal
from reidrisk.errors import UnusableColumn
from reidrisk.machine import Progress
from reidrisk.records.files.opening import COMPRESSION_SUFFIXES
from reidrisk.records.files.source import Source
from reidrisk.records.memory.coding import CodedColumn, Labelling, code_column, summed
from reidrisk.records.memory.reading import TEXT_MARKS, faults_of, missing_marks, recoded
from reidrisk.records.read_options import ReadOptions
from reidrisk.records.sql.duckdb_session import DuckDBSession, StoredTable, kind_of
from reidrisk.records.sql.engine import SeenColumn
from reidrisk.records.text_forms import NUMBER_PATTERN, number_of, sql_literal

MANY_VALUES = 1_000_000


def seen_column(
    session: DuckDBSession, table: StoredTable, name: str, options: ReadOptions
) -> SeenColumn:
    """Label the distinct values of a column, and choose the expression that gives them."""
    kind_of(name, table.types[name])
    found = session.table(
        f"SELECT {table.alias[name]} AS value, count(*) AS held FROM {table.source} "
        f"GROUP BY {table.alias[name]} LIMIT {MANY_VALUES + 1}"
    )
    if len(found) > MANY_VALUES:
        return _of_many(session, table, name, options)
    column = counted_column(name, found, Labelling(options.empty, table.decimal_comma))
    faults, marks = faults_of(column), missing_marks(column)
    warnings: list[str] = []
    if name in options.recoding:
        column, warnings = recoded(column, options.recoding[name])
    marginal = Marginal(column.values, column.held[:-1], int(column.held[-1]))
    expression, labels = _expression(table, column, found)
    return SeenColumn(name, expression, labels, marginal, faults, tuple(warnings), marks)


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


def _of_many(
    session: DuckDBSession, table: StoredTable, name: str, options: ReadOptions
) -> SeenColumn:
    if name in options.recoding:
        raise UnusableColumn(
            f"column {name!r} has more than {MANY_VALUES:,} different values: too many to see "
            f"{options.recoding[name].describe()} in this engine",
            "raise --memory-limit so that the table fits in memory",
        )
    text = table.text_of(name)
    if options.empty:
        empty = ", ".join(sql_literal(value) for value in sorted(options.empty))
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


# Cells that are counted exactly in seconds.
MOST_CELLS = 40_000_000
FEW_VALUES = 50_000
# 99 of 100 sketches are nearer than this.
ERROR = 0.08
# What the database may hold; its readers take some more.
MEMORY = 500 * 10**6
WORK = "looking at columns"


class EstimatedColumn(NamedTuple):
    """A column of many values: how many, about, its empty cells, and marks of missing."""

    distinct: int
    empty: int
    marks: dict[str, int]


def is_long(source: Source) -> bool:
    """Whether counting every different value of every column would take long."""
    if source.sql(source.names) is None and source.sql(source.names[:1]) is None:
        return False
    rows = source.rows
    if rows is None:
        # Delimited text: a cell takes some five bytes, a third of that when compressed.
        size = sum(path.stat().st_size for path in source.paths)
        packed = any(path.suffix.lower() in COMPRESSION_SUFFIXES for path in source.paths)
        return size * (3 if packed else 1) > 5 * MOST_CELLS
    return rows * len(source.names) > MOST_CELLS


def column_estimates(
    source: Source, names: Sequence[str], labelling: Labelling, threads: int, progress: Progress
) -> tuple[int, dict[str, CodedColumn | EstimatedColumn]]:
    """How many rows there are, and each column: its values, or about how many it has."""
    limit = min(MEMORY, machine.usual_limit())
    session = DuckDBSession(limit, threads, source.paths, progress)
    session.run("SET preserve_insertion_order = false")
    stored = session.stored(source, names)
    asked = ", ".join(f"approx_count_distinct({stored.alias[name]})" for name in names)
    ((rows, *about),) = session.rows(f"SELECT count(*), {asked} FROM {stored.source}")
    about = dict(zip(names, map(int, about), strict=True))
    found: dict[str, CodedColumn | EstimatedColumn] = {}
    for done, name in enumerate(names):
        progress(WORK, done, len(names))
        if about[name] <= FEW_VALUES and (column := _few(session, stored, name, labelling)):
            found[name] = column
    many = [name for name in names if name not in found]
    for name in many:
        empty = _empty(session, stored, name, labelling)
        marks = _marks(session, stored, name, labelling)
        found[name] = EstimatedColumn(min(about[name], int(rows) - empty), empty, marks)
    return int(rows), found


def _few(
    session: DuckDBSession, stored: StoredTable, name: str, labelling: Labelling
) -> CodedColumn | None:
    alias = stored.alias[name]
    found = session.table(
        f"SELECT {alias} AS value, count(*) AS held FROM {stored.source} GROUP BY {alias}",
        first=2 * FEW_VALUES,
    )
    return counted_column(name, found, labelling) if len(found) < 2 * FEW_VALUES else None


def _empty(session: DuckDBSession, stored: StoredTable, name: str, labelling: Labelling) -> int:
    """Empty cells. A text form is worked out only where it may be one of nothing."""
    column, text = f"stored.{stored.alias[name]}", stored.text_of(name)
    listed = ", ".join(sql_literal(value) for value in sorted(labelling.empty))
    among = f" OR ({text}) IN ({listed})" if listed else ""
    if kind_of(name, stored.types[name]) == "fraction":
        known = [number for number in map(number_of, labelling.empty) if number is not None]
        among = f" OR {column} IN ({', '.join(map(repr, known))})" if known else ""
        empty = f"{column} IS NULL OR isnan({column}){among}"
    elif stored.types[name] != "VARCHAR":
        empty = f"{column} IS NULL{among}"
    elif among:
        empty = f"({text}) IS NULL{among}"
    else:
        # White space stands before "!" or beyond ASCII.
        plain = f"{column} >= '!' AND {column} < chr(128)"
        empty = f"CASE WHEN {plain} THEN false ELSE ({text}) IS NULL END"
    # Not WHERE: a Parquet file's largest values leave NaN out, and DuckDB then skips it.
    return int(session.one(f"SELECT count(*) FILTER ({empty}) FROM {stored.source} AS stored"))


def _marks(
    session: DuckDBSession, stored: StoredTable, name: str, labelling: Labelling
) -> dict[str, int]:
    """Texts that may mean missing; codes such as -9 aren't looked for among so many values."""
    if stored.types[name] != "VARCHAR":
        return {}
    listed = ", ".join(map(sql_literal, sorted(TEXT_MARKS - labelling.empty)))
    column = f"stored.{stored.alias[name]}"
    found = session.rows(
        f"SELECT {column}, count(*) FROM {stored.source} AS stored "
        f"WHERE {column} IN ({listed}) GROUP BY 1"
    )
    return {text: int(rows) for text, rows in found}
