"""Rows that differ: most records of a table share their counts with others, and need one answer.

Each row is hashed into a table of places; the last row to arrive holds the place, and every row
that is equal to the holder, all counts compared, takes its answer from there. A row whose place is
held by a different one answers for itself, so nothing rests on the hash and nothing is sorted: a
few passes over the rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Places = NDArray[np.intp]

# Odd 64-bit numbers with about as many ones as noughts: 2^64 over the golden ratio, and its powers.
GOLDEN = 0x9E3779B97F4A7C15


def different_rows(rows: Ints) -> tuple[Places, Places]:
    """(places of rows that answer, for each row the number of the one that answers for it)."""
    total, bits = len(rows), max(1, (2 * len(rows)).bit_length())
    everyone = np.arange(total)
    key = _mixed(rows) >> np.uint64(64 - bits)
    holder = np.empty(1 << bits, dtype=np.intp)
    holder[key] = everyone
    speaker = holder[key]
    theirs = np.take(rows, speaker, axis=0)
    alike = np.ones(total, dtype=bool)
    for column in range(rows.shape[1]):
        alike &= theirs[:, column] == rows[:, column]
    speaker = np.where(alike, speaker, everyone)
    chosen = np.flatnonzero(speaker == everyone)
    number = np.empty(total, dtype=np.intp)
    number[chosen] = np.arange(len(chosen))
    return chosen, number[speaker]


def _mixed(rows: Ints) -> NDArray[np.uint64]:
    key = np.zeros(len(rows), dtype=np.uint64)
    for column in range(rows.shape[1]):
        key ^= key >> np.uint64(29)
        key += rows[:, column].astype(np.uint64)
        key *= np.uint64(GOLDEN)
    return key
