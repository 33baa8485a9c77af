from __future__ import annotations

import math
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reidrisk.models.crowd_law import ENDLESS, WIDEST_LISTED, Draws, crowds_of_members
from reidrisk.models.spectrum import SizeGrid


def draws_of(others, alike, population, mass=1.0):
    return Draws(*(np.array([float(x)]) for x in (others, alike, population, mass)))


def exact_law(others, alike, population):
    whole = comb(population, others)
    return np.array(
        [comb(alike, k) * comb(population - alike, others - k) / whole for k in range(others + 1)]
    )


@given(st.integers(1, 300), st.data())
@settings(deadline=None, max_examples=100)
def test_law_is_hypergeometric(population, data):
    others = data.draw(st.integers(0, population))
    alike = data.draw(st.integers(0, population))
    law = crowds_of_members(draws_of(others, alike, population), SizeGrid.up_to(population + 1))
    assert law[: others + 1] == pytest.approx(exact_law(others, alike, population), abs=1e-12)


def test_law_keeps_its_digits_in_a_large_population():
    law = crowds_of_members(draws_of(500, 10**6, 5 * 10**6), SizeGrid.up_to(5 * 10**6))[:501]
    assert law == pytest.approx(exact_law(500, 10**6, 5 * 10**6), rel=1e-9, abs=1e-12)


def test_endless_population_gives_the_binomial():
    law = crowds_of_members(draws_of(40, 0.3 * ENDLESS, ENDLESS), SizeGrid.up_to(41))
    binomial = [comb(40, k) * 0.3**k * 0.7 ** (40 - k) for k in range(41)]
    assert law == pytest.approx(np.array(binomial), abs=1e-12)


def test_distinct_tuples_are_those_of_the_binomial():
    """Σ mass/size = (1 − (1 − q)^m)/(m·q) for a member of B(m, q)."""
    grid = SizeGrid.up_to(1000)
    for m, q in [(3, 0.9), (50, 0.01), (1000, 0.002), (700, 0.5)]:
        law = crowds_of_members(draws_of(m - 1, q * ENDLESS, ENDLESS), grid)
        assert np.sum(law / grid.nodes) == pytest.approx((1 - (1 - q) ** m) / (m * q), rel=1e-10)


@pytest.mark.parametrize(("others", "alike"), [(4 * 10**5, 10**4), (2 * 10**6, 3 * 10**6)])
def test_wide_laws_keep_their_mean_and_spread(others, alike):
    population = 10**7 - 1
    draws, grid = draws_of(others, alike, population), SizeGrid.up_to(population + 1)
    law = crowds_of_members(draws, grid)
    assert draws.deviation[0] > WIDEST_LISTED / 2
    mean = np.dot(law, grid.nodes)
    # People are exact, so it is the mean of 1/size that may not move.
    assert mean == pytest.approx(1 + draws.mean[0], rel=3e-5)
    assert 1 / np.dot(law, 1 / grid.nodes) == pytest.approx(1 + draws.mean[0], rel=3e-3)


def poisson_below(mean, limit):
    logs = (k * math.log(mean) - mean - math.lgamma(k + 1) for k in range(math.ceil(limit)))
    return math.fsum(map(math.exp, logs))


@pytest.mark.parametrize("deviation", [WIDEST_LISTED - 0.1, WIDEST_LISTED + 0.1, 100.0])
def test_tails_hold_on_both_sides_of_the_limit(deviation):
    """Three deviations below the mean; B(10^9, mean/10^9) is Poisson. A crowd between two nodes is
    listed on both, and the points of a wide law stand for a sixteenth of a deviation either way."""
    mean, grid = deviation**2, SizeGrid.up_to(10**9)
    law = crowds_of_members(draws_of(10**9, mean * ENDLESS / 10**9, ENDLESS), grid)
    place = np.searchsorted(grid.nodes, 1 + mean - 3 * deviation)
    node, following, tail = grid.nodes[place], grid.nodes[place + 1], law[: place + 1].sum()
    point = deviation / 16 if deviation > WIDEST_LISTED else 0.0
    assert tail >= 0.98 * poisson_below(mean, node - point)
    assert tail <= 1.02 * poisson_below(mean, following - 1 + point)


def test_wide_laws_are_skewed_as_they_should_be():
    """The third moment of a Poisson law is its mean, so the skewness is 1/deviation."""
    deviation, grid = 40.0, SizeGrid.up_to(10**9)
    law = crowds_of_members(draws_of(10**9, deviation**2 * ENDLESS / 10**9, ENDLESS), grid)
    away = (grid.nodes - 1 - deviation**2) / deviation
    assert np.dot(law, away**3) == pytest.approx(1 / deviation, rel=0.1)


def test_a_certain_draw_is_one_size():
    """q = 1: everybody of the crowd stays."""
    for population in (ENDLESS, 50.0):
        law = crowds_of_members(draws_of(30, population, population), SizeGrid.up_to(51))
        assert (law[30], law.sum()) == (1.0, 1.0)


def test_mass_is_kept_over_many_classes():
    rng = np.random.default_rng(1)
    classes = 5000
    mass = rng.dirichlet(np.ones(classes))
    others = rng.integers(0, 10**5, classes).astype(float)
    alike = np.floor(10 ** rng.uniform(0, 5, classes))
    draws = Draws(others, alike, np.full(classes, 10.0**5), mass)
    law = crowds_of_members(draws, SizeGrid.up_to(10**5 + 1))
    assert law.min() >= 0
    assert law.sum() == pytest.approx(1.0, abs=1e-12)
