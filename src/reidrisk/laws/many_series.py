"""Many small crowds at once: the series of factorial moments as one matrix product.

Symbols as in `factorial_series`. For rows of counts, F_1 … F_R make a matrix, a row of F for each
r; the weights of `asked` make another; their product is the answer. The alternating sum is off by
at most some eps·Σ|terms|, and X being a sum of N = min n_j indicators or fewer,

    Σ|terms| ≤ E[3^X] ≤ (1 + 2μ/N)^N,   μ = E[X],

which is kept at 10^4: absolute error below 1e-11, relative error below 1e-10 however small P is,
for means up to 4.6 and, where the smallest count is a handful, above. R is such that the terms
left out are below 1e-12 of the answer, by F_{r+1}/F_r ≤ μ/(r + 1).

Where it fails: larger means; `suits` says so.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from reidrisk.laws.asked import Asked, float_weights

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

# Rows are grouped by ½·N·log(1 + 2μ/N), the mean of a Poisson law with the same bound.
CLASSES = (0.02, 0.1, 0.4, 1.0, 2.2, math.log(1e4) / 2.0)

# Products of fewer multiplications than this are not shared out among cores by the library.
ONE_CORE = 250_000


def effective_means(mean: Floats, smallest: Floats) -> Floats:
    """½·N·log(1 + 2μ/N) ≤ μ."""
    return 0.5 * smallest * np.log1p(2.0 * mean / np.maximum(smallest, 1.0))


def suits(effective: Floats) -> NDArray[np.bool_]:
    """Whether the series keeps its digits."""
    return effective <= CLASSES[-1]


def series_answers(n: int, shares: Floats, effective: Floats, asked: Asked) -> Floats:
    """An answer a row, a tuple a column; shares n_j/n, an attribute a row."""
    found = np.empty((asked.answers, shares.shape[1]))
    kind = np.searchsorted(CLASSES, effective)
    for place, most in enumerate(CLASSES):
        here = np.flatnonzero(kind == place)
        if len(here):
            weights = float_weights(asked, terms_enough(most, asked.largest_in_series))
            moments = _moments(n, shares[:, here], weights.shape[1])
            found[:, here] = product_in_pieces(weights, moments)
    return found


def _moments(n: int, shares: Floats, terms: int) -> Floats:
    """F_1 … F_terms."""
    moments = np.empty((terms, shares.shape[1]))
    before: Floats | float = 1.0
    for r in range(terms):
        factor = n * (n / (n - r)) ** (len(shares) - 1) / (r + 1) if r < n else 0.0
        row = np.multiply(before, factor, out=moments[r])
        for share in shares:
            # Both quotients are rounded alike, so r = n_j gives exactly nought.
            row *= share - r / max(n, 1)
        before = row
    return moments


def product_in_pieces(weights: Floats, moments: Floats) -> Floats:
    """weights @ moments in pieces of one width.

    A library that multiplies matrices treats the edges of a piece in its own ways; with pieces of
    one width, answers don't depend, to the last bit, on which rows come together. Small pieces also
    stay on this core: the others are busy too.
    """
    width = max(64, ONE_CORE // weights.size // 64 * 64)
    found = np.empty((len(weights), moments.shape[1]))
    for begin in range(0, moments.shape[1], width):
        piece = moments[:, begin : begin + width]
        missing = width - piece.shape[1]
        if missing:
            piece = np.hstack([piece, np.zeros((len(piece), missing))])
        found[:, begin : begin + width] = (weights @ piece)[:, : width - missing]
    return found


@lru_cache(maxsize=256)
def terms_enough(mean: float, largest: int) -> int:
    """R with C(R, k−1)·F_{R+1} ≤ 1e-12·e^−2μ·F_k for every k up to the largest."""
    terms, enough = largest, -28.0 - 2.0 * mean
    while _left_out(terms + 1, largest, 1.1 * mean) > enough:
        terms += 1
    return terms + 1


def _left_out(r: int, k: int, mean: float) -> float:
    """log of C(r−1, k−1)·μ^{r−k}·k!/r!, at k and at 1, whichever is larger."""
    at_k = math.lgamma(r) - math.lgamma(r - k + 1) - math.lgamma(k)
    at_k += (r - k) * math.log(mean) + math.lgamma(k + 1) - math.lgamma(r + 1)
    at_one = (r - 1) * math.log(mean) - math.lgamma(r + 1)
    return max(at_k, at_one)
