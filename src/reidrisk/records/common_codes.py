"""Common codes: the same text has the same code in every table, so that combinations meet.

Each table was coded on its own; a column's codes become places in the list of all tables' texts
together. The empty cell stays the last code. Rows of all tables then lie one after the other, and
keys packed of all of them agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reidrisk.arrays import Ints
from reidrisk.records.coded_tuples import CodedTuples


class Stacked(NamedTuple):
    """The rows of all tables as one, and the table, from 0, that each row stands in."""

    tuples: CodedTuples
    table: NDArray[np.uint8]


def stacked(tables: Sequence[CodedTuples]) -> Stacked:
    """Rows one after the other, coded alike; the tables have the same columns."""
    columns = [
        recoded_alike(
            [each.values[place] for each in tables], [each.codes[place] for each in tables]
        )
        for place in range(len(tables[0].columns))
    ]
    tuples = CodedTuples.of_codes(
        tables[0].columns,
        [np.concatenate(codes) for codes, _ in columns],
        [len(values) + 1 for _, values in columns],
        _people(tables),
        [values for _, values in columns],
    )
    rows = [each.rows for each in tables]
    return Stacked(tuples, np.repeat(np.arange(len(rows), dtype=np.uint8), rows))


def recoded_alike(
    values: Sequence[pa.Array], codes: Sequence[NDArray[np.integer]]
) -> tuple[list[NDArray[np.integer]], pa.Array]:
    """Each table's codes of a column in terms of all their values, and these."""
    texts = [each.cast(pa.large_string()) for each in values]
    united = pa.concat_arrays(texts).dictionary_encode()
    places = united.indices.to_numpy(zero_copy_only=False)
    kind = np.min_scalar_type(len(united.dictionary))
    ends = np.cumsum([len(each) for each in texts])[:-1]
    code_of = (
        np.append(part, len(united.dictionary)).astype(kind) for part in np.split(places, ends)
    )
    found = [table[each] for table, each in zip(code_of, codes, strict=True)]
    return found, united.dictionary


def _people(tables: Sequence[CodedTuples]) -> Ints | None:
    if all(each.people is None for each in tables):
        return None
    parts = [
        np.ones(each.rows, dtype=np.int64) if each.people is None else each.people
        for each in tables
    ]
    return np.concatenate(parts)
