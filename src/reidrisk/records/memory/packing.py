"""Packing: the codes of several columns become one whole number per record.

Mixed radix: key = ((c_1·K_2 + c_2)·K_3 + c_3)…, K_j the cardinality of column j, so different
tuples always have different keys. While Π K_j < 2^31 a key takes 32 bits, below 2^63 it takes
64; beyond that the keys so far are renumbered 0, 1, 2 … (no more numbers than records).

Renumbering: classes of rows given by any whole numbers become 0, 1, 2 … without gaps.

Tallying: from one key per record to crowd sizes.

A dense tally (bincount) while the span of the keys is not much larger than the table; otherwise
every core takes a range of keys, sorts it and reads off the run lengths.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Ints
from reidrisk.crowds import CrowdSizes, histogram
from reidrisk.machine import WORTH_SHARING, each, in_slices
from reidrisk.records.memory.coding import IN_CACHE, summed

# Keys for a dense tally: up to twice the rows, or few enough for a core's own cache.
SPARE, FEW = 2, 1 << 12


class Runs(NamedTuple):
    """Rows in the order of their classes: the row at each place, and the class it is in."""

    rows: Ints
    classes: NDArray[Any]


def runs(classes: NDArray[Any], span: int) -> Runs:
    """Rows brought into the order of their classes.

    Class and row go into one whole number while both fit, which sorts three times faster than
    sorting places.
    """
    bits = max(len(classes) - 1, 1).bit_length()
    if span << bits < 1 << 63:
        both = (classes.astype(np.int64) << bits) | np.arange(len(classes))
        both.sort()
        return Runs(both & ((1 << bits) - 1), both >> bits)
    order = np.argsort(classes, kind="stable")
    return Runs(order, classes[order])


def dense(classes: NDArray[Any], span: int) -> tuple[NDArray[np.int32], int]:
    """The same classes numbered 0, 1, 2 … without gaps, and how many there are; 1 of no rows."""
    if not len(classes):
        return np.zeros(0, dtype=np.int32), 1
    if span <= max(SPARE * len(classes), FEW):
        used = np.bincount(classes, minlength=1) > 0
        place = np.cumsum(used, dtype=np.int32) - np.int32(1)
        return place[classes], int(place[-1]) + 1
    rows, ordered = runs(classes, span)
    place = np.empty(len(rows), dtype=np.int32)
    numbers = numbered(ordered)
    place[rows] = numbers
    return place, int(numbers[-1]) + 1


def numbered(ordered: NDArray[Any]) -> NDArray[np.int32]:
    """0, 1, 2 … along classes in order."""
    changes = np.empty(len(ordered), dtype=bool)
    changes[0] = False
    np.not_equal(ordered[1:], ordered[:-1], out=changes[1:])
    return np.cumsum(changes, dtype=np.int32)


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


People = NDArray[np.int64] | None
SHORT_RUN = 4096


def crowd_sizes(keys: Keys, people: People = None, threads: int = 1) -> CrowdSizes:
    """The histogram of crowd sizes; `people` says how many people a record stands for."""
    if keys.span <= max(len(keys.keys), 1 << 16):
        return CrowdSizes.of(summed(keys.keys, keys.span, people))
    ranges = _key_ranges(keys, threads)
    parts = each(lambda bounds: _range_histogram(keys.keys, people, *bounds), ranges, threads)
    return CrowdSizes.merged(parts)


def people_per_key(
    keys: Keys, people: People = None, threads: int = 1
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The keys that somebody holds, rising, and how many people hold each."""

    def of_range(bounds: tuple[int, int]) -> tuple[NDArray[Any], NDArray[np.int64]]:
        ordered, starts, sizes = _runs(keys.keys, people, *bounds)
        held = sizes > 0
        return ordered[starts[held]], sizes[held]

    if keys.span <= max(SPARE * len(keys.keys), FEW):
        tally = summed(keys.keys, keys.span, people)
        found = np.flatnonzero(tally)
        return found, tally[found]
    parts = each(of_range, _key_ranges(keys, threads), threads)
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def crowd_of_each(keys: Keys, people: People = None) -> NDArray[np.int64]:
    """Each record's crowd size, in the order of the records."""
    if keys.span <= max(4 * len(keys.keys), 1 << 16):
        return np.asarray(summed(keys.keys, keys.span, people)[keys.keys])
    order = np.argsort(keys.keys)
    starts = _run_starts(keys.keys[order])
    sizes = _run_sizes(starts, len(order), None if people is None else people[order])
    crowd = np.empty(len(order), dtype=np.int64)
    crowd[order] = np.repeat(sizes, np.diff(starts, append=len(order)))
    return crowd


def _key_ranges(keys: Keys, threads: int) -> list[tuple[int, int]]:
    """Ranges [low, high) of keys that hold about the same number of records."""
    records = len(keys.keys)
    parts = threads if records >= WORTH_SHARING else 1
    seen = np.sort(keys.keys[:: max(1, records // 10_000)])
    cuts = sorted({int(seen[len(seen) * part // parts]) for part in range(1, parts)} - {0})
    bounds = [0, *cuts, WIDE]
    return list(pairwise(bounds))


def _range_histogram(
    keys: NDArray[Any], people: People, low: int, high: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if people is not None:
        return histogram(_runs(keys, people, low, high)[2])
    chosen = _between(keys, low, high)
    mine = keys.copy() if chosen is None else keys[chosen]
    mine.sort()
    return _run_histogram(mine)


def _runs(
    keys: NDArray[Any], people: People, low: int, high: int
) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]:
    """The keys of a range in order, where each begins, and how many people hold it."""
    chosen = _between(keys, low, high)
    mine = keys.copy() if chosen is None else keys[chosen]
    if people is None:
        mine.sort()
        starts = _run_starts(mine)
        return mine, starts, _run_sizes(starts, len(mine), None)
    order = np.argsort(mine)
    mine = mine[order]
    starts = _run_starts(mine)
    held = people if chosen is None else people[chosen]
    return mine, starts, _run_sizes(starts, len(mine), held[order])


def _run_histogram(ordered: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Run lengths and how often each occurs, block by block so that nothing leaves the cache."""
    short = np.zeros(SHORT_RUN + 1, dtype=np.int64)
    long: list[NDArray[np.int64]] = []
    began = 0
    for start in range(0, len(ordered), IN_CACHE):
        block = ordered[start : start + IN_CACHE + 1]
        ends = np.flatnonzero(block[1:] != block[:-1]) + (start + 1)
        if start + IN_CACHE >= len(ordered):
            ends = np.append(ends, len(ordered))
        if not len(ends):
            continue
        lengths = np.diff(ends, prepend=began)
        began = int(ends[-1])
        is_long = lengths > SHORT_RUN
        if is_long.any():
            long.append(lengths[is_long])
            lengths = lengths[~is_long]
        short += np.bincount(lengths, minlength=SHORT_RUN + 1)
    sizes = np.flatnonzero(short)
    rest = histogram(np.concatenate(long)) if long else (sizes[:0], sizes[:0])
    return np.concatenate([sizes, rest[0]]), np.concatenate([short[sizes], rest[1]])


def _between(keys: NDArray[Any], low: int, high: int) -> NDArray[np.bool_] | None:
    """Which keys lie in the range; None for all of them."""
    top = int(np.iinfo(keys.dtype).max)
    if low <= 0 and high > top:
        return None
    if low <= 0:
        return np.asarray(keys < high)
    if high > top:
        return np.asarray(keys >= low)
    return np.asarray((keys >= low) & (keys < high))


def _run_starts(ordered: NDArray[Any]) -> NDArray[np.int64]:
    if not len(ordered):
        return np.empty(0, dtype=np.int64)
    return np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))


def _run_sizes(starts: NDArray[np.int64], end: int, people: People) -> NDArray[np.int64]:
    if people is None:
        return np.diff(starts, append=end)
    return np.add.reduceat(people, starts) if len(starts) else starts
