"""The hypergeometric law without cancellation: log P as a divergence between two 2 × 2 tables.

m of n people hold one value and c another; k hold both. The table of the four groups x and the
table e expected if the values are independent differ by the same δ in every cell, up to its sign:

    x = (k, m−k, c−k, n−m−c+k),   e = (mc, m(n−c), (n−m)c, (n−m)(n−c))/n,   δ = (kn − mc)/n,

    log P = −Σ_cells D(x, e) + Σ_margins s − s(n) − Σ_cells s(x),      D = x·log(x/e) − (x − e),

s(x) = log x! − x·log x + x, margins m, n−m, c, n−c. P is TFRR eq. 5 (whose printed denominator
means C(N, n_2)). kn − mc is a whole number and taken exactly, D is of the size of −log P, s is
Stirling's remainder: a relative error of some 1e-15 for each unit of −log P, whatever n, where
differences of log-gammas lose 5 to 7 digits at n = 10^6 (the idea is Loader's, 2000).

Where it fails: nowhere for whole numbers n up to 10^10.

TupleCounts: of n people, n_j hold the tuple's value of attribute j. Checked, sorted, summed up.

What follows from the counts in closed form: the ends of the support, the mean and the variance.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Floats, Ints
from reidrisk.errors import ImpossibleCounts

# Stirling's series for the remainder beyond ½·log(2πx): Bernoulli numbers over 2i(2i − 1).
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)
# From these x on, so many terms of it are right to 1e-16.
TERMS_FROM = ((2000.0, 2), (150.0, 3), (16.0, 5))
STIRLING_FROM = 16
# |x − e|/(x + e) below this: the logarithm is a series of at most eight terms.
NEAR = 0.1
MOST_TERMS = 8


def log_hypergeometric(k: Ints, n: int, m: Ints, c: int) -> Floats:
    """log P(k of m hold the value, when c of n do), elementwise; −∞ where it can't be."""
    k, m = np.asarray(k, dtype=np.int64), np.asarray(m, dtype=np.int64)
    possible = (k >= 0) & (k <= m) & (k <= c) & (m - k <= n - c)
    if not possible.all():
        k = np.clip(k, np.maximum(0, m - (n - c)), np.minimum(m, c))
    delta, share, spare = _excess(k, n, m, c), c / n, (n - c) / n
    holders, missed = m.astype(np.float64), (n - m).astype(np.float64)
    apart, rest = m - k, (n - c) - (m - k)
    log = _remainder(m) + _remainder(n - m) - _remainder(apart) - _remainder(rest)
    log = log - (_remainder(k) + _remainder(c - k))
    log += float(_remainder(np.array(c)) + _remainder(np.array(n - c)) - _remainder(np.array(n)))
    log -= _divergence(k, holders * share, delta)
    log -= _divergence(apart, holders * spare, -delta)
    log -= _divergence(c - k, missed * share, -delta)
    log -= _divergence(rest, missed * spare, delta)
    return np.where(possible, log, -np.inf)


def log_binomial(k: Floats, m: int, q: float) -> Floats:
    """log of C(m, k)·q^k·(1 − q)^{m−k} in the same form; −∞ where k is no whole number 0 … m."""
    possible = (k >= 0.0) & (k <= m) & (k == np.floor(k))
    people = np.where(possible, k, 0.0).astype(np.int64)
    delta = people.astype(np.float64) - m * q
    log = _remainder(np.array(m)) - _remainder(people) - _remainder(m - people)
    log -= _divergence(people, np.full(k.shape, m * q), delta)
    log -= _divergence(m - people, np.full(k.shape, m * (1.0 - q)), -delta)
    return np.where(possible, log, -np.inf)


def _excess(k: Ints, n: int, m: Ints, c: int) -> Floats:
    """δ = (kn − mc)/n. The products may pass 2^63; their difference is right modulo 2^64."""
    near = k.astype(np.float64) * n - m.astype(np.float64) * c
    exact = k * np.int64(n) - m * np.int64(c)
    return np.where(np.abs(near) < 2.0**62, exact, near) / n


def _divergence(cell: Ints, e: Floats, delta: Floats) -> Floats:
    """D = x·log(x/e) − (x − e) = δv + 2x(v³/3 + v⁵/5 + …), v = δ/(x + e)."""
    x = cell.astype(np.float64)
    v = delta / np.maximum(x + e, 1e-300)
    square = v * v
    widest = float(square.max(initial=0.0))
    series = np.zeros_like(v)
    for i in range(_terms(widest), 0, -1):
        series += 1.0 / (2 * i + 1)
        series *= square
    series *= v
    series *= 2.0 * x
    series += delta * v
    if widest > NEAR**2:
        far = square > NEAR**2
        x, e, delta = (each[far] for each in np.broadcast_arrays(x, e, delta))
        # A cell that can't be filled, e = 0, is infinitely far off.
        with np.errstate(divide="ignore", over="ignore"):
            times = np.where(x > 0.0, x, 1.0) / np.where(x > 0.0, e, 1.0)
        series[far] = x * np.log(times) - delta
    return series


def _terms(square: float) -> int:
    """How many terms leave less than 1e-17 of the sum when v² is at most this."""
    if square >= NEAR**2:
        return MOST_TERMS
    return min(MOST_TERMS, 1 + int(39.0 / -math.log(max(square, 1e-300))))


def _remainder(x: Ints) -> Floats:
    """s(x) = log x! − x·log x + x = ½·log(2πx) + 1/(12x) − 1/(360x³) + …; s(0) = 0."""
    least = int(x.min(initial=STIRLING_FROM))
    people = np.maximum(x, STIRLING_FROM).astype(np.float64)
    remainder = np.log(people)
    remainder += math.log(2.0 * math.pi)
    remainder *= 0.5
    remainder += _stirling(people, max(least, STIRLING_FROM))
    if least < STIRLING_FROM:
        remainder = np.where(x < STIRLING_FROM, SMALL[np.minimum(x, STIRLING_FROM - 1)], remainder)
    return remainder


def _stirling(x: Floats, least: float) -> Floats:
    terms = next(number for begin, number in TERMS_FROM if least >= begin)
    inverse = 1.0 / x
    square = inverse * inverse
    series = np.full_like(inverse, STIRLING[terms - 1])
    for coefficient in reversed(STIRLING[: terms - 1]):
        series *= square
        series += coefficient
    series *= inverse
    return series


def _small_remainders() -> Floats:
    """s(0) … s(15): s(0) = 0, s(1) = 1, s(x+1) = s(x) + 1 − x·log(1 + 1/x)."""
    steps = [1.0] + [1.0 - x * math.log1p(1.0 / x) for x in range(1, STIRLING_FROM - 1)]
    return np.array([math.fsum(steps[:x]) for x in range(STIRLING_FROM)])


SMALL = _small_remainders()


# Twice their product and a little more has to be told apart in 64 bits near a law's middle.
MOST_PEOPLE = 10**10


class Stage(NamedTuple):
    """X_j = |S_1 ∩ … ∩ S_j|: support, mean and variance."""

    holders: int
    low: int
    high: int
    mean: float
    variance: float


@dataclass(frozen=True)
class TupleCounts:
    """n people and the sorted counts of a tuple's values."""

    n: int
    counts: tuple[int, ...]

    @classmethod
    def of(cls, n: float, counts: Iterable[float]) -> TupleCounts:
        """Check whole numbers 0 ≤ n_j ≤ n ≤ 10^10; at least one of them."""
        people = whole(n, "the number of people")
        if not 0 <= people <= MOST_PEOPLE:
            raise ImpossibleCounts(f"{people} people: it has to be between 0 and {MOST_PEOPLE}")
        listed = tuple(sorted(whole(count, "a count") for count in counts))
        if not listed:
            raise ImpossibleCounts("a tuple needs the count of at least one value")
        if listed[0] < 0 or listed[-1] > people:
            wrong = listed[0] if listed[0] < 0 else listed[-1]
            raise ImpossibleCounts(f"a count of {wrong}: it has to be between 0 and n = {people}")
        return cls(people, listed)

    @property
    def distinguishing(self) -> tuple[int, ...]:
        """The counts below n: a value that everybody holds tells nothing."""
        return tuple(count for count in self.counts if count < self.n)

    def stages(self) -> Iterator[Stage]:
        """X_1, X_2, … attribute after attribute, smallest count first.

        With p = n_j/n, μ the mean and V the variance of X_{j−1}:

            E[X_j] = p·μ,   Var X_j = V·p·(n_j − 1)/(n − 1) + p(1 − p)·μ(n − μ)/(n − 1),

        sums of positive terms only, where mean + E[X(X−1)] − mean² cancels for large crowds.
        """
        n, low = self.n, self.n
        mean, missing, variance = float(n), 0.0, 0.0
        for count in self.counts:
            p, q = count / n if n else 0.0, (n - count) / n if n else 0.0
            if n > 1:
                variance *= p * max(count - 1, 0) / (n - 1)
                variance += p * q * mean * (missing / (n - 1))
            # n − μ of the attributes so far, without a difference.
            missing += mean * q
            mean *= p
            low = max(low + count - n, 0)
            yield Stage(count, low, self.counts[0], mean, variance)

    @property
    def last(self) -> Stage:
        """X itself."""
        *_, last = self.stages()
        return last


def whole(number: float, what: str) -> int:
    """A whole number as int; anything else is refused."""
    try:
        if math.isfinite(number) and number == int(number):
            return int(number)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ImpossibleCounts(
        f"{what} is {number!r}, no whole number",
        "crowds_of_tuples takes counts with fractions too",
    )
