from __future__ import annotations

import numpy as np
import pytest

from reidrisk.models.crowd_law import Members, members_by_splitting, split, splitting_work
from reidrisk.models.knowledge import distinguishing_attributes
from reidrisk.models.spectrum import SizeGrid
from tests.models.oracles import even, uneven


def test_a_split_in_halves_is_hypergeometric():
    """Four people, all in one crowd, then a value held by two of them: two crowds of two."""
    halves = distinguishing_attributes([np.array([2, 2])], 4)[0]
    everybody = Members(np.array([4]), np.ones(1))
    sizes, mass = split(everybody, halves, SizeGrid.up_to(4))
    assert (sizes.tolist(), mass.tolist()) == ([2], [1.0])


def test_two_halvings_of_four_people():
    """Of the 6 ways to pick two of four, 2 match the first halving: crowds of two, else of one."""
    attributes = distinguishing_attributes([np.array([2, 2]), np.array([2, 2])], 4)
    sizes, mass = members_by_splitting(attributes, 4)
    assert sizes.tolist() == [1, 2]
    assert mass == pytest.approx([2 / 3, 1 / 3])


def test_the_order_of_attributes_does_not_matter():
    n, rng = 20_000, np.random.default_rng(3)
    attributes = distinguishing_attributes([uneven(n, each, rng) for each in (90, 12, 3)], n)
    forwards, backwards = (
        members_by_splitting(order, n) for order in (attributes, attributes[::-1])
    )
    # Backwards, crowds of thousands pass through the grid of sizes first.
    assert forwards.mean_log2 == pytest.approx(backwards.mean_log2, abs=2e-5)
    assert forwards.mass[:20] == pytest.approx(backwards.mass[:20], rel=1e-4)


def test_mass_and_crowds_are_kept_when_crowds_are_large():
    """With nobody's tuple empty, the number of crowds is the number of tuples."""
    n, rng = 1_000_000, np.random.default_rng(4)
    attributes = distinguishing_attributes([even(n, each, rng) for each in (20, 5, 3)], n)
    members = members_by_splitting(attributes, n)
    assert members.mass.sum() == pytest.approx(1.0, abs=1e-12)
    assert n * np.sum(members.mass / members.sizes) == pytest.approx(300, rel=1e-5)


def test_work_grows_with_the_table_and_stops_when_there_is_enough():
    n, rng = 100_000, np.random.default_rng(5)
    small = distinguishing_attributes([uneven(n, each, rng) for each in (10, 5)], n)
    large = distinguishing_attributes([uneven(n, each, rng) for each in (900, 300, 5)], n)
    assert splitting_work([], n, 1e9) == splitting_work(small[:1], n, 1e9) == 0
    assert splitting_work(small, n, 1e9) < 1e5 < splitting_work(large, n, 1e9)
    assert 1e4 < splitting_work(large, n, 1e4) < splitting_work(large, n, 1e9)
