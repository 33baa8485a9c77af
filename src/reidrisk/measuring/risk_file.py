"""The risk file: each record's (or person's) crowd and risk, in the order of the input."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from reidrisk.engines import Table
from reidrisk.engines.contract import WritesCrowds
from reidrisk.writing import refuse_input_as_output, table_kind, table_writer, whole_file


def write_risk_file(
    table: Table,
    target: str | os.PathLike[str],
    *,
    crowds: Sequence[int] | None = None,
    columns: Sequence[str] | None = None,
) -> None:
    """Write ``row`` (``person``, the key), ``crowd``, ``risk`` = 1/crowd as Parquet or CSV.

    The crowd is that of the `columns`, all that are looked at by default.
    With `crowds`, also ``k2``, ``k5`` …: 1 where the crowd has at least that many people.
    A row that stands for nobody and meets nobody has no risk. A cluster writes a folder of files.
    """
    place = Path(target)
    kind = table_kind(place)
    refuse_input_as_output(place, table.paths)
    if isinstance(table.engine, WritesCrowds):
        table.engine.write_crowds(os.fspath(target), kind, crowds or (), columns)
        return
    with whole_file(place, private=True) as beside:
        batches = table.engine.crowd_of_each(columns)
        with table_writer(beside, kind, _schema(batches.schema, crowds or ())) as write:
            for batch in batches:
                write(_with_risk(batch, crowds or ()))


def _schema(batch: pa.Schema, crowds: Sequence[int]) -> pa.Schema:
    extra = [("risk", pa.float64()), *((f"k{k}", pa.int8()) for k in crowds)]
    return pa.schema([*batch, *(pa.field(name, kind) for name, kind in extra)])


def _with_risk(batch: pa.RecordBatch, crowds: Sequence[int]) -> pa.RecordBatch:
    crowd = batch.column(batch.schema.get_field_index("crowd")).to_numpy(zero_copy_only=False)
    risk = pa.array(1.0 / np.maximum(crowd, 1), mask=crowd == 0)
    reached = [pa.array((crowd >= k).astype(np.int8)) for k in crowds]
    schema = _schema(batch.schema, crowds)
    return pa.RecordBatch.from_arrays([*batch.columns, risk, *reached], schema=schema)
