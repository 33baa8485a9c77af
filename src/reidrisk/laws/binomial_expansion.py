"""Many crowds of tens of people at once: the exact law as a binomial law and some corrections.

Symbols: N and Q = μ/N the parameters of a binomial law with the mean μ of X. The factorial moments
are those of the binomial law times ρ_r, and ρ_r is a Newton series in r:

    F_r = C(N, r)·Q^r·ρ_r,   ρ_r = Σ_s a_s·r(r−1)…(r−s+1),   a_s = Δ^s ρ(0)/s!,

    E[z^X] = Σ_s c_s·(z − 1)^s·(1 + Q(z − 1))^{N−s},   c_s = a_s·N(N−1)…(N−s+1)·Q^s.

ρ_0 = ρ_1 = 1. Two choices of N are used:

- 1 − 1/N = Π_j(1 − 1/n_j)/(1 − 1/n)^{d−1}, which gives the binomial law the variance of X as well
  (ρ_2 = 1), N being no whole number: the terms fall off as powers of μ^{3/2}/(n_1·n_2);
- N = the smallest count, where that is below 100: as powers of μ/n_2.

Terms up to s = S are kept, S = 4 or 8; together they are a polynomial in z times
(1 + Q(z − 1))^{N−S}, so that

    P(X = i) = Σ_l polynomial_l·b(i − l; N − S, Q).

On the unit circle |(z−1)^s·(1 + Q(z−1))^{N−s}| ≤ (s/(e(N−s)Q(1−Q)))^{s/2}: the terms for S + 1 and
S + 2, so bounded, are returned as the error. For E[1/X; X ≥ 1] = ∫_0^1 (E[z^X] − P(X=0))/z dz only
z from 0 to 1 matters, where the integrals of the same terms are below |a_s|·s!/μ.

Counts with fractions (`chains`) multiply F_r by Π_j (1 − s_j·r); F_{r+1}/F_r then has the factors
1 − s_j²·r/((1 − s_j·r)(1 − s_j)) more.

Where it fails: few people (n in the hundreds) and crowds of many; the returned error says so.
Means above 600, where b(0) is too small for a float, are not `expandable`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import comb, e, factorial

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Floats

LARGEST_ORDER = 8
# Order 4 is enough for nearly every tuple of so many people.
MANY = 300_000
LARGEST_MEAN = 600.0
# Below this the smallest count itself makes the better N, and a finite expansion.
SMALL_COUNT = 100.0
FEW = 40.0
# e^−45 is nothing: the integral ends there, on Gauss–Legendre nodes enough for e^−45t.
CUT = 45.0
NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(32)


@dataclass(frozen=True)
class Expansion:
    """N, Q and c_0 … c_S of many laws, a law a column, and what the left-out terms come to."""

    base: Floats
    q: Floats
    terms: list[Floats]
    error_of_tails: Floats
    error_of_reciprocals: Floats

    @classmethod
    def of(
        cls,
        n: int,
        counts: Floats,
        order: int = LARGEST_ORDER,
        among: Floats | None = None,
        short: Floats | None = None,
    ) -> Expansion:
        """From counts, an attribute a row.

        `among` are the people each row's counts are drawn from, n in the first; without it, n.
        `short` are the s_j of counts with fractions, which are then given rounded up.
        """
        inverse = 1.0 / counts
        # One of the n cancels against the n people there are.
        bases = np.full((len(counts) - 1, 1), 1.0 / n) if among is None else 1.0 / among[1:]
        mean = n * np.prod(counts / (n if among is None else among), axis=0)
        if short is not None:
            mean = mean * np.prod(1.0 - short, axis=0)
        missing = [_missing(inverse, r, short) for r in range(1, order + 2)]
        matched = _matched(missing[0], bases)
        small = matched * SMALL_COUNT > 1.0
        inverse_base = np.where(small, inverse.max(axis=0), matched)
        base, q = 1.0 / inverse_base, mean * inverse_base
        newton = _newton(missing, bases, inverse_base, order)
        terms, falling = [], np.ones_like(q)
        for s in range(order + 1):
            terms.append(newton[s] * falling)
            falling = falling * ((base - s) * q)
        return cls(base, q, terms, *_errors(newton, mean, base, q))

    @property
    def order(self) -> int:
        """S."""
        return len(self.terms) - 1

    def chosen(self, which: NDArray[np.intp]) -> Expansion:
        """Only these laws."""
        if len(which) == len(self.q):
            return self
        return Expansion(
            self.base[which],
            self.q[which],
            [term[which] for term in self.terms],
            self.error_of_tails[which],
            self.error_of_reciprocals[which],
        )

    def tails(self, largest: int) -> Floats:
        """P(X ≥ 1), …, P(X ≥ largest), a row each."""
        polynomial, rest = self._polynomial(), self.base - self.order
        odds = self.q / (1.0 - self.q)
        binomial = [np.exp(rest * np.log1p(-self.q))]
        tails, below = np.empty((largest, len(self.q))), np.zeros_like(self.q)
        for i in range(largest):
            for place in range(min(self.order, i) + 1):
                below += polynomial[place] * binomial[i - place]
            np.subtract(1.0, below, out=tails[i])
            binomial.append(binomial[-1] * odds * ((rest - i) / (i + 1)))
        return np.clip(tails, 0.0, 1.0, out=tails)

    def reciprocals(self) -> Floats:
        """E[1/X; X ≥ 1]."""
        length = np.minimum(1.0, CUT / (self.base * self.q))
        nobody, total = self._generating(np.ones_like(self.q)), np.zeros_like(self.q)
        for node, weight in zip(NODES, NODE_WEIGHTS, strict=True):
            t = length * ((1.0 + node) / 2.0)
            total += weight * (self._generating(t) - nobody) / (1.0 - t)
        return np.asarray(total * length / 2.0)

    def _generating(self, t: Floats) -> Floats:
        """E[(1 − t)^X]."""
        hit = self.q * t
        ratio = -t / np.maximum(1.0 - hit, 1e-300)
        total = np.zeros_like(t)
        for term in reversed(self.terms):
            total = total * ratio + term
        return np.asarray(total * np.exp(self.base * np.log1p(-hit)))

    def _polynomial(self) -> list[Floats]:
        """Coefficients of Σ_s c_s·(z − 1)^s·(1 − Q + Qz)^{S−s}, lowest first."""
        coefficients = [self.terms[0]]
        for s in range(1, self.order + 1):
            low = [part * (1.0 - self.q) for part in coefficients]
            high = [part * self.q for part in coefficients]
            coefficients = [
                self.terms[s] * float((-1) ** (s - power) * comb(s, power))
                + (low[power] if power < s else 0.0)
                + (high[power - 1] if power else 0.0)
                for power in range(s + 1)
            ]
        return coefficients


def orders(n: int) -> tuple[int, ...]:
    """The orders to try for tables of n people, in turn."""
    return (4, LARGEST_ORDER) if n >= MANY else (LARGEST_ORDER,)


def expandable(mean: Floats, smallest: Floats) -> NDArray[np.bool_]:
    """Whether there are people enough for all corrections, and some chance in the law."""
    return np.asarray((smallest > LARGEST_ORDER + 3) & (mean < 0.95 * smallest))


def _matched(missing: Floats, bases: Floats) -> Floats:
    """1/N = 1 − Π_j(1 − 1/n_j)/(1 − 1/n)^{d−1}."""
    whole = _missing(bases, 1)
    return np.asarray((missing - whole) / (1.0 - whole))


def _missing(inverse: Floats, r: int, short: Floats | None = None) -> Floats:
    """1 − Π_j(1 − r/n_j), as a sum of terms of one sign so that small ones keep their digits."""
    missing = np.zeros(inverse.shape[1])
    for each in inverse:
        missing += (r * each) * (1.0 - missing)
    for s in () if short is None else short[short.any(axis=1)]:
        missing += (s * s * r / ((1.0 - s * r) * (1.0 - s))) * (1.0 - missing)
    return missing


def _newton(missing: list[Floats], bases: Floats, inverse_base: Floats, order: int) -> list[Floats]:
    """a_0 … a_{S+2}, from ρ_{r+1} − ρ_r, whose digits are those of ρ_{r+1}/ρ_r − 1."""
    ratio = np.ones_like(inverse_base)
    steps = [np.zeros_like(ratio)]
    for r in range(1, order + 2):
        whole = _missing(bases, r)
        expected = whole + (r * inverse_base) * (1.0 - whole)
        step = ratio * ((expected - missing[r - 1]) / (1.0 - expected))
        steps.append(step)
        ratio = ratio + step
    coefficients = [np.ones_like(ratio)]
    for s in range(1, order + 3):
        coefficients.append(steps[0] / float(factorial(s)))
        steps = [after - before for before, after in pairwise(steps)]
    return coefficients


def _errors(newton: list[Floats], mean: Floats, base: Floats, q: Floats) -> tuple[Floats, Floats]:
    """(of tails, of reciprocals relative to 1/μ): the terms S + 1 and S + 2, bounded."""
    tails, reciprocals = np.zeros_like(q), np.zeros_like(q)
    for s in (len(newton) - 2, len(newton) - 1):
        away = np.maximum(base - s, 0.5) * np.maximum(1.0 - q, 1e-9) * e
        tails += np.abs(newton[s]) * (mean * base * s / away) ** (s / 2)
        reciprocals += np.abs(newton[s]) * float(factorial(s))
    # The bound takes (1 − Qt)^{N−s} for e^−μt, which a small N isn't fit for.
    return tails, np.where(base < FEW, np.inf, reciprocals)
