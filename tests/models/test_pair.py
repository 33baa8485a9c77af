"""Strong pairs as one attribute, and the independent model under the contract: exact on tiny
tables against every shuffle.
"""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reidrisk.models.independent import Independent
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.strong_dependence import Pair, strong_pairs, whole_numbers
from reidrisk.models.tuple_law import at_least
from tests.models.oracles import listed
from tests.models.tables import crowds_in, dependent_table, knowledge_of


def every_shuffle_of_groups(codes, groups):
    """E[N_s], s = 1 … n: every order of every group of columns but the first, kept together."""
    n = len(codes)
    blocks = [codes[:, group] for group in groups]
    total, tables = np.zeros(n + 1), 0
    for orders in product(permutations(range(n)), repeat=len(blocks) - 1):
        table = np.concatenate(
            [blocks[0], *(block[list(o)] for block, o in zip(blocks[1:], orders, strict=True))], 1
        )
        total += np.bincount(crowds_in(table), minlength=n + 1)
        tables += 1
    return total[1:] / tables


@given(st.integers(2, 6), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=12)
def test_one_pair_and_a_rest_against_every_shuffle(n, seed):
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 3, n)
    codes = np.stack([first, first // 2, rng.integers(0, 2, n)], axis=1)
    knowledge = knowledge_of(codes)
    model = Pair(knowledge, ((0, 1),))
    exact = every_shuffle_of_groups(codes, [[0, 1], [2]])
    assert listed(model.crowd_sizes(), n) == pytest.approx(exact, abs=1e-9)


@given(st.integers(2, 4), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=8)
def test_two_pairs_against_every_shuffle(n, seed):
    codes = np.random.default_rng(seed).integers(0, 2, (n, 5))
    model = Pair(knowledge_of(codes), ((0, 2), (1, 3)))
    exact = every_shuffle_of_groups(codes, [[0, 2], [1, 3], [4]])
    assert listed(model.crowd_sizes(), n) == pytest.approx(exact, abs=1e-9)


@given(st.integers(2, 5), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=8)
def test_the_independent_model_against_every_shuffle(n, seed):
    codes = np.random.default_rng(seed).integers(0, 3, (n, 3))
    exact = every_shuffle_of_groups(codes, [[0], [1], [2]])
    model = Independent.of(knowledge_of(codes))
    assert listed(model.crowd_sizes(), n) == pytest.approx(exact, abs=1e-9)


def test_pairs_are_taken_by_falling_gain_ratio_and_once():
    rng = np.random.default_rng(0)
    town = rng.integers(0, 20, 2000)
    district = town // 4
    codes = np.stack([town, district, district // 2, rng.integers(0, 5, 2000)], axis=1)
    # Both the district and the province follow from the town: the first of equals is taken.
    assert strong_pairs(knowledge_of(codes)) == ((0, 1),)
    assert strong_pairs(knowledge_of(codes, [(0, 2), (1, 3)])) == ((0, 2),)
    assert strong_pairs(knowledge_of(codes[:, [0, 3]])) == ()


def test_a_law_of_merged_attributes():
    rng = np.random.default_rng(1)
    town = rng.integers(0, 12, 400)
    codes = np.stack([rng.integers(0, 3, 400), town, town // 3], axis=1)
    model = Pair.of(knowledge_of(codes))
    assert model.fit == {"ended": "exact", "pairs": [["a1", "a2"]]}
    assert "one pair depends" in model.assumptions[0]
    every = np.array(list(product(range(3), range(12), range(4))))
    p = np.exp(model.log_probability(every))
    assert p.sum() == pytest.approx(1.0)
    assert np.all(p[every[:, 1] // 3 != every[:, 2]] == 0)
    drawn = model.sample(400, rng)
    assert np.array_equal(drawn[:, 1] // 3, drawn[:, 2])
    assert np.array_equal(np.bincount(drawn[:, 0]), model.knowledge.counts[0])
    assert np.array_equal(knowledge_of(drawn).pairs[1, 2], model.knowledge.pairs[1, 2])
    assert model.sample(70, rng).shape == (70, 3)


def test_without_strong_pairs_it_is_the_independent_law():
    codes = np.random.default_rng(2).integers(0, 4, (200, 3))
    knowledge = knowledge_of(codes)
    model, reference = Pair.of(knowledge), Independent.of(knowledge)
    assert model.crowd_sizes() == reference.crowd_sizes()
    assert model.log_probability(codes) == pytest.approx(reference.log_probability(codes))
    assert model.entropy == pytest.approx(reference.entropy)
    assert "No pair" in model.assumptions[0]


def test_cells_worked_out_become_whole_people():
    assert whole_numbers(np.array([1.4, 2.5, 0.1]), 4).tolist() == [1, 3, 0]
    assert whole_numbers(np.array([3.0, 5.0]), 8).tolist() == [3, 5]
    counts = (np.array([3, 2]), np.array([4, 1]))
    cells = np.array([[2.4, 0.6], [1.6, 0.4]])
    model = Pair(Knowledge(5, ("a", "b"), counts, {(0, 1): cells}), ((0, 1),))
    assert model.crowd_sizes().people == 5


def test_one_tuples_law_is_the_recursive_hypergeometric():
    """P(crowd ≥ k) of a member, against shuffles."""
    rng = np.random.default_rng(3)
    codes = dependent_table(300, (6, 5, 4), rng, strength=0)
    model = Independent.of(knowledge_of(codes))
    seen = np.zeros(3)
    for _ in range(300):
        drawn = model.sample(300, rng)
        _, place, crowds = np.unique(drawn, axis=0, return_inverse=True, return_counts=True)
        crowd = crowds[place.ravel()]
        seen += [np.mean(crowd >= k) for k in (2, 3, 5)]
    every = np.array(list(product(*(range(len(c)) for c in model.knowledge.counts))))
    p = np.exp(model.log_probability(every))
    assert p @ at_least(model.laws(every), [2, 3, 5]) == pytest.approx(seen / 300, abs=0.004)
