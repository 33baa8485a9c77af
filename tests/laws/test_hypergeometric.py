from __future__ import annotations

import math
from math import comb

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reidrisk.laws.hypergeometric import SMALL, log_binomial, log_hypergeometric


def at(k, n, m, c):
    return float(log_hypergeometric(np.array([k]), n, np.array([m]), c)[0])


@given(st.integers(1, 300), st.data())
@settings(deadline=None, max_examples=150)
def test_it_is_the_hypergeometric_law(n, data):
    m, c = data.draw(st.integers(0, n)), data.draw(st.integers(0, n))
    found = np.exp(log_hypergeometric(np.arange(-1, n + 2), n, np.array(m), c))
    possible = range(max(0, m + c - n), min(m, c) + 1)
    exact = [comb(m, k) * comb(n - m, c - k) / comb(n, c) for k in possible]
    assert found[1:][possible] == pytest.approx(np.array(exact), rel=1e-12, abs=0)
    assert np.count_nonzero(found) == len(possible)


@pytest.mark.parametrize("n", [10**4, 10**6, 10**9, 8 * 10**9])
def test_it_keeps_its_digits_for_many_people(n):
    """Twenty deviations up or twelve down, where log-gammas would lose seven digits."""
    rng = np.random.default_rng(n)
    for _ in range(50):
        m, c = (int(n ** rng.uniform(0.3, 1.0)) for _ in range(2))
        mean = m * c / n
        k = round(mean + rng.uniform(-12, 20) * math.sqrt(mean * (1 - c / n) * (1 - m / n)))
        k = min(max(k, 0, m + c - n), m, c)
        with mpmath.workdps(50):
            exact = _log_choose(m, k) + _log_choose(n - m, c - k) - _log_choose(n, c)
            assert abs(at(k, n, m, c) - exact) <= 2e-14 * (1 + abs(exact))


def _log_choose(a, b):
    return mpmath.loggamma(a + 1) - mpmath.loggamma(b + 1) - mpmath.loggamma(a - b + 1)


def test_remainders_of_small_numbers():
    with mpmath.workdps(30):
        for x, found in enumerate(SMALL):
            exact = mpmath.loggamma(x + 1) - (x * mpmath.log(x) if x else 0) + x
            assert abs(found - exact) < 1e-15


@given(st.integers(0, 200), st.floats(0, 1))
@settings(deadline=None, max_examples=200)
def test_the_binomial_law_in_the_same_form(m, q):
    found = np.exp(log_binomial(np.arange(-1.0, m + 2.0), m, q))
    for k in range(m + 1):
        exact = float(comb(m, k) * mpmath.mpf(q) ** k * (1 - mpmath.mpf(q)) ** (m - k))
        assert found[k + 1] == pytest.approx(exact, rel=1e-11, abs=1e-300)
    assert found[0] == found[-1] == 0.0
