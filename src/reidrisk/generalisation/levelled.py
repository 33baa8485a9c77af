"""Levelled: a table, or tables drawn from statistics, with every level of every attribute."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reidrisk.crowds import CrowdSizes
from reidrisk.generalisation.learning_rule import LearningRule, histogram_of_judged
from reidrisk.generalisation.learnt_counts import (
    Columns,
    LearningCounting,
    LearningPersonsCounting,
    LearntRelease,
)
from reidrisk.generalisation.loss import Loss, loss_of
from reidrisk.generalisation.release_counts import PersonsCounting, ReleaseCounting
from reidrisk.generalisation.releases import Levels, Released, Releases, released
from reidrisk.generalisation.target import Histogram, Target
from reidrisk.hierarchies import (
    Given,
    Hierarchy,
    HoleInHierarchy,
    LevelCodes,
    all_levels,
    hierarchies_of,
    write_hole,
)
from reidrisk.learning import SensitiveRisk
from reidrisk.records import CodedPeople, CodedPersons
from reidrisk.searches import Searchable


def counting_of(
    people: CodedPeople, levels: Sequence[LevelCodes], matters: int | None, threads: int
) -> ReleaseCounting:
    """As a row is a person, or persons have several."""
    kind = PersonsCounting if isinstance(people, CodedPersons) else ReleaseCounting
    return kind(people, levels, matters, threads)


def _kind(people: CodedPeople) -> type[LearningCounting] | type[LearningPersonsCounting]:
    return LearningPersonsCounting if isinstance(people, CodedPersons) else LearningCounting


@dataclass(frozen=True, eq=False)
class Levelled:
    """Columns in the user's order; `said` tells where their hierarchies come from."""

    asked: Searchable
    tables: tuple[CodedPeople, ...]
    hierarchies: Mapping[str, Hierarchy]
    levels: tuple[LevelCodes, ...]
    said: tuple[str, ...]
    # The sensitive columns of each table.
    learnt: tuple[Columns, ...] = ()

    @property
    def people(self) -> int:
        """How many each table holds."""
        return self.tables[0].total

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The names of the sensitive columns."""
        return tuple(each.name for each in self.learnt[0]) if self.learnt else ()

    @property
    def values(self) -> dict[str, list[str]]:
        """The values of each column that have names."""
        first = self.tables[0]
        return {n: v.to_pylist() for n, v in zip(first.columns, first.values, strict=True)}

    def releases(self, at_least: Mapping[str, int], at_most: Mapping[str, int]) -> Releases:
        """All that may be chosen from."""
        named = zip(self.asked.columns, self.levels, strict=True)
        return Releases.of({name: each.height for name, each in named}, at_least, at_most)

    def loss(self, name: str, target: Target) -> Loss:
        """What a release takes away, by the first table's counts."""
        held = zip(self.levels, self.tables[0].held, strict=True)
        matters = target.rule.matters(target.budget)
        # Of a learning target too, whose crowds go whatever their size.
        leavable = self.people if matters is None else matters - 1
        return loss_of(name, [each.counts(people) for each, people in held], self.people, leavable)

    def counting(self, matters: int | None, target: Target) -> tuple[ReleaseCounting, ...]:
        """To be asked for crowds, told apart up to how many people it `matters`."""
        threads, rule = self.asked.threads, target.rule
        if not isinstance(rule, LearningRule):
            return tuple(counting_of(each, self.levels, matters, threads) for each in self.tables)
        return tuple(
            _kind(each)(each, self.levels, columns, rule.limits, threads)
            for each, columns in zip(self.tables, self.learnt, strict=True)
        )

    def released(self, levels: Levels, target: Target) -> tuple[Released, ...]:
        """Every table as released, without those who have to be left out of it."""
        whole, rule = self.whole(levels), target.rule
        if not isinstance(rule, LearningRule):
            return tuple(
                each.without(target.needed(histogram_of(each.crowd_sizes))) for each in whole
            )
        judged = (each.judged(rule.limits) for each in self.learnt_at(levels))
        return tuple(
            each.leaving(rule.leaving(crowds, target.budget))
            for each, crowds in zip(whole, judged, strict=True)
        )

    def whole(self, levels: Levels) -> tuple[Released, ...]:
        """Every table as released, nobody left out."""
        return tuple(released(each, self.levels, levels) for each in self.tables)

    def learnt_at(self, levels: Levels) -> tuple[LearntRelease, ...]:
        """Every table's release with its sensitive values; none without sensitive columns."""
        if not self.sensitive:
            return ()
        return tuple(
            LearntRelease.of(each, self.levels, columns, levels)
            for each, columns in zip(self.tables, self.learnt, strict=True)
        )

    def risks(self, levels: Levels, of: Sequence[Released]) -> tuple[dict[str, SensitiveRisk], ...]:
        """What would be learnt of each sensitive column from these releases at the levels."""
        each = zip(self.learnt_at(levels), of, strict=False)
        return tuple(whole.risks(one) for whole, one in each)

    def needed(self, levels: Levels, target: Target) -> int:
        """How many have to be left out of a release, of the table where that is most."""
        rule = target.rule
        if isinstance(rule, LearningRule):
            held = [
                histogram_of_judged(each.judged(rule.limits)) for each in self.learnt_at(levels)
            ]
        else:
            held = [histogram_of(each.crowd_sizes) for each in self.whole(levels)]
        return max(map(target.needed, held))

    def labels(self, levels: Levels) -> dict[str, tuple[int, int]]:
        """How many values each column has as recorded, and labels as released."""
        each = zip(self.asked.columns, self.levels, levels, strict=True)
        return {name: (one.widths[0], one.widths[level]) for name, one, level in each}


def levelled(
    asked: Searchable,
    given: Given,
    there: tuple[str, ...],
    folder: str | os.PathLike[str] | None = None,
) -> Levelled:
    """With the hierarchies given, and proposed ones for the other columns.

    One that lacks values is written to the `folder`, where there is one, to be completed.
    """
    asked = asked.with_distances(given, there)
    places = [asked.names.index(name) for name in asked.columns]
    tables = tuple(each.of(places) for each in asked.tables)
    first = tables[0]
    values = {n: v.to_pylist() for n, v in zip(first.columns, first.values, strict=True)}
    widths = dict(zip(first.columns, first.cardinalities, strict=True))
    try:
        hierarchies, said = hierarchies_of(given, values, there)
    except HoleInHierarchy as hole:
        raise hole if folder is None else write_hole(hole, folder) from None
    levels = all_levels(hierarchies, values, widths)
    return Levelled(asked, tables, hierarchies, levels, tuple(said), asked.learnt)


def histogram_of(crowds: CrowdSizes) -> Histogram:
    """Whole, nothing left untold."""
    return Histogram(crowds.sizes, crowds.crowds.astype("int64"))
