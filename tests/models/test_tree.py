"""The tree law against listed tuples, exact hypergeometric crowds, and drawn tables."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reidrisk.models.forest import rooted, spanning_forest
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.tree import Tree
from reidrisk.models.tree_spectrum import tree_spectrum
from reidrisk.models.tuple_law import crowd_sizes_of
from tests.models.tables import crowds_in, dependent_table, knowledge_of, measured


def by_spectrum(tree):
    laws, mass = tree_spectrum(tree.knowledge, tree.forest)
    return crowd_sizes_of(laws, mass, tree.knowledge.n)


def chain(n, values, seed):
    """Three attributes, the middle one in between."""
    codes = dependent_table(n, values, np.random.default_rng(seed))
    knowledge = knowledge_of(codes, [(0, 1), (1, 2)])
    return Tree(knowledge, rooted(knowledge, [(0, 1), (1, 2)]))


def exact_chain(tree, most):
    """E[N_s] of a chain 0 – 1 – 2: X_abc = Hyp(n_b; x_ab, x_bc), in exact whole numbers."""
    first, second = tree.knowledge.pairs[0, 1], tree.knowledge.pairs[1, 2]
    expected = np.zeros(most + 1)
    for a, b, c in product(*(range(len(counts)) for counts in tree.knowledge.counts)):
        n, x, y = int(tree.knowledge.counts[1][b]), int(first[a, b]), int(second[b, c])
        for s in range(max(0, x + y - n), min(x, y, most) + 1):
            expected[s] += comb(x, s) * comb(n - x, y - s) / comb(n, y)
    return expected[1:]


# The forest.


def test_the_strongest_pairs_are_kept_and_the_root_has_most_values():
    rng = np.random.default_rng(0)
    town = rng.integers(0, 40, 5000)
    district, sex = town // 8, rng.integers(0, 2, 5000)
    age = (rng.integers(0, 9, 5000) + town // 20) % 10
    knowledge = knowledge_of(np.stack([sex, district, town, age], axis=1))
    forest = spanning_forest(knowledge)
    assert forest.roots == (2,)
    assert (1, 2) in forest.edges
    assert (1, 3) not in forest.edges or (2, 3) not in forest.edges
    assert len(forest.edges) == 3


def test_what_no_pair_connects_stays_apart():
    codes = dependent_table(500, (5, 4, 3, 6), np.random.default_rng(1))
    tree = Tree.of(knowledge_of(codes, [(0, 1), (2, 3)]))
    assert tree.forest.roots == (3, 0)
    assert "independent" in tree.assumptions[0]
    apart = [Tree.of(knowledge_of(codes[:, places])) for places in ([0, 1], [2, 3])]
    assert tree.entropy == pytest.approx(sum(each.entropy for each in apart))
    together = tree.log_probability(codes)
    assert together == pytest.approx(
        apart[0].log_probability(codes[:, :2]) + apart[1].log_probability(codes[:, 2:])
    )


def test_chance_is_not_taken_for_dependence():
    """Two columns of many values look more dependent than two that are: corrected, they don't."""
    rng = np.random.default_rng(2)
    many, others = rng.integers(0, 200, (2000, 2)), rng.integers(0, 3, (2000, 1))
    follows = np.where(rng.random((2000, 1)) < 0.4, others, rng.integers(0, 3, (2000, 1)))
    knowledge = knowledge_of(np.concatenate([many, others, follows], axis=1), [(0, 1), (2, 3)])
    from reidrisk.models.forest import corrected_information, gain_ratio

    assert gain_ratio(knowledge, 0, 1) > gain_ratio(knowledge, 2, 3)
    assert corrected_information(knowledge, 0, 1) < corrected_information(knowledge, 2, 3)


# The law.


@given(st.integers(2, 60), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=40)
def test_probabilities_add_up_and_agree_with_the_pairs(n, seed):
    rng = np.random.default_rng(seed)
    codes = dependent_table(n, (4, 3, 5), rng)
    tree = Tree.of(knowledge_of(codes))
    every = np.array(list(product(*(range(len(counts)) for counts in tree.knowledge.counts))))
    p = np.exp(tree.log_probability(every))
    assert p.sum() == pytest.approx(1.0, rel=1e-12)
    assert -np.dot(p[p > 0], np.log2(p[p > 0])) == pytest.approx(tree.entropy, abs=1e-9)
    for (i, j), cells in tree.knowledge.pairs.items():
        held = np.zeros(cells.shape)
        np.add.at(held, (every[:, i], every[:, j]), n * p)
        assert held == pytest.approx(cells, abs=1e-9)


def test_two_attributes_are_counted_not_predicted():
    codes = dependent_table(300, (20, 15), np.random.default_rng(3))
    tree = Tree.of(knowledge_of(codes))
    sizes, crowds = np.unique(crowds_in(codes), return_counts=True)
    found = tree.crowd_sizes()
    assert found.sizes.tolist() == sizes.tolist()
    assert found.crowds == pytest.approx(crowds, rel=1e-9)
    assert tree.spread() == pytest.approx((0.0, 0.0), abs=1e-4)


@pytest.mark.parametrize(
    ("n", "values", "within"),
    [(60, (6, 3, 5), 1e-2), (400, (12, 4, 9), 2e-3), (2000, (30, 5, 20), 1e-3)],
)
def test_a_chain_has_hypergeometric_crowds(n, values, within):
    """Right to second order: the fewer people, the more the third moment shows."""
    tree = chain(n, values, seed=4)
    exact, found = exact_chain(tree, 60), tree.crowd_sizes()
    assert found.people == pytest.approx(n, rel=1e-9)
    by_size = dict(zip(found.sizes.tolist(), found.crowds.tolist(), strict=True))
    for s in range(1, 6):
        assert by_size.get(s, 0) * s == pytest.approx(exact[s - 1] * s, abs=within * n)


@pytest.mark.parametrize("seed", range(4))
def test_the_spectrum_is_the_listed_law(seed):
    rng = np.random.default_rng(seed)
    tree = Tree.of(knowledge_of(dependent_table(3000, (30, 12, 8, 5, 4), rng)))
    assert tree.listed is not None
    listed, spectrum = tree.crowd_sizes(), by_spectrum(tree)
    assert spectrum.people == pytest.approx(3000, rel=1e-9)
    assert spectrum.overall_risk == pytest.approx(listed.overall_risk, abs=3e-4)
    assert spectrum.alone_share == pytest.approx(listed.alone_share, abs=6e-4)
    # Sums over all tuples of functions of p alone, where no crowd law comes in.
    laws, mass = tree_spectrum(tree.knowledge, tree.forest)
    p = np.exp(tree.log_probability(tree.listed))
    assert np.dot(mass, np.exp(-laws.expected)) == pytest.approx(
        np.dot(p, np.exp(-3000 * p)), abs=1e-4
    )
    assert np.dot(mass, -np.log2(laws.expected / 3000)) == pytest.approx(tree.entropy, abs=1e-3)


def test_a_forest_of_several_trees_has_a_spectrum_too():
    codes = dependent_table(2000, (20, 6, 10, 5), np.random.default_rng(5))
    tree = Tree.of(knowledge_of(codes, [(0, 1), (2, 3)]))
    assert by_spectrum(tree).overall_risk == pytest.approx(
        tree.crowd_sizes().overall_risk, abs=3e-4
    )


def test_drawn_tables_have_the_predicted_crowds():
    rng = np.random.default_rng(6)
    tree = Tree.of(knowledge_of(dependent_table(2000, (40, 15, 6, 4), rng)))
    found = np.array([measured(tree.sample(2000, rng)) for _ in range(60)])
    crowds = tree.crowd_sizes()
    error = found.std(axis=0) / np.sqrt(len(found))
    assert abs(crowds.overall_risk - found[:, 0].mean()) < 3 * error[0] + 1e-4
    assert abs(crowds.alone_share - found[:, 1].mean()) < 3 * error[1] + 1e-4


# Drawing.


def test_n_rows_keep_every_pair_table_and_other_numbers_are_draws():
    rng = np.random.default_rng(7)
    tree = Tree.of(knowledge_of(dependent_table(1000, (10, 8, 5), rng)))
    again = knowledge_of(tree.sample(1000, rng))
    for edge, cells in tree.knowledge.pairs.items():
        assert np.array_equal(again.pairs[edge], cells)
    some = tree.sample(50_000, rng)
    assert np.isfinite(tree.log_probability(some)).all()
    shares = np.bincount(some[:, 0], minlength=10) / 50_000
    assert shares == pytest.approx(tree.knowledge.shares[0], abs=0.01)


def test_cells_that_were_worked_out_hold_nothing_down():
    """Halves of people aren't counted: such a table says what to expect, not what is."""
    counts = (np.array([50, 50]), np.array([50, 50]))
    cells = np.array([[25.5, 24.5], [24.5, 25.5]])
    worked_out = Tree.of(Knowledge(100, ("a", "b"), counts, {(0, 1): cells}))
    counted = Tree.of(Knowledge(100, ("a", "b"), counts, {(0, 1): np.rint(cells - 0.1)}))
    code = np.array([[0, 0]])
    assert worked_out.laws(code).narrowing[0] < 0.05 < 1 / 26 + 0.02
    assert counted.laws(code).held_down[0] == pytest.approx(1.0)
    assert worked_out.sample(100, np.random.default_rng(0)).shape == (100, 2)
