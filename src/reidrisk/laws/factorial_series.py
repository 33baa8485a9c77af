"""The law from its factorial moments: an alternating series, for crowds of a few people.

Symbols: X = |S_1 ∩ … ∩ S_d|, S_j a random set of n_j of n people. How often r people are all in
every set is known in closed form,

    F_r = E[C(X, r)] = C(n, r)·Π_j C(n_j, r)/C(n, r),
    F_{r+1}/F_r = Π_j (n_j − r)/((n − r)^{d−1}·(r + 1)),

    P(X = k) = Σ_{r≥k} (−1)^{r−k}·C(r, k)·F_r = F_k·(1 − …).

The terms cancel: with A = Σ|terms|/|sum| the relative error is about 20·A·eps. A depends on k and
is returned; the mean alone doesn't tell it.

Where it fails: A grows as e^{2·mean}, so the series is for means below 5.

Quantities: what is wanted of each of many laws, as weights on factorial moments.

With F_r = E[C(X, r)] both answers are sums over r ≥ 1,

    P(X ≥ k)      = Σ_{r≥k} (−1)^{r−k}·C(r−1, k−1)·F_r,   k ≥ 1,
    E[1/X; X ≥ 1] = Σ_{r≥1} (−1)^{r−1}·H_r·F_r,           H_r = 1 + 1/2 + … + 1/r.

The series of factorial moments in whole numbers: exact where floats cancel.

As in `factorial_series`, with every F_r kept as ⌊F_r·2^b⌋. What is cut off of F_r, up to one unit,
is multiplied by its weight C(r−1, k−1) < 2^r, so b = R + 100 with R the number of terms leaves an
error below 2^−99. F_r ≤ μ^r/r! falls below 2^−b after at most R = 8μ + 200 of them: a few hundred
terms of a few hundred bits take a third of a millisecond.

Where it fails: the work grows with μ²; from a mean of some hundreds on, strides are faster.

Many small crowds at once: the series of factorial moments as one matrix product.

Symbols as in `factorial_series`. For rows of counts, F_1 … F_R make a matrix, a row of F for each
r; the weights of `Quantities` make another; their product is the answer. The alternating sum is
off by at most some eps·Σ|terms|, and X being a sum of N = min n_j indicators or fewer,

    Σ|terms| ≤ E[3^X] ≤ (1 + 2μ/N)^N,   μ = E[X],

which is kept at 10^4: absolute error below 1e-11, relative error below 1e-10 however small P is,
for means up to 4.6 and, where the smallest count is a handful, above. R is such that the terms
left out are below 1e-12 of the answer, by F_{r+1}/F_r ≤ μ/(r + 1).

Where it fails: larger means; `suits` says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Floats, Ints, Places


def series_law(n: int, counts: Sequence[int], k: Ints) -> tuple[Floats, Floats]:
    """(log P(X = k), A) for each k from 0 to the smallest count."""
    logs = _log_moments(n, counts, int(k.max(initial=0)))[k]
    mean = n * float(np.prod([count / n for count in counts]))
    terms = min(counts) if mean > 1e4 else min(min(counts), int(4.0 * mean) + 45)
    r = k[:, None] + np.arange(terms)
    ratios = _share(n, counts, r) * (n - r) / (np.arange(terms) + 1.0)
    sizes = np.cumprod(np.maximum(ratios, 0.0), axis=1)
    signed = sizes.copy()
    signed[:, ::2] *= -1.0
    # From the smallest term up: the last digits are those of the large ones.
    total = 1.0 + signed[:, ::-1].sum(axis=1)
    whole = 1.0 + sizes.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        amplified = np.where(total > 0.0, whole / total, np.inf)
        return logs + np.log(np.maximum(total, 0.0)), amplified


def _log_moments(n: int, counts: Sequence[int], most: int) -> Floats:
    """log F_0 … log F_most."""
    r = np.arange(most)
    steps = np.log(_share(n, counts, r) * (n - r) / (r + 1.0))
    return np.concatenate([[0.0], np.cumsum(steps)])


def _share(n: int, counts: Sequence[int], r: Ints) -> Floats:
    """Π_j (n_j − r)/(n − r); 1 where r passes n."""
    left = np.maximum(n - r, 1)
    share = np.ones(r.shape)
    for count in counts:
        share *= (count - r) / left
    return share


LARGEST_IN_SERIES = 300


@dataclass(frozen=True)
class Quantities:
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
def float_weights(quantities: Quantities, terms: int) -> Floats:
    """The weights as floats, for laws of small means.

    P(X ≥ k) of those is below 1e-300 from k = 300 on: nought, and so are the weights.
    """
    near = Quantities(
        tuple(k for k in quantities.ks if k <= LARGEST_IN_SERIES), quantities.reciprocal
    )
    rows = [[float(weight) for weight in row] for row in near.weights(terms)]
    weights = np.zeros((quantities.answers, terms))
    places = [place for place, k in enumerate(quantities.ks) if k <= LARGEST_IN_SERIES]
    weights[places + [len(quantities.ks)] * quantities.reciprocal] = np.array(rows).reshape(
        -1, terms
    )
    return weights


def _tail_weight(r: int, k: int) -> int:
    return 0 if r < k else (-1) ** (r - k) * comb(r - 1, k - 1)


def _reciprocal_weights(terms: int) -> list[Fraction]:
    weights, harmonic = [], Fraction(0)
    for r in range(1, terms + 1):
        harmonic += Fraction(1, r)
        weights.append(-harmonic if r % 2 == 0 else harmonic)
    return weights


HARMONIC_BITS, FRACTION_BITS = 400, 60


def whole_number_answers(
    n: int,
    counts: Sequence[int],
    quantities: Quantities,
    among: Sequence[int] = (),
    gaps: Sequence[float] = (),
) -> list[float]:
    """P(X ≥ k) for each k, then E[1/X; X ≥ 1] if asked for.

    `among` are the people each count is drawn from, n by default; `gaps` by how much less than a
    whole number each count is (`chains`).
    """
    among = among or [n] * len(counts)
    mean = n * math.prod(count / a if a else 0.0 for count, a in zip(counts, among, strict=True))
    bits = min(int(8.0 * mean) + 200, min(counts)) + int(2.9 * mean) + 100
    # Binary fractions as they are: 1 − s·r is (whole − part·r)/whole.
    thinned_by = [
        (count << FRACTION_BITS, round(gap * (1 << FRACTION_BITS)))
        for count, gap in zip(counts, gaps, strict=False)
        if gap
    ]
    below = math.prod(whole for whole, _ in thinned_by)
    # Where everybody is kept, nothing is drawn.
    drawn = [(count, a) for count, a in zip(counts, among, strict=True) if count < a]
    kept, of = [count for count, _ in drawn], [a for _, a in drawn]
    moments, moment = [], n << bits
    for r in range(min(counts)):
        moment *= math.prod([count - r for count in kept])
        moment //= math.prod([a - r for a in of])
        share = math.prod([whole - part * (r + 1) for whole, part in thinned_by])
        moments.append(moment * share // below if thinned_by else moment)
        if not moment:
            break
        moment = moment * (n - r - 1) // (r + 2)
    answers = []
    for row, extra in _weights(quantities, -(-len(moments) // 64) * 64):
        total = sum(weight * moment for weight, moment in zip(row, moments, strict=False))
        answers.append(total / (1 << (bits + extra)))
    return answers


@lru_cache(maxsize=64)
def _weights(quantities: Quantities, terms: int) -> list[tuple[list[int], int]]:
    """Weights times 2^extra: harmonic numbers are no whole numbers."""
    shifts = [0] * len(quantities.ks) + [HARMONIC_BITS] * quantities.reciprocal
    rows = zip(quantities.weights(terms), shifts, strict=True)
    return [([int(weight * (1 << extra)) for weight in row], extra) for row, extra in rows]


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


def series_answers(
    effective: Floats, quantities: Quantities, moments: Callable[[Places, int], Floats]
) -> Floats:
    """One answer per row, one law per column; `moments` gives F_1 … F_terms of some of the laws."""
    answers = np.empty((quantities.answers, len(effective)))
    kind = np.searchsorted(CLASSES, effective)
    for place, most in enumerate(CLASSES):
        here = np.flatnonzero(kind == place)
        if len(here):
            weights = float_weights(quantities, terms_enough(most, quantities.largest_in_series))
            answers[:, here] = product_in_pieces(weights, moments(here, weights.shape[1]))
    return answers


def moments_of_many(n: int, shares: Floats, terms: int) -> Floats:
    """F_1 … F_terms, a law a column; shares n_j/n, an attribute a row."""
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
    product = np.empty((len(weights), moments.shape[1]))
    for begin in range(0, moments.shape[1], width):
        piece = moments[:, begin : begin + width]
        missing = width - piece.shape[1]
        if missing:
            piece = np.hstack([piece, np.zeros((len(piece), missing))])
        product[:, begin : begin + width] = (weights @ piece)[:, : width - missing]
    return product


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
