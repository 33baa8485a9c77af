"""P(all k drawn differ) = k!·e_k(p), by a contour through the saddle point.

Symbols: e_k(p) = Σ over sets of k outcomes of the product of their p; it is the coefficient of z^k
in Π_i (1 + p_i·z). For any r > 0 let S be a sum of independent indicators, S = Σ_i B(q_i) with
q_i = p_i·r/(1 + p_i·r). Then, exactly,

    e_k(p) = P(S = k)·Π_i (1 + p_i·r)/r^k,

and P(S = k) = (1/M) Σ_{j<M} E[e^{iSθ_j}]·e^{−ikθ_j}, θ_j = 2πj/M, but for what S = k ± M, k ± 2M …
adds. With E[S] = k, the saddle point, nothing cancels. With V = Var S:

- Bernstein: P(|S − k| ≥ M) ≤ 2·exp(−M²/(2V + 2M/3)), which chooses M;
- |E[e^{iSθ}]| ≤ exp(−V·(1 − cos θ)), which says which θ_j matter: some twenty of them,
  whatever k and however many outcomes.

r/k = 1 + x: with Σp = 1, k!·e_k = √(2πk)·e^{δ(k)}·P(S = k)·exp(k·(x − log(1+x)) − Σ(p_i·r −
log(1 + p_i·r))), δ Stirling's remainder: no large numbers are subtracted.

Sums over outcomes are taken over the likely ones and by power sums (`opening`). Relative error:
below 1e-12 (checked against rationals and 60 digits), k up to 10^7.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Floats
from reidrisk.laws.likely_tuples import Opened, opened
from reidrisk.laws.tuple_space import TupleSpace

Complex = NDArray[np.complex128]

# Power sums are used where p·r stays below this; at most 5k tuples lie above.
NEAR = 0.25
# e^−40 is nothing beside a probability that is worked out to 1e-12.
NOTHING = 40.0
AT_ONCE = 100_000
ROUNDS = 200


class SaddlePoint:
    """log k!·e_k of a space of tuples for any k; what was opened for one k serves others."""

    def __init__(self, space: TupleSpace) -> None:
        self.space = space
        self._known: dict[float, Opened] = {}

    def log_all_different(self, k: int) -> float:
        """log P(k independent draws all differ); −inf where there are too few outcomes."""
        if k <= 1:
            return 0.0
        held = self.space.held
        if k > held + 0.5:
            return -math.inf
        if k >= held - 0.5:
            return self._every_one(k)
        r, parts = self._saddle(k)
        return _log_answer(k, r, parts)

    def opened_for(self, k: int) -> Opened:
        """The tuples with k·p ≥ 1/4 one by one, power sums of the others."""
        return self._opened(2.0 ** math.ceil(math.log2(max(k, 1))))

    def _every_one(self, k: int) -> float:
        listed = opened(self.space, 0.0, 1).listed
        return math.lgamma(k + 1) + math.fsum(np.log(listed))

    def _saddle(self, k: int) -> tuple[float, Opened]:
        """r with E[S] = k, and sums that hold up to there."""
        reach = 2.0 ** math.ceil(math.log2(1.25 * k))
        while _mean(self._opened(reach), reach) < k:
            reach *= 4.0
        parts = self._opened(reach)
        low, high, r = float(k), reach, min(float(k) * 1.1, reach)
        for _ in range(ROUNDS):
            gap = k - _mean(parts, r)
            low, high = (r, high) if gap > 0 else (low, r)
            # In log r the mean rises by V.
            step = r * math.exp(min(max(gap / max(_variance(parts, r), 1e-12), -5.0), 5.0))
            r = step if low < step < high else math.sqrt(low * high)
            if abs(gap) < 1e-9 * k or high - low <= 1e-12 * high:
                break
        return r, parts

    def _opened(self, reach: float) -> Opened:
        if reach not in self._known:
            near = min(NEAR, reach * self.space.largest)
            terms = math.ceil((math.log(reach) + 32.0) / -math.log(near)) + 1
            self._known[reach] = opened(self.space, NEAR / reach, terms)
        return self._known[reach]


def _series(parts: Opened, r: float, weight: Floats) -> float:
    """Σ_m (−1)^{m+1} r^m P_m·weight_m over the tuples that weren't listed."""
    m = np.arange(1, len(parts.sums) + 1)
    sign = np.where(m % 2 == 1, 1.0, -1.0)
    return math.fsum(sign * (r * parts.scale) ** m * parts.sums * weight)


def _orders(parts: Opened) -> Floats:
    return np.arange(1.0, len(parts.sums) + 1)


def _mean(parts: Opened, r: float) -> float:
    x = parts.listed * r
    return float(np.sum(x / (1.0 + x))) + _series(parts, r, np.ones(len(parts.sums)))


def _variance(parts: Opened, r: float) -> float:
    x = parts.listed * r
    return float(np.sum(x / (1.0 + x) ** 2)) + _series(parts, r, _orders(parts))


def log_product(parts: Opened, r: float) -> float:
    """log Π (1 + p·r)."""
    return float(np.sum(np.log1p(parts.listed * r))) + _series(parts, r, 1.0 / _orders(parts))


def excess(parts: Opened, r: float) -> float:
    """Σ (p·r − log(1 + p·r))."""
    x = parts.listed * r
    weight = 1.0 / _orders(parts)
    weight[0] = 0.0
    return float(np.sum(x - np.log1p(x))) - _series(parts, r, weight)


def _log_answer(k: int, r: float, parts: Opened) -> float:
    x = (r - k) / k
    if x < 1.0:
        tilted = k * (x - math.log1p(x)) - excess(parts, r)
    else:
        tilted = log_product(parts, r) - k - k * math.log(r / k)
    beyond = 0.5 * math.log(2.0 * math.pi * k) + stirling_remainder(k)
    return tilted + beyond + math.log(_probability_of(k, r, parts))


def _probability_of(k: int, r: float, parts: Opened) -> float:
    """P(S = k), by the trapezoid rule on the circle."""
    v = max(_variance(parts, r), 0.0)
    # Beside P(S = k), some 1/√(2πV).
    least = NOTHING + 0.5 * math.log1p(2.0 * math.pi * v)
    nodes = math.ceil(least / 3.0 + math.sqrt(least * least / 9.0 + 2.0 * v * least))
    theta = 2.0 * math.pi * np.arange(nodes // 2 + 1) / nodes
    theta = theta[v * (1.0 - np.cos(theta)) <= least]
    # Conjugate halves of the circle: 0 and π have no partner.
    times = np.where((theta > 0.0) & (theta < math.pi * (1.0 - 1e-12)), 2.0, 1.0)
    values = np.exp(_log_ratio(parts, r, theta) - 1j * k * theta).real
    return math.fsum(times * values) / nodes


def _log_ratio(parts: Opened, r: float, theta: Floats) -> Complex:
    """log E[e^{iSθ}] = Σ log((1 + p·r·e^{iθ})/(1 + p·r))."""
    turn = np.expm1(1j * theta)
    found = np.zeros(len(theta), dtype=np.complex128)
    q = parts.listed * r / (1.0 + parts.listed * r)
    for begin in range(0, len(q), AT_ONCE):
        found += np.log1p(np.outer(turn, q[begin : begin + AT_ONCE])).sum(axis=1)
    m = np.arange(1, len(parts.sums) + 1)
    sign = np.where(m % 2 == 1, 1.0, -1.0)
    weight = sign * (r * parts.scale) ** m * parts.sums / m
    found += np.expm1(1j * np.outer(theta, m)) @ weight
    return found


def stirling_remainder(k: int) -> float:
    """δ(k) = log k! − (k·log k − k + ½·log 2πk)."""
    if k < 16:
        return math.lgamma(k + 1) - (k * math.log(k) - k + 0.5 * math.log(2.0 * math.pi * k))
    return (
        1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / (1680.0 * k * k)) / (k * k)) / (k * k)
    ) / k
