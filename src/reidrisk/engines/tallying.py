"""Tallying: from one key per record to crowd sizes.

A dense tally (bincount) while the span of the keys is not much larger than the table; otherwise
every core takes a range of keys, sorts it and reads off the run lengths.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reidrisk.crowds.crowd_sizes import CrowdSizes, histogram
from reidrisk.engines.cores import WORTH_SHARING, each
from reidrisk.engines.packing import WIDE, Keys

People = NDArray[np.int64] | None


def crowd_sizes(keys: Keys, people: People = None, threads: int = 1) -> CrowdSizes:
    """The histogram of crowd sizes; `people` says how many people a record stands for."""
    if keys.span <= max(len(keys.keys), 1 << 16):
        return CrowdSizes.of(_dense_tally(keys, people))
    ranges = _key_ranges(keys, threads)
    parts = each(lambda bounds: _range_histogram(keys.keys, people, *bounds), ranges, threads)
    return CrowdSizes.merged(parts)


def crowd_of_each(keys: Keys, people: People = None) -> NDArray[np.int64]:
    """Each record's crowd size, in the order of the records."""
    if keys.span <= max(4 * len(keys.keys), 1 << 16):
        return np.asarray(_dense_tally(keys, people)[keys.keys])
    order = np.argsort(keys.keys)
    starts = _run_starts(keys.keys[order])
    sizes = _run_sizes(starts, len(order), None if people is None else people[order])
    crowd = np.empty(len(order), dtype=np.int64)
    crowd[order] = np.repeat(sizes, np.diff(starts, append=len(order)))
    return crowd


def _dense_tally(keys: Keys, people: People) -> NDArray[np.int64]:
    if people is None:
        return np.bincount(keys.keys, minlength=keys.span)
    # Not bincount's weights: they are floating point and lose whole numbers above 2^53.
    tally = np.zeros(keys.span, dtype=np.int64)
    np.add.at(tally, keys.keys, people)
    return tally


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
    chosen = _between(keys, low, high)
    mine = keys.copy() if chosen is None else keys[chosen]
    if people is None:
        mine.sort()
        starts = _run_starts(mine)
        return histogram(_run_sizes(starts, len(mine), None))
    order = np.argsort(mine)
    starts = _run_starts(mine[order])
    held = people if chosen is None else people[chosen]
    return histogram(_run_sizes(starts, len(mine), held[order]))


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
    if people is not None:
        return np.add.reduceat(people, starts) if len(starts) else starts
    return np.diff(starts, append=end)
