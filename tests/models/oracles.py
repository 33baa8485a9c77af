"""Slow and certain answers for small tables, none of them using the code under test."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from math import comb, prod

import numpy as np


def counts_of(columns):
    return [np.unique(column, return_counts=True)[1].astype(np.int64) for column in columns]


def every_shuffle(columns):
    """E[N_s] for s = 1 … n, by listing every distinct order of every column but the first."""
    orders = [np.array(sorted(set(permutations(column)))) for column in columns[1:]]
    n = len(columns[0])
    total, tables = np.zeros(n + 1), 0
    for picks in product(*(range(len(order)) for order in orders[:-1])):
        alike = np.equal.outer(columns[0], columns[0])
        for order, pick in zip(orders, picks, strict=False):
            alike = alike & np.equal.outer(order[pick], order[pick])
        last = orders[-1]
        crowd = (alike & (last[:, :, None] == last[:, None, :])).sum(axis=2)
        total += np.bincount(crowd.ravel(), minlength=n + 1)
        tables += len(last)
    return total[1:] / np.arange(1, n + 1) / tables


def by_factorial_moments(counts, n):
    """E[N_k] for k = 1 … n in exact rationals: Σ_tuples P(X=k) = Σ_r (−1)^(r−k) C(r,k) F_r,

    F_r = C(n,r)·Π_j (Σ_v C(n_j(v),r))/C(n,r).
    """
    moments = []
    for r in range(n + 1):
        shares = [Fraction(sum(comb(int(c), r) for c in each), comb(n, r)) for each in counts]
        moments.append(comb(n, r) * prod(shares))
    return np.array([float(_inverted(moments, k)) for k in range(1, n + 1)])


def _inverted(moments, k):
    return sum((-1) ** (r - k) * comb(r, k) * moments[r] for r in range(k, len(moments)))


def shuffled_crowds(counts, shuffles, rng):
    """The crowd sizes of some shuffled tables, one array a table."""
    columns = [np.repeat(np.arange(len(each)), each) for each in counts]
    for _ in range(shuffles):
        key = columns[0]
        for each, column in zip(counts[1:], columns[1:], strict=True):
            key = key * len(each) + rng.permutation(column)
        yield np.unique(key, return_counts=True)[1]


def listed(crowds, n):
    """E[N_s] for s = 1 … n out of a CrowdSizes."""
    every = np.zeros(n)
    every[crowds.sizes - 1] = crowds.crowds
    return every


def uneven(n, values, rng):
    """Counts of an attribute whose values are as unequal as exponential waiting times."""
    counts = rng.multinomial(n, rng.dirichlet(np.ones(values)))
    return counts[counts > 0].astype(np.int64)


def even(n, values, rng):
    """Counts of an attribute whose values are as equal as chance leaves them."""
    counts = rng.multinomial(n, np.full(values, 1 / values))
    return counts[counts > 0].astype(np.int64)
