"""Slow and certain laws, none of them using the code under test."""

from __future__ import annotations

from fractions import Fraction
from math import comb, prod

import mpmath
import numpy as np


def rational_law(n, counts):
    """{k: P(X = k)} in exact rationals, by TFRR eqs. 3 and 4 as printed."""
    law = {counts[0]: Fraction(1)}
    for c in counts[1:]:
        following = {}
        for m, p in law.items():
            for k in range(max(0, m + c - n), min(m, c) + 1):
                chance = Fraction(comb(m, k) * comb(n - m, c - k), comb(n, c))
                following[k] = following.get(k, 0) + p * chance
        law = following
    return law


def tail(law, k):
    return sum((p for size, p in law.items() if size >= k), Fraction(0))


def mean_of(law):
    return sum((k * p for k, p in law.items()), Fraction(0))


def by_factorial_moments(n, counts, ks):
    """P(X = k) by the alternating series, with as many digits as its cancellation eats."""
    mean = n * prod(c / n for c in counts)
    digits = int(1.1 * mean) + 300
    with mpmath.workdps(digits):
        moments = [mpmath.mpf(1)]
        for r in range(min(counts)):
            ratio = mpmath.mpf(prod(c - r for c in counts))
            moments.append(moments[-1] * ratio / ((n - r) ** (len(counts) - 1) * (r + 1)))
            if moments[-1] < mpmath.mpf(10) ** -digits:
                break
        return [_alternating(moments, k) for k in ks]


def _alternating(moments, k):
    total, weight = mpmath.mpf(0), mpmath.mpf(1)
    for r in range(k, len(moments)):
        total += weight * moments[r]
        weight = -weight * (r + 1) / (r + 1 - k)
    return total


def three_attributes(n, counts, k, around, away):
    """P(X_3 = k) = Σ_m P(X_2 = m)·P(k | m) with 40 digits, m within `away` of `around`."""
    a, b, c = counts
    with mpmath.workdps(40):
        low = max(k, around - away, a + b - n)
        high = min(a, b, around + away, n - c + k)
        term = _choose(a, low) * _choose(n - a, b - low) / _choose(n, b)
        term *= _choose(low, k) * _choose(n - low, c - k) / _choose(n, c)
        total = term
        for m in range(low, high):
            up = mpmath.mpf(a - m) * (b - m) * (n - m - c + k)
            term *= up / (mpmath.mpf(n - a - b + m + 1) * (m + 1 - k) * (n - m))
            total += term
        return total


def _choose(a, b):
    return mpmath.exp(mpmath.loggamma(a + 1) - mpmath.loggamma(b + 1) - mpmath.loggamma(a - b + 1))


def random_counts(rng, n, attributes, mean):
    """Counts whose law has about this mean, some of them close to n and some not."""
    shares = rng.dirichlet(np.full(attributes, rng.choice([0.5, 1.0, 5.0])))
    logs = shares * np.log(n / mean)
    return [int(np.clip(round(n * np.exp(-x)), 1, n)) for x in logs]
