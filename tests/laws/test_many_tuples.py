from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import hypergeom

from reidrisk.errors import ImpossibleCounts
from reidrisk.laws.binomial_expansion import Expansion
from reidrisk.laws.factorial_series import Quantities, whole_number_answers
from reidrisk.laws.many_tuples import different_rows, mean_reciprocals, reciprocals, tails
from reidrisk.laws.recursive_hypergeometric import RecursiveHypergeometric

from .oracles import mean_of, random_counts, rational_law, tail

KS = (1, 2, 3, 5, 10, 25)


@st.composite
def few_people(draw):
    n = draw(st.integers(1, 60))
    d = draw(st.integers(1, 5))
    row = st.lists(st.integers(0, n), min_size=d, max_size=d)
    return n, draw(st.lists(row, min_size=1, max_size=8))


@given(few_people())
@settings(deadline=None, max_examples=150)
def test_rows_are_those_of_the_rationals(case):
    n, rows = case
    laws = [rational_law(n, row) for row in rows]
    exact = np.array([[float(tail(law, k)) for k in KS] for law in laws])
    assert tails(n, rows, KS) == pytest.approx(exact, rel=1e-10, abs=1e-13)
    some = np.array([float(sum(p / k for k, p in law.items() if k)) for law in laws])
    assert reciprocals(n, rows) == pytest.approx(some, rel=1e-10, abs=0)
    more = np.array([float(sum(p / (1 + k) for k, p in law.items())) for law in laws])
    assert mean_reciprocals(n, rows) == pytest.approx(more, rel=1e-10, abs=0)


@given(few_people())
@settings(deadline=None, max_examples=60)
def test_a_member_sees_the_law_weighted_by_size(case):
    """1 + RH(n−1; n_j−1) has P(s) = s·P(X = s)/E[X] and E[1/crowd] = P(X ≥ 1)/E[X], exactly."""
    n, rows = case
    for row in rows:
        counts = [max(count, 1) for count in row]
        whole, others = rational_law(n, counts), rational_law(n - 1, [c - 1 for c in counts])
        mean = mean_of(whole)
        weighted = {k: k * p / mean for k, p in whole.items() if k * p}
        assert {1 + k: p for k, p in others.items() if p} == weighted
        assert sum(p / (1 + k) for k, p in others.items()) == tail(whole, 1) / mean


@pytest.mark.parametrize("n", [200, 1000, 5000, 30_000, 10**6, 10**9])
def test_rows_are_those_of_single_laws(n):
    rng = np.random.default_rng(n)
    rows = [random_counts(rng, n, 5, min(n / 2, 10 ** rng.uniform(-4, 3))) for _ in range(200)]
    rows += rng.integers(1, n + 1, (20, 5)).tolist()
    laws = [RecursiveHypergeometric(n, row) for row in rows]
    found, exact = tails(n, rows, KS), np.array([law.tail(KS) for law in laws])
    assert np.abs(found - exact).max() < 1e-10
    small = np.array([law.mean() < 1.0 for law in laws])
    assert found[small] == pytest.approx(exact[small], rel=1e-10, abs=0)
    some = np.array([law.reciprocal() for law in laws])
    assert reciprocals(n, rows) == pytest.approx(some, rel=1e-9, abs=0)


@pytest.mark.parametrize("n", [1000, 5000, 30_000, 10**6])
def test_the_expansion_knows_its_error(n):
    """Wherever the left-out terms are said to be small, all that is left out is smaller."""
    rng = np.random.default_rng(n + 1)
    rows = [sorted(random_counts(rng, n, 4, 10 ** rng.uniform(0.6, 1.7))) for _ in range(150)]
    rows = [row for row in rows if row[0] > 20]
    expansion = Expansion.of(n, np.array(rows, dtype=float).T)
    exact = np.array([RecursiveHypergeometric(n, row).tail(range(1, 11)) for row in rows])
    error = np.abs(expansion.tails(10).T - exact).max(axis=1)
    assert (error <= expansion.error_of_tails + 1e-13)[expansion.error_of_tails < 1e-3].all()


def test_whole_numbers_where_floats_cancel():
    quantities = Quantities((1, 40, 60), reciprocal=True)
    for n, counts in [(1000, (300, 400, 500)), (500, (300, 400, 450, 100)), (120, (110, 115, 100))]:
        law = RecursiveHypergeometric(n, counts)
        exact = [*law.tail([1, 40, 60]), law.reciprocal()]
        assert whole_number_answers(n, counts, quantities) == pytest.approx(
            exact, rel=1e-11, abs=1e-13
        )


def test_order_changes_no_bit():
    rng = np.random.default_rng(5)
    rows = np.array([random_counts(rng, 30_000, 5, 10 ** rng.uniform(-2, 2)) for _ in range(500)])
    shuffled = rng.permuted(rows, axis=1)
    assert (tails(30_000, rows, KS) == tails(30_000, shuffled, KS)).all()
    assert (reciprocals(30_000, rows) == reciprocals(30_000, shuffled)).all()
    assert (mean_reciprocals(30_000, rows) == mean_reciprocals(30_000, shuffled)).all()


def test_many_rows_are_shared_out_and_every_row_gets_its_own():
    rng = np.random.default_rng(6)
    few = np.array([random_counts(rng, 10**6, 4, 10 ** rng.uniform(-2, 3)) for _ in range(3000)])
    which = rng.integers(0, len(few), 250_000)
    assert (tails(10**6, few[which], (2, 5)) == tails(10**6, few, (2, 5))[which]).all()


def test_small_chances_keep_their_digits():
    rows = [[20, 30, 40], [1000, 30, 5]]
    exact = np.array([RecursiveHypergeometric(10**5, row).tail([1, 3, 5]) for row in rows])
    assert exact.min() < 1e-27
    assert tails(10**5, rows, [1, 3, 5]) == pytest.approx(exact, rel=1e-12, abs=0)


def test_large_crowds_near_their_middle():
    """(1 − Q)^N is below any float here."""
    rows = [[10**6, 10**8, 10**7], [2 * 10**6, 9 * 10**8, 10**6], [800, 10**9, 10**9 - 7]]
    ks = [700, 800, 1000, 1010]
    exact = np.array([RecursiveHypergeometric(10**9, row).tail(ks) for row in rows])
    assert tails(10**9, rows, ks) == pytest.approx(exact, abs=1e-10)


def test_many_attributes():
    """Forty yes/no questions, nine in ten say yes to each."""
    rows = np.full((2, 40), 27_000)
    rows[1, :3] = 40
    exact = np.array([RecursiveHypergeometric(30_000, row).tail(KS) for row in rows])
    assert 0.0 < exact[1, 0] < 1e-4
    assert tails(30_000, rows, KS) == pytest.approx(exact, rel=1e-9, abs=0)


def test_everybody_is_in_a_crowd_of_none():
    assert tails(100, [[30, 40], [0, 5]], [0, -3, 1]).tolist()[1] == [1.0, 1.0, 0.0]
    assert tails(100, np.empty((0, 3), dtype=int), [1, 2]).shape == (0, 2)
    assert tails(100, [[30, 40]], []).shape == (1, 0)
    assert tails(0, [[0, 0]], [0, 1]).tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize(
    ("n", "rows"),
    [(10, [[11]]), (10, [[-1]]), (10, [[2.5]]), (10, [3, 4]), (10, [[]]), (-1, [[0]]),
     (10, [[np.nan]]), (10**11, [[5]]), (2.5, [[1]])],
)  # fmt: skip
def test_impossible_counts_are_refused(n, rows):
    with pytest.raises(ImpossibleCounts):
        tails(n, rows, [1])


def test_a_crowd_is_a_whole_number_of_people():
    with pytest.raises(ImpossibleCounts):
        tails(10, [[3]], [1.5])


def test_different_rows_stand_for_all():
    rng = np.random.default_rng(8)
    rows = rng.integers(0, 6, (5000, 3))
    chosen, which = different_rows(rows)
    assert (rows[chosen][which] == rows).all()
    assert len(chosen) < 400


def test_a_reciprocal_of_few_people() -> None:
    """48 people, 40 and 45 of them: where the bound on what is left out was a little short."""
    law = hypergeom(48, 40, 45)
    wanted = sum(law.pmf(k) / k for k in range(1, 41))
    assert reciprocals(48, [[40, 45]])[0] == pytest.approx(wanted, rel=2e-11)
