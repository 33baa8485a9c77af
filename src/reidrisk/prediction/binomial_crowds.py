"""The crowd of a tuple whose frequency is B(m, q), m not necessarily whole.

    member: 1 + B(m − 1, q), E[1/crowd] = (1 − (1 − q)^m)/(m·q);
    paper, unknown: X = B(m, q), of which `paper` then takes X ≥ 1.

Where it fails: draws with replacement stand for draws without.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reidrisk.laws.binomial_form import binomial_tail
from reidrisk.laws.conditioned import CrowdsOfTuples, Given
from reidrisk.models.tuple_law import TupleLaws
from reidrisk.prediction.crowd_columns import crowds_from

Floats = NDArray[np.float64]
# E[1/X] by Gauss-Legendre on each of the stretches of t below.
NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)
# Fewer people than this to be expected are as good as nobody else.
HARDLY = 1e-12


def model_crowds(laws: TupleLaws, ks: Sequence[int], given: Given) -> CrowdsOfTuples:
    """The crowds of tuples under a model's laws, each a mixture of binomial ones."""
    floored = TupleLaws(np.maximum(laws.expected, HARDLY), laws.narrowing)
    figures = np.zeros((len(laws.expected), len(ks) + 3))
    for entry, c, share, weight in floored.parts():
        figures[entry] += weight[:, None] * binomial_crowds(c, share, ks, given)
    return crowds_from(figures, ks, given)


def binomial_crowds(m: Floats, q: Floats, ks: Sequence[int], given: Given) -> Floats:
    """P(crowd ≥ k) for each k, E[crowd], E[1/crowd] and P(nobody); for `paper` not yet X ≥ 1."""
    if given == "member":
        others = np.maximum(m - 1.0, 0.0)
        tails = [binomial_tail(k - 1.0, others, q) for k in ks]
        held = np.maximum(m, 1.0)
        mean = held * q
        some = -np.expm1(held * np.log1p(-np.minimum(q, 1.0 - 1e-16)))
        risk = np.where(mean > HARDLY, some / np.maximum(mean, 1e-300), 1.0)
        return np.column_stack([*tails, 1.0 + others * q, risk, np.zeros(len(m))])
    tails = [binomial_tail(float(k), m, q) for k in ks]
    nobody = 1.0 - binomial_tail(1.0, m, q)
    return np.column_stack([*tails, m * q, _mean_reciprocal(m, q), nobody])


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
