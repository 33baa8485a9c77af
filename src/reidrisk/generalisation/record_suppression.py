"""Record suppression: which records go, met in the order of the table; or which persons with all.

The crowds that go are known by their label numbers. Packed into whole numbers (one word, or several
where the numbers don't fit) they are looked for in each batch; of a crowd that goes only in part,
its first records go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reidrisk.generalisation.releases import Released
from reidrisk.records import WIDE, CodedPersons, CodedTuples

Numbers = Sequence[NDArray[Any]]


class RecordSuppression:
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


class PersonSuppression:
    """Whose rows stay, where a person has several: known once every row was met.

    Whoever goes goes with all rows; of a crowd that goes in part, those who come first in the
    table. Whoever stays gets a number from 1, drawn by the seed.
    """

    def __init__(self, release: Released, widths: Sequence[int], seed: int) -> None:
        self.release, self._widths, self._seed = release, widths, seed
        self._place_of: dict[str, int] = {}
        self._persons: list[NDArray[np.int64]] = []
        self._numbers: list[Numbers] = []
        self._drawn: NDArray[np.int64] = np.zeros(0, dtype=np.int64)

    def meet(self, numbers: Numbers, persons: NDArray[np.int64]) -> None:
        """Rows of a batch: each column's label numbers, and whose they are (`places`)."""
        each = zip(numbers, self._widths, strict=True)
        self._numbers.append([one.astype(np.min_scalar_type(width)) for one, width in each])
        self._persons.append(persons)

    def places(self, persons: Sequence[str | None]) -> NDArray[np.int64]:
        """A number for each person named, in the order in which they are met."""
        met = self._place_of
        return np.array([met.setdefault(str(each), len(met)) for each in persons], dtype=np.int64)

    def settle(self) -> None:
        """Everybody was met."""
        codes = [np.concatenate(column) for column in zip(*self._numbers, strict=True)]
        names = [str(place) for place in range(len(codes))]
        people = np.ones(len(self._place_of), dtype=np.int64)
        tuples = CodedTuples.of_codes(names, codes, self._widths)
        every = CodedPersons(tuples, np.concatenate(self._persons), people)
        # As the release numbers them: both by the same labels' numbers.
        numbers = every.numbered(range(len(codes))).numbers
        order = np.argsort(numbers, kind="stable")
        first = np.searchsorted(numbers[order], np.arange(len(self.release.go)))
        turn = np.arange(len(order)) - first[numbers[order]]
        stays = order[turn >= self.release.go[numbers[order]]]
        self._drawn = np.zeros(len(people), dtype=np.int64)
        # In the order of the table, so that whoever goes changes nothing but the range.
        drawn = np.random.default_rng([self._seed, len(stays)]).permutation(len(stays)) + 1
        self._drawn[np.sort(stays)] = drawn
        self._numbers.clear()

    def number_of(self, persons: NDArray[np.int64]) -> NDArray[np.int64]:
        """The new number of each row's person; 0 where they go."""
        return self._drawn[persons]
