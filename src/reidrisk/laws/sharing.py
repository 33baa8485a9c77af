"""P(some two of k share an outcome), where it is too small to be 1 − P(all differ).

Symbols: E_j = P(j draws all differ) = j!·e_j(p), P_i = Σ p^i. Newton's identities read

    E_j − E_{j+1} = Σ_{i≥2} (−1)^i·j(j−1)…(j−i+2)·P_i·E_{j+1−i},

and P(shared) = Σ_{j<k} (E_j − E_{j+1}). Used where C(k, 2)·P_2, which it never exceeds, is below
0.001: then k·p < 0.05 for every outcome and each term is a twentieth of the one before. The E on
the right start as 1 and are set to 1 − P(shared) until nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

SMALL = 1e-3
TERMS = 14
ROUNDS = 8
MOST_MEMBERS = 10**7


def small_sharing(k: int, power_sum: Callable[[int], float]) -> float | None:
    """P(some two of k share); None where it isn't small, and 1 − P(all differ) will do."""
    bound = 0.5 * k * (k - 1.0) * power_sum(2)
    if bound >= SMALL or k > MOST_MEMBERS:
        return None
    if bound == 0.0:
        return 0.0
    j = np.arange(k, dtype=np.float64)
    # Powers of the sums as steps, so that k^i and P_i meet before either leaves the range.
    sums = [power_sum(i) for i in range(2, min(TERMS, k) + 1)]
    steps = [sums[0], *(b / a if a > 0.0 else 0.0 for a, b in pairwise(sums))]
    shared = np.zeros(k + 1)
    for _ in range(ROUNDS):
        before = shared[-1]
        lost = np.zeros(k)
        weight = np.ones(k)
        for i, step in enumerate(steps, start=2):
            weight = weight * np.maximum(j - (i - 2), 0.0) * (step if i == 2 else -step)
            differ = 1.0 - shared[np.maximum(np.arange(k) + 1 - i, 0)]
            lost += weight * differ
        shared[1:] = np.cumsum(lost)
        if shared[-1] == before:
            break
    return float(shared[-1])
