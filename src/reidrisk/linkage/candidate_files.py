"""Files of candidates: of each released record, or of each claim made.

Candidates by record, how many values they differ in, and the chance that one guess among them is
right; or the register's record that is claimed, by its key. Private, as they are about people.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reidrisk.errors import InputError
from reidrisk.linkage.candidates import Candidates
from reidrisk.linkage.claims import Right
from reidrisk.output_files import table_kind, table_writer, whole_file
from reidrisk.records import Table


def write_risks(table: Table, found: Candidates, right: Right | None, target: Path) -> None:
    """Each released record's candidates."""
    number, _, differences = found.fewest
    columns: dict[str, NDArray[Any]] = {"candidates": number, "differences": differences}
    masks = {"differences": number == 0}
    if right is not None:
        columns["claim_probability"] = right.chance
    _write(table, columns, masks, target)


def write_matches(mine: Table, theirs: Table, found: Candidates, target: Path) -> None:
    """The register's record for each claim, by its key."""
    if theirs.engine.options.key is None:
        raise InputError(
            "--show-matches needs --register-key COL: by what are the register's people named?"
        )
    names = theirs.engine.crowd_of_each().read_all().column(0)
    number, rows, differences = found.fewest
    claimed = number == 1
    place = pa.array(rows, mask=~claimed)
    columns = {"match": names.take(place), "differences": pa.array(differences, mask=~claimed)}
    _write(mine, columns, {}, target)


def _write(
    table: Table, columns: Mapping[str, Any], masks: Mapping[str, NDArray[np.bool_]], target: Path
) -> None:
    batches = table.engine.crowd_of_each()
    added = {
        name: values
        if isinstance(values, (pa.Array, pa.ChunkedArray))
        else pa.array(values, mask=masks.get(name))
        for name, values in columns.items()
    }
    schema = pa.schema(
        [batches.schema[0], *(pa.field(name, values.type) for name, values in added.items())]
    )
    with (
        whole_file(target, private=True) as beside,
        table_writer(beside, table_kind(target), schema) as write,
    ):
        begin = 0
        for batch in batches:
            parts = [each.slice(begin, len(batch)) for each in added.values()]
            whole = [p.combine_chunks() if isinstance(p, pa.ChunkedArray) else p for p in parts]
            write(pa.RecordBatch.from_arrays([batch.column(0), *whole], schema=schema))
            begin += len(batch)
