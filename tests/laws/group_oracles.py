"""Groups by exact rationals and by listing everything; none of it uses the code under test."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import comb, factorial, prod

import mpmath


def by_recurrence(counts, k):
    """P(k independent draws all differ) = k!·e_k(c/n), in rationals."""
    n = sum(counts)
    e = [Fraction(1)] + [Fraction(0)] * k
    for count in counts:
        for j in range(k, 0, -1):
            e[j] += Fraction(count, n) * e[j - 1]
    return factorial(k) * e[k]


def by_sequences(counts, k):
    """The same by listing every sequence of k draws."""
    n = sum(counts)
    total = Fraction(0)
    for drawn in product(range(len(counts)), repeat=k):
        if len(set(drawn)) == k:
            total += prod((Fraction(counts[i], n) for i in drawn), start=Fraction(1))
    return total


def by_people(counts, k):
    """P(k different people all differ), by listing every set of people."""
    people = [value for value, count in enumerate(counts) for _ in range(count)]
    unique = sum(
        len({people[i] for i in some}) == k for some in combinations(range(len(people)), k)
    )
    return Fraction(unique, comb(len(people), k))


def unique_member(counts, k):
    """P(the first of k draws is shared by none of the others), by listing every sequence."""
    n = sum(counts)
    total = Fraction(0)
    for drawn in product(range(len(counts)), repeat=k):
        if drawn[0] not in drawn[1:]:
            total += prod((Fraction(counts[i], n) for i in drawn), start=Fraction(1))
    return total


def many_digits(probabilities, k):
    """log k!·e_k(p) with 60 digits, by the recurrence."""
    with mpmath.workdps(60):
        e = [mpmath.mpf(1)] + [mpmath.mpf(0)] * k
        for p in map(mpmath.mpf, probabilities):
            for j in range(k, 0, -1):
                e[j] += p * e[j - 1]
        return mpmath.log(mpmath.factorial(k) * e[k])


def log_of(fraction):
    with mpmath.workdps(40):
        return float(mpmath.log(mpmath.mpf(fraction.numerator) / fraction.denominator))
