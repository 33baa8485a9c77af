"""Files by record: what was worked out for each record, beside what names it and its crowd."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from reidrisk.output_files import table_kind, table_writer, whole_file
from reidrisk.records.contract import Engine


def write_beside_records(
    engine: Engine,
    target: Path,
    added: Mapping[str, pa.Array | pa.ChunkedArray],
    with_crowd: bool = True,
) -> None:
    """Write a line for each record (or person), in the engine's order; the file is private.

    Parameters:
        engine: whose records they are.
        target: the file.
        added: {column: a value for each record}; null where there is none.
        with_crowd: whether the record's crowd is told as well as its name.
    """
    batches = engine.crowd_of_each()
    shown = batches.schema.names if with_crowd else batches.schema.names[:1]
    named = [batches.schema.field(name) for name in shown]
    schema = pa.schema([*named, *(pa.field(name, each.type) for name, each in added.items())])
    with (
        whole_file(target, private=True) as beside,
        table_writer(beside, table_kind(target), schema) as write,
    ):
        begin = 0
        for batch in batches:
            parts = [_whole(each.slice(begin, len(batch))) for each in added.values()]
            own = [batch.column(name) for name in shown]
            write(pa.RecordBatch.from_arrays([*own, *parts], schema=schema))
            begin += len(batch)


def _whole(part: pa.Array | pa.ChunkedArray) -> pa.Array:
    return part.combine_chunks() if isinstance(part, pa.ChunkedArray) else part
