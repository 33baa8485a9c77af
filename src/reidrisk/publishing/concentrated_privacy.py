"""Zero-concentrated differential privacy: what noise costs, added up over tables and releases.

A mechanism M is ρ-zCDP when for all neighbouring D, D' and all α > 1 the Rényi divergence
D_α(M(D) ‖ M(D')) ≤ αρ (Bun, Steinke 2016). Sums of squares: discrete Gaussian noise of σ² on a
vector of whole numbers that one person changes by at most Δ in Euclidean length costs ρ = Δ²/2σ²
(Canonne, Kamath, Steinke 2020, section 2.2); what is released together or one after the other,
each step chosen by the answers before it, costs the sum.

In the words of (ε, δ), P(M(D) ∈ E) ≤ e^ε P(M(D') ∈ E) + δ for every set E of answers (their
section 2.3):

    δ(ε) = inf over α > 1 of exp((α − 1)(αρ − ε))/(α − 1) · (1 − 1/α)^α.

This holds for every ρ-zCDP mechanism, so no normal approximation is needed. At δ = 1e-9 and ε = 1
it allows 27 % more ρ than ε = ρ + 2√(ρ ln 1/δ). Every α gives a valid bound: a search that stops
beside the infimum spends too much, never too little.

Where it fails: it is a bound for the worst dataset and the worst neighbour. ε says how much any
conclusion about a person can shift, not that nothing can be concluded about them from others.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

from reidrisk.errors import InputError

# ρ found by bisection is taken off by this share, more than what rounding can add.
CAREFUL = 1e-9
HALVINGS = 200
GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0


def refuse_impossible(epsilon: float, delta: float) -> None:
    """ε is a finite number above nought, δ lies between nought and one."""
    if not (math.isfinite(epsilon) and epsilon > 0.0):
        raise InputError("epsilon is a number above 0", "1 is a usual one; smaller is stricter")
    if not 0.0 < delta < 1.0:
        raise InputError("delta lies between 0 and 1", "1e-9 is a usual one")


def delta_of(rho: float, epsilon: float) -> float:
    """The least δ that is proven for ε."""
    if rho <= 0.0:
        return 0.0

    def log_delta(log_over: float) -> float:
        over = math.exp(log_over)
        alpha = 1.0 + over
        at = over * (alpha * rho - epsilon) - math.log(over)
        return at - alpha * math.log1p(1.0 / over)

    return min(math.exp(min(_least(log_delta), 0.0)), 1.0)


def epsilon_of(rho: float, delta: float) -> float:
    """The least ε that is proven for δ: αρ + (ln 1/δ − ln α)/(α − 1) + ln(1 − 1/α), over α."""
    if rho <= 0.0:
        return 0.0

    def epsilon(log_over: float) -> float:
        over = math.exp(log_over)
        alpha = 1.0 + over
        rest = (-math.log(delta) - math.log(alpha)) / over
        return alpha * rho + rest - math.log1p(1.0 / over)

    return max(_least(epsilon), 0.0)


@lru_cache(maxsize=64)
def rho_of(epsilon: float, delta: float) -> float:
    """The largest ρ whose bound is (ε, δ)."""
    refuse_impossible(epsilon, delta)
    # ε(ρ) ≥ ρ wherever δ is small: twice ε, and something where it isn't, is too much.
    low, high = 0.0, 2.0 * epsilon + 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        low, high = (middle, high) if epsilon_of(middle, delta) <= epsilon else (low, middle)
    return low * (1.0 - CAREFUL)


def _least(of: Callable[[float], float]) -> float:
    """The least value over log(α − 1): the best of a grid, then a golden section around it."""
    grid = [-25.0 + 0.5 * step for step in range(101)]
    middle = min(grid, key=of)
    low, high = middle - 0.5, middle + 0.5
    for _ in range(60):
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        low, high = (low, right) if of(left) <= of(right) else (left, high)
    return min(of(0.5 * (low + high)), of(middle))
