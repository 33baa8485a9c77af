from __future__ import annotations

import numpy as np
import pytest
from benchmarks.binomial_tails import binomial_tails
from scipy import stats

from reidrisk.errors import ImpossibleCounts
from reidrisk.laws.binomial_form import BinomialForm
from reidrisk.laws.recursive_hypergeometric import RecursiveHypergeometric

from .oracles import random_counts


def test_the_two_forms_by_name():
    """TFRR eq. 6: n_d = 400 is the last listed, P_{d−1} = 0.1·0.3."""
    paper = BinomialForm.of(1000, (100, 300, 400), "last")
    smallest = BinomialForm.of(1000, (400, 100, 300))
    assert (paper.trials, paper.chance) == (400, pytest.approx(0.03))
    assert (smallest.trials, smallest.chance) == (100, pytest.approx(0.12))
    assert paper.mean() == pytest.approx(smallest.mean()) == pytest.approx(12.0)
    assert (smallest.var(), paper.var()) == (pytest.approx(10.56), pytest.approx(11.64))


@pytest.mark.parametrize(("n", "counts"), [(1000, (100, 300, 400)), (10**6, (999_999, 7, 10**5))])
def test_it_is_binomial(n, counts):
    form = BinomialForm.of(n, counts)
    known, sizes = stats.binom(form.trials, form.chance), np.arange(-1, form.trials + 2)
    assert form.pmf(sizes) == pytest.approx(known.pmf(sizes), rel=1e-9, abs=1e-300)
    assert form.cdf(sizes) == pytest.approx(known.cdf(sizes), rel=1e-9, abs=1e-300)
    assert form.sf(sizes) == pytest.approx(known.sf(sizes), rel=1e-9, abs=1e-300)
    assert form.pmf(2.5) == 0.0
    assert form.tail(2.5) == form.tail(3)


def test_certain_forms():
    assert BinomialForm.of(10, (4, 10)).pmf([3, 4, 5]).tolist() == [0.0, 1.0, 0.0]
    assert BinomialForm.of(10, (0, 10)).cdf([-1, 0]).tolist() == [0.0, 1.0]
    assert BinomialForm.of(10, (0, 5), "last").pmf([0, 1]).tolist() == [1.0, 0.0]


def test_the_smallest_count_is_the_best_holder():
    rng = np.random.default_rng(9)
    for _ in range(40):
        counts = random_counts(rng, 3000, 4, 10 ** rng.uniform(-1, 2))
        by_holder = [
            RecursiveHypergeometric(3000, counts).binomial_difference(count) for count in counts
        ]
        best = RecursiveHypergeometric(3000, counts).binomial_difference()
        assert best.absolute <= min(each.absolute for each in by_holder) + 1e-15


def test_maximum_probability_difference():
    """Eq. 2 is signed: here the form is too low in the middle by more than anywhere too high."""
    n, counts = 1000, (100, 300, 400)
    sizes = np.arange(101)
    exact = RecursiveHypergeometric(n, counts).pmf(sizes)
    difference = stats.binom(400, 0.03).pmf(sizes) - exact
    found = RecursiveHypergeometric(n, counts).binomial_difference(400)
    assert found.signed == pytest.approx(difference.max(), rel=1e-9)
    assert found.absolute == pytest.approx(np.abs(difference).max(), rel=1e-9)
    assert (found.signed_at, found.absolute_at) == (7, 12)
    assert found.signed < found.absolute


def test_a_law_says_how_far_its_binomial_form_is_off():
    law = RecursiveHypergeometric(1000, (100, 400, 300))
    off = [law.binomial_difference(m).absolute for m in (100, 300, 400)]
    assert off == sorted(off)
    assert law.binomial_difference() == law.binomial_difference(100)
    assert RecursiveHypergeometric(50, (7, 7)).binomial_difference(7).absolute > 0
    with pytest.raises(ImpossibleCounts, match="none of the values"):
        law.binomial_difference(200)


def test_the_difference_to_a_certain_crowd():
    found = RecursiveHypergeometric(10, (5, 10)).binomial_difference(10)
    assert (found.signed_at, found.absolute_at) in {(4, 5), (6, 5)}
    assert found.absolute == pytest.approx(1 - stats.binom(10, 0.5).pmf(5))


@pytest.mark.parametrize("holder", ["smallest", "last"])
def test_many_are_as_one(holder):
    rng = np.random.default_rng(3)
    rows = [random_counts(rng, 10**5, 4, 10 ** rng.uniform(-3, 3.3)) for _ in range(200)]
    rows += [[10**5, 10**5, 10**5, 7], [0, 5, 6, 7], [10**5] * 4]
    ks = [0, 1, 2, 5, 30]
    exact = np.array([BinomialForm.of(10**5, row, holder).tail(ks) for row in rows])
    found = binomial_tails(10**5, rows, ks, holder)
    assert found == pytest.approx(exact, rel=1e-9, abs=1e-13)
    few = 1e5 * np.prod(np.array(rows) / 1e5, axis=1) < 1.0
    assert exact[few].min() < 1e-60
    assert found[few] == pytest.approx(exact[few], rel=1e-9, abs=0)


def test_an_unknown_holder_is_refused():
    with pytest.raises(ImpossibleCounts):
        BinomialForm.of(10, (3, 4), "largest")
