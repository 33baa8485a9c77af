"""Counting releases by crowd and sensitive value: which crowds fail a limit on what is learnt.

As `release_counts`, with the sensitive values beside the keys: people who share a tuple and their
sensitive values are one, and crowds are read off the people of each (crowd, value). What is kept of
a release is its histogram, the crowds that fail counted beside all crowds of their size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reidrisk.arrays import Ints
from reidrisk.generalisation.learning_rule import histogram_of_judged
from reidrisk.generalisation.release_counts import PersonsCounting, ReleaseCounting
from reidrisk.generalisation.releases import (
    Levels,
    Released,
    at_levels,
    released,
    seen_at,
)
from reidrisk.generalisation.target import Histogram
from reidrisk.hierarchies import LevelCodes
from reidrisk.learning import JudgedCrowds, LearningLimits, SensitiveColumn, SensitiveRisk
from reidrisk.records import (
    CodedPeople,
    CodedTuples,
    Keys,
    Numbered,
    crowd_keys,
    number_of_each_person,
    renumbered,
)

Columns = tuple[SensitiveColumn, ...]


class LearningCounting(ReleaseCounting):
    """Where a row is a person, or several alike."""

    def __init__(
        self,
        people: CodedPeople,
        levels: Sequence[LevelCodes],
        columns: Columns,
        limits: LearningLimits,
        threads: int = 1,
    ) -> None:
        self._columns_learnt, self._limits = columns, limits
        super().__init__(people, levels, None, threads)

    def _begin(self, people: Any) -> None:
        self._keep(people, people)

    def _merge(self, finest: Levels) -> None:
        self._keep(self._tuples, at_levels(self._tuples, self.levels, finest))

    def _keep(self, tuples: CodedTuples, seen: CodedTuples) -> None:
        """One row for those who are seen alike and have the same sensitive values."""
        every = with_columns(seen, self._columns_learnt)
        rows, people = every.crowds(range(len(every.columns)))
        codes = tuple(each[rows] for each in tuples.codes)
        self._columns_learnt = tuple(each.taken(rows) for each in self._columns_learnt)
        self._tuples = tuples._replace(codes=codes, people=people)
        self._rows, self._weights = None, None if len(people) == self.people else people
        self._forget()

    def _counted(self, keys: Keys) -> Histogram:
        judged = self._limits.judged(self._columns_learnt, keys, self._weights, self._threads)
        return histogram_of_judged(judged)


class LearningPersonsCounting(PersonsCounting):
    """Where a person is several rows: their value is the set of values of their rows."""

    def __init__(
        self,
        people: CodedPeople,
        levels: Sequence[LevelCodes],
        columns: Columns,
        limits: LearningLimits,
        threads: int = 1,
    ) -> None:
        self._columns_learnt, self._limits = columns, limits
        super().__init__(people, levels, None, threads)

    def _merge(self, finest: Levels) -> None:
        seen = self._persons.seen(at_levels(self._tuples, self.levels, finest))
        alike = Keys(*seen.numbered(range(len(finest))))
        for column in self._columns_learnt:
            alike = renumbered(Keys(alike.keys * column.width + column.codes,
                                    alike.span * column.width))  # fmt: skip
        first = np.zeros(alike.span, dtype=np.int64)
        first[alike.keys[::-1]] = np.arange(len(alike.keys))[::-1]
        self._columns_learnt = tuple(each.taken(first) for each in self._columns_learnt)
        self._begin(self._persons.merged(Numbered(*alike)))

    def _counted(self, keys: Keys) -> Histogram:
        of, people = self._persons.person_of, self._persons.people
        numbers = Keys(*number_of_each_person(keys, of, len(people)))
        judged = self._limits.judged(self._columns_learnt, numbers, people, self._threads)
        return histogram_of_judged(judged)


def with_columns(tuples: CodedTuples, columns: Columns) -> CodedTuples:
    """The same rows with the codes of sensitive columns besides."""
    return CodedTuples.of_codes(
        (*tuples.columns, *(each.name for each in columns)),
        (*tuples.codes, *(each.codes for each in columns)),
        (*tuples.cardinalities, *(each.width for each in columns)),
        tuples.people,
    )


@dataclass(frozen=True, eq=False)
class LearntRelease:
    """A release and the sensitive values of the people in its crowds; `keys` number the crowds of
    those listed, in the order of the release's.
    """

    release: Released
    columns: Columns
    keys: Keys
    people: Ints | None

    @classmethod
    def of(
        cls, people: CodedPeople, levels: Sequence[LevelCodes], columns: Columns, chosen: Levels
    ) -> LearntRelease:
        """The release at these levels; nobody goes yet."""
        keys = crowd_keys(seen_at(people, levels, chosen), range(len(chosen)))
        return cls(released(people, levels, chosen), columns, keys, people.people)

    def judged(self, limits: LearningLimits) -> JudgedCrowds:
        """Its crowds, in their order."""
        return limits.judged(self.columns, self.keys, self.people)

    def risks(self, release: Released) -> dict[str, SensitiveRisk]:
        """What would be learnt of those who stay.

        Of a crowd that goes in part those go who have its first values, until a file says whose
        records come first.
        """
        found = {}
        for column in self.columns:
            counts = column.counted(self.keys, self.people)
            before = np.cumsum(counts.people) - counts.people
            before -= before[counts.starts][counts.crowd]
            gone = np.clip(release.go[counts.crowd] - before, 0, counts.people)
            held = counts.people > gone
            crowd = np.unique(counts.crowd[held], return_inverse=True)[1]
            left = replace(
                counts,
                crowd=crowd,
                value=counts.value[held],
                people=(counts.people - gone)[held],
                alike=np.ones(int(crowd.max(initial=-1)) + 1, dtype=np.int64),
            )
            found[column.name] = column.risk(left)
        return found

    def cells(self, release: Released) -> tuple[CodedTuples, Ints]:
        """Who stays by crowd and sensitive values: the crowd's number, the values' codes."""
        keys = self.keys.keys
        # A row that stands for nobody is in no crowd, whichever it is given.
        held = np.unique(keys if self.people is None else keys[self.people > 0])
        crowd = np.minimum(np.searchsorted(held, keys), len(held) - 1)
        tuples = CodedTuples.of_codes(("crowd",), (crowd,), (len(release.stay),), self.people)
        once, people = with_columns(tuples, self.columns).each_once()
        of = once.codes[0]
        starts = np.searchsorted(of, np.arange(len(release.stay)))
        before = np.cumsum(people) - people
        before -= before[starts][of]
        return once, people - np.clip(release.go[of] - before, 0, people)
