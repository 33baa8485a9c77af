"""Scale: how large a model's error of one family of figures may be, and the interval it makes.

Symbols, as in `model_error`: p a predicted figure, t by the next simpler model, q the share of
people with a rare pair of values; d_lo and d_hi how far chance goes below and above p.

    s = a·|t − p| + b·p(1 − p)·q + c·p(1 − p) + s_0
    [p − √((z_lo·s)² + d_lo²), p + √((z_hi·s)² + d_hi²)]
"""

from __future__ import annotations

import math
from dataclasses import dataclass

# |t − p|, p(1 − p)·q, p(1 − p).
Features = tuple[float, float, float]
Interval = tuple[float, float]


@dataclass(frozen=True)
class Scale:
    """a, b, c, s_0 of one family of figures, and the quantiles of error/s."""

    a: float
    b: float
    c: float
    least: float
    low: float
    high: float

    def of(self, seen: Features) -> float:
        """s."""
        apart, rare, varies = seen
        return self.a * apart + self.b * rare + self.c * varies + self.least

    def ends(self, p: float, s: float, chance: Interval) -> Interval:
        """Where a figure's interval ends: the model's error s and what `chance` leaves together."""
        down = math.hypot(min(self.low, 0.0) * s, max(p - chance[0], 0.0))
        up = math.hypot(max(self.high, 0.0) * s, max(chance[1] - p, 0.0))
        return p - down, p + up
