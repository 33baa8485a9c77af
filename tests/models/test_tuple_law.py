"""The law of one tuple's crowd: its moments, mixtures, and what people in it see."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reidrisk.models.tuple_law import TupleLaws, at_least, crowd_sizes_of


def law_of(expected, narrowing, most=400):
    """P(X = x) for x = 0 … most, out of the mixture of binomials a member's law stands for."""
    laws = TupleLaws(np.array([expected]), np.array([narrowing]))
    reached = at_least(laws, list(range(1, most + 2)))[0]
    member = -np.diff(np.append(reached, 0.0))
    law = np.zeros(most + 2)
    law[1:] = expected * member[: most + 1] / np.arange(1, most + 2)
    law[0] = 1.0 - law.sum()
    return law


@given(st.floats(0.001, 30), st.floats(0.0, 1.0))
@settings(deadline=None)
def test_mean_and_narrowing_are_those_asked_for(expected, narrowing):
    law, x = law_of(expected, narrowing), np.arange(402)
    low = np.floor(expected)
    least = low * (low - 1 + 2 * (expected - low))
    square = max(expected**2 * (1 - narrowing), least)
    assert law.min() > -1e-9
    assert np.dot(law, x) == pytest.approx(expected, rel=1e-6)
    # From 64 people to choose from on, c need not be whole.
    if 1 / max(narrowing, 1e-9) < 64:
        assert np.dot(law, x * (x - 1)) == pytest.approx(square, rel=1e-5, abs=1e-9)


def test_draws_without_counts_are_binomial():
    laws = TupleLaws(np.array([1.5]), np.array([1 / 1000]))
    expected = 1 - (1 - 1.5e-3) ** 999
    assert at_least(laws, [2])[0, 0] == pytest.approx(expected, rel=1e-9)


def test_a_settled_crowd_has_its_size():
    laws = TupleLaws(np.array([1.0, 3.0, 700.0]), np.array([1.0, 1 / 3, 1 / 700]))
    crowds = crowd_sizes_of(laws, np.array([1.0, 3.0, 700.0]) / 704, 704)
    assert crowds.sizes.tolist() == [1, 3, 700]
    assert crowds.crowds == pytest.approx([1, 1, 1])


def test_two_and_a_half_people_are_two_or_three():
    assert law_of(2.5, 1.0)[2:4] == pytest.approx([0.5, 0.5])


@given(st.integers(1, 10**6), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=30)
def test_people_add_up(n, seed):
    rng = np.random.default_rng(seed)
    mass = rng.dirichlet(np.ones(50))
    crowds = crowd_sizes_of(TupleLaws(n * mass, rng.random(50)), mass, n)
    assert crowds.people == pytest.approx(n, rel=1e-9)
    assert 0 < crowds.overall_risk <= 1 + 1e-12


def test_gathering_many_tuples_changes_little():
    rng = np.random.default_rng(1)
    mass = rng.dirichlet(np.full(150_000, 0.3))
    n, narrowing = 50_000, rng.random(150_000) ** 3
    laws = TupleLaws(n * mass, narrowing)
    gathered = crowd_sizes_of(laws, mass, n)
    assert gathered.overall_risk == pytest.approx(np.dot(mass, laws.risk()), abs=1e-5)
    alone = np.dot(mass, 1 - at_least(laws, [2])[:, 0])
    assert gathered.alone_share == pytest.approx(alone, abs=2e-5)


@pytest.mark.parametrize("narrowing", [0.0, 0.05, 0.25, 1.0])
def test_moments_are_the_laws_own(narrowing):
    expected, step = 0.7, 1e-3
    below, law, above = (law_of(expected + by, narrowing) for by in (-step, 0, step))
    moments = TupleLaws(np.array([expected]), np.array([narrowing])).moments()
    crowd, alone = moments
    assert crowd.variance[0] == pytest.approx(law[0] * (1 - law[0]), abs=1e-9)
    assert alone.variance[0] == pytest.approx(law[1] * (1 - law[1]), abs=1e-9)
    # c stays while λ moves: derivatives by differences.
    assert crowd.slope[0] == pytest.approx(-(above[0] - below[0]) / (2 * step), abs=1e-5)
    assert alone.slope[0] == pytest.approx((above[1] - below[1]) / (2 * step), abs=1e-5)
    assert crowd.bend[0] == pytest.approx(-(above[0] - 2 * law[0] + below[0]) / step**2, abs=1e-3)
    assert alone.bend[0] == pytest.approx((above[1] - 2 * law[1] + below[1]) / step**2, abs=1e-3)
