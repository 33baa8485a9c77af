"""Leaving out: which records go, met in the order of the table.

The crowds that go are known by their label numbers. Packed into whole numbers (one word, or several
where the numbers don't fit) they are looked for in each batch; of a crowd that goes only in part,
its first records go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reidrisk.engines.packing import WIDE
from reidrisk.generalising.released import Released

Numbers = Sequence[NDArray[Any]]


class LeavingOut:
    """Who stays of a release."""

    def __init__(self, release: Released) -> None:
        self.release = release
        self._widths = release.tuples.cardinalities
        going = np.flatnonzero(release.go > 0)
        codes = [each[going] for each in release.tuples.codes]
        self._going = [np.unique(word) for word in self._words(codes)]
        tuples = zip(*(each.tolist() for each in codes), strict=True)
        # {tuple: how many of its people still have to go}.
        self._left = dict(zip(tuples, release.go[going].tolist(), strict=True))

    def stays(self, numbers: Numbers) -> NDArray[np.bool_]:
        """Which rows of a batch stay, given each column's label numbers."""
        stay = np.ones(len(numbers[0]), dtype=bool)
        if not self._left:
            return stay
        likely = np.ones(len(stay), dtype=bool)
        for word, going in zip(self._words(numbers), self._going, strict=True):
            likely &= np.isin(word, going)
        rows = np.flatnonzero(likely)
        tuples = zip(*(each[rows].tolist() for each in numbers), strict=True)
        for row, one in zip(rows.tolist(), tuples, strict=True):
            left = self._left.get(one, 0)
            if left:
                self._left[one] = left - 1
                stay[row] = False
        return stay

    def _words(self, numbers: Numbers) -> list[NDArray[np.int64]]:
        words: list[NDArray[np.int64]] = []
        span = WIDE
        for each, width in zip(numbers, self._widths, strict=True):
            if span * width >= WIDE:
                words.append(np.zeros(len(each), dtype=np.int64))
                span = 1
            words[-1] = words[-1] * width + each
            span *= width
        return words
