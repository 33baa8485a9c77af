"""Levelled: a table, or tables drawn from statistics, with every level of every attribute."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from reidrisk.crowds import CrowdSizes
from reidrisk.engines.coded_persons import CodedPeople
from reidrisk.generalising.counting_releases import ReleaseCounting, counting_of
from reidrisk.generalising.hierarchies import Given, hierarchies_of, write_hole
from reidrisk.generalising.hierarchy import Hierarchy, HoleInHierarchy
from reidrisk.generalising.level_codes import LevelCodes, all_levels
from reidrisk.generalising.loss import Loss, loss_of
from reidrisk.generalising.released import Released, released
from reidrisk.generalising.releases import Levels, Releases
from reidrisk.generalising.target import Histogram, Target
from reidrisk.views.searchable import Searchable


@dataclass(frozen=True, eq=False)
class Levelled:
    """Columns in the user's order; `said` tells where their hierarchies come from."""

    asked: Searchable
    tables: tuple[CodedPeople, ...]
    hierarchies: Mapping[str, Hierarchy]
    levels: tuple[LevelCodes, ...]
    said: tuple[str, ...]

    @property
    def people(self) -> int:
        """How many each table holds."""
        return self.tables[0].total

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
        leavable = self.people if matters is None else matters - 1
        return loss_of(name, [each.counts(people) for each, people in held], self.people, leavable)

    def counting(self, matters: int | None) -> tuple[ReleaseCounting, ...]:
        """To be asked for crowds, told apart up to how many people it `matters`."""
        threads = self.asked.threads
        return tuple(counting_of(each, self.levels, matters, threads) for each in self.tables)

    def released(self, levels: Levels, target: Target) -> tuple[Released, ...]:
        """Every table as released, without those who have to be left out of it."""
        return tuple(
            whole.without(target.needed(histogram_of(whole.crowd_sizes)))
            for whole in self.whole(levels)
        )

    def whole(self, levels: Levels) -> tuple[Released, ...]:
        """Every table as released, nobody left out."""
        return tuple(released(each, self.levels, levels) for each in self.tables)

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
    return Levelled(asked, tables, hierarchies, levels, tuple(said))


def histogram_of(crowds: CrowdSizes) -> Histogram:
    """Whole, nothing left untold."""
    return Histogram(crowds.sizes, crowds.crowds.astype("int64"))
