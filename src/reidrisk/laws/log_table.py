"""LogTable: log P on every step-th whole number, and between them by a polynomial.

Where a law is narrow the step is 1 and every whole number is listed. Where it is wide, log P is a
smooth function of k: a parabola that bends a little, as log k! does, over distances of the order of
k, or of the distance to the other end of the support. The polynomial through the twelve nearest
nodes gives every whole number between them; at steps of a 25th of that distance x its error is

    x/132·(1·3·5·7·9·11/2^6)²·(1/25)^12 = 3e-15·x,

and less where a quarter of the standard deviation, the other limit of the step, is smaller.

Bennett's inequality says how far a table has to reach. A sum of independent indicators of variance
V is t away from its mean, on either side, with probability at most

    exp(−V·φ(t/V)),   φ(u) = (1 + u)·log(1 + u) − u,

and, by Chernoff's for a mean μ, t below it with probability at most exp(−μ·φ(−t/μ)). Seen from the
upper end of its support it is such a sum as well.

Where it fails: near the ends of the support, where `widest_step` is 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

STENCIL = 12
# Nodes before and after the stretch between the two middle nodes of a stencil.
BEFORE, AFTER = STENCIL // 2 - 1, STENCIL // 2
# Steps in a standard deviation and on the way to the nearer end of the support, at least.
STEPS_IN_DEVIATION, STEPS_TO_END = 4.0, 25.0


@dataclass(frozen=True)
class LogTable:
    """log P at low, low + step, …, up to at least high; with a step above 1, also at
    BEFORE nodes in front of low and AFTER nodes behind."""  # fmt: skip

    low: int
    high: int
    step: int
    logs: Floats

    def at(self, k: Ints) -> Floats:
        """log P(k) at whole numbers; −∞ outside low … high."""
        inside = (k >= self.low) & (k <= self.high)
        away = np.where(inside, k - self.low, 0)
        if self.step == 1:
            return np.where(inside, self.logs[away], -np.inf)
        place, between = np.divmod(away, self.step)
        found = np.zeros(away.shape)
        for i, weight in enumerate(self._weights):
            found += weight[between] * self.logs[place + i]
        return np.where(inside, found, -np.inf)

    def every(self) -> Floats:
        """log P(low), log P(low + 1), …, log P(high)."""
        if self.step == 1:
            return self.logs
        stretches = np.lib.stride_tricks.sliding_window_view(self.logs, STENCIL)
        return np.asarray(stretches @ self._weights).ravel()[: self.high - self.low + 1]

    def bend(self, k: Ints) -> Floats:
        """−(second derivative of log P), from three nodes; 0 where fewer are listed."""
        step = self.step
        if self.high - self.low < 2 * step:
            return np.zeros(k.shape)
        middle = np.clip(k, self.low + step, self.high - step)
        outer = self.at(middle - step) + self.at(middle + step)
        return (2.0 * self.at(middle) - outer) / float(step) ** 2

    @cached_property
    def _weights(self) -> Floats:
        """Lagrange's weights of a stencil's nodes (rows) at 0, 1, …, step − 1 (columns)."""
        at = BEFORE + np.arange(self.step) / self.step
        weights = np.ones((STENCIL, self.step))
        for i in range(STENCIL):
            for other in range(STENCIL):
                if other != i:
                    weights[i] *= (at - other) / (i - other)
        return weights


def reach(variance: float, depth: float) -> float:
    """The t with V·φ(t/V) = depth: beyond it P is below e^−depth (Bennett)."""
    highest = depth / 3.0 + math.sqrt(depth**2 / 9.0 + 2.0 * depth * variance)
    return _where(lambda t: _phi(t, variance), depth, highest) if variance > 0.0 else 0.0


def reach_to_end(mean: float, depth: float) -> float:
    """The t with μ·φ(−t/μ) = depth, or μ if there is none: towards the end of the support."""
    return _where(lambda t: _phi(-t, mean), depth, mean) if mean > 0.0 else 0.0


def _phi(t: float, scale: float) -> float:
    u = t / scale
    return scale * ((1.0 + u) * math.log1p(u) - u) if u > -1.0 else scale


def _where(rising: Callable[[float], float], depth: float, highest: float) -> float:
    """Where a rising function passes the depth, by bisection; the upper end if it doesn't."""
    low, high = 0.0, highest
    for _ in range(50):
        middle = (low + high) / 2.0
        low, high = (middle, high) if rising(middle) < depth else (low, middle)
    return high


def widest_step(variance: float, to_end: int) -> int:
    """The widest step for a window that keeps this far from the ends of the support."""
    return max(1, int(min(math.sqrt(variance) / STEPS_IN_DEVIATION, to_end / STEPS_TO_END)))


def nodes_between(low: int, high: int, step: int) -> Ints:
    """The whole numbers at which a table from low to high lists log P."""
    if step == 1:
        return np.arange(low, high + 1)
    last = -(-(high - low + 1) // step)
    return low + step * np.arange(-BEFORE, last + AFTER)
