"""Counting releases: the crowds of any release of a table, each from as few rows as it needs.

- Where crowds of c people needn't be told apart any more (`target.Rule.matters`), each tuple is
  a row for each of its people but at most c rows, and rows are counted. Where whole histograms
  are needed (or c is large) and tuples repeat, each tuple is one row that weighs its people.
- Once all releases still in question are coarser than some release u, people who share a tuple of
  u are one (`narrow`): rows become fewer as a search proceeds.
- A release that shows one attribute more than the last one counted reuses its keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Ints
from reidrisk.crowds import CrowdSizes
from reidrisk.generalisation.releases import Levels, at_levels
from reidrisk.generalisation.target import Histogram
from reidrisk.hierarchies import LevelCodes
from reidrisk.records import (
    NARROW,
    WIDE,
    CodedPeople,
    CodedPersons,
    CodedTuples,
    Keys,
    crowd_sizes,
    dense,
    number_of_each_person,
    summed,
)
from reidrisk.searches import capped_crowds

# Tuples that stand for fewer people than this on average are counted faster as people.
WORTH_WEIGHING = 3
# Crowds are told apart up to this size, or all of them: a row for each person gains little then.
MOST_COPIES = 200

# One attribute at one level.
Shown = tuple[int, int]


class _Last(NamedTuple):
    """The keys of the attributes shown in the last release counted."""

    shown: tuple[Shown, ...]
    keys: Keys


class ReleaseCounting:
    """Histograms of one table's releases; each is counted once."""

    def __init__(
        self,
        people: CodedPeople,
        levels: Sequence[LevelCodes],
        matters: int | None = None,
        threads: int = 1,
    ) -> None:
        self.levels, self.people = levels, people.total
        self._cap = None if matters is None or matters > MOST_COPIES else max(matters, 2)
        self._threads = threads
        self._finest: Levels = (0,) * len(levels)
        self._known: dict[Levels, Histogram] = {}
        self._begin(people)

    def _begin(self, people: Any) -> None:
        self._take(*people.each_once())

    @property
    def counted(self) -> int:
        """How many releases were."""
        return len(self._known)

    def knows(self, levels: Levels) -> bool:
        """Whether a release was counted already."""
        return levels in self._known

    def width(self, attribute: int, level: int) -> int:
        """How many labels an attribute has at a level."""
        return self.levels[attribute].widths[level]

    def histogram(self, levels: Levels) -> Histogram:
        """The crowds of a release no finer than what was narrowed to."""
        if levels not in self._known:
            self._known[levels] = self._counted(self._keys(levels))
        return self._known[levels]

    def narrow(self, finest: Levels) -> None:
        """From now on only releases no finer than `finest` are asked for."""
        if any(now < before for now, before in zip(finest, self._finest, strict=True)):
            raise ValueError("what was taken together can't be told apart again")
        if finest != self._finest:
            self._finest = finest
            self._merge(finest)

    def _merge(self, finest: Levels) -> None:
        seen = at_levels(self._tuples, self.levels, finest)
        rows, people = seen.crowds(range(len(finest)))
        codes = tuple(codes[rows] for codes in self._tuples.codes)
        self._take(self._tuples._replace(codes=codes, people=people), people)

    def _take(self, tuples: CodedTuples, people: Ints) -> None:
        """Rows for these tuples; each may stand for others that are the same from here on."""
        self._tuples = tuples
        as_people = self._cap is not None or len(people) * WORTH_WEIGHING > self.people
        often = people if self._cap is None else np.minimum(people, self._cap)
        self._rows = np.repeat(np.arange(len(people)), often) if as_people else None
        self._weights = None if as_people else people
        self._forget()

    def _forget(self) -> None:
        """What was made of other rows."""
        self._columns: dict[Shown, NDArray[Any]] = {}
        self._last = _Last((), self._nothing())

    def _nothing(self) -> Keys:
        rows = len(self._tuples.codes[0]) if self._rows is None else len(self._rows)
        return Keys(np.zeros(rows, dtype=np.int32), 1)

    def _column(self, shown: Shown) -> NDArray[Any]:
        """Each row's label number of an attribute at a level."""
        if shown not in self._columns:
            attribute, level = shown
            codes = self.levels[attribute].codes[level]
            narrow = codes.astype(np.min_scalar_type(int(codes.max(initial=0))))
            column = narrow[self._tuples.codes[attribute]]
            self._columns[shown] = column if self._rows is None else column[self._rows]
        return self._columns[shown]

    def _keys(self, levels: Levels) -> Keys:
        """Widest attribute first, as searches grow them."""
        shown = self.in_order(levels)
        same = len(self._last.shown)
        keys = self._last.keys if shown[:same] == self._last.shown else self._nothing()
        for each in shown[same if shown[:same] == self._last.shown else 0 :]:
            keys = self._appended(keys, each)
        self._last = _Last(shown, keys)
        return keys

    def in_order(self, levels: Levels) -> tuple[Shown, ...]:
        """The attributes that are shown, the one with most labels first."""
        shown = [(j, level) for j, level in enumerate(levels) if self.width(j, level) > 1]
        return tuple(sorted(shown, key=lambda each: (-self.width(*each), each)))

    def _appended(self, keys: Keys, shown: Shown) -> Keys:
        width = self.width(*shown)
        if keys.span * width >= WIDE:
            keys = Keys(*dense(*keys))
        kind = np.int32 if keys.span * width < NARROW else np.int64
        packed = np.multiply(keys.keys, width, dtype=kind)
        np.add(packed, self._column(shown), out=packed, casting="unsafe")
        return Keys(packed, keys.span * width)

    def _counted(self, keys: Keys) -> Histogram:
        if self._cap is None:
            found = crowd_sizes(keys, self._weights, self._threads)
            return Histogram(found.sizes, np.asarray(found.crowds, dtype=np.int64))
        # Counting sorts in place, and the keys may be grown by one more attribute.
        capped = capped_crowds(keys.keys.copy(), keys.span, self._cap, self._threads)
        return Histogram(np.arange(1, self._cap), np.array(capped[1:-1]), capped[-1])


class PersonsCounting(ReleaseCounting):
    """The same where a person is several rows: crowds of people with the same multiset of labels.

    People who have the same rows are counted as one that stands for all of them.
    """

    def _begin(self, people: Any) -> None:
        self._persons: CodedPersons = people
        self._tuples, self._rows, self._weights = self._persons.tuples, None, None
        self._forget()

    def _merge(self, finest: Levels) -> None:
        seen = self._persons.seen(at_levels(self._tuples, self.levels, finest))
        self._begin(self._persons.merged(seen.numbered(range(len(finest)))))

    def _counted(self, keys: Keys) -> Histogram:
        of, people = self._persons.person_of, self._persons.people
        numbers, span = number_of_each_person(keys, of, len(people))
        found = CrowdSizes.of(summed(numbers, span, people))
        return Histogram(found.sizes, np.asarray(found.crowds, dtype=np.int64))
