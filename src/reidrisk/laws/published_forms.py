"""Koot et al.'s approximations of P(all k members of a group are unique), each by its name.

Symbols: N outcomes, all that are listed, held by somebody or not; outcome i has probability p_i =
α_i/N. F_a of them have the same α_a, f_a = F_a/N, so that Σα²f = N·Σ_i p_i² = N·P_2;
κ = Σ αf·log α = log N − H(p), the Kullback–Leibler distance from the uniform law.

| name | form | paper |
|---|---|---|
| `uniform` | π_u = Π_{i<k} (1 − i/N), all outcomes equally likely; exact then | section 2 |
| `uniform_exponential` | e^{−k²/(2N)} | eq. 1 |
| `poisson` | Π_i e^{−k·p_i}·(1 + k·p_i): k drawn from a Poisson law | eq. 3, left |
| `alpha_squared` | e^{−k²·Σα²f/(2N)} | eq. 3, right |
| `kullback_leibler` | π_u·e^{−κ·k²/N} | section 3.2 |
| `kullback_leibler_exponential` | e^{−(½+κ)·k²/N} | section 3.2 |

Where they hold: k of the order of √N. π_u is exact for equal p and too high for any others. The
exponential forms leave out k³/(6N²) and the −k/2 of k(k−1)/2, so that they exceed nought beyond
k = N. `poisson` needs k·p_i small, since a group of random size has an even chance to be
smaller. κ ≈ ½(Σα²f − 1), the discrepancy, only while every α is near 1: an outcome with
α = 10 adds ten times as much to the latter.

Errata: the paper's ½Σ(α²f − 1) means ½(Σα²f − 1); eq. 2 lacks a minus in its exponent; "to the
power κ" means times e^{−κk²/N}.
"""

from __future__ import annotations

import math

import numpy as np

AT_ONCE = 1_000_000


def log_uniform(k: int, outcomes: int) -> float:
    """log π_u(k, N) = Σ_{i<k} log(1 − i/N); −inf for more members than outcomes."""
    if k > outcomes:
        return -math.inf
    parts = [
        float(np.sum(np.log1p(-np.arange(begin, min(begin + AT_ONCE, k)) / outcomes)))
        for begin in range(0, k, AT_ONCE)
    ]
    return math.fsum(parts) + 0.0


def uniform(k: int, outcomes: int) -> float:
    """π_u(k, N) = N!/((N − k)!·N^k): all N outcomes equally likely."""
    return math.exp(log_uniform(k, outcomes))


def uniform_exponential(k: int, outcomes: int) -> float:
    """e^{−k²/(2N)}, eq. 1."""
    return math.exp(-k * k / (2.0 * outcomes))


def alpha_squared(k: int, second_power_sum: float) -> float:
    """e^{−k²·P_2/2}, the right of eq. 3; P_2 = Σα²f/N."""
    return math.exp(-k * k * second_power_sum / 2.0)


def kullback_leibler(k: int, outcomes: int, kappa: float) -> float:
    """π_u(k, N)·e^{−κ·k²/N}, section 3.2."""
    return math.exp(log_uniform(k, outcomes) - kappa * k * k / outcomes)


def kullback_leibler_exponential(k: int, outcomes: int, kappa: float) -> float:
    """e^{−(½+κ)·k²/N}, section 3.2."""
    return math.exp(-(0.5 + kappa) * k * k / outcomes)
