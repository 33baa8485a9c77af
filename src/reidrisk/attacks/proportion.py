"""The interval of a proportion: what N trials say of a probability.

Wilson's score interval, the p for which |x − p| ≤ z·√(p(1 − p)/N), x the mean of the N trials:

    (x + z²/2N ± z·√(x(1 − x)/N + z²/4N²)) / (1 + z²/N)

It stays in [0, 1] and has some width even if every trial ended the same way. For the mean of
numbers in [0, 1] that aren't only 0 and 1 it is wider than need be: their variance is at most p(1
− p). Where it fails: it covers 95 % on average over p, a little less for some p near 0 or 1.
"""

from __future__ import annotations

import math

Interval = tuple[float, float]

# 95 of 100 normal numbers lie within so many standard deviations.
NINETY_FIVE_PERCENT = 1.959963984540054


def wilson(mean: float, trials: int, z: float = NINETY_FIVE_PERCENT) -> Interval:
    """95 % limits of the probability behind `mean`."""
    spread = z * math.sqrt(mean * (1 - mean) / trials + z * z / (4 * trials * trials))
    middle, widened = mean + z * z / (2 * trials), 1 + z * z / trials
    return max((middle - spread) / widened, 0.0), min((middle + spread) / widened, 1.0)
