"""JSON lines, read by DuckDB: a column may hold numbers in one line and texts in the next."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reidrisk.engines.sources.columnar import TableInMemory
from reidrisk.engines.text_form import sql_literal, sql_name
from reidrisk.errors import UnreadableInput


def open_json_lines(path: Path) -> TableInMemory:
    """One object a line, or one list of objects; every value is read as text."""
    import duckdb

    source = f"read_json_objects({sql_literal(str(path))})"
    with duckdb.connect() as session:
        try:
            names = _keys(session, source)
            table = session.sql(_texts(source, names)).to_arrow_table() if names else None
        except duckdb.Error:
            raise UnreadableInput(
                f"{path.name} can't be read as JSON lines", "each line has to be one JSON object"
            ) from None
    if table is None:
        raise UnreadableInput(f"{path.name} holds no JSON objects with keys")
    return TableInMemory(table, tuple(names), "JSON lines", (path,))


def _keys(session: Any, source: str) -> list[str]:
    """Every key that occurs: the first object's in its order, then the others by name."""
    first = session.execute(f"SELECT json_keys(json) FROM {source} LIMIT 1").fetchall()
    names = list(first[0][0]) if first else []
    there = session.execute(f"SELECT DISTINCT unnest(json_keys(json)) FROM {source}").fetchall()
    return names + sorted({name for (name,) in there} - set(names))


def _texts(source: str, names: list[str]) -> str:
    taken = ", ".join(
        f"json_extract_string(json, {sql_literal(_path(name))}) AS {sql_name(name)}"
        for name in names
    )
    return f"SELECT {taken} FROM {source}"


def _path(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'$."{escaped}"'
