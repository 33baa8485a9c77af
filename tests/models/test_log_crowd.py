from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reidrisk.models.crowd_law import cubic, gridded_counts, mean_log_crowd
from reidrisk.models.knowledge import ValueCounts
from reidrisk.models.spectrum import Spectrum
from tests.models.oracles import uneven


def binomial_mean_log(m, q):
    """E[ln(1 + B(m − 1, q))], term by term."""
    ways = (math.log(math.comb(m - 1, k)) for k in range(m))
    logs = [way + k * math.log(q) + (m - 1 - k) * math.log1p(-q) for k, way in enumerate(ways)]
    return math.fsum(math.exp(log) * math.log(1 + k) for k, log in enumerate(logs))


@given(st.integers(2, 400), st.integers(1, 1200))
@settings(deadline=None, max_examples=60)
def test_integral_is_the_sum_over_the_binomial(m, place):
    mass = np.zeros(place + 1)
    mass[place] = 1.0
    kept = ValueCounts.of(np.array([m]), m)
    mean = mean_log_crowd(kept, Spectrum(mass, np.zeros(place + 1)))
    assert mean == pytest.approx(binomial_mean_log(m, math.exp(-0.01 * place)), abs=1e-6)


def test_mean_is_taken_over_people():
    """A value of 300 people and one of 100: three people in four see the larger."""
    kept = ValueCounts.of(np.array([300, 100]), 400)
    mass = np.zeros(201)
    mass[200] = 1.0
    mean = mean_log_crowd(kept, Spectrum(mass, np.zeros(201)))
    parts = [binomial_mean_log(m, math.exp(-2)) for m in (300, 100)]
    assert mean == pytest.approx(0.75 * parts[0] + 0.25 * parts[1], abs=1e-6)


def test_a_certain_tuple_leaves_the_kept_counts():
    kept = ValueCounts.of(np.array([7, 1, 1, 1]), 10)
    mean = mean_log_crowd(kept, Spectrum(np.ones(1), np.zeros(1)))
    assert mean == pytest.approx(0.7 * math.log(7), abs=1e-6)


def test_narrowing_is_half_the_slope_and_the_bend():
    """The mean is h − ε/2·(h' + h''); where crowds are large, h = ln(m·q)."""
    m, place, epsilon = 10_000, 100, 1e-3
    kept, mass = ValueCounts.of(np.array([m]), m), np.zeros(place + 1)
    mass[place] = 1.0
    plain, narrowed = (mean_log_crowd(kept, Spectrum(mass, mass * each)) for each in (0.0, epsilon))
    assert plain - narrowed == pytest.approx(epsilon / 2, rel=1e-2)


@given(st.integers(1, 10**7))
@settings(deadline=None, max_examples=20)
def test_gridded_counts_keep_people_and_values(seed):
    n, rng = 5_000_000, np.random.default_rng(seed)
    kept = ValueCounts.of(uneven(n, 3000, rng), n)
    m, mass, narrowing = gridded_counts(kept, most=50, step=0.05)
    assert len(m) < 400 < len(kept.counts)
    assert mass.sum() == pytest.approx(1.0, rel=1e-12)
    assert np.sum(n * mass / m) == pytest.approx(kept.number, rel=1e-9)
    assert np.all(narrowing <= mass * 0.05**2 / 4 + 1e-15)


def test_cubics_are_interpolated_exactly():
    place = np.linspace(0, 9, 37)
    values = np.arange(10.0) ** 3 - 4 * np.arange(10.0)
    assert cubic(values, place) == pytest.approx(place**3 - 4 * place, abs=1e-10)
