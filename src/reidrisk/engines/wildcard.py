"""Missing as wildcard: an empty cell matches anything.

Matching is not transitive, so there are no crowds. The number of records that record r matches is

    f_r = Σ over missing-patterns Q of the records of pattern Q that agree with r
          in the columns present in both

which takes one join per pair of patterns on distinct tuples, never one per pair of records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from reidrisk.engines.coding import CodedColumn, summed
from reidrisk.engines.contract import Progress, no_progress
from reidrisk.engines.packing import packed, renumbered

Whole = NDArray[np.int64]


def matches_of_each(
    columns: Sequence[CodedColumn],
    people: Whole | None,
    records: int,
    threads: int = 1,
    progress: Progress = no_progress,
) -> Whole:
    """f_r for each record, in the order of the records; itself included."""
    keys = renumbered(packed(columns, records, threads))
    first = np.empty(keys.span, dtype=np.int64)
    first[keys.keys[::-1]] = np.arange(records)[::-1]
    held = summed(keys.keys, keys.span, people)
    tuples = [replace(column, codes=column.codes[first]) for column in columns]
    return np.asarray(_matches(tuples, held, progress)[keys.keys])


def _matches(tuples: Sequence[CodedColumn], held: Whole, progress: Progress) -> Whole:
    """f for each distinct tuple: those alike in every cell, then one join per pair of patterns."""
    found = held.copy()
    patterns = _patterns(tuples)
    total = len(patterns) * (len(patterns) - 1) // 2
    done = 0
    for i, (missing, rows) in enumerate(patterns):
        for other_missing, other_rows in patterns[:i]:
            hidden = missing | other_missing
            common = [column for column, gone in zip(tuples, hidden, strict=True) if not gone]
            _join(common, held, found, rows, other_rows)
            done += 1
        progress("matching patterns of empty cells", done, total)
    return found


def _patterns(tuples: Sequence[CodedColumn]) -> list[tuple[NDArray[np.bool_], Whole]]:
    """The missing-patterns that occur, each with its distinct tuples."""
    gaps = np.stack([column.gaps for column in tuples], axis=1)
    kinds, kind_of = np.unique(gaps, axis=0, return_inverse=True)
    order = np.argsort(kind_of.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(kind_of.ravel(), minlength=len(kinds)))
    return list(zip(kinds, np.split(order, ends[:-1]), strict=True))


def _join(
    common: Sequence[CodedColumn], held: Whole, found: Whole, rows: Whole, others: Whole
) -> None:
    """Add to each side the people on the other side who agree in the common columns."""
    both = np.concatenate([rows, others])
    shared = [replace(column, codes=column.codes[both]) for column in common]
    keys = renumbered(packed(shared, len(both)))
    mine, theirs = keys.keys[: len(rows)], keys.keys[len(rows) :]
    found[rows] += summed(theirs, keys.span, held[others])[mine]
    found[others] += summed(mine, keys.span, held[rows])[theirs]
