"""Population uniques from a sample's class sizes alone: Ewens, Pitman, Zayatz, SNB, Dankar's rule.

Symbols: n people sampled of N, π = n/N; the sample has u equivalence classes, n_j of j people; S_1
people are alone in the population. All are symmetric: a sample unique is as likely population
unique as any other, so τ1 = π·S_1, or n_1·P(population unique | sample unique).

- **Ewens** (1972): Σ_{i<n} θ/(θ + i) = u; S_1 = Nθ/(θ + N − 1).
- **Pitman** (1995; Hoshino 2001, §4): θ and α maximise
  Σ_{i=1}^{u−1} ln(θ + iα) − ln (θ+1)_{n−1} + Σ_j n_j ln (1−α)_{j−1};
  S_1 = N·Γ(θ+1)Γ(N+θ+α−1)/(Γ(θ+α)Γ(N+θ)).
- **Zayatz** (1991): the population's classes are of the sizes of the sample's:
  P = n_1 h_1/Σ_j n_j h_j,   h_j = j·C(N−j, n−1)/C(N, n).
- **SNB** (Chen and Keller-McNulty 1998): F − 1 is negative binomial (a, p). The number of classes K
  is estimated first (Haas and Stokes 1998, the modified Shlosser); a and p are those with which K
  classes leave n_1 of one and n_2 of two people in the sample; S_1 = K·p^a.
- **Dankar's rule** (Dankar, El Emam, Neisa, Roffey 2012), which ARX follows: Pitman where π ≤ 0.1;
  else the smaller of Zayatz and SNB.

Where they fail: they know nothing of what the values are. On public tables they are off by a factor
of two to three and a half (docs/accuracy.md).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Floats, Ints

# Largest θ, and the range of α, that are looked at.
LARGEST = 1e12


class ClassSizes(NamedTuple):
    """Sizes of a sample's equivalence classes, how many there are of each, and N."""

    sizes: Ints
    classes: Ints
    population: int

    @classmethod
    def of(cls, people: Ints, population: int) -> ClassSizes:
        """From the people of each class."""
        sizes, classes = np.unique(people, return_counts=True)
        return cls(sizes, classes, population)

    @property
    def n(self) -> int:
        """People in the sample."""
        return int(np.dot(self.sizes, self.classes))

    @property
    def number(self) -> int:
        """u."""
        return int(self.classes.sum())

    @property
    def fraction(self) -> float:
        """π."""
        return self.n / self.population

    def of_size(self, size: int) -> int:
        """n_j."""
        return int(self.classes[self.sizes == size].sum())


def ewens(sample: ClassSizes) -> float:
    """τ1 under Ewens' sampling formula; NaN where all are alone, which any θ fits better than."""
    from scipy.optimize import brentq
    from scipy.special import digamma

    n, u = sample.n, sample.number
    if u == n:
        return math.nan
    if u == 1:
        return 0.0

    def off(log_theta: float) -> float:
        theta = math.exp(log_theta)
        return float(theta * (digamma(theta + n) - digamma(theta))) - u

    theta = math.exp(brentq(off, -20.0, math.log(LARGEST)))
    return n * theta / (theta + sample.population - 1.0)


def pitman(sample: ClassSizes) -> float:
    """τ1 under Pitman's law of two parameters, by maximum likelihood; NaN where all are alone."""
    from scipy.optimize import minimize
    from scipy.special import gammaln

    if sample.number == sample.n:
        return math.nan

    def loss(parameters: Floats) -> float:
        alpha = 1.0 / (1.0 + math.exp(-parameters[0]))
        return -_pitman_likelihood(sample, alpha, math.exp(parameters[1]) - alpha + 1e-9)

    starts = [(0.0, 3.0), (-2.0, math.log(sample.number)), (1.5, 1.0)]
    best = min(
        (minimize(loss, start, method="Nelder-Mead", options={"maxiter": 2000, "xatol": 1e-6,
                  "fatol": 1e-6}) for start in starts),
        key=lambda each: float(each.fun),
    )  # fmt: skip
    alpha = 1.0 / (1.0 + math.exp(-best.x[0]))
    theta = math.exp(best.x[1]) - alpha + 1e-9
    whole = sample.population
    logs = gammaln(theta + 1.0) - gammaln(theta + alpha)
    logs += gammaln(whole + theta + alpha - 1.0) - gammaln(whole + theta)
    return sample.n * float(np.exp(logs))


def _pitman_likelihood(sample: ClassSizes, alpha: float, theta: float) -> float:
    from scipy.special import gammaln

    u, n = sample.number, sample.n
    # Π_{i=1}^{u−1}(θ + iα) = α^(u−1)·Γ(θ/α + u)/Γ(θ/α + 1)
    new = (u - 1) * math.log(alpha) + gammaln(theta / alpha + u) - gammaln(theta / alpha + 1.0)
    whole = gammaln(theta + n) - gammaln(theta + 1.0)
    again = np.dot(sample.classes, gammaln(sample.sizes - alpha) - gammaln(1.0 - alpha))
    return float(new - whole + again)


def zayatz(sample: ClassSizes) -> float:
    """τ1 where the population's classes have the sizes of the sample's."""
    from scipy.special import gammaln

    n, whole = sample.n, sample.population
    held = sample.sizes <= whole - n + 1
    sizes = sample.sizes[held]
    # ln of j·C(N−j, n−1), without what all have in common.
    logs = np.log(sizes) + gammaln(whole - sizes + 1.0) - gammaln(whole - sizes - n + 2.0)
    logs += np.log(sample.classes[held])
    alone = sample.of_size(1)
    if not alone:
        return 0.0
    share = np.exp(logs - logs.max())
    return alone * float(share[sizes == 1].sum() / share.sum())


def slide_negative_binomial(sample: ClassSizes) -> float:
    """τ1 under SNB; NaN where no a and p leave the sample's classes of one and of two."""
    from scipy.optimize import least_squares

    alone, two = sample.of_size(1), sample.of_size(2)
    if not alone:
        return 0.0
    if not two:
        return math.nan
    classes, pi = _haas_stokes(sample), sample.fraction

    def off(parameters: Floats) -> Floats:
        a, p = math.exp(parameters[0]), 1.0 / (1.0 + math.exp(-parameters[1]))
        ones, twos = _snb_classes(classes, pi, a, p)
        return np.log([max(ones, 1e-300) / alone, max(twos, 1e-300) / two])

    starts = [(-1.0, -4.0), (-3.0, -8.0), (1.0, -3.0)]
    bounds = ([-15.0, -25.0], [10.0, 10.0])
    best = min(
        (least_squares(off, start, bounds=bounds) for start in starts),
        key=lambda each: float(each.cost),
    )
    if best.cost > 1e-6:
        return math.nan
    a, p = math.exp(best.x[0]), 1.0 / (1.0 + math.exp(-best.x[1]))
    return float(pi * classes * p**a)


def _snb_classes(classes: float, pi: float, a: float, p: float) -> tuple[float, float]:
    """Classes of one and of two that K classes leave in the sample."""
    missed = (1.0 - pi) * (1.0 - p)
    base = math.exp(a * math.log(p / (1.0 - missed)))
    ones = classes * pi * base * (a * missed / (1.0 - missed) + 1.0)
    twos = classes * a * base * pi**2 * (1.0 - p) / (2.0 * (1.0 - missed) ** 2)
    return ones, twos * (2.0 - (1.0 - a) * missed)


def _haas_stokes(sample: ClassSizes) -> float:
    """K."""
    pi, sizes, classes = sample.fraction, sample.sizes, sample.classes
    rest = (1.0 - pi) ** sizes * classes
    twice = np.dot(sizes * pi**2 * (1.0 - pi**2) ** (sizes - 1), classes)
    # (1 − π)^i·((1 + π)^i − 1), whose second factor is beyond all numbers for large classes.
    more = np.dot((1.0 - pi**2) ** sizes, classes) - rest.sum()
    ratio = rest.sum() / np.dot(sizes * pi * (1.0 - pi) ** (sizes - 1), classes)
    return sample.number + sample.of_size(1) * float(twice / more * ratio**2)


def dankar(sample: ClassSizes) -> float:
    """τ1 by the estimator that the rule of Dankar and others chooses."""
    if sample.fraction <= 0.1:
        found = pitman(sample)
        return zayatz(sample) if math.isnan(found) else found
    other = slide_negative_binomial(sample)
    found = zayatz(sample)
    return found if math.isnan(other) else min(found, other)
