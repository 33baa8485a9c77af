"""Capped crowds: how many crowds there are of 1, 2, … people, the last for c or more.

One key a row, as in `engines.packing`. While keys are few a dense tally is fastest, else sorting
and comparing neighbours; sorting lets go of the interpreter, so other cores can count meanwhile.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.engines.packing import Keys
from reidrisk.engines.tallying import crowd_sizes

Whole = NDArray[np.int64]
# Keys for a dense tally: up to twice the rows, or few enough for a core's own cache.
SPARE, FEW = 2, 1 << 12
# From here on one count is worth several cores.
LONG = 2_000_000


class Runs(NamedTuple):
    """Rows in the order of their classes: the row at each place, and the class it is in."""

    rows: Whole
    classes: NDArray[Any]


def capped_crowds(keys: NDArray[Any], span: int, cap: int, threads: int = 1) -> tuple[int, ...]:
    """Crowds by size 0 (none), 1, … cap; the keys come out in another order."""
    if not len(keys):
        return (0,) * (cap + 1)
    if span <= max(SPARE * len(keys), FEW):
        return crowds_of_tally(np.bincount(keys, minlength=1), cap)
    if len(keys) >= LONG and threads > 1:
        found = crowd_sizes(Keys(keys, span), None, threads)
        sizes = np.minimum(found.sizes, cap)
        return tuple(int(found.crowds[sizes == size].sum()) for size in range(cap + 1))
    return crowds_of_keys(keys, cap)


def crowds_of_keys(keys: NDArray[Any], cap: int) -> tuple[int, ...]:
    """By sorting them in place."""
    keys.sort()
    return _of_sorted(keys, cap)


def crowds_of_tally(tally: NDArray[Any], cap: int) -> tuple[int, ...]:
    """The same from people per key."""
    if cap == 2:
        held, alone = int(np.count_nonzero(tally)), int(np.count_nonzero(tally == 1))
        return 0, alone, held - alone
    crowds = np.bincount(np.minimum(tally, cap), minlength=cap + 1)
    return 0, *crowds[1:].tolist()


def _of_sorted(ordered: NDArray[Any], cap: int) -> tuple[int, ...]:
    other = ordered[1:] != ordered[:-1]
    if cap == 2:
        held = int(np.count_nonzero(other)) + 1
        if held == 1:
            return (0, 1, 0) if len(ordered) == 1 else (0, 0, 1)
        between = int(np.count_nonzero(other[1:] & other[:-1]))
        alone = between + int(other[0]) + int(other[-1])
        return 0, alone, held - alone
    ends = np.append(np.flatnonzero(other) + 1, len(ordered))
    lengths = np.minimum(np.diff(ends, prepend=0), cap)
    return 0, *np.bincount(lengths, minlength=cap + 1)[1:].tolist()


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
    """The same classes numbered 0, 1, 2 … without gaps, and how many there are."""
    if span <= max(SPARE * len(classes), FEW):
        used = np.bincount(classes, minlength=1) > 0
        place = np.cumsum(used, dtype=np.int32) - np.int32(1)
        return place[classes], int(place[-1]) + 1
    rows, ordered = runs(classes, span)
    place = np.empty(len(rows), dtype=np.int32)
    numbers = _numbers(ordered)
    place[rows] = numbers
    return place, int(numbers[-1]) + 1


def _numbers(ordered: NDArray[Any]) -> NDArray[np.int32]:
    """0, 1, 2 … along classes in order."""
    changes = np.empty(len(ordered), dtype=bool)
    changes[0] = False
    np.not_equal(ordered[1:], ordered[:-1], out=changes[1:])
    return np.cumsum(changes, dtype=np.int32)


class Kept(NamedTuple):
    """What is left of rows for counting views between one (`keys`) and a finer one (`classes`)."""

    rows: Whole
    # The coarser view's keys of these rows, 0, 1, 2 …, and how many crowds they are.
    keys: NDArray[np.int32]
    span: int
    # Rows alone in the coarser view, and so in all: taken out, to be added again.
    alone: int
    # The finer view's crowds.
    capped: tuple[int, ...]


def kept(keys: NDArray[Any], span: int, tails: NDArray[Any], width: int, cap: int) -> Kept:
    """Each class of (key, tail) at most `cap` times, nobody who is alone by their key already."""
    if span * width >= 1 << 63:
        keys, span = dense(keys, span)
    rows, classes = runs(keys.astype(np.int64) * width + tails, span * width)
    capped = _of_sorted(classes, cap)
    stay = np.ones(len(rows), dtype=bool)
    # Classes in order: the one `cap` places before is the same where there are more.
    np.not_equal(classes[cap:], classes[:-cap], out=stay[cap:])
    rows, numbers = rows[stay], _numbers(classes[stay] // width)
    changes = np.flatnonzero(numbers[1:] != numbers[:-1]) + 1
    ends = np.append(changes, len(rows))
    single = np.diff(ends, prepend=0) == 1
    alone = int(np.count_nonzero(single))
    if alone:
        several = ~single[numbers]
        rows, numbers = rows[several], numbers[several]
        numbers = _numbers(numbers) if len(numbers) else numbers
    return Kept(rows, numbers, int(numbers[-1]) + 1 if len(numbers) else 1, alone, capped)
