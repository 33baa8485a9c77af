"""How somebody wishes to publish: what was asked for, refused where it contradicts itself."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from reidrisk.errors import ContradictoryOptions, InputError, UnknownColumn
from reidrisk.machine import Progress, no_progress
from reidrisk.records import Table
from reidrisk.statistics import USUAL_LEAST, Statistics

LEAST_BASE = 3
LARGEST_EPSILON = 100
PAIRS = ("all", "strong", "none")
Place = str | os.PathLike[str]


def coarse_step(least: float) -> int:
    """The smallest of 1, 2, 5, 10, 20, 50 … that is no less."""
    power = 1
    while True:
        for step in (power, 2 * power, 5 * power):
            if step >= least:
                return step
        power *= 10


@dataclass(frozen=True)
class Wish:
    """How to publish; `refused` where it contradicts itself."""

    pairs: str = "all"
    strong: float = 0.5
    at_least: int = USUAL_LEAST
    exact: bool = False
    width: int | None = None
    epsilon: float | None = None
    unprotected: bool = False
    key_file: Place | None = None
    ledger: Place | None = None
    budget: float | None = None
    after: Statistics | Place | None = None
    population: int | None = None
    title: str = ""
    triples: bool = False
    household: tuple[str, ...] = ()
    progress: Progress = field(default=no_progress, compare=False)
    # How many people each stands for, by equal survey weights.
    weight: float | None = None

    @property
    def rounds(self) -> bool:
        """Whether numbers are rounded, for lack of another wish."""
        return not (self.exact or self.unprotected or self.epsilon is not None)

    def sample_of(self, records: int) -> int | None:
        """The population of a sample that is published as so many people.

        Beside a rounded number of people, what weights add up to would tell the exact one. So it is
        the weight times the rounded number, in steps of 1, 2 or 5 times a power of ten that are at
        least as many as the base's people stand for: a weight is often known, or the population.
        """
        if self.population is not None or self.weight is None:
            return self.population
        step = coarse_step(self.weight * self.at_least) if self.rounds else 1
        return max(round(self.weight * records / step), 1) * step

    def with_weights_of(self, table: Table) -> Wish:
        """The population is what equal survey weights add up to; weights that differ are refused:
        a file has counts of people, and they would be lost.
        """
        named = table.engine.options.weight
        if named is None:
            return self
        if self.epsilon is not None:
            raise ContradictoryOptions(
                f"--weight {named}: how many people each stands for would be read from the "
                "records, which --epsilon's bound doesn't cover",
                "give --population instead",
            )
        weight = table.engine.coded_rows(table.columns, "publishing with --weight").weight
        assert weight is not None
        if np.ptp(weight) > 0.0:
            raise ContradictoryOptions(
                f"--weight {named}: the weights differ, and statistics are counts of people, not "
                "weighted ones",
                "estimate the population from the records: reidrisk population; or leave --weight "
                "out",
            )
        return replace(self, weight=float(weight.sum()) / table.people)

    def refused(self, table: Table) -> None:
        """An error for what can't be done."""
        chosen = [
            name
            for name, is_wanted in (
                ("--exact", self.exact),
                ("--epsilon", self.epsilon is not None),
                ("--unprotected", self.unprotected),
            )
            if is_wanted
        ]
        if len(chosen) > 1:
            raise ContradictoryOptions(f"{' and '.join(chosen)}: a file has one protection")
        if table.engine.options.missing == "wildcard":
            raise ContradictoryOptions("--missing wildcard concerns matching, not counting")
        if self.pairs not in PAIRS:
            raise InputError(f"--pairs {self.pairs}: it is all, strong or none")
        if not 0.0 <= self.strong <= 1.0:
            raise InputError(f"--strong {self.strong}: a gain ratio lies between 0 and 1")
        self._refuse_triples(table)
        self._refuse_household(table)
        self._refuse_population(table.people)
        self._refuse_amounts()
        self._refuse_belonging_elsewhere()
        if self.epsilon is not None:
            self._refuse_chosen_by_records(table.engine.options.by_records)

    def _refuse_population(self, people: int) -> None:
        population = self.population
        if population is None and self.weight is not None:
            population = round(self.weight * people)
        if population is None:
            return
        if population < people:
            raise InputError(
                f"the table has {people:,} people, more than a population of {population:,}"
            )
        if self.rounds and population < people + self.at_least:
            raise InputError(
                f"the table has {people:,} people, nearly all of a population of {population:,}: "
                "written beside rounded numbers, that would tell how many they are",
                "leave --population and --weight out: the table is the population",
            )

    def _refuse_chosen_by_records(self, options: Sequence[str]) -> None:
        """One record more may change which columns are published, or every label of one."""
        if options:
            said = {"--columns": "which columns", "--decimal": "the decimal mark"}
            raise InputError(
                f"{' and '.join(said[each] for each in options)} would be chosen by looking at the "
                "records, which --epsilon's bound doesn't cover",
                f"give {' and '.join(options)}",
            )

    def _refuse_triples(self, table: Table) -> None:
        if not self.triples:
            return
        if self.exact:
            raise ContradictoryOptions(
                "--triples with --exact: the proof that a hidden count could be another number "
                "covers two-way tables; three-way ones beside them would break it",
                "use the default rounding, or --exact without --triples",
            )
        if self.epsilon is not None:
            raise ContradictoryOptions(
                "--triples with --epsilon: which three-way tables say most can only be chosen by "
                "looking at the records, and their many empty cells would take most of the noise",
                "use the default rounding, or --epsilon without --triples",
            )
        if self.pairs != "all":
            raise ContradictoryOptions("--triples needs all two-way tables: leave out --pairs")
        if len(table.columns) < 3:
            raise InputError("--triples: three-way tables need at least three columns")

    def _refuse_household(self, table: Table) -> None:
        if not self.household:
            return
        for name in self.household:
            if name not in table.columns:
                raise UnknownColumn(
                    f"--household: {name!r} isn't one of the columns published",
                    f"there are: {', '.join(table.columns)}",
                )
        if len(set(self.household)) < len(self.household):
            raise ContradictoryOptions("--household names a column twice")
        if len(self.household) < 3:
            raise InputError(
                "--household needs three columns or more: the two-way table of two says already "
                "who shares both",
                "name what members of a household share, as --household district,children,income",
            )
        if self.exact:
            raise ContradictoryOptions(
                "--household with --exact: the proof that a hidden count could be another number "
                "would have to leave these two numbers as they are, and doesn't",
                "use the default rounding, or --exact without --household",
            )
        if self.epsilon is not None:
            raise ContradictoryOptions(
                "--household with --epsilon: the budget is divided among attributes and two-way "
                "tables, and nothing of it is left for these two numbers",
                "use the default rounding, or --epsilon without --household",
            )
        if self.pairs != "all":
            raise ContradictoryOptions("--household needs all two-way tables: leave out --pairs")

    def _refuse_amounts(self) -> None:
        # Multiples of 2 tell most counts of one.
        least = 2 if self.exact else LEAST_BASE
        if self.at_least < least:
            raise InputError(
                f"--at-least is a whole number from {least}",
                "--unprotected writes every count as it is, for statistics that stay inside",
            )
        if self.width is not None and not 1 <= self.width <= 2:
            raise InputError(
                f"--width {self.width}: certificates have width 1 or 2",
                "a cell of width 2 has at least three possible numbers",
            )
        if self.width is not None and self.exact and self.width > self.at_least - 1:
            raise InputError(
                f"--width {self.width} can't be reached with --at-least {self.at_least}: a small "
                f"count would have to be one of {self.width + 1} numbers",
                f"use --at-least {self.width + 1} or more",
            )

        if self.epsilon is not None and self.epsilon > LARGEST_EPSILON:
            raise InputError(
                f"--epsilon {self.epsilon:g} promises nothing: odds may change by a factor of e^"
                f"{LARGEST_EPSILON} and more with it",
                "1 is a usual one, and beyond 10 the bound says little; for statistics that stay "
                "inside there is --unprotected",
            )

    def _refuse_belonging_elsewhere(self) -> None:
        if self.width is not None and not self.exact:
            raise ContradictoryOptions("--width belongs to --exact")
        if self.after is not None and self.unprotected:
            raise ContradictoryOptions("--after is for what is to be shared, not for --unprotected")
        if self.key_file is not None and not self.rounds:
            raise ContradictoryOptions("--key-file belongs to rounding, the default protection")
        if self.budget is not None and self.epsilon is not None and self.budget < self.epsilon:
            raise ContradictoryOptions(
                f"--budget {self.budget:g} is less than --epsilon {self.epsilon:g}"
            )
        noise = [name for name, given in (("--ledger", self.ledger), ("--budget", self.budget))
                 if given is not None]  # fmt: skip
        if noise and self.epsilon is None:
            raise ContradictoryOptions(f"{noise[0]} belongs to --epsilon")
        if self.epsilon is not None and self.pairs == "strong":
            raise ContradictoryOptions(
                "--pairs strong chooses by looking at the records, which --epsilon doesn't allow",
                "use --pairs all, or name fewer --columns",
            )
