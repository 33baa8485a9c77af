"""Listing: every tuple that the counts leave possible, one attribute at a time.

A tuple is possible when each of its values is held by somebody and each of its pairs of values,
where the pair table is known, is too. Attributes are joined in turn, and a tuple's beginning is
dropped as soon as one of its pairs is empty, so that ten columns of one geography cost no more
than the finest of them.

Where it fails: the tuples may be too many; the list is then given up for None.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reidrisk.models.knowledge import Knowledge

Codes = NDArray[np.int32]

# Three seconds of fitting, and half a gigabyte.
MOST_TUPLES = 5_000_000
# Beginnings looked at before all are joined, and when their answer is clear enough to stop.
LOOKED_AT = 1000
CLEARLY = 1.5


def possible_tuples(knowledge: Knowledge, most: int = MOST_TUPLES) -> Codes | None:
    """The possible tuples, a row each, a column an attribute; None when they are more than `most`.

    Attributes joined early are those that leave the fewest tuples: dropping begins at once.
    """
    held = [np.flatnonzero(counts).astype(np.int32) for counts in knowledge.counts]
    order = sorted(range(len(held)), key=lambda place: len(held[place]))
    listed = np.empty((1, 0), dtype=np.int32)
    done: list[int] = []
    while order:
        place = order.pop(_next(knowledge, order, done))
        values = held[place]
        if _estimate(knowledge, listed, done, place, values) > CLEARLY * most:
            return None
        rows = max(1, most // max(len(values), 1))
        parts, total = [], 0
        for begin in range(0, len(listed), rows):
            part = _joined(knowledge, listed[begin : begin + rows], done, place, values)
            total += len(part)
            if total > most:
                return None
            parts.append(part)
        listed = np.concatenate([np.empty((0, len(done) + 1), dtype=np.int32), *parts])
        done.append(place)
    return listed[:, np.argsort(done)] if done else listed


def _next(knowledge: Knowledge, order: list[int], done: list[int]) -> int:
    """Where in `order` the attribute stands that adds fewest tuples to a beginning, on average."""

    def growth(place: int) -> float:
        least = float(np.count_nonzero(knowledge.counts[place]))
        for other in done:
            cells = knowledge.pair(other, place)
            if cells is not None:
                share = knowledge.counts[other] / max(knowledge.n, 1)
                least = min(least, float(np.dot(share, np.count_nonzero(cells > 0, axis=1))))
        return least

    return min(range(len(order)), key=lambda at: growth(order[at]))


def _estimate(
    knowledge: Knowledge, listed: Codes, done: list[int], place: int, values: Codes
) -> float:
    """How many tuples one more attribute makes, judged by every so many of the beginnings."""
    some = listed[:: max(1, len(listed) // LOOKED_AT)]
    each = len(_joined(knowledge, some, done, place, values)) / max(len(some), 1)
    return each * len(listed)


def _joined(
    knowledge: Knowledge, listed: Codes, done: list[int], place: int, values: Codes
) -> Codes:
    """Beginnings with each value of one more attribute, those with an empty pair left out."""
    possible = np.ones((len(listed), len(values)), dtype=bool)
    for column, other in enumerate(done):
        cells = knowledge.pair(other, place)
        if cells is not None:
            possible &= (cells[:, values] > 0)[listed[:, column]]
    row, value = np.nonzero(possible)
    return np.concatenate([listed[row], values[value][:, None]], axis=1)
