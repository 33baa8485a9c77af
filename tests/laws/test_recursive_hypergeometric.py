from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from reidrisk.errors import ImpossibleCounts
from reidrisk.laws.recursive_hypergeometric import RecursiveHypergeometric

from .oracles import mean_of, rational_law, tail


@st.composite
def few_people(draw, attributes=5):
    n = draw(st.integers(1, 60))
    return n, draw(st.lists(st.integers(0, n), min_size=1, max_size=attributes))


@given(few_people())
@settings(deadline=None, max_examples=250)
def test_it_is_the_law_in_rationals(case):
    n, counts = case
    exact, law = rational_law(n, counts), RecursiveHypergeometric(n, counts)
    sizes = np.arange(-1, n + 2)
    for k, p, at_most, above in zip(
        sizes, law.pmf(sizes), law.cdf(sizes), law.sf(sizes), strict=True
    ):
        assert p == pytest.approx(float(exact.get(k, 0)), rel=1e-12, abs=0)
        assert at_most == pytest.approx(float(1 - tail(exact, k + 1)), rel=1e-12, abs=0)
        assert above == pytest.approx(float(tail(exact, k + 1)), rel=1e-12, abs=0)
    assert law.support() == (min(exact), max(exact))


@given(few_people())
@settings(deadline=None, max_examples=150)
def test_moments_are_those_of_the_rationals(case):
    n, counts = case
    exact, law = rational_law(n, counts), RecursiveHypergeometric(n, counts)
    mean = mean_of(exact)
    variance = sum((k - mean) ** 2 * p for k, p in exact.items())
    assert law.mean() == pytest.approx(float(mean), rel=1e-13)
    assert law.var() == pytest.approx(float(variance), rel=1e-12, abs=0)
    assert law.std() == pytest.approx(math.sqrt(variance), rel=1e-12, abs=0)
    some = float(sum(p / k for k, p in exact.items() if k))
    assert law.reciprocal() == pytest.approx(some, rel=1e-12, abs=0)


@given(few_people(4), st.integers(0, 60))
@settings(deadline=None, max_examples=60)
def test_order_changes_no_bit(case, k):
    n, counts = case
    found = {RecursiveHypergeometric(n, order).pmf(k).hex() for order in permutations(counts)}
    assert len(found) == 1


@pytest.mark.parametrize("counts", [(700, 300, 500), (90, 200, 400, 999), (30000, 5000, 12000)])
def test_the_law_is_log_concave(counts):
    low, p = RecursiveHypergeometric(10**5, counts).window()
    assert low >= 0
    p = p[p > 1e-30]
    assert (p[1:-1] ** 2 >= p[:-2] * p[2:] * (1 - 1e-11)).all()


@pytest.mark.parametrize(
    ("n", "counts"), [(50, (20, 30)), (10**4, (300, 7000)), (10**6, (10**5, 2 * 10**4))]
)
def test_two_attributes_are_hypergeometric(n, counts):
    law, known = RecursiveHypergeometric(n, counts), stats.hypergeom(n, *counts)
    sizes = np.unique(np.linspace(0, min(counts), 200).astype(int))
    assert law.pmf(sizes) == pytest.approx(known.pmf(sizes), rel=1e-7, abs=1e-300)
    assert law.cdf(sizes) == pytest.approx(known.cdf(sizes), rel=1e-7, abs=1e-12)
    assert (law.mean(), law.var()) == pytest.approx((known.mean(), known.var()), rel=1e-12)


def test_certain_crowds():
    for counts, size in [([7], 7), ([7, 10], 7), ([10, 10], 10), ([0, 4], 0), ([10, 0, 10], 0)]:
        law = RecursiveHypergeometric(10, counts)
        assert law.support() == (size, size)
        assert (law.pmf(size), law.cdf(size), law.sf(size), law.var()) == (1.0, 1.0, 0.0, 0.0)
        assert law.pmf([size - 1, size + 1]).tolist() == [0.0, 0.0]
        assert law.rvs(3, 1).tolist() == [size] * 3
    assert RecursiveHypergeometric(0, [0, 0]).pmf(0) == 1.0


@pytest.mark.parametrize("extra", [[], [10**5], [10**5, 10**5]])
def test_a_value_everybody_holds_tells_nothing(extra):
    law = RecursiveHypergeometric(10**5, [400, 5000, 60000])
    assert RecursiveHypergeometric(10**5, [400, 5000, 60000, *extra]).pmf(12) == law.pmf(12)


def test_any_shape_and_any_number():
    law = RecursiveHypergeometric(100, [30, 50, 60])
    sizes = np.array([[8, 9.0, 9.5], [-3, np.inf, 1e300]])
    assert law.pmf(sizes).shape == (2, 3)
    assert law.pmf(sizes)[0, 2] == 0.0
    assert law.logpmf(9.5) == -math.inf
    assert law.cdf(9.5) == law.cdf(9)
    assert law.sf(9.5) == law.sf(9) == law.tail(9.5) == law.tail(10)
    assert law.cdf(sizes)[1].tolist() == [0.0, 1.0, 1.0]
    assert law.sf(sizes)[1].tolist() == [1.0, 0.0, 0.0]
    assert np.isnan(law.pmf(np.nan))
    assert np.isnan(law.cdf(np.nan))
    assert isinstance(law.pmf(3), float)
    assert law.pmf([]).shape == (0,)


def test_logs_of_sums():
    law = RecursiveHypergeometric(10**4, [3000, 5000, 6000])
    sizes = np.array([600, 900, 1200])
    assert law.logcdf(sizes) == pytest.approx(np.log(law.cdf(sizes)), rel=1e-12)
    assert law.logsf(sizes) == pytest.approx(np.log(law.sf(sizes)), rel=1e-12)
    assert law.logcdf(1200) == pytest.approx(-law.sf(1200), rel=1e-12)
    assert law.logcdf(-1) == -math.inf


@pytest.mark.parametrize(
    ("n", "counts", "mean"),
    [
        (3_750_000, (10**6, 2_000_000, 1_500_000), 2e5),
        (10**9, (4 * 10**8, 5 * 10**8, 5 * 10**8), 1e8),
        (10**9, (5 * 10**8, 6 * 10**8, 9 * 10**8, 8 * 10**8, 10**9 - 1000), 2e8),
        (8 * 10**9, (4 * 10**9, 5 * 10**9, 2 * 10**9), 6e8),
    ],
)
def test_the_total_is_one(n, counts, mean):
    law = RecursiveHypergeometric(n, counts)
    low, p = law.window()
    sizes = low + np.arange(len(p), dtype=np.float64)
    assert law.mean() == pytest.approx(mean, rel=0.1)
    assert abs(math.fsum(p) - 1.0) < 1e-12
    away = math.fsum(p * (sizes - round(law.mean())))
    assert away + round(law.mean()) == pytest.approx(law.mean(), rel=1e-14)
    assert math.fsum(p * (sizes - law.mean()) ** 2) == pytest.approx(law.var(), rel=1e-10)
    middle = round(law.mean())
    assert law.cdf(middle) + law.sf(middle) == pytest.approx(1.0, abs=1e-12)


def test_against_drawn_tables():
    """Sets of people drawn and intersected, 10^5 people, 20,000 times."""
    n, counts, rng = 10**5, (30_000, 2_000, 50_000, 4_000), np.random.default_rng(7)
    crowd = np.full(20_000, counts[0])
    for count in counts[1:]:
        crowd = rng.hypergeometric(count, n - count, crowd)
    law = RecursiveHypergeometric(n, counts)
    sizes = np.arange(crowd.max() + 1)
    drawn = np.cumsum(np.bincount(crowd)) / len(crowd)
    assert np.abs(drawn - law.cdf(sizes)).max() < 1.95 / math.sqrt(len(crowd))


def test_draws_follow_the_law():
    law = RecursiveHypergeometric(10**5, (3000, 20_000, 50_000))
    drawn = law.rvs((100, 200), np.random.default_rng(3))
    assert drawn.shape == (100, 200)
    sizes = np.arange(drawn.max() + 1)
    share = np.cumsum(np.bincount(drawn.ravel())) / drawn.size
    assert np.abs(share - law.cdf(sizes)).max() < 1.95 / math.sqrt(drawn.size)
    assert law.rvs(5, 1).tolist() == law.rvs(5, 1).tolist()
    assert isinstance(law.rvs(rng=1), int)


@pytest.mark.parametrize(
    ("n", "counts"),
    [
        (10, []), (10, [11]), (10, [-1, 3]), (10, [2.5]), (10, [math.nan]), (-1, [0]),
        (10.5, [3]), (10, ["3"]), (10, [None]), (math.inf, [3]), (10**11, [5]),
    ],
)  # fmt: skip
def test_impossible_counts_are_refused(n, counts):
    with pytest.raises(ImpossibleCounts):
        RecursiveHypergeometric(n, counts)


def test_whole_floats_and_numpy_numbers_are_whole_numbers():
    law = RecursiveHypergeometric(np.int32(100), np.array([30.0, 50.0]))
    assert law.counts == (30, 50)
    assert repr(law) == "RecursiveHypergeometric(100, [30, 50])"
