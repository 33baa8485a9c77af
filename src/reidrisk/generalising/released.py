"""Released: a table's tuples at the levels chosen, without the people who are left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.crowds import CrowdSizes
from reidrisk.engines.coded_persons import CodedPeople, CodedPersons
from reidrisk.engines.coded_tuples import CodedTuples
from reidrisk.generalising.level_codes import LevelCodes
from reidrisk.generalising.releases import Levels

Whole = NDArray[np.int64]


class Released(NamedTuple):
    """The crowds of a release: label numbers of each, and the people who stay and who go.

    Where a person is several rows, a number stands for each multiset of them.
    """

    tuples: CodedTuples
    stay: Whole
    go: Whole

    @property
    def crowd_sizes(self) -> CrowdSizes:
        """Of those who stay."""
        return CrowdSizes.of(self.stay)

    @property
    def left_out(self) -> int:
        """How many people go."""
        return int(self.go.sum())

    def without(self, out: int) -> Released:
        """The same crowds; `out` people go, the smallest crowds first.

        Of crowds of one size those go first whose tuple comes first by its codes.
        """
        people = self.stay + self.go
        order = np.argsort(people, kind="stable")
        before = np.cumsum(people[order]) - people[order]
        go = np.zeros(len(people), dtype=np.int64)
        go[order] = np.clip(out - before, 0, people[order])
        return Released(self.tuples, people - go, go)

    def staying(self) -> CodedTuples:
        """The tuples that somebody still has."""
        kept = self.stay > 0
        codes = tuple(each[kept] for each in self.tuples.codes)
        return CodedTuples.of_codes(
            self.tuples.columns, codes, self.tuples.cardinalities, self.stay[kept]
        )


def released(people: CodedPeople, levels: Sequence[LevelCodes], chosen: Levels) -> Released:
    """The release at these levels; nobody goes yet."""
    if isinstance(people, CodedPersons):
        tuples, stay = people.seen(at_levels(people.tuples, levels, chosen)).each_once()
    else:
        tuples, stay = at_levels(people, levels, chosen).each_once()
    return Released(tuples, stay, np.zeros_like(stay))


def at_levels(tuples: CodedTuples, levels: Sequence[LevelCodes], chosen: Levels) -> CodedTuples:
    """The same rows with labels' numbers instead of codes."""
    each = list(zip(levels, chosen, tuples.codes, strict=True))
    return CodedTuples.of_codes(
        tuples.columns,
        [one.codes[level][codes] for one, level, codes in each],
        [one.widths[level] for one, level, _ in each],
        tuples.people,
    )
