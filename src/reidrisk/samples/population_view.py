"""A sample's columns seen as the population's: the crowds of everybody, and of one combination.

Where the records of a sample are at hand, `attack` and `person` answer for the population it was
drawn from by the laws that `population` uses (`estimation`, `population_crowds`): an attacker who
doesn't know who was sampled (journalist) meets these crowds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from reidrisk.crowds import CrowdSizes, Envelope
from reidrisk.errors import InputError
from reidrisk.laws import CrowdsOfTuples, Given
from reidrisk.machine import Progress, no_progress
from reidrisk.measurement import Entropy, TableRisk
from reidrisk.records import Table
from reidrisk.samples.estimation import Estimate, estimated
from reidrisk.samples.population_crowds import CellCrowds, expected_crowds
from reidrisk.samples.population_envelope import envelope_of, fit_of
from reidrisk.samples.population_error import learned
from reidrisk.samples.sampled_table import SampledTable, sampled_table

WHY = "The table is a sample, and its records are at hand."
# A person's crowd lies between these quantiles nine times in ten.
ENDS = (0.05, 0.95)


@dataclass(frozen=True, eq=False)
class PopulationView:
    """Some columns of a sample, estimated."""

    table: Table
    sampled: SampledTable
    estimate: Estimate
    seed: int

    @classmethod
    def of(
        cls,
        table: Table,
        columns: Sequence[str],
        population: int,
        seed: int = 0,
        progress: Progress = no_progress,
    ) -> PopulationView:
        """Fit the laws to these columns."""
        sampled = sampled_table(table, population, None, False, columns)
        found = estimated(sampled.cells, np.random.default_rng(seed), progress)
        return cls(table, sampled, found, seed)

    @property
    def crowds(self) -> CrowdSizes:
        """E[N_m] of the population."""
        return expected_crowds(self.estimate)

    def envelope(self, command: str) -> Envelope:
        """What the answer says of itself."""
        return envelope_of(command, self.table, self.estimate, self.seed, self.columns)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it is about."""
        return self.estimate.sample.names

    def risk(self, command: str, at_crowds: tuple[int, ...]) -> TableRisk:
        """The measures of the population's table."""
        crowds, figures = self.crowds, learned().figures(self.estimate)
        people = float(self.estimate.sample.population)
        low, high = figures["alone"].interval
        return TableRisk(
            self.envelope(command),
            crowds,
            Entropy(math.log2(people), None, None, crowds.table_entropy),
            at_crowds,
            fit=fit_of(self.estimate),
            why=WHY,
            intervals={
                "overall_risk": figures["overall_risk"].interval,
                "alone_share": (low / people, high / people),
            },
        )

    def crowd(
        self, values: Mapping[str, str | None], ks: Sequence[int], given: Given
    ) -> PopulationCrowd:
        """The crowd of one combination of values that the sample has."""
        estimate = self.estimate
        row = np.array([self._codes(values)], dtype=np.int32)
        at = np.flatnonzero((estimate.sample.codes == row).all(axis=1))
        if estimate.sample.population == estimate.sample.n:
            return _counted(int(estimate.sample.people[at].sum()), ks, given)
        if len(at):
            cell, risk = CellCrowds.of_sample(estimate).rows(at), estimate.inverse[at]
        else:
            cell = CellCrowds.unseen(estimate, row, given != "unknown")
            risk = cell.inverse
        at_least = np.stack([cell.at_least(k) for k in ks], axis=1)
        crowds = CrowdsOfTuples(given, tuple(ks), at_least, cell.mean, risk, 1.0 - cell.at_least(1))
        low, high = (int(cell.quantile(end, estimate.sample.population)[0]) for end in ENDS)
        return PopulationCrowd(crowds, (float(low), float(high)))

    def _codes(self, values: Mapping[str, str | None]) -> list[int]:
        codes = [
            held.get(values[name], -1)
            for name, held in zip(self.columns, self.sampled.places, strict=True)
        ]
        unknown = [name for name, code in zip(self.columns, codes, strict=True) if code < 0]
        if unknown:
            raise InputError(
                f"{', '.join(unknown)}: nobody in the sample has the value given, so the sample "
                "says nothing of how many in the population have it",
                "leave it out, or see it coarser: --bands, --levels",
            )
        return codes


class PopulationCrowd(NamedTuple):
    """The crowd of one combination in the population, and the ends it lies between nine times in
    ten.
    """

    crowds: CrowdsOfTuples
    ends: tuple[float, float]


def _counted(people: int, ks: Sequence[int], given: Given) -> PopulationCrowd:
    """Where the sample is all of the population."""
    at_least = np.array([[float(people >= k) for k in ks]])
    figures = (np.array([each]) for each in (float(people), 1.0 / max(people, 1), people == 0))
    return PopulationCrowd(
        CrowdsOfTuples(given, tuple(ks), at_least, *figures), (float(people), float(people))
    )
