"""Tallying: from one key per record to crowd sizes.

A dense tally (bincount) while the span of the keys is not much larger than the table; otherwise
every core takes a range of keys, sorts it and reads off the run lengths.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reidrisk.cores import WORTH_SHARING, each
from reidrisk.crowds.crowd_sizes import CrowdSizes, histogram
from reidrisk.engines.coding import IN_CACHE, summed
from reidrisk.engines.packing import WIDE, Keys

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
