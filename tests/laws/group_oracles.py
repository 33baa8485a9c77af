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


def by_newton(marginals, k, digits=400):
    """log k!·e_k of a product space, by Newton's identities with as many digits as they eat."""
    with mpmath.workdps(digits):
        exact = [[mpmath.mpf(p) for p in marginal] for marginal in marginals]
        exact = [[p / mpmath.fsum(each) for p in each] for each in exact]
        sums = [mpmath.mpf(1)]
        powers = [list(each) for each in exact]
        for _ in range(k):
            sums.append(mpmath.mpf(prod(mpmath.fsum(each) for each in powers)))
            for held, once in zip(powers, exact, strict=True):
                held[:] = [a * p for a, p in zip(held, once, strict=True)]
        e = [mpmath.mpf(1)]
        for j in range(1, k + 1):
            terms = ((-1) ** (i - 1) * e[j - i] * sums[i] for i in range(1, j + 1))
            e.append(mpmath.fsum(terms) / j)
        return mpmath.log(mpmath.factorial(k) * e[k])
