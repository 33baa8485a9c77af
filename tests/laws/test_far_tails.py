"""Relative error far from the middle, against arithmetic of as many digits as it takes."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from reidrisk.laws.factorial_series import series_law
from reidrisk.laws.hypergeometric import TupleCounts
from reidrisk.laws.law_tables import law_table
from reidrisk.laws.recursive_hypergeometric import RecursiveHypergeometric

from .oracles import by_factorial_moments, random_counts, three_attributes


def off(found, exact):
    return float(abs(mpmath.mpf(float(found)) / exact - 1))


@pytest.mark.parametrize("seed", range(12))
def test_ten_thousand_people(seed):
    """Every P > 1e-30, and P > 1e-200 as far as it is asked for."""
    rng = np.random.default_rng(seed)
    counts = random_counts(rng, 10**4, int(rng.integers(3, 7)), 10 ** rng.uniform(-1, 2.6))
    law = RecursiveHypergeometric(10**4, counts)
    low, p = law.window()
    top = min(min(counts), low + 3 * len(p))
    sizes = [int(k) for k in np.unique(np.linspace(low, top, 25).astype(int))]
    for k, exact in zip(sizes, by_factorial_moments(10**4, counts, sizes), strict=True):
        if exact > mpmath.mpf("1e-30"):
            assert off(law.pmf(k), exact) < 1e-9
        if exact > mpmath.mpf("1e-200"):
            assert off(law.pmf(k), exact) < 1e-11


@pytest.mark.parametrize("seed", range(4))
def test_sums_from_either_end(seed):
    rng = np.random.default_rng(100 + seed)
    counts = random_counts(rng, 10**4, 4, 10 ** rng.uniform(0, 2))
    law = RecursiveHypergeometric(10**4, counts)
    top = min(min(counts), int(law.mean() + 40 * law.std() + 60))
    exact = by_factorial_moments(10**4, counts, range(top + 1))
    with mpmath.workdps(60):
        for k in range(0, top, max(1, top // 20)):
            below, above = mpmath.fsum(exact[: k + 1]), mpmath.fsum(exact[k + 1 :])
            if below > mpmath.mpf("1e-100"):
                assert off(law.cdf(k), below) < 1e-11
            if above > mpmath.mpf("1e-100"):
                assert off(law.sf(k), above) < 1e-11


@pytest.mark.parametrize(
    ("n", "counts"),
    [
        (10**6, (30_000, 200_000, 400_000)),
        (10**6, (500_000, 600_000, 999_900)),
        (10**9, (10**6, 5 * 10**8, 8 * 10**8)),
        (10**9, (10**9 - 5000, 2 * 10**6, 10**8)),
    ],
)
def test_wide_laws(n, counts):
    """Steps above 1: nodes, strides and the polynomial between nodes are all in use."""
    law = RecursiveHypergeometric(n, counts)
    a, b, c = sorted(counts)
    before = RecursiveHypergeometric(n, (a, b))
    for deviations in (-11, -7.3, -3, 0, 0.37, 4, 9, 11.4):
        k = round(law.mean() + deviations * law.std())
        # The m that matter lie between those for the mean and those that k suggests.
        around = round(before.mean() + (k - law.mean()) * before.var() * (c / n) / law.var())
        exact = three_attributes(n, (a, b, c), k, around, round(16 * before.std()) + 200)
        assert off(law.pmf(k), exact) < 1e-11


def test_the_series_and_the_strides_agree():
    """Two ways that share nothing but the counts."""
    for counts in [(100, 2000, 3000), (700, 800, 5000, 9000), (12, 4000, 5000)]:
        sizes = np.arange(min(min(counts), 25) + 1)
        series, amplified = series_law(10**4, counts, sizes)
        strides = law_table_by_strides(10**4, counts, sizes)
        assert np.abs(np.expm1(series - strides)).max() < 1e-14 * max(20, amplified.max())


def law_table_by_strides(n, counts, sizes):
    """The series is switched off."""
    from unittest.mock import patch

    with patch("reidrisk.laws.law_tables.LARGEST_MEAN_OF_SERIES", -1.0):
        return law_table(TupleCounts.of(n, counts), 200.0).at(sizes)


def test_amplification_says_when_the_series_has_lost_its_digits():
    counts, sizes = (3000, 3000, 3000), np.arange(40)
    _, amplified = series_law(10**4, counts, sizes)
    assert amplified.min() > 1e12
    assert RecursiveHypergeometric(10**4, counts).mean() == pytest.approx(270)
