"""Lots: records drawn so that every engine draws the same ones.

A record's lot is the MD5 of the seed, its place among the records of its tuple, and its tuple
(`questions.lot_of`); the records of the lowest lots are drawn. The order in which records lie
doesn't matter, so a file, a database and a cluster agree.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from reidrisk.engines.coding import CodedColumn, summed
from reidrisk.engines.packing import Keys, renumbered
from reidrisk.engines.questions import key_of, lot_of


def drawn(columns: Sequence[CodedColumn], keys: Keys, size: int, seed: int) -> pa.Table:
    """The texts of `size` records, by their lots; all records where there are fewer."""
    tuples = renumbered(keys)
    first = np.zeros(tuples.span, dtype=np.int64)
    first[tuples.keys] = np.arange(len(tuples.keys))
    held = summed(tuples.keys, tuples.span, None)
    once = [replace(column, codes=column.codes[first]).text_of_each() for column in columns]
    texts = list(zip(*(column.to_pylist() for column in once), strict=True))

    def lots() -> Iterator[tuple[str, int]]:
        for place, (values, rows) in enumerate(zip(texts, held.tolist(), strict=True)):
            key = key_of(values)
            yield from ((lot_of(seed, copy, key), place) for copy in range(1, rows + 1))

    places = pa.array([place for _, place in heapq.nsmallest(size, lots())], pa.int64())
    return pa.table(
        {column.name: text.take(places) for column, text in zip(columns, once, strict=True)}
    )
