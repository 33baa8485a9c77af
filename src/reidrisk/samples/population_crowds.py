"""Population crowds: how many people of the population share a cell, and its crowds of each size.

Symbols: f people of the sample are in a cell, F of the population; n sampled of N. Under a
calibrated law F − f is negative binomial (s + f, π) (`risk_integrals`); the laws are averaged, P̄.
For a cell of one person P(F = 1) = P is that of the estimate, and larger crowds keep their
proportions:

    P(F ≥ k) = (1 − P)·P̄(F ≥ k)/(1 − P̄(F = 1)),   k ≥ 2

Of a combination that nobody in the sample has, somebody of the population is known to have it: what
is met is 1 + a negative binomial (s + 1, π), as in `laws.conditioned`; if nothing is known of them,
F is negative binomial (s, π). Crowds of the population: with φ the fraction by which a cell was
sampled,

    N_m = Σ_k f_k/φ_k · P(F_k = m)/m.

Where it fails: sizes above 100 are grouped, those of cells of more than 30 sampled people are taken
for their mean: of no account to a risk, but not the tail of the histogram.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Floats, Ints, Places
from reidrisk.crowds import CrowdSizes
from reidrisk.samples.estimation import CalibratedLaw, Estimate
from reidrisk.samples.sampled_cells import CodesOfCells, SampledCells, summed_up

# Cells of f people are grouped into 2,000/f bins of nearly the same law, 100 at least; those of
# more people than this count as their mean.
MOST_PEOPLE, BINS, FEWEST_BINS = 30, 2_000, 100
SINGLE_SIZES, GROWTH = 100, 1.04


@dataclass(frozen=True, eq=False)
class CellCrowds:
    """F of some cells: `people` of each in the sample (`member`: one more is known to be there),
    ln π and s by law; P(F = 1) of each, where the estimate says it.
    """

    people: Ints
    log_pi: tuple[Floats, ...]
    shapes: tuple[float, ...]
    unique: Floats | None = None
    member: bool = False

    @classmethod
    def of_sample(cls, estimate: Estimate) -> CellCrowds:
        """Every cell of the sample."""
        laws = estimate.laws
        unique = np.full(estimate.sample.cells, np.nan)
        unique[estimate.sample.alone] = estimate.unique
        log_pi = tuple(law.log_pi for law in laws)
        return cls(estimate.sample.people, log_pi, _shapes(laws), unique)

    @classmethod
    def unseen(cls, estimate: Estimate, codes: CodesOfCells, member: bool) -> CellCrowds:
        """Combinations of the sample's values that nobody in it has."""
        nobody = np.zeros(len(codes), dtype=np.int64)
        sample = estimate.sample
        cells = SampledCells(
            sample.names, codes, nobody, sample.values, sample.ordered, sample.population
        )
        log_pi = tuple(law.log_pi for law in estimate.laws_of(cells))
        return cls(nobody, log_pi, _shapes(estimate.laws), None, member)

    def rows(self, chosen: Places) -> CellCrowds:
        """Some of the cells."""
        unique = None if self.unique is None else self.unique[chosen]
        log_pi = tuple(each[chosen] for each in self.log_pi)
        return CellCrowds(self.people[chosen], log_pi, self.shapes, unique, self.member)

    def at_least(self, size: int | Ints) -> Floats:
        """P(F ≥ size), of one size or of one for each cell."""
        return self._bare(size) * np.where(np.asarray(size) > 1, self._factor, 1.0)

    @property
    def mean(self) -> Floats:
        """E[F]."""
        own = self.people + float(self.member)
        each = [
            own + (shape + own) * np.expm1(-log_pi)
            for log_pi, shape in zip(self.log_pi, self.shapes, strict=True)
        ]
        bare = np.mean(each, axis=0)
        one = self._bare(1) - self._bare(2)
        return np.asarray(bare + (self._factor - 1.0) * (bare - one))

    @property
    def inverse(self) -> Floats:
        """E[1/F; F ≥ 1]."""
        found = np.empty(len(self.people))
        for at in range(len(found)):
            sizes, share = _spread(self.rows(np.array([at])), np.ones(1))
            found[at] = float((share / sizes).sum())
        return found

    def quantile(self, share: float, most: int) -> Ints:
        """The smallest m with P(F ≤ m) of at least `share`, of each cell; at most `most`."""
        low = np.maximum(self.people + int(self.member), 0) - 1
        high = np.full(len(low), most, dtype=np.int64)
        while np.any(high - low > 1):
            middle = (low + high) // 2
            enough = 1.0 - self.at_least(middle + 1) >= share
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        return high

    @property
    def _factor(self) -> Floats:
        """(1 − P)/(1 − P̄(F = 1)), 1 where the laws' own is taken."""
        if self.unique is None:
            return np.ones(len(self.people))
        more = np.maximum(self._bare(2), 1e-300)
        return np.where(np.isnan(self.unique), 1.0, (1.0 - self.unique) / more)

    def _bare(self, size: int | Ints) -> Floats:
        """P̄(F ≥ size)."""
        from scipy.special import betainc

        own = self.people + float(self.member)
        missing = np.maximum(size - own, 0.5)
        each = [
            betainc(missing, shape + own, -np.expm1(log_pi))
            for log_pi, shape in zip(self.log_pi, self.shapes, strict=True)
        ]
        return np.where(own >= size, 1.0, np.mean(each, axis=0))


def _shapes(laws: Sequence[CalibratedLaw]) -> tuple[float, ...]:
    return tuple(law.calibration.shape for law in laws)


def expected_crowds(estimate: Estimate) -> CrowdSizes:
    """E[N_m] of the population; counted where the sample is all of it."""
    sample = estimate.sample
    if sample.population == sample.n:
        return CrowdSizes.of(sample.people)
    stands_for = sample.people * sample.stands_for
    cells = CellCrowds.of_sample(estimate)
    sizes, people = [np.empty(0, dtype=np.int64)], [np.empty(0)]
    for part, weight in _alike(cells, stands_for):
        found, held = _spread(part, weight)
        sizes.append(found)
        people.append(held)
    large = np.flatnonzero(sample.people > MOST_PEOPLE)
    sizes.append(np.rint(cells.rows(large).mean).astype(np.int64))
    people.append(stands_for[large])
    distinct, place = np.unique(np.concatenate(sizes), return_inverse=True)
    held = summed_up(place.ravel(), np.concatenate(people), len(distinct))
    there = held > 0.0
    return CrowdSizes(distinct[there], held[there] / distinct[there], "expected")


def _alike(cells: CellCrowds, stands_for: Floats) -> Iterator[tuple[CellCrowds, Floats]]:
    """Cells of as many sampled people with nearly the same law, as one; whom they stand for."""
    for people in range(1, MOST_PEOPLE + 1):
        held = np.flatnonzero(cells.people == people)
        if not len(held):
            continue
        bins = max(BINS // people, FEWEST_BINS)
        held = held[np.argsort(np.sum(cells.log_pi, axis=0)[held], kind="stable")]
        starts = np.unique(np.linspace(0, len(held), bins, endpoint=False).astype(np.intp))
        weight = np.add.reduceat(stands_for[held], starts)

        group = _Group(held, starts, stands_for[held], weight)
        assert cells.unique is not None
        log_pi = tuple(group.mean(each) for each in cells.log_pi)
        alike = np.full(len(starts), people)
        yield CellCrowds(alike, log_pi, cells.shapes, group.mean(cells.unique)), weight


class _Group(NamedTuple):
    """Cells in order, where each bin of them begins, and their weights."""

    cells: Places
    starts: Places
    each: Floats
    whole: Floats

    def mean(self, values: Floats) -> Floats:
        """By bin."""
        return np.asarray(np.add.reduceat(values[self.cells] * self.each, self.starts) / self.whole)


def _spread(part: CellCrowds, weight: Floats) -> tuple[Ints, Floats]:
    """People by the size of their crowd."""
    sizes, people, begin = list[int](), list[float](), 1
    above = weight * part.at_least(1)
    while above.sum() > 1e-9 * weight.sum():
        end = begin + 1 if begin <= SINGLE_SIZES else int(begin * GROWTH) + 1
        rest = np.minimum(weight * part.at_least(end), above)
        sizes.append((begin + end - 1) // 2)
        people.append(float((above - rest).sum()))
        above, begin = rest, end
    return np.array(sizes, dtype=np.int64), np.array(people)
