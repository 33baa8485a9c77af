from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reidrisk.models.spectrum import EACH_SIZE_UP_TO, SizeGrid


@given(st.integers(1, 10**9))
def test_nodes_rise_from_one_to_everybody(n):
    nodes = SizeGrid.up_to(n).nodes
    assert (nodes[0], nodes[-1]) == (1, n)
    assert np.all(np.diff(nodes) > 0)
    assert np.all(np.diff(nodes[:EACH_SIZE_UP_TO]) == 1)
    assert np.all(np.diff(nodes) <= np.maximum(1, 0.0051 * nodes[:-1] + 1))


@given(st.lists(st.floats(1.0, 10**6), min_size=1, max_size=20))
def test_people_and_crowds_are_both_kept(sizes):
    grid, sizes = SizeGrid.up_to(10**6), np.array(sizes)
    mass = np.arange(1.0, len(sizes) + 1)
    total = grid.tally(sizes, mass)
    assert total.min() >= 0
    assert total.sum() == pytest.approx(mass.sum(), rel=1e-12)
    assert np.sum(total / grid.nodes) == pytest.approx(np.sum(mass / sizes), rel=1e-9)


def test_a_size_with_a_node_of_its_own_stays_there():
    grid = SizeGrid.up_to(5000)
    total = grid.tally(np.array([1.0, 1000.0, 5000.0]), np.array([0.2, 0.3, 0.5]))
    assert grid.nodes[total > 0].tolist() == [1, 1000, 5000]


@given(st.lists(st.integers(1, 1200), min_size=1, max_size=10))
def test_whole_sizes_are_tallied_the_same(sizes):
    grid = SizeGrid.up_to(1200)
    sizes, mass = np.array([sizes], dtype=float), np.ones((1, len(sizes)))
    assert grid.tally_whole(sizes, mass) == pytest.approx(grid.tally(sizes, mass), abs=1e-12)


def test_one_person_needs_one_node():
    assert SizeGrid.up_to(1).tally(np.array([1.0, 1.0]), np.array([0.25, 0.75])).tolist() == [1.0]
