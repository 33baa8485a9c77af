"""Rows of a table as Dirichlet–multinomial: against loops, and rows whose chances are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reidrisk.arrays import Floats, Places
from reidrisk.laws.dirichlet_rows import ADDED, ROUNDS, STRENGTHS, row_chances


def by_loops(people: Floats, expected: Floats) -> Floats:
    """The same of a dense table, cell by cell."""
    likelihood = np.empty((len(people), len(STRENGTHS)))
    for a, row in enumerate(people):
        for g, strength in enumerate(STRENGTHS):
            log = math.lgamma(strength) - math.lgamma(row.sum() + strength)
            for held, mean in zip(row, expected, strict=True):
                if held > 0.0:
                    log += math.lgamma(held + strength * mean) - math.lgamma(strength * mean)
            likelihood[a, g] = log
    likelihood = np.exp(likelihood - likelihood.max(axis=1, keepdims=True))
    shares = np.full(len(STRENGTHS), 1.0 / len(STRENGTHS))
    for _ in range(ROUNDS):
        each = likelihood * shares
        each /= each.sum(axis=1, keepdims=True)
        shares = (each.sum(axis=0) + ADDED / len(STRENGTHS)) / (len(people) + ADDED)
    found = np.zeros(people.shape)
    for a, row in enumerate(people):
        for g, strength in enumerate(STRENGTHS):
            found[a] += each[a, g] * (row + strength * expected) / (row.sum() + strength)
    return found


def listed(people: Floats) -> Places:
    return np.repeat(np.arange(people.shape[0]), people.shape[1])


def chances_of(people: Floats, expected: Floats) -> Floats:
    cells = np.tile(expected, people.shape[0])
    return row_chances(listed(people), people.ravel(), cells).reshape(people.shape)


@given(st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=10)
def test_chances_are_those_of_the_formula(seed: int) -> None:
    rng = np.random.default_rng(seed)
    people = rng.poisson(rng.gamma(0.5, 4.0, (7, 5))).astype(float)
    people[:, 0] += 1.0
    expected = rng.dirichlet(np.ones(5))
    found = chances_of(people, expected)
    assert found == pytest.approx(by_loops(people, expected), rel=0.02, abs=1e-4)
    assert found.sum(axis=1) == pytest.approx(np.ones(7))


def test_rows_that_differ_speak_for_themselves_and_rows_alike_for_each_other() -> None:
    rng = np.random.default_rng(2)
    expected = rng.dirichlet(np.full(8, 2.0))
    for strength in (0.5, 200.0):
        chances = rng.dirichlet(strength * expected + 1e-9, 300)
        people = rng.multinomial(10, chances).astype(float)
        off = np.square(chances_of(people, expected) - chances).sum()
        own = np.square(people / 10.0 - chances).sum()
        alike = np.square(expected - chances).sum()
        assert off < 1.02 * min(own, alike)


def test_rows_are_told_apart_from_each_other() -> None:
    """Half the rows always have the first value, the others have all."""
    rng = np.random.default_rng(3)
    people = rng.multinomial(20, np.full(4, 0.25), 60).astype(float)
    people[:30] = [20.0, 0.0, 0.0, 0.0]
    found = chances_of(people, people.sum(axis=0) / people.sum())
    assert found[:30, 1:].sum(axis=1).max() < 0.01
    assert found[30:].min() > 0.05


def test_what_always_goes_together_is_taken_to() -> None:
    people = np.zeros((40, 5))
    people[np.arange(40), np.arange(40) % 5] = 5.0
    assert chances_of(people, np.full(5, 0.2)) == pytest.approx(people / 5.0)
    people[0] = [3.0, 1.0, 1.0, 0.0, 0.0]
    assert (chances_of(people, np.full(5, 0.2)) > 0.0).all()


def test_rows_of_nobody_look_as_expected() -> None:
    people = np.array([[3.0, 1.0, 0.0], [0.0, 0.0, 0.0], [2.0, 2.0, 5.0]])
    expected = np.array([0.5, 0.3, 0.2])
    assert chances_of(people, expected)[1] == pytest.approx(expected)
