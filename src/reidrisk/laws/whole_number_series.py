"""The series of factorial moments in whole numbers: exact where floats cancel.

As in `factorial_series`, with every F_r kept as ⌊F_r·2^b⌋. What is cut off of F_r, up to one unit,
is multiplied by its weight C(r−1, k−1) < 2^r, so b = R + 100 with R the number of terms leaves an
error below 2^−99. F_r ≤ μ^r/r! falls below 2^−b after at most R = 8μ + 200 of them: a few hundred
terms of a few hundred bits take a third of a millisecond.

Where it fails: the work grows with μ²; from a mean of some hundreds on, strides are faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from reidrisk.laws.asked import Asked

HARMONIC_BITS = 400


def whole_number_answers(n: int, counts: Sequence[int], asked: Asked) -> list[float]:
    """P(X ≥ k) for each k, then E[1/X; X ≥ 1] if asked for."""
    mean = float(n)
    for count in counts:
        mean *= count / n
    bits = bits_enough(mean, min(counts))
    return summed_exactly(_moments(n, counts, bits), bits, asked)


def bits_enough(mean: float, most: int) -> int:
    """b for a law of this mean with at most so many terms."""
    return min(int(8.0 * mean) + 200, most) + int(2.9 * mean) + 100


def summed_exactly(moments: Sequence[int], bits: int, asked: Asked) -> list[float]:
    """The answers from F_1, F_2, … times 2^bits."""
    found = []
    for row, extra in _weights(asked, -(-len(moments) // 64) * 64):
        total = sum(weight * moment for weight, moment in zip(row, moments, strict=False))
        found.append(total / (1 << (bits + extra)))
    return found


@lru_cache(maxsize=64)
def _weights(asked: Asked, terms: int) -> list[tuple[list[int], int]]:
    """Weights times 2^extra: harmonic numbers are no whole numbers."""
    shifts = [0] * len(asked.ks) + [HARMONIC_BITS] * asked.reciprocal
    rows = zip(asked.weights(terms), shifts, strict=True)
    return [([int(weight * (1 << extra)) for weight in row], extra) for row, extra in rows]


def _moments(n: int, counts: Sequence[int], bits: int) -> list[int]:
    """⌊F_1·2^b⌋, ⌊F_2·2^b⌋, … until they are nought."""
    moments, moment = [], n << bits
    for r in range(min(counts)):
        for count in counts:
            moment *= count - r
        moment //= (n - r) ** len(counts)
        moments.append(moment)
        if not moment:
            break
        moment = moment * (n - r - 1) // (r + 2)
    return moments
