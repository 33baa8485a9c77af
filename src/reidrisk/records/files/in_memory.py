"""Tables already in memory: pandas, Polars, Arrow, or a mapping of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from reidrisk.errors import UnreadableInput
from reidrisk.records.files.parquet import TableInMemory
from reidrisk.records.text_forms import value_form


def open_in_memory(table: Any) -> TableInMemory:
    """Take a table as it is; nothing is copied where Arrow can look at it in place."""
    if isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    if isinstance(table, pa.Table):
        return TableInMemory(table, tuple(table.column_names), "Arrow")
    if type(table).__name__ == "Series" and hasattr(table, "to_frame"):
        table = table.to_frame()
    if _is_from(table, "pandas") and hasattr(table, "iloc"):
        return _from_columns(_pandas_columns(table), "pandas")
    if _is_from(table, "polars"):
        table = table.collect() if hasattr(table, "collect") else table
        return _from_columns([(s.name, _polars_column(s)) for s in table.get_columns()], "Polars")
    if hasattr(table, "__arrow_c_stream__"):
        arrow = pa.table(table)
        return TableInMemory(arrow, tuple(arrow.column_names), "Arrow")
    if isinstance(table, Mapping):
        return _from_columns([(str(n), arrow_column(list(v))) for n, v in table.items()], "Python")
    raise UnreadableInput(
        f"{_called(table)} can't be read as a table",
        "give a path, or a pandas, Polars or Arrow table",
    )


def _called(table: Any) -> str:
    return "None" if table is None else f"an object of type {type(table).__name__}"


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
    """What pandas keeps as Python objects (mixed values, intervals, periods) goes one by one."""
    if str(series.dtype) != "object":
        try:
            column = pa.chunked_array(pa.Array.from_pandas(series))
            if _is_plain(column.type):
                return column
        except (pa.ArrowException, TypeError, ValueError):
            pass
    return arrow_column([None if gap else v for v, gap in zip(series, series.isna(), strict=True)])


def _polars_column(series: Any) -> Any:
    if str(series.dtype) != "Object":
        try:
            return pa.chunked_array(series.to_arrow())
        except (pa.ArrowException, TypeError, ValueError):
            pass
    return arrow_column(series.to_list())


def _is_plain(kind: pa.DataType) -> bool:
    """Neither an extension type nor a dictionary of one."""
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    return not isinstance(value, pa.BaseExtensionType)


def arrow_column(values: list[Any]) -> pa.Array:
    """A list as Arrow; one that mixes types goes through each value's text form.

    Arrow would make one type of them: a date of a moment, a float of a large whole number.
    """
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) <= 1:
        try:
            column = pa.array(values)
            if _is_plain(column.type):
                return column
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            pass
    return text_column([value_form(value) for value in values])


def text_column(texts: Sequence[str | None]) -> pa.Array:
    """Texts as Arrow; half a surrogate pair, which Arrow refuses, is written out."""
    held = [None if t is None else t.encode("utf-8", "backslashreplace").decode() for t in texts]
    return pa.array(held, type=pa.string())
