"""Risk of a cell: its chance of holding nobody else in the population, and the mean of 1/F.

Symbols: n sampled of N, f people of the cell sampled, Λ ~ Gamma(shape s, rate b) before the sample;
π = (b + n)/(b + N). Given f, F − f is negative binomial, and

    P(F = f | f) = π^(s + f)
    E[1/F | f] = ∫₀¹ t^(f−1)·[π/(1 − (1 − π)t)]^(s + f) dt

(substitute 1/F = ∫ t^(F−1) dt). For f = 1 that is (π − π^(s+1))/((1 − π)s), −π ln π/(1 − π) as s →
0; else Gauss–Legendre with t = 1 − (1 − u)⁴, which resolves the integrand at t = 1, where it is
steep.
"""

from __future__ import annotations

import numpy as np

from reidrisk.arrays import Floats, Ints

NODES = 40
BLOCK = 65_536


def log_kept(mean: Floats, shape: float, n: Floats | float, population: float) -> Floats:
    """ln π, of cells whose prior mean of n·Λ is given."""
    rate = shape * np.asarray(n) / mean
    return np.asarray(np.log(rate + n) - np.log(rate + population))


def nobody_else(log_pi: Floats, shape: float, people: Ints) -> Floats:
    """P(F = f | f)."""
    return np.exp((shape + people) * log_pi)


def mean_of_inverse(log_pi: Floats, shape: float, people: Ints) -> Floats:
    """E[1/F | f]."""
    found = np.empty(len(log_pi))
    one = people == 1
    found[one] = _of_one(log_pi[one], shape)
    rest = np.flatnonzero(~one)
    for begin in range(0, len(rest), BLOCK):
        part = rest[begin : begin + BLOCK]
        found[part] = _by_quadrature(log_pi[part], shape, people[part])
    return found


def _of_one(log_pi: Floats, shape: float) -> Floats:
    pi = np.exp(log_pi)
    rest = -np.expm1(log_pi)
    # (π − π^(s+1))/((1 − π)s) → 1 as π → 1.
    close = rest < 1e-9
    if shape == 0.0:
        # The limit: −π ln π/(1 − π).
        return np.where(close, 1.0, -pi * log_pi / np.where(close, 1.0, rest))
    above = pi * -np.expm1(shape * log_pi)
    return np.where(close, 1.0, above / np.where(close, 1.0, rest * shape))


def _by_quadrature(log_pi: Floats, shape: float, people: Ints) -> Floats:
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    half = (nodes + 1.0) / 2.0
    rest = (1.0 - half) ** 4
    log_t = np.log1p(-rest)
    step = weights / 2.0 * 4.0 * (1.0 - half) ** 3
    # 1 − (1 − π)t = π + (1 − π)(1 − t)
    pi, other = np.exp(log_pi)[:, None], -np.expm1(log_pi)[:, None]
    logs = (shape + people)[:, None] * (log_pi[:, None] - np.log(pi + other * rest))
    logs += (people - 1)[:, None] * log_t
    return np.asarray(np.exp(logs) @ step)
