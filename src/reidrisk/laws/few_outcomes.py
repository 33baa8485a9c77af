"""P(all drawn differ) for few outcomes, by the recurrence; many laws side by side.

E_j = j!·e_j(p) = P(j independent draws all differ), E_0 = 1. Outcome after outcome,

    for j = k down to 1:   E_j += j·p_i·E_{j−1}:

an outcome that joins may be any of the j draws. All terms are positive, so nothing cancels: the
relative error stays below N·2^−52, and all group sizes up to k come at once.

Where it fails: probabilities below 1e-290 lose digits; the saddle point gives their logarithm.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Outcomes times group size up to which this is faster than the saddle point.
MOST_WORK = 100_000
MOST_OUTCOMES = 2_000
TOO_SMALL = 1e-290


def all_different(probabilities: Floats, k: int) -> Floats:
    """E_0 … E_k; a row of outcomes gives a row, a table of laws a table."""
    p = np.asarray(probabilities, dtype=np.float64)
    found = np.zeros((*p.shape[:-1], k + 1))
    found[..., 0] = 1.0
    j = np.arange(1.0, k + 1)
    for place in range(p.shape[-1]):
        found[..., 1:] += (p[..., place, None] * j) * found[..., :-1]
    return found
