"""A SQLite database in a file."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pyarrow as pa


def write(path: Path, name: str, table: pa.Table) -> str:
    """Put a table there; its address."""

    def quoted(text: str) -> str:
        return '"' + text.replace('"', '""') + '"'

    columns = ", ".join(map(quoted, table.column_names))
    marks = ", ".join("?" * table.num_columns)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"DROP TABLE IF EXISTS {quoted(name)}")
        connection.execute(f"CREATE TABLE {quoted(name)} ({columns})")
        rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
        connection.executemany(f"INSERT INTO {quoted(name)} VALUES ({marks})", rows)
        connection.commit()
    return f"sqlite:///{path}"
