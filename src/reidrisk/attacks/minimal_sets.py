"""Minimal unique sets: the attributes that suffice to be alone, and none of which can be spared.

A record is alone under a set S of attributes if nobody shares its values of S. Being alone is
passed on to every larger set, so S is minimal for a record if it is alone under S and under no S −
{i}. Going up by size, the records that some S − {i} already tells apart are left out: nobody
shares their values of S either, so the others' crowds don't change, and whoever is alone among the
rest has S as a minimal set. One sort of (key << bits | row) says who that is; or a tally, where
keys are few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from reidrisk.attacks.tuples import Whole
from reidrisk.cores import WORTH_SHARING, each
from reidrisk.engines.codes_engine import CodesEngine
from reidrisk.engines.coding import CodedColumn
from reidrisk.engines.contract import Progress, no_progress
from reidrisk.engines.packing import Keys, packed
from reidrisk.engines.wildcard import matches_of_each

Places = tuple[int, ...]
Bits = NDArray[np.uint8]
Alone = Callable[[Sequence[CodedColumn], Whole | None], Whole]
WORK = "looking for unique sets"


def minimal_sets(
    engine: CodesEngine, columns: Sequence[str], up_to: int, progress: Progress = no_progress
) -> Iterator[tuple[Places, Whole]]:
    """(columns' places, rows from 0 that are alone), sets by size, only those somebody has."""
    chosen = [engine.coded[name] for name in columns]
    alone = _alone_with_gaps(engine) if _has_gaps(engine, chosen) else _alone(engine)
    known: dict[Places, Bits] = {(): np.zeros((engine.records + 7) // 8, dtype=np.uint8)}
    done, total = [0], sum(1 for k in range(up_to) for _ in combinations(chosen, k + 1))
    threads = engine.threads if engine.records >= WORTH_SHARING else 1
    for size in range(1, up_to + 1):

        def look(places: Places, before: dict[Places, Bits] = known) -> tuple[Whole, Bits]:
            told = [before[smaller] for smaller in combinations(places, len(places) - 1)]
            already = np.bitwise_or.reduce(told)
            rows = alone([chosen[place] for place in places], _open_rows(already, engine.records))
            done[0] += 1
            progress(WORK, done[0], total)
            return rows, already | _bits(rows, engine.records)

        views = list(combinations(range(len(chosen)), size))
        found = each(look, views, threads)
        known = {view: bits for view, (_, bits) in zip(views, found, strict=True)}
        yield from ((view, rows) for view, (rows, _) in zip(views, found, strict=True) if len(rows))


def _open_rows(already: Bits, records: int) -> Whole | None:
    """The rows that no smaller set tells apart; None for all."""
    if not already.any():
        return None
    return np.flatnonzero(np.unpackbits(already, count=records) == 0)


def _bits(rows: Whole, records: int) -> Bits:
    marked = np.zeros(records, dtype=bool)
    marked[rows] = True
    return np.packbits(marked)


def _alone(engine: CodesEngine) -> Alone:
    """Who is alone among some rows. A row of several people is counted twice, one of nobody not."""
    everybody, several = None, None
    if engine.count is not None:
        everybody = np.flatnonzero(engine.count > 0)
        several = engine.count > 1

    def alone(columns: Sequence[CodedColumn], rows: Whole | None) -> Whole:
        if everybody is not None and several is not None:
            rows = everybody if rows is None else rows[np.asarray(engine.count)[rows] > 0]
            rows = np.concatenate([rows, rows[several[rows]]])
        if rows is not None:
            columns = [replace(column, codes=column.codes[rows]) for column in columns]
        found = _once(packed(columns, len(columns[0].codes)))
        return found if rows is None else rows[found]

    return alone


def _once(keys: Keys) -> Whole:
    """Where the keys stand that occur once, rising."""
    count = len(keys.keys)
    if keys.span <= 2 * count:
        return np.flatnonzero(np.bincount(keys.keys, minlength=keys.span)[keys.keys] == 1)
    bits = max(count - 1, 1).bit_length()
    if (keys.span - 1).bit_length() + bits > 63:
        order = np.argsort(keys.keys)
        ordered = keys.keys[order]
    else:
        # Sorting numbers with their row in the low bits is far faster than sorting places.
        both = keys.keys.astype(np.int64)
        both <<= bits
        both |= np.arange(count)
        both.sort()
        order, ordered = both & ((1 << bits) - 1), both >> bits
    differs = np.empty(count + 1, dtype=bool)
    differs[0] = differs[-1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=differs[1:-1])
    found = order[differs[1:] & differs[:-1]]
    found.sort()
    return found


def _has_gaps(engine: CodesEngine, columns: Sequence[CodedColumn]) -> bool:
    return engine.seeing.missing == "wildcard" and any(column.has_missing for column in columns)


def _alone_with_gaps(engine: CodesEngine) -> Alone:
    """The same where an empty cell matches anything: alone is who matches nobody else."""

    def alone(columns: Sequence[CodedColumn], rows: Whole | None) -> Whole:
        matches = matches_of_each(columns, engine.count, engine.records, 1)
        is_alone = matches == 1 if engine.count is None else (matches == 1) & (engine.count == 1)
        if rows is not None:
            open_ = np.zeros(engine.records, dtype=bool)
            open_[rows] = True
            is_alone &= open_
        return np.flatnonzero(is_alone)

    return alone
