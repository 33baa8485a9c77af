"""Triple tables: cells as counted, the junction tree, tables with all counts, and the law."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, permutations, product
from math import lgamma

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reidrisk.models.drawn_tables import crowds_of_rows
from reidrisk.models.exact_triples import deviations, with_exact_triples
from reidrisk.models.junction_tree import JunctionTree, junction_tree
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.pairwise import Pairwise
from reidrisk.models.raked_triples import RakedTriples, raked_triples
from reidrisk.models.registry import chosen_model
from reidrisk.models.triple_table import TripleTable
from reidrisk.models.triples import Triples, with_pairs_of_triples
from tests.models.tables import dependent_table, knowledge_of, measured, renumbered


def with_triples(codes, triples="all", pairs="all"):
    """What is known of a table of codes, with triple tables of all or some attributes."""
    known = knowledge_of(codes, pairs)
    codes = np.asarray(codes)
    wanted = combinations(range(codes.shape[1]), 3) if triples == "all" else triples
    tables = {}
    for of in wanted:
        shape = tuple(len(known.counts[place]) for place in of)
        tables[of] = TripleTable.of(shape, codes[:, list(of)], np.ones(len(codes)))
    return replace(known, triples=tables)


def parity(n, rng, noise=0.1):
    """Three attributes of which no pair says anything and all three do; and a fourth."""
    a, b = rng.integers(0, 2, n), rng.integers(0, 2, n)
    c = (a ^ b) ^ (rng.random(n) < noise)
    return np.stack([a, b, c, (c + rng.integers(0, 3, n)) % 3], axis=1)


def test_a_triple_table_keeps_the_cells_that_hold_somebody():
    codes = np.array([[0, 1, 2], [1, 0, 0], [0, 1, 2], [1, 1, 1]])
    table = TripleTable.of((2, 2, 3), codes, np.ones(4))
    dense = np.zeros((2, 2, 3))
    np.add.at(dense, tuple(codes.T), 1)
    grid = np.array(list(product(range(2), range(2), range(3))))
    assert table.at(grid.T).tolist() == dense.ravel().tolist()
    assert table.codes[table.places(codes.T)].tolist() == codes.tolist()
    for order in permutations(range(3)):
        turned = table.turned(order)
        assert turned.at(codes[:, list(order)].T).tolist() == table.at(codes.T).tolist()
    for one, other in combinations(range(3), 2):
        left = ({0, 1, 2} - {one, other}).pop()
        assert table.pair(one, other).tolist() == dense.sum(axis=left).tolist()


def test_knowledge_of_some_attributes_keeps_their_triples_in_any_order():
    codes = dependent_table(60, (3, 2, 4, 2), np.random.default_rng(1))
    known = with_triples(codes)
    some = known.of([3, 0, 2])
    assert set(some.triples) == {(0, 1, 2)}
    assert (
        some.triples[0, 1, 2].at(codes[:, [3, 0, 2]].T).tolist()
        == known.triples[0, 2, 3].at(codes[:, [0, 2, 3]].T).tolist()
    )
    assert not known.of_pairs.triples
    with pytest.raises(ValueError, match="doesn't fit"):
        replace(known, triples={(0, 1, 2): known.triples[0, 1, 3]})


@given(st.integers(0, 10_000))
@settings(deadline=None)
def test_a_junction_tree_is_a_law_that_has_its_tables(seed):
    rng = np.random.default_rng(seed)
    codes = dependent_table(50, rng.integers(2, 4, 4), rng)
    every = list(combinations(range(4), 3))
    some = [every[at] for at in rng.permutation(4)[: rng.integers(1, 4)]]
    known = with_triples(codes, some)
    tree = JunctionTree.of(known)
    assert sorted(step.attribute for step in tree.steps) == [0, 1, 2, 3]
    grid = np.array(list(product(*(range(len(counts)) for counts in known.counts))))
    p = np.exp(tree.log_probability(grid))
    assert p.sum() == pytest.approx(1.0)
    shaped = known.n * p.reshape([len(counts) for counts in known.counts])
    for of in {step.table for step in tree.steps}:
        away = tuple(set(range(4)) - set(of))
        found = shaped.sum(axis=away)
        if len(of) == 3:
            cells = np.array(list(product(*map(range, found.shape))))
            assert found.ravel() == pytest.approx(known.triples[of].at(cells.T), abs=1e-9)
        elif len(of) == 2:
            assert found == pytest.approx(known.pairs[of], abs=1e-9)
    drawn = tree.drawn(200, rng)
    assert np.isfinite(tree.log_probability(drawn)).all()


def test_draws_from_a_junction_tree_follow_its_law():
    codes = dependent_table(300, (3, 3, 2, 2), np.random.default_rng(5))
    tree = JunctionTree.of(with_triples(codes, [(0, 1, 2), (1, 2, 3)]))
    drawn = tree.drawn(200_000, np.random.default_rng(0))
    tuples, times = np.unique(drawn, axis=0, return_counts=True)
    expected = 200_000 * np.exp(tree.log_probability(tuples))
    assert np.abs(times - expected).max() < 5 * np.sqrt(expected.max())


def test_the_triple_that_says_something_is_in_the_tree():
    codes = parity(2000, np.random.default_rng(0))
    steps = junction_tree(with_triples(codes))
    assert (0, 1, 2) in {step.table for step in steps}


def test_a_triple_without_a_joined_pair_is_left_to_raking():
    """(0, 1, 2) and (2, 3, 4) share one attribute: a tree has both, but no pair across."""
    codes = dependent_table(400, (3, 3, 3, 3, 3), np.random.default_rng(2))
    tree = JunctionTree.of(with_triples(codes, [(0, 1, 2), (2, 3, 4)]))
    assert sum(len(step.by) == 2 for step in tree.steps) >= 1
    known = with_triples(codes, [(0, 1, 2), (2, 3, 4)])
    law = raked_triples(known, 400_000, np.random.default_rng(0), lambda *_: None, tree)
    for of, table in known.triples.items():
        held = np.bincount(table.places(law.rows[:, list(of)].T), law.mass, len(table.keys) + 1)
        assert held[:-1] * known.n == pytest.approx(table.people, abs=1.0)
        assert held[-1] * known.n < 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_tables_get_all_pair_and_triple_counts(seed):
    rng = np.random.default_rng(seed)
    codes = dependent_table(500, (4, 3, 3, 5), rng)
    known = with_triples(codes, [(0, 1, 2), (1, 2, 3)])
    rows = JunctionTree.of(known).drawn(500, rng)
    before, after = (deviations(known, each) for each in
                     (rows, with_exact_triples(known, rows, rng)))  # fmt: skip
    assert after.misplaced < 0.004 < before.misplaced
    assert after.largest_pair <= 3
    assert after.largest_triple <= 3
    assert deviations(known, codes) == (0.0, 0.0, 0.0)


def tables_with(known: Knowledge):
    """Every table of whole numbers of people that has all pair and triple counts."""
    tuples = list(product(*(range(len(counts)) for counts in known.counts)))
    wanted = {}
    for of, cells in known.pairs.items():
        wanted |= {(of, *at): int(x) for at, x in np.ndenumerate(cells)}
    for of, table in known.triples.items():
        for at in product(*map(range, table.shape)):
            wanted[(of, *at)] = int(table.at([[value] for value in at])[0])
    cells = [[(of, *(t[place] for place in of)) for of in (*known.pairs, *known.triples)]
             for t in tuples]  # fmt: skip
    last = {cell: at for at, each in enumerate(cells) for cell in each}

    def filled(at, people):
        if at == len(tuples):
            yield people
            return
        most = min(wanted[cell] for cell in cells[at])
        settled = [wanted[cell] for cell in cells[at] if last[cell] == at]
        for x in [most] if settled else range(most + 1):
            if all(x == each for each in settled):
                for cell in cells[at]:
                    wanted[cell] -= x
                yield from filled(at + 1, (*people, x))
                for cell in cells[at]:
                    wanted[cell] += x

    return np.array(list(filled(0, ())))


@pytest.mark.parametrize("seed", range(5))
def test_figures_are_those_of_all_tables_with_the_counts(seed):
    """Every such table listed, weighed by the ways n people can make it, n!/Π X_t!."""
    rng = np.random.default_rng(seed)
    codes = dependent_table(16, (2, 3, 2, 2), rng)
    known = with_triples(codes, [(0, 1, 2), (1, 2, 3)])
    tables = tables_with(known)
    log_ways = np.array([-sum(lgamma(x + 1) for x in table) for table in tables])
    weight = np.exp(log_ways - log_ways.max())
    overall = float(np.average((tables > 0).sum(axis=1), weights=weight)) / 16
    found = [Triples.of(known, np.random.default_rng(at)).crowd_sizes() for at in range(12)]
    assert np.mean([each.overall_risk for each in found]) == pytest.approx(overall, abs=0.03)


def test_the_law_has_all_tables_and_is_of_greatest_entropy():
    codes = parity(600, np.random.default_rng(3))
    known = with_triples(codes, [(0, 1, 2)])
    model = Triples.of(known)
    grid = np.array(list(product(range(2), range(2), range(2), range(3))))
    p = np.exp(model.log_probability(grid))
    assert p.sum() == pytest.approx(1.0, abs=1e-6)
    shaped = 600 * p.reshape(2, 2, 2, 3)
    cells = np.array(list(product(range(2), repeat=3)))
    assert shaped.sum(axis=3).ravel() == pytest.approx(known.triples[0, 1, 2].at(cells.T), abs=0.02)
    for i, j in known.pairs:
        away = tuple(set(range(4)) - {i, j})
        assert shaped.sum(axis=away) == pytest.approx(known.pairs[i, j], abs=0.02)
    # Log-linear: no interaction of all four, nor of three but the one that is known.
    logs = np.log(shaped)
    four = logs[..., 1:] - logs[..., :1]
    four = np.diff(np.diff(np.diff(four, axis=0), axis=1), axis=2)
    assert np.abs(four).max() < 1e-2


def test_triples_see_what_pairs_do_not():
    codes = parity(3000, np.random.default_rng(4), noise=0.0)
    codes = np.column_stack([codes, np.random.default_rng(5).integers(0, 40, 3000)])
    true, _ = measured(codes)
    known = with_triples(codes, [(0, 1, 2), (0, 2, 3), (2, 3, 4)])
    pairs = Pairwise.of(known.of_pairs, np.random.default_rng(0)).crowd_sizes().overall_risk
    model, why = chosen_model(known)
    assert model.name == "triples"
    assert "the 3 three-way tables" in why
    found = model.crowd_sizes().overall_risk
    assert abs(found - true) < abs(pairs - true) / 3
    low = crowds_of_rows(model.sample(3000, np.random.default_rng(1))).overall_risk
    assert low == pytest.approx(found, abs=5 * model.spread().overall_risk + 0.005)


def test_counts_of_a_triple_are_the_crowd_where_there_are_no_more_attributes():
    codes = dependent_table(80, (4, 3, 5), np.random.default_rng(6))
    model = Triples.of(with_triples(codes))
    crowds = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    laws = model.laws(codes)
    assert laws.expected == pytest.approx(crowds[2][crowds[1].ravel()], abs=1e-3)
    true, alone = measured(codes)
    assert model.crowd_sizes().overall_risk == pytest.approx(true, abs=0.02)
    assert model.crowd_sizes().alone_share == pytest.approx(alone, abs=0.05)


def test_cells_that_were_worked_out_hold_nothing_down():
    codes = dependent_table(500, (4, 3, 3, 5), np.random.default_rng(7))
    known = with_triples(codes, [(0, 1, 2), (1, 2, 3)])
    pairs = {of: cells * 0.9 + 0.1 * cells.mean() for of, cells in known.pairs.items()}
    model = Triples.of(replace(known, pairs=pairs))
    assert not model.counted
    assert model.fit["way"] == "listed"
    assert model.crowd_sizes().people == pytest.approx(500, rel=1e-6)
    assert model.spread().overall_risk > 0.0


def test_pairs_that_are_only_sums_of_triples_are_used():
    codes = dependent_table(200, (3, 3, 3), np.random.default_rng(8))
    known = with_triples(codes, pairs=[])
    assert set(with_pairs_of_triples(known).pairs) == {(0, 1), (0, 2), (1, 2)}
    assert Triples.of(known).crowd_sizes().overall_risk == pytest.approx(
        measured(codes)[0], abs=0.02
    )


def test_a_determined_attribute_is_folded_though_triples_have_it():
    rng = np.random.default_rng(9)
    codes = dependent_table(400, (6, 3, 4), rng)
    codes = renumbered(np.column_stack([codes, codes[:, 0] // 2]))
    model = Triples.of(with_triples(codes, [(0, 1, 2), (0, 1, 3), (1, 2, 3)]))
    assert model.free.places == (0, 1, 2)
    drawn = model.sample(400, rng)
    assert (drawn[:, 3] == drawn[:, 0] // 2).all()
    # A triple table of it that no finer one stands for says something of its own.
    assert len(Triples.of(with_triples(codes, [(1, 2, 3)])).free.places) == 4


def test_a_sample_of_the_junction_tree_stands_for_tuples_that_are_too_many(monkeypatch):
    codes = dependent_table(2000, (8, 7, 6, 5), np.random.default_rng(10))
    known = with_triples(codes, [(0, 1, 2), (1, 2, 3)])
    listed = Triples.of(known)
    monkeypatch.setattr("reidrisk.models.triples.MOST_TUPLES", 0)
    raked = Triples.of(known)
    assert isinstance(raked.law, RakedTriples)
    assert raked.entropy == pytest.approx(listed.entropy, rel=0.01)
    one, other = raked.laws(codes).expected, listed.laws(codes).expected
    assert np.corrcoef(np.log(one), np.log(other))[0, 1] > 0.99


def test_a_group_is_answered_by_the_tree():
    known = with_triples(dependent_table(100, (3, 3, 3, 2), np.random.default_rng(0)))
    assert chosen_model(known, question="group").model.name == "tree"
    assert chosen_model(known, question="person").model.name == "triples"
