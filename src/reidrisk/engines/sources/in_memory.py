"""Tables already in memory: pandas, Polars, Arrow, or a mapping of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from reidrisk.engines.sources.columnar import TableInMemory
from reidrisk.engines.text_form import value_form
from reidrisk.errors import UnreadableInput


def open_in_memory(table: Any) -> TableInMemory:
    """Take a table as it is; nothing is copied where Arrow can look at it in place."""
    if isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    if isinstance(table, pa.Table):
        return TableInMemory(table, tuple(table.column_names), "Arrow")
    if _is_from(table, "pandas"):
        return _from_columns(_pandas_columns(table), "pandas")
    if hasattr(table, "collect") and _is_from(table, "polars"):
        table = table.collect()
    if hasattr(table, "__arrow_c_stream__"):
        arrow = pa.table(table)
        kind = "Polars" if _is_from(table, "polars") else "Arrow"
        return TableInMemory(arrow, tuple(arrow.column_names), kind)
    if isinstance(table, Mapping):
        return _from_columns([(str(n), arrow_column(list(v))) for n, v in table.items()], "Python")
    raise UnreadableInput(
        f"a {type(table).__name__} isn't a table that can be read",
        "give a path, or a pandas, Polars or Arrow table",
    )


def _is_from(table: Any, library: str) -> bool:
    return type(table).__module__.split(".")[0] == library


def _from_columns(columns: Sequence[tuple[str, Any]], kind: str) -> TableInMemory:
    names = [name for name, _ in columns]
    if len({len(column) for _, column in columns}) > 1:
        raise UnreadableInput("the columns have different lengths")
    table = pa.Table.from_arrays([column for _, column in columns], names=names)
    return TableInMemory(table, tuple(names), kind)


def _pandas_columns(frame: Any) -> list[tuple[str, Any]]:
    return [(str(name), _pandas_column(frame.iloc[:, at])) for at, name in enumerate(frame.columns)]


def _pandas_column(series: Any) -> Any:
    try:
        return pa.chunked_array(pa.Array.from_pandas(series))
    except (pa.ArrowException, TypeError, ValueError):
        return arrow_column(series.tolist())


def arrow_column(values: list[Any]) -> pa.Array:
    """A list as Arrow; one that mixes types goes through each value's text form."""
    try:
        return pa.array(values)
    except (pa.ArrowException, TypeError, ValueError):
        return pa.array([value_form(value) for value in values], type=pa.string())
