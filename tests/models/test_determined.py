"""Attributes that another determines: left out, put back, the law the same."""

from __future__ import annotations

import numpy as np
import pytest

from reidrisk.machine import no_progress
from reidrisk.models.knowledge import Knowledge, free_attributes
from reidrisk.models.pairwise import Pairwise
from reidrisk.models.raking import fitted, possible_tuples
from tests.models.tables import dependent_table, knowledge_of


def nested(n=600, seed=0):
    """A town, its district and its province, and two attributes of their own."""
    codes = dependent_table(n, (12, 5, 4), np.random.default_rng(seed))
    return np.stack([codes[:, 0] // 6, codes[:, 1], codes[:, 0], codes[:, 0] // 2, codes[:, 2]], 1)


def test_determined_attributes_are_left_out_and_put_back():
    codes = nested()
    free = free_attributes(knowledge_of(codes))
    assert free.places == (1, 2, 4)
    assert sorted(each.place for each in free.determined) == [0, 3]
    assert free.whole(free.of(codes).astype(np.int32)).tolist() == codes.tolist()
    assert free.possible(codes).all()
    wrong = codes.copy()
    wrong[:, 0] = 1 - wrong[:, 0]
    assert not free.possible(wrong).any()


def test_of_two_that_determine_each_other_one_stays():
    codes = dependent_table(300, (6, 5), np.random.default_rng(1))
    codes = np.stack([codes[:, 0], 5 - codes[:, 0], codes[:, 1]], axis=1)
    free = free_attributes(knowledge_of(codes))
    assert len(free.places) == 2
    assert free.whole(free.of(codes).astype(np.int32)).tolist() == codes.tolist()


def test_nothing_is_left_out_of_free_attributes():
    knowledge = knowledge_of(dependent_table(500, (6, 5, 4), np.random.default_rng(2)))
    free = free_attributes(knowledge)
    assert free.knowledge is knowledge
    assert free.determined == ()


def test_an_attribute_whose_tables_say_more_stays():
    """The province by sex is known, the town by sex isn't; or the two disagree."""
    codes = nested()
    partly = knowledge_of(codes, [(0, 1), (0, 2), (1, 4)])
    assert 0 in free_attributes(partly).places
    whole = knowledge_of(codes)
    turned = dict(whole.pairs)
    turned[0, 1] = turned[0, 1][::-1].copy()
    other = Knowledge(whole.n, whole.names, whole.counts, turned)
    assert 0 in free_attributes(other).places


def test_the_law_is_that_of_all_pair_tables():
    """Against proportional fitting on all five attributes and ten pair tables."""
    codes = nested()
    knowledge = knowledge_of(codes)
    model, every = Pairwise.of(knowledge), possible_tuples(knowledge)
    found = np.exp(model.log_probability(every))
    assert found == pytest.approx(fitted(knowledge, every, no_progress).probability, abs=2e-5)
    assert found.sum() == pytest.approx(1.0)
    assert model.laws(every).expected == pytest.approx(600 * found)
    impossible = every.copy()
    impossible[:, 0] = 1 - impossible[:, 0]
    assert np.all(model.log_probability(impossible) == -np.inf)
    assert np.all(model.laws(impossible).expected == 0.0)


def test_drawn_rows_keep_what_is_determined():
    codes = nested()
    model = Pairwise.of(knowledge_of(codes))
    for rows in (600, 1000):
        drawn = model.sample(rows, np.random.default_rng(3))
        assert drawn.shape == (rows, 5)
        assert np.array_equal(drawn[:, 0], drawn[:, 2] // 6)
        assert np.array_equal(drawn[:, 3], drawn[:, 2] // 2)


def test_crowds_are_those_without_the_determined():
    codes = nested()
    both = Pairwise.of(knowledge_of(codes)), Pairwise.of(knowledge_of(codes[:, [1, 2, 4]]))
    assert both[0].crowd_sizes() == both[1].crowd_sizes()
    assert both[0].spread() == both[1].spread()
