"""Matching: for each target's known values, who agrees with them on most attributes.

Agreement of a tuple r with values y is A(r, y) = #{j : r_j = y_j}, over the attributes known. The
candidates for y are the people of the tuples with the largest A. Values that some tuple has
altogether are found by packed keys, in one sort; the others are compared with every tuple, column
by column, a block of tuples at a time so that nothing leaves the cache: d bytes a tuple and
target.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.attacks.tuples import Tuples, Whole
from reidrisk.cores import each
from reidrisk.engines.contract import Progress, no_progress
from reidrisk.engines.packing import packed

Known = NDArray[np.bool_]
Values = Sequence[NDArray[Any]]
# Tuples compared at once; targets whose progress is told at once.
BLOCK = 1 << 18
TURN = 64
# Below this many tuples numpy's calls are too short to share.
WORTH_SHARING = 1 << 15
WORK = "matching targets"


class Candidates(NamedTuple):
    """For each target: the largest agreement, and how many people agree on so many."""

    agreement: Whole
    people: Whole


def candidates(
    tuples: Tuples,
    values: Values,
    known: Known | None = None,
    threads: int = 1,
    progress: Progress = no_progress,
) -> Candidates:
    """The candidates for each target's `values` (one array a column).

    `known` has a row a target, a column an attribute; all are known without it.
    """
    targets = len(values[0])
    agreement = np.zeros(targets, dtype=np.int64)
    people = np.zeros(targets, dtype=np.int64)
    if known is None:
        people = _exact(tuples, values)
        agreement[people > 0] = len(tuples.columns)
    left = np.flatnonzero(people == 0)
    turns = [left[start : start + TURN] for start in range(0, len(left), TURN)]
    done = [0]

    def compare(turn: Whole) -> None:
        for target in turn:
            wanted = [
                (j, mine[target])
                for j, mine in enumerate(values)
                if known is None or known[target, j]
            ]
            agreement[target], people[target] = _compared(tuples, wanted)
        done[0] += len(turn)
        progress(WORK, done[0], len(left))

    each(compare, turns, threads if len(tuples) >= WORTH_SHARING else 1)
    return Candidates(agreement, people)


def _exact(tuples: Tuples, values: Values) -> Whole:
    """How many people have all the values; 0 where nobody has."""
    columns = [
        replace(column, codes=np.concatenate([column.codes, mine.astype(column.codes.dtype)]))
        for column, mine in zip(tuples.columns, values, strict=True)
    ]
    keys = packed(columns, len(columns[0].codes)).keys
    theirs, mine = keys[: len(tuples)], keys[len(tuples) :]
    order = np.argsort(theirs)
    place = np.searchsorted(theirs, mine, sorter=order)
    found = order[np.minimum(place, len(order) - 1)]
    return np.where(theirs[found] == mine, tuples.people[found], 0)


def _compared(tuples: Tuples, wanted: Sequence[tuple[int, Any]]) -> tuple[int, int]:
    """(largest agreement, people who agree on so many) of one target, block by block."""
    most, people = 0, 0
    for start in range(0, len(tuples), BLOCK):
        block = slice(start, start + BLOCK)
        kind = np.uint8 if len(wanted) <= 0xFF else np.uint16
        agreement = np.zeros(len(tuples.people[block]), dtype=kind)
        same = np.empty(len(agreement), dtype=bool)
        for column, value in wanted:
            np.equal(tuples.columns[column].codes[block], value, out=same)
            np.add(agreement, same.view(np.uint8), out=agreement)
        here = int(agreement.max())
        if here < most:
            continue
        chosen = agreement == here
        held = np.count_nonzero(chosen) if tuples.each_alone else tuples.people[block][chosen].sum()
        people = int(held) + (people if here == most else 0)
        most = here
    return most, people
