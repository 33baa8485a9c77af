"""Mending: drawn tables get the pair counts, and the crowds of tables that have them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import lgamma

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reidrisk.models.exact_margins import with_exact_margins
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.pairwise import Pairwise
from tests.models.tables import dependent_table, knowledge_of, measured, renumbered


def pair_table(rows, cells, i, j):
    held = np.zeros(cells.shape)
    np.add.at(held, (rows[:, i], rows[:, j]), 1)
    return held


def people_off(knowledge, rows):
    """Σ|y − x| over all cells of all pair tables."""
    return sum(np.abs(pair_table(rows, cells, i, j) - cells).sum()
               for (i, j), cells in knowledge.pairs.items())  # fmt: skip


def tables_with(knowledge: Knowledge) -> Iterator[tuple[int, ...]]:
    """Every table of whole numbers of people a tuple that has all the pair counts."""
    tuples = list(product(*(range(len(counts)) for counts in knowledge.counts)))
    cells = [[(edge, t[edge[0]], t[edge[1]]) for edge in knowledge.pairs] for t in tuples]
    last = {cell: at for at, each in enumerate(cells) for cell in each}
    left = {(edge, a, b): int(x) for edge, table in knowledge.pairs.items()
            for (a, b), x in np.ndenumerate(table)}  # fmt: skip

    def filled(at: int, people: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if at == len(tuples):
            yield people
            return
        most = min(left[cell] for cell in cells[at])
        settled = [left[cell] for cell in cells[at] if last[cell] == at]
        for x in [most] if settled else range(most + 1):
            if all(x == each for each in settled):
                for cell in cells[at]:
                    left[cell] -= x
                yield from filled(at + 1, (*people, x))
                for cell in cells[at]:
                    left[cell] += x

    return filled(0, ())


def expected_measures(knowledge: Knowledge) -> tuple[float, float]:
    """E[ORR] and E[share alone], tables weighed by the ways n people can make them, n!/Π X_t!."""
    tables = np.array(list(tables_with(knowledge)))
    log_ways = np.array([-sum(lgamma(x + 1) for x in table) for table in tables])
    weight = np.exp(log_ways - log_ways.max())
    weight /= weight.sum()
    each = np.stack([(tables > 0).sum(axis=1), (tables == 1).sum(axis=1)])
    return tuple(each @ weight / knowledge.n)


def drawn(model, rng):
    """As many rows as there are people, as drawn."""
    return model.free.whole(model.law.drawn(model.knowledge.n, rng))


def test_the_oracle_lists_every_table():
    """2 × 2 × 2: one number is free, X_000 = 0 … 2."""
    knowledge = knowledge_of(np.array(list(product((0, 1), repeat=3))))
    assert len(list(tables_with(knowledge))) == 3
    # n!/Π X_t! is 8! with everybody alone, 8!/2^4 for each of the two others.
    assert expected_measures(knowledge) == pytest.approx(
        ((1 + 2 * 0.5 / 16) / (1 + 2 / 16), 1 / (1 + 2 / 16))
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "values"), [(16, (3, 3, 3)), (25, (4, 3, 3)), (40, (4, 4, 4)), (60, (4, 4, 3))]
)
def test_mended_tables_have_the_crowds_of_all_tables_with_the_counts(n, values):
    """Against every such table, listed: less than a quarter of the error of rows as drawn."""
    rng = np.random.default_rng(n)
    off, as_drawn = [], []
    for _ in range(6):
        knowledge = knowledge_of(dependent_table(n, values, rng, 0.3))
        model, known = Pairwise.of(knowledge), expected_measures(knowledge)
        off.append(np.mean([measured(model.sample(n, rng)) for _ in range(100)], axis=0) - known)
        as_drawn.append(np.mean([measured(drawn(model, rng)) for _ in range(100)], axis=0) - known)
    overall, before = np.mean(off, axis=0)[0], np.mean(as_drawn, axis=0)[0]
    assert before < -0.03
    assert abs(overall) < 0.25 * abs(before)


def test_a_table_that_has_the_counts_exactly_is_a_fair_draw():
    rng = np.random.default_rng(1)
    knowledge = knowledge_of(dependent_table(25, (4, 3, 3), rng, 0.3))
    model = Pairwise.of(knowledge)
    tables = [model.sample(25, rng) for _ in range(400)]
    there = [measured(rows) for rows in tables if people_off(knowledge, rows) == 0]
    assert len(there) > 200
    error = 4 * np.std(there, axis=0) / np.sqrt(len(there))
    assert np.all(np.abs(np.mean(there, axis=0) - expected_measures(knowledge)) < error + 0.003)


@given(st.integers(2, 300), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=30)
def test_rows_come_nearer_to_the_pair_counts(n, seed):
    rng = np.random.default_rng(seed)
    knowledge = knowledge_of(dependent_table(n, (6, 5, 4), rng))
    rows = drawn(Pairwise.of(knowledge), rng)
    found = with_exact_margins(knowledge, rows, rng)
    assert found.shape == rows.shape
    assert all(found.max(axis=0) < [len(counts) for counts in knowledge.counts])
    assert people_off(knowledge, found) <= people_off(knowledge, rows)


def test_most_pairs_are_there():
    rng = np.random.default_rng(2)
    knowledge = knowledge_of(dependent_table(3000, (40, 25, 8, 3), rng))
    model = Pairwise.of(knowledge)
    assert people_off(knowledge, model.sample(3000, rng)) < 0.1 * people_off(
        knowledge, drawn(model, rng)
    )


def test_a_table_that_has_the_counts_stays_as_it_is():
    codes = dependent_table(200, (6, 5, 4), np.random.default_rng(3)).astype(np.int32)
    assert (
        with_exact_margins(knowledge_of(codes), codes, np.random.default_rng(0)).tolist()
        == codes.tolist()
    )


def test_values_of_an_attribute_in_no_pair_are_dealt():
    rng = np.random.default_rng(4)
    codes = dependent_table(500, (6, 5, 4, 3), rng)
    model = Pairwise.of(knowledge_of(codes, [(0, 1), (0, 2), (1, 2)]))
    held = np.bincount(model.sample(500, rng)[:, 3], minlength=3)
    assert held.tolist() == model.knowledge.counts[3].tolist()


def test_expectations_are_not_mended():
    """Cells that were worked out are no counts: rows stay as drawn."""
    rng = np.random.default_rng(5)
    whole = knowledge_of(dependent_table(300, (5, 4, 3), rng))
    pairs = {edge: cells * 0.999 + 0.001 * cells.mean() for edge, cells in whole.pairs.items()}
    worked_out = Knowledge(whole.n, whole.names, whole.counts, pairs)
    rows = drawn(Pairwise.of(worked_out), rng)
    assert with_exact_margins(worked_out, rows, rng).tolist() == rows.tolist()


def test_large_tables_drawn_from_a_law_are_met():
    """A table drawn from a pairwise law is a fair draw among all that have its pair counts; the
    law is fitted to these anew, and drawn from.
    """
    rng = np.random.default_rng(6)
    first = Pairwise.of(knowledge_of(dependent_table(4000, (60, 30, 6, 4), rng)))
    off, as_drawn = [], []
    for _ in range(5):
        codes = renumbered(first.law.drawn(4000, rng))
        model = Pairwise.of(knowledge_of(codes))
        off.append(np.subtract(measured(model.sample(4000, rng)), measured(codes)))
        as_drawn.append(np.subtract(measured(drawn(model, rng)), measured(codes)))
    assert np.all(np.mean(as_drawn, axis=0) < -0.015)
    assert np.abs(np.mean(off, axis=0)).max() < 0.005
