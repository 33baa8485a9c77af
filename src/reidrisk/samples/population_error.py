"""Population error: intervals that hold the sample's chance and the models' error together.

Symbols: P the probabilities of sample uniques to be population unique, x = logit P; n sampled of N,
f_1 of them alone; D the disagreement of the laws (`Estimate.disagreement`). On the scale of log
odds

    σ² = a₀² + a₁² ln²(N/n) + a₂² D² + a₃²/(n − f_1 + 1) + 1/ΣP(1 − P),

the last part the chance of who is unique, the others the error of the models, learned from samples
of public tables whose population is known. The interval of τ1 is

    [⌊Σ expit(x − kσ)⌋, ⌈Σ expit(x + kσ)⌉],

k by whether the total of the two-way tables had a say. The other figures are held on the
logarithmic scale, each with a and k of its own: estimate · exp(± k·√((σ·r)² + .02²)), r = 1 −
τ1/f_1 for τ2 and people alone, 1 − overall risk for the overall risk. Chance, a₄²/ΣP(1 − P), is a
smaller part of these. All are in `population_error.json`, with how often the intervals of tables
left out of the fit held the truth. With survey weights the models' part of σ is w times as large,
as learned from samples by strata. Of smaller samples than 0.3 % of the population nothing was
learned: every k grows as ln(N/n) does beyond that.

The highest risk is 1/(smallest crowd among the sample's people). With h(m) the expected number of
crowds of at most m, the smallest exceeds m with probability e^(−h(m)); its median is the figure,
its 5 % and 95 % quantiles, with h times e^(± kσ), are the ends.

Where it fails: on a table unlike those it was learned from; with survey weights whose strata are no
columns of the sample; where people of one household share columns.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Floats
from reidrisk.samples.estimation import Estimate
from reidrisk.samples.pairs_total import expit, logit

LEAST_SPREAD = 0.02
# The smallest share of a population whose samples were learned from.
SMALLEST_FRACTION = 0.003
CONFIDENCE = 0.9
# Of nobody alone in the sample, at most this many are expected with a probability of 95 %.
RULE_OF_THREE = -math.log(0.05)
# Crowds looked at for the smallest of all, the riskiest first.
MOST_CROWDS = 20_000
Interval = tuple[float, float]


class Figure(NamedTuple):
    """A figure and its 90 % interval."""

    value: float
    interval: Interval

    def to_dict(self) -> dict[str, object]:
        """As in JSON."""
        return {"value": self.value, "interval": list(self.interval)}


@dataclass(frozen=True)
class Learned:
    """The constants: a₀ … a₃ of τ1 and a₀ … a₄ of the others, k by figure, and w."""

    scale: tuple[float, ...]
    widths: Mapping[str, float]
    log_scales: Mapping[str, tuple[float, ...]]
    wider_by_weight: float = 1.0

    def sigma(self, estimate: Estimate) -> float:
        """σ of τ1."""
        model = self.model_variance(signs_of(estimate)) * self._wider(estimate)
        return math.sqrt(model + chance_of(estimate))

    def model_variance(self, signs: Signs) -> float:
        """σ² of τ1 without the chance of who is unique."""
        return _summed(self.scale, signs)

    def log_spread(
        self, name: str, signs: Signs, chance: float, rest: float, wider: float = 1.0
    ) -> float:
        """√((σ·r)² + .02²) of another figure."""
        scale = self.log_scales[name]
        variance = wider * _summed(scale[:4], signs) + scale[4] ** 2 * chance
        return math.hypot(math.sqrt(variance) * rest, LEAST_SPREAD)

    def _wider(self, estimate: Estimate) -> float:
        return 1.0 if estimate.sample.weight is None else self.wider_by_weight**2

    def width(self, estimate: Estimate) -> float:
        """k of τ1."""
        name = "tau1" if estimate.with_total else "tau1_without_pairs"
        return self.widths[name] * beyond_learned(estimate)

    def figures(self, estimate: Estimate) -> dict[str, Figure]:
        """Every figure; where the sample is all of the population they are counted."""
        if estimate.sample.population == estimate.sample.n:
            return counted_figures(estimate)
        return {
            "tau1": self.tau1(estimate),
            "uniques_share": self.share(estimate),
            "tau2": self.tau2(estimate),
            "alone": self.alone(estimate),
            "overall_risk": self.overall_risk(estimate),
            "highest_risk": self.highest_risk(estimate),
        }

    def tau1(self, estimate: Estimate) -> Figure:
        """Sample uniques that are population unique."""
        spread = self.width(estimate) * self.sigma(estimate)
        odds = logit(estimate.unique)
        low, high = (float(expit(odds + way * spread).sum()) for way in (-1.0, 1.0))
        ends = math.floor(low + 1e-9), min(math.ceil(high - 1e-9), estimate.sample_alone)
        return Figure(estimate.tau1, (float(ends[0]), float(ends[1])))

    def share(self, estimate: Estimate) -> Figure:
        """τ1 as a share of the sample uniques."""
        found, alone = self.tau1(estimate), max(estimate.sample_alone, 1)
        low, high = found.interval
        return Figure(found.value / alone, (low / alone, high / alone))

    def tau2(self, estimate: Estimate) -> Figure:
        """Right guesses among sample uniques; never fewer than those that can't be wrong."""
        low, high = self._on_log_scale("tau2", estimate, estimate.tau2, _rest(estimate))
        return Figure(estimate.tau2, (low, min(high, float(estimate.sample_alone))))

    def alone(self, estimate: Estimate) -> Figure:
        """People alone in the population; more may be, where the sample met none of them."""
        low, high = self._on_log_scale("alone", estimate, estimate.alone, _rest(estimate))
        sample = estimate.sample
        if not estimate.sample_alone or estimate.alone < RULE_OF_THREE:
            high = max(high, RULE_OF_THREE * sample.population / sample.n)
        low = 0.0 if self.tau1(estimate).interval[0] == 0.0 else low
        return Figure(estimate.alone, (low, min(high, float(sample.population))))

    def overall_risk(self, estimate: Estimate) -> Figure:
        """Mean of 1/F over the population."""
        risk = estimate.overall_risk
        low, high = self._on_log_scale("overall_risk", estimate, risk, 1.0 - risk)
        return Figure(risk, (low, min(high, 1.0)))

    def _on_log_scale(self, name: str, estimate: Estimate, value: float, rest: float) -> Interval:
        seen = signs_of(estimate), chance_of(estimate)
        spread = self.log_spread(name, *seen, rest, self._wider(estimate))
        half = self.widths[name] * beyond_learned(estimate) * spread
        return value * math.exp(-half), value * math.exp(half)

    def highest_risk(self, estimate: Estimate) -> Figure:
        """1/(smallest crowd in the population of anybody in the sample)."""
        factor = math.exp(min(self.width(estimate) * self.sigma(estimate), 20.0))
        median = _smallest(estimate, 0.5, 1.0)
        lowest, highest = _smallest(estimate, 0.95, 1.0 / factor), _smallest(estimate, 0.05, factor)
        ends = 1.0 / max(lowest, median), 1.0 / min(highest, median)
        return Figure(1.0 / median, ends)


def counted_figures(estimate: Estimate) -> dict[str, Figure]:
    """Of a whole population: nothing is estimated."""
    alone = float(estimate.sample_alone)
    values = {
        "tau1": alone, "uniques_share": float(alone > 0.0), "tau2": alone, "alone": alone,
        "overall_risk": estimate.overall_risk, "highest_risk": float(estimate.inverse.max()),
    }  # fmt: skip
    return {name: Figure(value, (value, value)) for name, value in values.items()}


Signs = tuple[float, float, float, float]


def signs_of(estimate: Estimate) -> Signs:
    """What the models' error is judged by: 1, ln(N/n), D, 1/√(n − f_1 + 1); n_eff for n in the
    second where there are weights.
    """
    sample = estimate.sample
    return (
        1.0,
        math.log(sample.population / (sample.worth or sample.n)),
        estimate.disagreement,
        1.0 / math.sqrt(sample.n - estimate.sample_alone + 1.0),
    )


def chance_of(estimate: Estimate) -> float:
    """1/ΣP(1 − P): the variance that chance gives the log odds of the total.

    With weights w, Σw²P(1 − P)/(ΣwP(1 − P))²: a few people with large ones are more to chance.
    """
    open_ = estimate.unique * (1.0 - estimate.unique)
    weight = estimate.sample.stands_for[estimate.sample.alone]
    total = float(np.dot(weight, open_))
    return min(float(np.dot(weight**2, open_)) / total**2 if total > 0.0 else 100.0, 100.0)


def beyond_learned(estimate: Estimate) -> float:
    """ln(N/n) over that of the smallest samples that were learned from; 1 within these."""
    apart = signs_of(estimate)[1]
    return max(1.0, apart / -math.log(SMALLEST_FRACTION))


def _summed(scale: tuple[float, ...], signs: Signs) -> float:
    return float(sum((each * sign) ** 2 for each, sign in zip(scale, signs, strict=True)))


def _rest(estimate: Estimate) -> float:
    return 1.0 - estimate.tau1 / max(estimate.sample_alone, 1)


def _smallest(estimate: Estimate, below: float, factor: float) -> int:
    """The smallest m with P(smallest crowd ≤ m) = 1 − e^(−factor·h(m)) at least `below`."""
    low, high = 0, estimate.sample.population
    crowds = _riskiest(estimate)
    while high - low > 1:
        middle = (low + high) // 2
        if -math.expm1(-factor * crowds.at_most(middle)) >= below:
            high = middle
        else:
            low = middle
    return high


class _Crowds(NamedTuple):
    """Cells by their sampled people and the negative binomial laws of those that weren't."""

    people: Floats
    unique: Floats
    log_pi: tuple[Floats, ...]
    shapes: tuple[float, ...]

    def at_most(self, size: int) -> float:
        """h: −Σ ln P(F > size)."""
        from scipy.special import betainc

        small = self.people <= size
        people, rest = self.people[small], size - self.people[small]
        shares = []
        for log_pi, shape in zip(self.log_pi, self.shapes, strict=True):
            above = -np.expm1(log_pi[small])
            shares.append(betainc(rest + 1.0, shape + people, np.clip(above, 0.0, 1.0)))
        more = np.mean(shares, axis=0) if shares else np.zeros(len(people))
        if size == 1:
            more = np.where(people == 1.0, 1.0 - self.unique[small], more)
        return float(-np.log(np.maximum(more, 1e-300)).sum())


def _riskiest(estimate: Estimate) -> _Crowds:
    sample = estimate.sample
    chosen = np.argsort(-estimate.inverse, kind="stable")[:MOST_CROWDS]
    unique = np.zeros(sample.cells)
    unique[sample.alone] = estimate.unique
    laws = tuple(law.log_pi[chosen] for law in estimate.laws)
    shapes = tuple(law.calibration.shape for law in estimate.laws)
    return _Crowds(sample.people[chosen].astype(np.float64), unique[chosen], laws, shapes)


@cache
def learned() -> Learned:
    """What is in the file."""
    text = files("reidrisk.samples").joinpath("population_error.json").read_text(encoding="utf-8")
    return learned_of(json.loads(text))


def learned_of(held: Mapping[str, object]) -> Learned:
    """From what the file holds."""
    scale, widths, log_scales = held["scale"], held["widths"], held["log_scales"]
    assert isinstance(scale, list)
    assert isinstance(widths, Mapping)
    assert isinstance(log_scales, Mapping)
    return Learned(
        tuple(float(each) for each in scale),
        {name: float(k) for name, k in widths.items()},
        {name: tuple(float(each) for each in own) for name, own in log_scales.items()},
        float(str(held["wider_by_weight"])),
    )
