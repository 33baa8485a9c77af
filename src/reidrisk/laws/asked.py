"""Asked: what is wanted of each of many laws, as weights on factorial moments.

With F_r = E[C(X, r)] both answers are sums over r ≥ 1,

    P(X ≥ k)      = Σ_{r≥k} (−1)^{r−k}·C(r−1, k−1)·F_r,   k ≥ 1,
    E[1/X; X ≥ 1] = Σ_{r≥1} (−1)^{r−1}·H_r·F_r,           H_r = 1 + 1/2 + … + 1/r.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LARGEST_IN_SERIES = 300


@dataclass(frozen=True)
class Asked:
    """P(X ≥ k) for each k ≥ 1 and, after them, E[1/X; X ≥ 1] if `reciprocal`."""

    ks: tuple[int, ...]
    reciprocal: bool = False

    @property
    def answers(self) -> int:
        """How many numbers are wanted of each law."""
        return len(self.ks) + self.reciprocal

    @property
    def largest(self) -> int:
        """The largest k, at least 1."""
        return max((1, *self.ks))

    @property
    def largest_in_series(self) -> int:
        """The same, as far as a law of small mean has any P(X ≥ k)."""
        return min(self.largest, LARGEST_IN_SERIES)

    def weights(self, terms: int) -> list[list[Fraction]]:
        """Weights of F_1 … F_terms, a row for each answer."""
        rows = [[Fraction(_tail_weight(r, k)) for r in range(1, terms + 1)] for k in self.ks]
        if self.reciprocal:
            rows.append(_reciprocal_weights(terms))
        return rows


@lru_cache(maxsize=64)
def float_weights(asked: Asked, terms: int) -> Floats:
    """The weights as floats, for laws of small means.

    P(X ≥ k) of those is below 1e-300 from k = 300 on: nought, and so are the weights.
    """
    near = Asked(tuple(k for k in asked.ks if k <= LARGEST_IN_SERIES), asked.reciprocal)
    rows = [[float(weight) for weight in row] for row in near.weights(terms)]
    weights = np.zeros((asked.answers, terms))
    places = [place for place, k in enumerate(asked.ks) if k <= LARGEST_IN_SERIES]
    weights[places + [len(asked.ks)] * asked.reciprocal] = np.array(rows).reshape(-1, terms)
    return weights


def _tail_weight(r: int, k: int) -> int:
    return 0 if r < k else (-1) ** (r - k) * comb(r - 1, k - 1)


def _reciprocal_weights(terms: int) -> list[Fraction]:
    weights, harmonic = [], Fraction(0)
    for r in range(1, terms + 1):
        harmonic += Fraction(1, r)
        weights.append(-harmonic if r % 2 == 0 else harmonic)
    return weights
