"""The model fits what is known, and says why."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reidrisk.crowds.crowd_sizes import CrowdSizes
from reidrisk.models.independent import expected_crowd_sizes, experience_entropy, random_entropy
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.registry import chosen_model, model_names
from tests.models.tables import crowds_in, dependent_table, knowledge_of

CODES = dependent_table(400, (6, 5, 4, 3), np.random.default_rng(0))


@pytest.mark.parametrize(
    ("pairs", "name", "why"),
    [
        ([], "independent", "no pair tables"),
        ([(0, 1)], "tree", "one pair table"),
        ([(0, 1), (1, 2), (1, 3)], "tree", "All 3 pair tables"),
        ([(0, 1), (1, 2), (0, 2)], "pairwise", "reproduces all 3 two-way tables; the log-linear"),
        ("all", "pairwise", "reproduces all 6 two-way tables; the log-linear"),
    ],
)
def test_auto_goes_by_what_is_known(pairs, name, why):
    model, said = chosen_model(knowledge_of(CODES, pairs))
    assert model.name == name
    assert why in said


def test_auto_says_when_there_is_too_much(monkeypatch):
    monkeypatch.setattr("reidrisk.models.registry.MOST_PAIR_TABLES", 5)
    model, said = chosen_model(knowledge_of(CODES))
    assert model.name == "tree"
    assert "too many" in said


@pytest.mark.parametrize("name", model_names()[1:])
def test_every_model_answers_the_contract(name):
    model, _ = chosen_model(knowledge_of(CODES), name)
    assert model.name == name
    assert model.knowledge.n == 400
    assert model.fit["ended"]
    assert all(sentence.endswith(".") for sentence in model.assumptions)
    assert model.crowd_sizes().kind == "expected"
    assert model.crowd_sizes().people == pytest.approx(400, rel=1e-6)
    assert model.log_probability(CODES).shape == (400,)
    assert np.exp(model.log_probability(np.unique(CODES, axis=0))).sum() <= 1 + 1e-9
    assert model.laws(CODES).expected == pytest.approx(400 * np.exp(model.log_probability(CODES)))
    drawn = model.sample(90, np.random.default_rng(0))
    assert drawn.shape == (90, 4)
    assert np.isfinite(model.log_probability(drawn)).all()
    assert 0 <= model.spread().overall_risk < 0.1
    assert 0 < model.entropy <= experience_entropy(model.knowledge.counts) + 1e-9


ODD = {
    "no attributes": Knowledge(5, (), ()),
    "one person": Knowledge(
        1, ("a", "b"), (np.array([1]), np.array([0, 1])), {(0, 1): np.array([[0.0, 1.0]])}
    ),
    "one attribute": Knowledge(5, ("a",), (np.array([2, 3]),)),
    "constants": knowledge_of([[0, 0, 0], [0, 1, 0], [0, 1, 0], [0, 2, 0]]),
    "values nobody holds": Knowledge(
        6,
        ("a", "b"),
        (np.array([3, 0, 3]), np.array([2, 4, 0])),
        {(0, 1): np.array([[1.0, 2, 0], [0, 0, 0], [1, 2, 0]])},
    ),
    "cells worked out, and no population has them": Knowledge(
        10,
        ("a", "b", "c"),
        (np.array([5, 5]),) * 3,
        {
            (0, 1): np.array([[4.6, 0.4], [0.4, 4.6]]),
            (1, 2): np.array([[4.6, 0.4], [0.4, 4.6]]),
            (0, 2): np.array([[0.3, 4.7], [4.7, 0.3]]),
        },
    ),
}


@pytest.mark.parametrize("name", model_names())
@pytest.mark.parametrize("odd", ODD)
@pytest.mark.filterwarnings("error")
def test_odd_tables_are_answered(odd, name):
    model, _ = chosen_model(ODD[odd], name)
    assert model.crowd_sizes().people == pytest.approx(ODD[odd].n, rel=1e-9)
    assert all(deviation >= 0 for deviation in model.spread())
    drawn = model.sample(7, np.random.default_rng(0))
    assert drawn.shape == (7, len(ODD[odd].names))
    assert np.isfinite(model.log_probability(drawn)).all()
    assert model.entropy >= 0


def test_nobody_is_refused():
    with pytest.raises(ValueError, match="nobody"):
        chosen_model(Knowledge(0, ("a",), (np.array([0, 0]),)))


def test_knowing_more_lowers_the_entropy():
    order = [chosen_model(knowledge_of(CODES), name)[0] for name in ("independent", "tree")]
    order.append(chosen_model(knowledge_of(CODES), "pairwise")[0])
    entropies = [model.entropy for model in order]
    assert entropies == sorted(entropies, reverse=True)


# R3A's rules about entropy.


def test_rule_2_a_small_tables_experience_entropy_passes_its_maximum():
    counts = [np.full(10, 100)] * 4
    assert math.log2(1000) == pytest.approx(9.9658, abs=5e-5)
    assert experience_entropy(counts) == pytest.approx(13.2877, abs=5e-5)


@given(st.integers(20, 300), st.integers(2, 30), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=30)
def test_rule_3_the_same_shares_and_more_people(n, times, seed):
    rng = np.random.default_rng(seed)
    counts = [rng.multinomial(n, rng.dirichlet(np.ones(values))) for values in (6, 5, 4)]
    more = [each * times for each in counts]
    assert random_entropy(more, n * times) >= random_entropy(counts, n) - 1e-3
    small, large = expected_crowd_sizes(counts, n), expected_crowd_sizes(more, n * times)
    assert large.overall_risk <= small.overall_risk + 1e-6


@given(st.integers(2, 500), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=30)
def test_rule_1_no_entropy_passes_maximum_or_experience(n, seed):
    codes = dependent_table(n, (6, 5, 4), np.random.default_rng(seed))
    counts = knowledge_of(codes).counts
    table = CrowdSizes.of(crowds_in(codes)).table_entropy
    for entropy in (table, random_entropy(counts, n)):
        assert entropy <= min(experience_entropy(counts), math.log2(n)) + 1e-9


def test_rule_4_holds_for_dependent_data_and_not_for_a_balanced_design():
    """RDE ≥ TDE is usual. Every pair once: all are alone, where chance would leave 63 % so."""
    for seed in range(10):
        codes = dependent_table(2000, (12, 8, 5), np.random.default_rng(seed))
        table = CrowdSizes.of(crowds_in(codes)).table_entropy
        assert random_entropy(knowledge_of(codes).counts, 2000) >= table
    design = np.array([[i, j] for i in range(300) for j in range(300)])
    counts = knowledge_of(design).counts
    assert CrowdSizes.of(crowds_in(design)).overall_risk == 1
    assert expected_crowd_sizes(counts, 90_000).overall_risk == pytest.approx(0.632, abs=0.002)
    assert random_entropy(counts, 90_000) < math.log2(90_000)


@pytest.mark.parametrize("attributes", [8, 20])
def test_many_attributes_of_a_thousand_values(attributes):
    n, rng = 100_000, np.random.default_rng(attributes)
    counts = [rng.multinomial(n, rng.dirichlet(np.ones(1000))) for _ in range(attributes)]
    crowds = expected_crowd_sizes(counts, n)
    assert crowds.overall_risk == pytest.approx(1.0, abs=1e-6)
    assert crowds.people == pytest.approx(n, rel=1e-9)
