"""TFRR's rectified law exactly as printed, for reproduction (eqs. 6, 7, 10, 11).

Symbols: a tuple's values are held by n_1 … n_d of N people; its surest strong pair (i, j) by n_ij,
p_ij = n_ij/n_i the larger confidence. The tuple's frequency is B(n', p') with

    n' = n_i·p_ij,  p' = Π_{k≠i,j} n_k/N^{d−2}   for d > 2,
    n' = n_i,       p' = p_ij                    for d = 2,

and B(n_d, Π_{k<d} n_k/N^{d−1}) where no pair is strong. A fractional n' lies between two laws.

Where it fails: at d = 2 the joint count n_ij is known, and the printed law spreads it out again;
draws are without replacement, which a binomial isn't.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reidrisk.laws.binomial_form import binomial_tail
from reidrisk.laws.conditioned import CrowdsOfTuples, Given
from reidrisk.prediction.grouping import Grouped

Floats = NDArray[np.float64]
# E[1/X] by Gauss-Legendre on each of the stretches of log z below.
NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)


def paper_crowds(
    n: int, counts: Floats, single: Grouped, ks: Sequence[int], given: Given
) -> CrowdsOfTuples:
    """The crowds of tuples by the printed law; `single` has the surest pair of each joined."""
    trials, chance = _printed(n, counts, single)
    low = np.floor(trials)
    part = trials - low
    below, above = (_crowds(m, chance, ks, given) for m in (low, low + 1.0))
    mixed = [(1.0 - part) * b.T + part * a.T for b, a in zip(below, above, strict=True)]
    at_least, expected, risk, nobody = (each.T for each in mixed)
    return CrowdsOfTuples(given, tuple(ks), at_least, expected, risk, nobody)


def _printed(n: int, counts: Floats, single: Grouped) -> tuple[Floats, Floats]:
    """n' and p' of each tuple."""
    share = np.prod(counts / n, axis=1)
    trials = counts[:, -1].copy()
    chance = share * n / np.maximum(trials, 1e-300)
    for (i, j), used in single.joined.items():
        joint = single.counts[used, min(i, j)]
        if counts.shape[1] == 2:
            trials[used] = np.minimum(counts[used, i], counts[used, j])
            chance[used] = joint / trials[used]
        else:
            trials[used] = joint
            chance[used] = share[used] * n * n / (counts[used, i] * counts[used, j])
    return trials, np.clip(chance, 0.0, 1.0)


def _crowds(m: Floats, q: Floats, ks: Sequence[int], given: Given) -> tuple[Floats, ...]:
    """P(crowd ≥ k), E[crowd], E[1/crowd] and P(nobody) under B(m, q)."""
    if given == "member":
        others = np.maximum(m - 1.0, 0.0)
        at_least = np.stack([binomial_tail(k - 1.0, others, q) for k in ks], axis=1)
        # E[1/(1 + B(m − 1, q))] = (1 − (1 − q)^m)/(m·q).
        mean = np.maximum(m, 1.0) * q
        some = -np.expm1(np.maximum(m, 1.0) * np.log1p(-np.minimum(q, 1.0 - 1e-16)))
        risk = np.where(mean > 1e-12, some / np.maximum(mean, 1e-300), 1.0)
        return at_least, 1.0 + others * q, risk, np.zeros(len(m))
    at_least = np.stack([binomial_tail(float(k), m, q) for k in ks], axis=1)
    somebody = binomial_tail(1.0, m, q)
    mean, risk = m * q, _mean_reciprocal(m, q)
    if given == "paper":
        safe = np.maximum(somebody, 1e-300)
        at_least = np.minimum(at_least / safe[:, None], 1.0)
        return at_least, mean / safe, risk / safe, np.zeros(len(m))
    return at_least, mean, risk, 1.0 - somebody


def _mean_reciprocal(m: Floats, q: Floats) -> Floats:
    """E[1/X; X ≥ 1] = ∫_0^∞ ((1 − q(1 − e^{−t}))^m − (1 − q)^m) dt, X ~ B(m, q).

    The integrand falls from t ≈ 1/(mq) on: stretches of t double from there to 40.
    """
    mean = np.maximum(m * q, 1e-12)
    total = np.zeros(len(m))
    with np.errstate(divide="ignore", invalid="ignore"):
        nobody = np.where(q < 1.0, np.exp(m * np.log1p(-q)), np.where(m > 0, 0.0, 1.0))
        start, end = np.zeros(len(m)), np.minimum(1.0 / mean, 1.0)
        while np.any(start < 40.0):
            middle, half = (start + end) / 2.0, (end - start) / 2.0
            t = middle[:, None] + half[:, None] * NODES[None, :]
            value = np.exp(m[:, None] * np.log1p(q[:, None] * np.expm1(-t))) - nobody[:, None]
            total += half * (value @ WEIGHTS)
            start, end = end, np.minimum(2.0 * end, 40.0)
    return total
