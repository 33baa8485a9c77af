"""The pairwise law: pair tables kept, listed and raked alike, people predicted one by one."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reidrisk.models.knowledge import Knowledge
from reidrisk.models.pairwise import Pairwise
from reidrisk.models.raked_sample import Drawn, raked_law, raking, resampled, swept
from reidrisk.models.raking import possible_tuples
from reidrisk.models.tree import Tree
from reidrisk.models.tuple_law import at_least
from tests.models.tables import dependent_table, knowledge_of, measured, renumbered


def pair_counts(codes, weights, cells, i, j):
    held = np.zeros(cells.shape)
    np.add.at(held, (codes[:, i], codes[:, j]), weights)
    return held


# Listing.


def test_only_possible_tuples_are_listed():
    codes = np.array([[0, 0, 0], [0, 1, 1], [1, 1, 0], [1, 0, 1]])
    everything = possible_tuples(knowledge_of(codes, [(0, 1)]))
    assert len(everything) == 8
    nested = np.stack([np.arange(40), np.arange(40) // 4, np.arange(40) // 20], axis=1)
    listed = possible_tuples(knowledge_of(nested))
    assert sorted(map(tuple, listed.tolist())) == sorted(map(tuple, nested.tolist()))


def test_too_many_tuples_are_given_up():
    codes = np.random.default_rng(0).integers(0, 10, (500, 6))
    knowledge = knowledge_of(codes, [])
    assert possible_tuples(knowledge, 999_999) is None
    assert len(possible_tuples(knowledge, 1_000_000)) == 1_000_000


def test_values_nobody_holds_are_in_no_tuple():
    counts = (np.array([5, 0, 5]), np.array([10, 0]))
    listed = possible_tuples(Knowledge(10, ("a", "b"), counts))
    assert listed.tolist() == [[0, 0], [2, 0]]


# The law, listed.


@given(st.integers(3, 200), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=30)
def test_every_pair_table_is_kept(n, seed):
    codes = dependent_table(n, (4, 3, 5), np.random.default_rng(seed))
    model = Pairwise.of(knowledge_of(codes))
    every = np.array(list(product(*(range(len(c)) for c in model.knowledge.counts))))
    p = np.exp(model.log_probability(every))
    assert p.sum() == pytest.approx(1.0, rel=1e-9)
    assert model.fit["largest_pair_deviation"] <= 0.01 or model.fit["ended"] != "converged"
    allowed = max(0.02, 1.1 * model.fit["largest_pair_deviation"])
    for (i, j), cells in model.knowledge.pairs.items():
        assert pair_counts(every, n * p, cells, i, j) == pytest.approx(cells, abs=allowed)


@given(st.integers(2, 400), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=30)
def test_people_add_up_and_orr_is_a_share(n, seed):
    codes = dependent_table(n, (6, 4, 3), np.random.default_rng(seed))
    for model in (Pairwise.of(knowledge_of(codes)), Tree.of(knowledge_of(codes))):
        crowds = model.crowd_sizes()
        assert crowds.people == pytest.approx(n, rel=1e-6)
        assert 0 < crowds.overall_risk <= 1 + 1e-9


def test_it_is_the_law_of_greatest_entropy():
    """Of laws with these pair tables none has more; less than the tree's, which knows less."""
    codes = dependent_table(500, (4, 4, 4), np.random.default_rng(1))
    knowledge = knowledge_of(codes)
    model = Pairwise.of(knowledge)
    _, crowds = np.unique(codes, axis=0, return_counts=True)
    counted = -np.sum(crowds / 500 * np.log2(crowds / 500))
    assert counted <= model.entropy + 1e-9 <= Tree.of(knowledge).entropy + 2e-9


def test_with_a_tree_of_pairs_it_is_the_tree():
    codes = dependent_table(400, (6, 5, 4), np.random.default_rng(2))
    knowledge = knowledge_of(codes, [(0, 1), (1, 2)])
    tree, model = Tree.of(knowledge), Pairwise.of(knowledge)
    assert model.log_probability(codes) == pytest.approx(tree.log_probability(codes), abs=1e-6)
    assert model.crowd_sizes().overall_risk == pytest.approx(
        tree.crowd_sizes().overall_risk, abs=1e-6
    )


def test_an_attribute_in_no_pair_keeps_its_counts():
    codes = dependent_table(300, (4, 3, 3, 5), np.random.default_rng(3))
    model = Pairwise.of(knowledge_of(codes, [(0, 1), (0, 2), (1, 2)]))
    rows, mass = model.law.rows, model.law.mass
    assert np.bincount(rows[:, 3], 300 * mass) == pytest.approx(model.knowledge.counts[3])
    assert np.exp(model.log_probability(rows)) == pytest.approx(mass, rel=1e-9)


def test_a_tuple_with_an_empty_pair_is_impossible():
    codes = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1], [1, 1, 1]])
    model = Pairwise.of(knowledge_of(codes))
    assert model.log_probability(np.array([[0, 1, 0]]))[0] == -np.inf


def test_tables_no_population_has_end_without_converging():
    """a = b, b = c, a ≠ c: each pair is a table, no three people are."""
    counts = tuple(np.array([10, 10]) for _ in range(3))
    same, other = np.array([[9.0, 1.0], [1.0, 9.0]]), np.array([[1.0, 9.0], [9.0, 1.0]])
    pairs = {(0, 1): same, (1, 2): same, (0, 2): other}
    model = Pairwise.of(Knowledge(20, ("a", "b", "c"), counts, pairs))
    assert model.fit["ended"] != "converged"
    assert model.fit["largest_pair_deviation"] > 1
    assert model.crowd_sizes().people == pytest.approx(20, rel=1e-9)


# Raked.


@pytest.mark.parametrize("seed", range(3))
def test_the_raked_sample_is_the_listed_law(seed):
    codes = dependent_table(3000, (20, 12, 8, 5), np.random.default_rng(seed))
    knowledge = knowledge_of(codes)
    listed = Pairwise.of(knowledge)
    rng = np.random.default_rng(seed)
    raked = Pairwise.of(knowledge, rng, question="person", rows=200_000, most_listed=0)
    assert (listed.fit["way"], raked.fit["way"]) == ("listed", "raked sample")
    assert raked.fit["ended"] == "converged"
    assert abs(raked.fit["log_z_fresh"]) < 0.02
    error = 3 * raked.fit["monte_carlo_error"]
    for measure in ("overall_risk", "alone_share"):
        known = getattr(listed.crowd_sizes(), measure)
        assert getattr(raked.crowd_sizes(), measure) == pytest.approx(known, abs=0.002 + error)
    p, q = listed.log_probability(codes), raked.log_probability(codes)
    assert np.mean(np.abs(p - q)) < 0.1
    assert raked.entropy == pytest.approx(listed.entropy, abs=0.03)
    # The chance of the sampled rows is part of a raked law's spread.
    own = np.sqrt(np.square(raked.spread()) - np.square(raked.monte_carlo_error()))
    assert own == pytest.approx(listed.spread(), rel=0.1)


def test_equal_rows_are_raked_together():
    """The same potentials and weights as one by one."""
    rng = np.random.default_rng(12)
    knowledge = knowledge_of(dependent_table(1000, (6, 5, 4), rng))
    rows = Tree.of(knowledge).drawn(20_000, rng)
    together = Drawn.of(rows)
    assert np.array_equal(together.rows[together.order], rows)
    assert len(together.rows) < 120 == 6 * 5 * 4
    one_by_one = Drawn(rows, np.ones(len(rows)), np.arange(len(rows)))
    found, slow = (raking(knowledge, drawn, lambda *_: None) for drawn in (together, one_by_one))
    assert found.sweeps == slow.sweeps
    assert (found.weights / together.times)[together.order] == pytest.approx(slow.weights)
    for edge, table in slow.potentials.items():
        assert found.potentials[edge] == pytest.approx(table)


def test_rows_of_more_values_than_one_number_holds():
    rows = np.random.default_rng(13).integers(0, 3, (500, 2)).astype(np.int32)
    wide = np.concatenate([np.full((500, 6), 2_000_000_000, dtype=np.int32), rows], axis=1)
    assert len(Drawn.of(wide).rows) == 9


def test_few_effective_rows_are_drawn_anew(monkeypatch):
    monkeypatch.setattr("reidrisk.models.raked_sample.FEW_EFFECTIVE", 1.0)
    codes = dependent_table(2000, (12, 8, 6), np.random.default_rng(4))
    knowledge = knowledge_of(codes)
    rng = np.random.default_rng(4)
    law = raked_law(knowledge, Tree.of(knowledge), 100_000, rng, lambda *_: None)
    listed = Pairwise.of(knowledge)
    assert law.moved
    assert law.effective > 0.9
    assert abs(law.fresh_log_z(rng)) < 0.02
    assert np.mean(np.abs(law.log_probability(codes) - listed.log_probability(codes))) < 0.1


def test_gibbs_sweeps_keep_a_law():
    rng = np.random.default_rng(5)
    codes = dependent_table(2000, (5, 4, 3), rng)
    model = Pairwise.of(knowledge_of(codes))
    potentials = model.law.fitted.potentials
    single = [np.zeros(len(counts)) for counts in model.knowledge.counts]
    moved = swept(model.sample(60_000, rng), single, potentials, rng)
    for (i, j), cells in model.knowledge.pairs.items():
        held = pair_counts(moved, np.full(60_000, 2000 / 60_000), cells, i, j)
        assert held == pytest.approx(cells, abs=5 * np.sqrt(cells.max() * 2000 / 60_000))


def test_resampling_by_weight_is_even():
    rng = np.random.default_rng(6)
    times = np.bincount(resampled(np.array([1.0, 2.0, 5.0, 0.0]), 800, rng), minlength=4)
    assert times.tolist() == [100, 200, 500, 0]


def test_progress_is_told():
    told = []
    codes = dependent_table(500, (6, 5, 4), np.random.default_rng(7))
    Pairwise.of(knowledge_of(codes), progress=lambda *now: told.append(now))
    assert told[0][0] == "fitting the pairs"
    assert told[0][1] == 1


def test_the_same_seed_gives_the_same_law():
    knowledge = knowledge_of(dependent_table(800, (8, 6, 5), np.random.default_rng(8)))
    twice = [
        Pairwise.of(knowledge, np.random.default_rng(3), question=question, rows=20_000,
                    most_listed=0)
        for question in ("table", "person")
        for _ in range(2)
    ]  # fmt: skip
    for one, other in (twice[:2], twice[2:]):
        assert one.crowd_sizes() == other.crowd_sizes()
        assert one.fit == other.fit
    assert [model.fit["way"] for model in twice[::2]] == ["drawn tables", "raked sample"]


# Drawing, and people.


def test_draws_follow_the_law():
    rng = np.random.default_rng(9)
    model = Pairwise.of(knowledge_of(dependent_table(1000, (6, 5, 4), rng)))
    drawn = model.sample(100_000, rng)
    for (i, j), cells in model.knowledge.pairs.items():
        held = pair_counts(drawn, np.full(100_000, 0.01), cells, i, j)
        assert held == pytest.approx(cells, abs=5 * np.sqrt(cells.max() * 0.01) + 0.5)


def test_the_crowd_law_is_unbiased_on_tables_drawn_from_the_law():
    """Counted, then predicted from their own pair tables. Drawing with replacement, B(n, p),
    would miss by twenty times as much.
    """
    rng = np.random.default_rng(10)
    model = Pairwise.of(knowledge_of(dependent_table(4000, (25, 12, 8), rng)))
    off, plain = [], []
    for _ in range(12):
        codes = renumbered(model.law.drawn(4000, rng))
        again = Pairwise.of(knowledge_of(codes))
        off.append(again.crowd_sizes().overall_risk - measured(codes)[0])
        p = again.law.mass
        plain.append(np.dot(1 - (1 - p) ** 4000, np.ones(len(p))) / 4000 - measured(codes)[0])
    assert abs(np.mean(off)) < 0.0015
    assert np.mean(plain) < -0.004


def test_people_are_told_apart():
    """P(crowd ≥ k) is right on average: a calibrated figure for each person."""
    codes = dependent_table(5000, (30, 12, 8), np.random.default_rng(11))
    model = Pairwise.of(knowledge_of(codes))
    _, place, crowds = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    crowd = crowds[place.ravel()]
    found = at_least(model.laws(codes), [2, 3, 5])
    for column, k in enumerate([2, 3, 5]):
        assert found[:, column].mean() == pytest.approx(np.mean(crowd >= k), abs=0.02)
        assert found[crowd >= k, column].mean() > found[crowd < k, column].mean() + 0.2
