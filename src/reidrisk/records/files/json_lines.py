"""JSON lines, read by DuckDB: a column may hold numbers in one line and texts in the next."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from reidrisk.errors import OutOfRoom, UnreadableInput
from reidrisk.records.files.parquet import TableInMemory
from reidrisk.records.files.source import AS_IT_IS, bytes_up_to, refuse_many, sql_path
from reidrisk.records.read_options import ReadOptions
from reidrisk.records.text_forms import sql_literal


def open_json_lines(path: Path, options: ReadOptions) -> TableInMemory:
    """One object a line, or one list of objects; every value is read as text."""
    import duckdb

    limit = options.bytes_allowed
    _refuse_beyond(limit, path)
    source = f"read_json_objects({sql_path(path)}, {AS_IT_IS})"
    with duckdb.connect() as session:
        session.execute(f"SET memory_limit = '{limit // 1_000_000}MB'")
        session.execute("SET enable_progress_bar = false")
        try:
            names = _keys(session, source)
            table = session.sql(_texts(source, names)).to_arrow_table() if names else None
            nested = _nested(session, source, names) if names else []
        except duckdb.OutOfMemoryException:
            raise _more_than_given(path) from None
        except duckdb.Error:
            raise UnreadableInput(
                f"{path.name} can't be read as JSON lines", "each line has to be one JSON object"
            ) from None
    if table is None:
        raise UnreadableInput(f"{path.name} holds no JSON objects with keys")
    columns = [
        pa.nulls(len(table), pa.list_(pa.string())) if is_nested else column
        for is_nested, column in zip(nested, table.columns, strict=True)
    ]
    table = pa.Table.from_arrays(columns, names=names)
    return TableInMemory(table, tuple(names), "JSON lines", (path,))


def _refuse_beyond(limit: int, path: Path) -> None:
    """Every value is held as text."""
    try:
        held = bytes_up_to(path, limit)
    except (pa.ArrowException, OSError):
        raise UnreadableInput(f"{path.name} is damaged: it can't be decompressed") from None
    if held > limit:
        raise _more_than_given(path)


def _more_than_given(path: Path) -> OutOfRoom:
    return OutOfRoom(
        f"{path.name} takes more memory than is given: JSON lines are held whole",
        "give more by --memory-limit, or turn it into Parquet or CSV",
    )


def _keys(session: Any, source: str) -> list[str]:
    """Every key that occurs: the first object's in its order, then the others by name."""
    others = f"SELECT count(*) FROM {source} WHERE json_type(json) <> 'OBJECT'"
    if session.execute(others).fetchall()[0][0]:
        raise UnreadableInput("some lines of the JSON file aren't objects", 'as in {"age": 39}')
    first = session.execute(f"SELECT json_keys(json) FROM {source} LIMIT 1").fetchall()
    names = list(first[0][0]) if first else []
    there = session.execute(f"SELECT DISTINCT unnest(json_keys(json)) FROM {source}").fetchall()
    names += sorted({name for (name,) in there} - set(names))
    refuse_many(names)
    return names


def _texts(source: str, names: list[str]) -> str:
    taken = ", ".join(
        f"json_extract_string(json, {_pointer(name)}) AS c{place}"
        for place, name in enumerate(names)
    )
    return f"SELECT {taken} FROM {source}"


def _nested(session: Any, source: str, names: list[str]) -> list[bool]:
    """Which keys hold lists or objects somewhere: no single values, so no column to count."""
    asked = ", ".join(
        f"coalesce(bool_or(json_type(json, {_pointer(name)}) IN ('ARRAY', 'OBJECT')), false)"
        for name in names
    )
    return list(session.execute(f"SELECT {asked} FROM {source}").fetchall()[0])


def _pointer(name: str) -> str:
    """A JSON pointer, which takes any key; a path would trip over quotes."""
    return sql_literal("/" + name.replace("~", "~0").replace("/", "~1"))
