"""Packing: the codes of several columns become one whole number per record.

Mixed radix: key = ((c_1·K_2 + c_2)·K_3 + c_3)…, K_j the cardinality of column j, so different
tuples always have different keys. While Π K_j < 2^31 a key takes 32 bits, below 2^63 it takes
64; beyond that the keys so far are renumbered 0, 1, 2 … (no more numbers than records).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from reidrisk.cores import in_slices
from reidrisk.engines.coding import IN_CACHE
from reidrisk.engines.renumbering import dense

NARROW = 1 << 31
WIDE = 1 << 63


class Keys(NamedTuple):
    """One key per record, all below `span`."""

    keys: NDArray[Any]
    span: int


class Packable(Protocol):
    """A column of codes below its cardinality."""

    @property
    def codes(self) -> NDArray[Any]:
        """Each record's."""

    @property
    def cardinality(self) -> int:
        """How many codes there may be."""


def packed(columns: Sequence[Packable], records: int, threads: int = 1) -> Keys:
    """Pack the columns, smallest cardinality first."""
    ordered = sorted(columns, key=lambda column: column.cardinality)
    return packed_in_order(ordered, records, threads)


def packed_in_order(columns: Sequence[Packable], records: int, threads: int = 1) -> Keys:
    """Pack the columns as they come: keys are in the order of the first column's codes."""
    keys = Keys(np.zeros(records, dtype=np.int64), 1)
    batch: list[Packable] = []
    for column in columns:
        span = math.prod(other.cardinality for other in batch) * keys.span
        if batch and span * column.cardinality >= WIDE:
            keys = renumbered(_appended(keys, batch, threads))
            batch = []
        batch.append(column)
    return _appended(keys, batch, threads)


def _appended(keys: Keys, columns: Sequence[Packable], threads: int) -> Keys:
    """The same keys with more columns packed in; the product is known to fit."""
    span = keys.span * math.prod(column.cardinality for column in columns)
    wide: NDArray[Any] = np.empty(len(keys.keys), dtype=np.int32 if span < NARROW else np.int64)

    def append(part: slice) -> None:
        for start in range(part.start, part.stop, IN_CACHE):
            _append_block(wide, keys, columns, slice(start, min(start + IN_CACHE, part.stop)))

    in_slices(append, len(wide), threads)
    return Keys(wide, span)


def _append_block(
    wide: NDArray[Any], keys: Keys, columns: Sequence[Packable], block: slice
) -> None:
    wide[block] = keys.keys[block]
    pack_block(wide[block], columns, block)


def pack_block(keys: NDArray[Any], columns: Sequence[Packable], block: slice) -> None:
    """Pack more columns into the keys of a block of records; the product is known to fit."""
    for column in columns:
        if column.cardinality > 1:
            np.multiply(keys, column.cardinality, out=keys)
            # "same_kind" would refuse unsigned codes.
            np.add(keys, column.codes[block], out=keys, casting="unsafe")


def renumbered(keys: Keys) -> Keys:
    """The same partition of the records with keys 0, 1, 2 … in the order of the old ones."""
    return Keys(*dense(*keys))
