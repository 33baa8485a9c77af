"""The unique sets of each record, as a file: row numbers or names, and attributes' names only."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from reidrisk.attacks.unique_sets import UniqueSets
from reidrisk.engines import Table
from reidrisk.errors import InputError
from reidrisk.writing import refuse_input_as_output, table_kind, table_writer, whole_file

BATCH = 1 << 16
BETWEEN_SETS, BETWEEN_NAMES = "; ", "+"


def write_unique_sets(
    found: UniqueSets, target: str | os.PathLike[str], *, names: Table | None = None
) -> None:
    """Write each record's minimal unique sets as a table in the order of the input.

    ``row``, or the one column of `names`, a table of the same rows; ``sets``, how many;
    ``smallest``, the size of the smallest; ``minimal_sets``, the sets themselves
    (``age+sex; age+county``); ``matters_most``, the attribute in most of them; and for each
    attribute ``share_NAME``, the share of the record's sets that it is in.
    """
    place = Path(target)
    kind = table_kind(place)
    refuse_input_as_output(place, () if names is None else names.paths)
    first = _first_field(found, names)
    with (
        whole_file(place, private=True) as beside,
        table_writer(beside, kind, _schema(found, first)) as write,
    ):
        for batch in _batches(found, names, _schema(found, first)):
            write(batch)


def _first_field(found: UniqueSets, names: Table | None) -> tuple[str, pa.DataType]:
    if names is None:
        return "row", pa.int64()
    if len(names.columns) != 1 or names.engine.records != found.records:
        raise InputError(
            f"rows are named by one column of the same {found.records:,} rows; there are "
            f"{len(names.columns)} columns of {names.engine.records:,} rows"
        )
    return names.columns[0], pa.string()


def _schema(found: UniqueSets, first: tuple[str, pa.DataType]) -> pa.Schema:
    figures = [("sets", pa.int64()), ("smallest", pa.int64())]
    texts = [("minimal_sets", pa.string()), ("matters_most", pa.string())]
    shares = [(f"share_{name}", pa.float64()) for name in found.columns]
    return pa.schema([first, *figures, *texts, *shares])


def _batches(found: UniqueSets, names: Table | None, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Sets are sorted by row once, then told apart row by row."""
    many = found.sets_of_each()
    ends = np.concatenate([[0], np.cumsum(many)])
    rows = np.concatenate([rows for _, rows in found.found] or [np.empty(0, np.int64)])
    which = np.repeat(np.arange(len(found.found)), [len(rows) for _, rows in found.found])
    which = which[np.argsort(rows, kind="stable")]
    smallest = found.smallest_of_each()
    texts = pa.array([BETWEEN_NAMES.join(view) for view, _ in found.found], pa.string())
    member = np.array([[c in view for c in found.columns] for view, _ in found.found], dtype=bool)
    labels = _names(found.records, names)
    for start in range(0, found.records, BATCH):
        part = slice(start, min(start + BATCH, found.records))
        at = ends[part.start : part.stop + 1]
        mine = which[at[0] : at[-1]]
        nobody = many[part] == 0
        held = _held(member.reshape(len(texts), len(found.columns))[mine], at - at[0])
        most = pa.array(np.argmax(held, axis=1), mask=nobody)
        shares = held / np.maximum(many[part], 1)[:, None]
        columns = [
            labels[part.start : part.stop],
            pa.array(many[part]),
            pa.array(smallest[part], mask=nobody),
            _joined(texts.take(pa.array(mine)), at - at[0], nobody),
            pa.array(found.columns, pa.string()).take(most),
            *(pa.array(shares[:, j], mask=nobody) for j in range(len(found.columns))),
        ]
        yield pa.RecordBatch.from_arrays(columns, schema=schema)


def _names(records: int, names: Table | None) -> pa.Array:
    if names is None:
        return pa.array(np.arange(1, records + 1))
    read = names.engine.texts_of_each(names.columns).read_all().column(0)
    return pa.concat_arrays(
        [c.dictionary_decode() if pa.types.is_dictionary(c.type) else c for c in read.chunks]
    )


def _held(member: Any, ends: Any) -> Any:
    """How many of each row's sets each attribute is in; a row's sets lie between two ends."""
    running = np.zeros((len(member) + 1, member.shape[1]), dtype=np.int64)
    np.cumsum(member, axis=0, out=running[1:])
    return running[ends[1:]] - running[ends[:-1]]


def _joined(texts: pa.Array, ends: Any, nobody: Any) -> pa.Array:
    import pyarrow.compute as pc

    listed = pa.ListArray.from_arrays(pa.array(ends.astype(np.int32)), texts)
    joined = pc.binary_join(listed, BETWEEN_SETS)
    return pc.if_else(pa.array(nobody), pa.scalar(None, pa.string()), joined)
