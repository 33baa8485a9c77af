"""Columns that say what a row stands for, checked by DuckDB as they are in memory."""

from __future__ import annotations

from reidrisk.engines.coding import CodedColumn
from reidrisk.engines.duckdb_columns import counted_column
from reidrisk.engines.duckdb_relation import StoredTable
from reidrisk.engines.duckdb_session import Session
from reidrisk.engines.labelling import Labelling
from reidrisk.engines.reading import people_per_row, total_weight, unclaimed_rows
from reidrisk.engines.seeing import Seeing


def checked_rows(session: Session, stored: StoredTable, seeing: Seeing) -> float | None:
    """Refuse counts, weights and persons that can't be; the weights' total, where there are any."""
    if seeing.count:
        people_per_row(_distinct(session, stored, seeing.count))
    if seeing.person:
        aside = _aside(stored, seeing.person)
        gaps = session.one(f"SELECT count(*) FROM ({aside}) WHERE value IS NULL")
        unclaimed_rows(seeing.person, int(gaps))
    return total_weight(_distinct(session, stored, seeing.weight)) if seeing.weight else None


def _aside(stored: StoredTable, name: str) -> str:
    return f"SELECT {stored.text_of(name)} AS value FROM {stored.source} AS stored"


def _distinct(session: Session, stored: StoredTable, name: str) -> CodedColumn:
    """The distinct values of a column, with how many rows hold each."""
    aside = _aside(stored, name)
    found = session.table(f"SELECT value, count(*) AS held FROM ({aside}) GROUP BY value")
    return counted_column(name, found, Labelling())
