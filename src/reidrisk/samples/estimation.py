"""Estimation: what a sample's people are in the population, cell by cell and in total.

Laws of density (`chain_law`, `latent_classes`, stacked with independence) are calibrated on the
cells that were seen, the stack and the chain each; the risks of the two are averaged. Where all
combinations can be listed, the total of the two-way tables (`pairs_total`) speaks too: people alone
in the population are the geometric mean of what the laws and it say. Where it says more than either
law it counts people whose values exclude each other, and the higher law takes its place.

Laws are a little too sure of single records, on every public table, so their log odds are
multiplied by .87 and shifted by one δ, so that the P(F = 1), each for the people it stands for, add
up to that. The factor is that of the smallest calibration error over samples of public tables
(docs/method/population.md). What is left of a person, 1 − P, is spread over larger crowds as the
laws would.

Symbols: f a cell's people in the sample, F in the population; P = P(F = 1 | f = 1), E = E[1/F | f];
τ1 = ΣP and τ2 = ΣE over sample uniques. D is the standard deviation of logit(τ1/f_1) over the
calibrated laws and T: where they disagree, little is known.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from reidrisk.arrays import Floats
from reidrisk.machine import Progress, no_progress
from reidrisk.samples.calibration import Calibration, calibrated
from reidrisk.samples.chain_law import ChainLaw
from reidrisk.samples.latent_classes import LatentClasses
from reidrisk.samples.pairs_total import can_be_listed, expit, logit, pairs_total, shifted_to
from reidrisk.samples.risk_integrals import log_kept, mean_of_inverse, nobody_else
from reidrisk.samples.sampled_cells import SampledCells
from reidrisk.samples.stack import Independence, stacked, stacked_with

# By which log odds are drawn towards each other; the total stays.
ODDS_FACTOR = 0.87
# The total of the two-way tables counts as this share of the laws' own at least: it may vanish.
LEAST_SHARE = 1e-3


@dataclass(frozen=True, eq=False)
class Densities:
    """The laws of density, and their weights in the stack."""

    chain: ChainLaw
    classes: LatentClasses
    independence: Independence
    weights: Floats

    def logs(self, cells: SampledCells) -> tuple[Floats, Floats]:
        """ln p of the stack and of the chain, each cell's own people left out."""
        laws = (self.chain, self.classes, self.independence)
        each = [law.log_left_out(cells) for law in laws]
        return stacked_with(each, self.weights), each[0]


@dataclass(frozen=True, eq=False)
class CalibratedLaw:
    """A density as risks: ln π of each cell (`risk_integrals`), and how it was calibrated."""

    log_pi: Floats
    calibration: Calibration

    def unique(self, sample: SampledCells) -> Floats:
        """P(F = 1 | f = 1) of the cells of one person."""
        one = sample.alone
        return nobody_else(self.log_pi[one], self.calibration.shape, sample.people[one])

    def inverse(self, sample: SampledCells) -> Floats:
        """E[1/F | f] of every cell."""
        return mean_of_inverse(self.log_pi, self.calibration.shape, sample.people)


@dataclass(frozen=True, eq=False)
class Estimate:
    """P of the cells of one person and E of all; the totals by each law; how the fits ended.

    Sums over people of the population are weighted by the people that each of the sample stands
    for.
    """

    sample: SampledCells
    unique: Floats
    inverse: Floats
    totals: Mapping[str, float]
    laws: tuple[CalibratedLaw, ...] = ()
    densities: Densities | None = None

    def laws_of(self, cells: SampledCells) -> tuple[CalibratedLaw, ...]:
        """The calibrated laws of other cells, such as nobody in the sample is in."""
        assert self.densities is not None
        population = float(self.sample.population)
        return tuple(
            _law_with(law.calibration, log_density, float(self.sample.n), population)
            for law, log_density in zip(self.laws, self.densities.logs(cells), strict=True)
        )

    @property
    def sample_alone(self) -> int:
        """f_1: people alone in the sample."""
        return len(self.unique)

    @property
    def tau1(self) -> float:
        """Expected sample uniques that are population unique."""
        return float(self.unique.sum())

    @property
    def tau2(self) -> float:
        """Σ 1/F over sample uniques: right guesses to be expected of one guess each."""
        return float(self.inverse[self.sample.alone].sum())

    @property
    def alone(self) -> float:
        """People alone in the population: Σ over sample uniques of P times whom they stand for."""
        return float(np.dot(self.unique, self.sample.stands_for[self.sample.alone]))

    @property
    def overall_risk(self) -> float:
        """Mean of 1/F over the people of the population."""
        people = self.sample.people * self.sample.stands_for
        return float(np.dot(people, self.inverse) / people.sum())

    @property
    def disagreement(self) -> float:
        """D; of less than half a person laws can't disagree."""
        if not self.sample_alone or len(self.totals) < 2:
            return 0.0
        half = 0.5 / (self.sample_alone + 1.0)
        shares = np.array(list(self.totals.values())) / self.sample_alone
        return float(np.std(logit(np.clip(shares, half, 1.0 - half))))

    @property
    def with_total(self) -> bool:
        """Whether the total of the two-way tables had a say."""
        return "pairs" in self.totals


def estimated(
    sample: SampledCells, rng: np.random.Generator, progress: Progress = no_progress
) -> Estimate:
    """What is to be expected of the population; exact where the sample is all of it."""
    if sample.population == sample.n:
        return Estimate(sample, np.ones(len(sample.alone)), 1.0 / sample.people, {})
    chain = ChainLaw.of(sample, rng, progress)
    classes, independence = LatentClasses.of(sample, rng, progress), Independence.of(sample)
    logs = [law.log_left_out(sample) for law in (chain, classes, independence)]
    both, weights = stacked(logs, sample.held)
    laws = (_calibrated(both, sample), _calibrated(logs[0], sample))
    by_law = [law.unique(sample) for law in laws]
    unique = np.mean(by_law, axis=0)
    totals = dict(zip(("stack", "chain"), (float(each.sum()) for each in by_law), strict=True))
    weight = sample.stands_for[sample.alone]
    alone = by_laws = float(np.dot(weight, unique))
    if by_laws > 0.0 and can_be_listed(sample):
        by_pairs = min(pairs_total(sample, progress), float(weight.sum()))
        totals["pairs"] = by_pairs * float(unique.sum()) / by_laws
        highest = by_laws * max(totals["stack"], totals["chain"]) / float(unique.sum())
        alone = math.sqrt(by_laws * np.clip(by_pairs, LEAST_SHARE * by_laws, highest))
    bare, unique = unique, less_sure(unique, alone, weight)
    inverse = np.mean([law.inverse(sample) for law in laws], axis=0)
    inverse[sample.alone] = _rescaled(inverse[sample.alone], bare, unique)
    densities = Densities(chain, classes, independence, weights)
    return Estimate(sample, unique, inverse, totals, laws, densities)


def _rescaled(inverse: Floats, bare: Floats, unique: Floats) -> Floats:
    """E[1/F], given that P(F = 1) is `unique`, not what the laws say."""
    larger = (inverse - bare) / np.maximum(1.0 - bare, 1e-12)
    return np.asarray(unique + (1.0 - unique) * np.clip(larger, 0.0, 0.5))


def _calibrated(log_density: Floats, sample: SampledCells) -> CalibratedLaw:
    """The sample's people of a cell number N·φ·Λ on average, φ its sampling fraction."""
    people = sample.population * sample.fraction
    found = calibrated(log_density + np.log(people), sample.people)
    return _law_with(found, log_density, people, sample.population)


def _law_with(
    calibration: Calibration, log_density: Floats, people: Floats | float, population: float
) -> CalibratedLaw:
    mean = calibration.mean(log_density + np.log(people))
    return CalibratedLaw(log_kept(mean, calibration.shape, people, population), calibration)


def less_sure(unique: Floats, total: float, weight: Floats) -> Floats:
    """Probabilities with log odds drawn towards each other; weighted, they add up to a total."""
    log_odds = ODDS_FACTOR * logit(unique)
    return expit(log_odds + shifted_to(log_odds, total, weight))
