"""Capped crowds: how many crowds there are of 1, 2, … people, the last for c or more.

One key a row, as in `engines.packing`. While keys are few a dense tally is fastest, else sorting
and comparing neighbours; sorting lets go of the interpreter, so other cores can count meanwhile.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.engines.packing import Keys
from reidrisk.engines.renumbering import FEW, SPARE, dense, numbered, runs
from reidrisk.engines.tallying import crowd_sizes

Whole = NDArray[np.int64]
# From here on one count is worth several cores.
LONG = 2_000_000


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
    rows, numbers = rows[stay], numbered(classes[stay] // width)
    changes = np.flatnonzero(numbers[1:] != numbers[:-1]) + 1
    ends = np.append(changes, len(rows))
    single = np.diff(ends, prepend=0) == 1
    alone = int(np.count_nonzero(single))
    if alone:
        several = ~single[numbers]
        rows, numbers = rows[several], numbers[several]
        numbers = numbered(numbers) if len(numbers) else numbers
    return Kept(rows, numbers, int(numbers[-1]) + 1 if len(numbers) else 1, alone, capped)
