"""Millions of tuples at once by the binomial form, P(B(m, q) ≥ k), beside `many_tuples`.

    b_0 = (1 − q)^m,   b_{i+1} = b_i·(m − i)/(i + 1)·q/(1 − q).

Where the mean mq is below 1 the b_i are added from above, so that a small P keeps its digits;
elsewhere P = 1 − b_0 − … − b_{k−1}, right to 1e-15 absolutely.

Where it fails: as an answer to the question, by TFRR's approximation (`binomial_form`). Laws of
mean above 700, whose b_0 is below any float, are left to the incomplete beta function, slowly.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from reidrisk import machine
from reidrisk.arrays import Floats, Ints
from reidrisk.laws.binomial_form import Holder, binomial_tail
from reidrisk.laws.hypergeometric import whole
from reidrisk.laws.many_tuples import BLOCK, checked_rows

SMALL_MEAN, LARGE_MEAN = 1.0, 700.0
# b_{k+20} is below 1e-18 of b_k for a mean of 1.
BEYOND = 20


def binomial_tails(
    n: float, counts: ArrayLike, ks: Iterable[float], holder: Holder = "smallest"
) -> Floats:
    """P(B(m, q) ≥ k): a row for each row of counts, a column for each k; `holder` chooses m."""
    listed = [whole(k, "the size of a crowd") for k in ks]
    rows = checked_rows(n, counts)
    found = np.empty((len(listed), len(rows)))

    def work(begin: int) -> None:
        block = slice(begin, begin + BLOCK)
        m, q = _parameters(int(n), rows[block], holder)
        _fill(found[:, block], m, q, listed)

    threads = machine.available() if len(rows) >= machine.WORTH_SHARING else 1
    machine.each(work, range(0, len(rows), BLOCK), threads)
    return found.T


def _parameters(n: int, rows: Ints, holder: Holder) -> tuple[Floats, Floats]:
    """m and q = Π of the others' shares."""
    columns = np.ascontiguousarray(rows.T, dtype=np.float64)
    m = columns[-1] if holder == "last" else columns.min(axis=0)
    mean = np.prod(columns / max(n, 1), axis=0) * n
    return m, np.minimum(mean / np.maximum(m, 1.0), 1.0)


def _fill(found: Floats, m: Floats, q: Floats, ks: list[int]) -> None:
    mean = m * q
    small, large = mean < SMALL_MEAN, (mean > LARGE_MEAN) | (q > 0.999)
    for which, way in ((small, _from_above), (~small & ~large, _from_below), (large, _by_beta)):
        if which.any():
            found[:, which] = way(m[which], q[which], ks)


def _from_below(m: Floats, q: Floats, ks: list[int]) -> Floats:
    odds, b = q / (1.0 - q), np.exp(m * np.log1p(-q))
    found, rest = np.ones((len(ks), len(m))), np.ones_like(m)
    for i in range(max((0, *ks))):
        rest -= b
        for place, k in enumerate(ks):
            if k == i + 1:
                found[place] = rest
        b *= odds * ((m - i) / (i + 1))
    return np.clip(found, 0.0, 1.0, out=found)


def _from_above(m: Floats, q: Floats, ks: list[int]) -> Floats:
    odds, terms = q / (1.0 - q), [np.exp(m * np.log1p(-q))]
    for i in range(max((0, *ks)) + BEYOND):
        terms.append(terms[-1] * odds * (np.maximum(m - i, 0.0) / (i + 1)))
    found, total = np.ones((len(ks), len(m))), np.zeros_like(m)
    for i in range(len(terms) - 1, 0, -1):
        total += terms[i]
        for place, k in enumerate(ks):
            if k == i:
                found[place] = total
    return found


def _by_beta(m: Floats, q: Floats, ks: list[int]) -> Floats:
    return np.array([binomial_tail(k, m, q) for k in ks]).reshape(len(ks), len(m))
