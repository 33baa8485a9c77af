from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reidrisk.errors import ImpossibleCounts
from reidrisk.laws.conditioned import crowd_of_tuple, crowds_of_tuples

from .oracles import mean_of, rational_law, tail

KS = (1, 2, 3, 7)


@st.composite
def tuples(draw):
    n = draw(st.integers(1, 50))
    return n, draw(st.lists(st.integers(1, n), min_size=1, max_size=4))


@given(tuples())
@settings(deadline=None, max_examples=100)
def test_member(case):
    """Somebody drawn from a table: crowds of s are met s times as often."""
    n, counts = case
    law = rational_law(n, counts)
    mean = mean_of(law)
    crowd = crowd_of_tuple(n, counts, KS)
    for k in KS:
        exact = float(sum(s * p for s, p in law.items() if s >= k) / mean)
        assert crowd.at_least[k] == pytest.approx(exact, rel=1e-10, abs=1e-13)
    assert crowd.expected == pytest.approx(float(sum(s * s * p for s, p in law.items()) / mean))
    assert crowd.risk == pytest.approx(float(tail(law, 1) / mean), rel=1e-10)
    assert crowd.nobody == 0.0


@given(tuples())
@settings(deadline=None, max_examples=100)
def test_paper_and_unknown(case):
    n, counts = case
    law = rational_law(n, counts)
    somebody, risk = tail(law, 1), sum(p / s for s, p in law.items() if s)
    unknown = crowd_of_tuple(n, counts, KS, "unknown")
    paper = crowd_of_tuple(n, counts, KS, "paper")
    for k in KS:
        assert unknown.at_least[k] == pytest.approx(float(tail(law, k)), rel=1e-10, abs=1e-13)
        exact = float(tail(law, k) / somebody)
        assert paper.at_least[k] == pytest.approx(exact, rel=1e-10, abs=1e-13)
    assert unknown.expected == pytest.approx(float(mean_of(law)))
    assert paper.expected == pytest.approx(float(mean_of(law) / somebody))
    assert unknown.risk == pytest.approx(float(risk), rel=1e-10)
    assert paper.risk == pytest.approx(float(risk / somebody), rel=1e-10)
    assert unknown.nobody == pytest.approx(float(1 - somebody), abs=1e-13)
    assert paper.nobody == unknown.nobody


def test_the_paper_makes_crowds_too_small():
    """Eq. 12 leaves out that members are found where crowds are large."""
    member = crowd_of_tuple(1000, (50, 100, 200), (2, 3))
    paper = crowd_of_tuple(1000, (50, 100, 200), (2, 3), "paper")
    assert member.at_least[2] > paper.at_least[2]
    assert member.risk < paper.risk


def test_members_of_a_drawn_table():
    """A table of 400 people, columns shuffled: how often is a member alone?"""
    rng, n, alone, people, risk = np.random.default_rng(4), 400, 0, 0, 0.0
    columns = [np.repeat([0, 1], [40, 360]), np.repeat([0, 1], [100, 300])]
    for _ in range(20_000):
        crowd = int(np.count_nonzero((columns[0] == 0) & (rng.permutation(columns[1]) == 0)))
        alone, people, risk = alone + (crowd == 1), people + crowd, risk + (crowd > 0)
    found = crowd_of_tuple(n, (40, 100), [2])
    assert 1 - found.at_least[2] == pytest.approx(alone / people, rel=0.15, abs=2e-4)
    assert found.risk == pytest.approx(risk / people, rel=0.01)


@pytest.mark.parametrize("given", ["member", "paper", "unknown"])
def test_many_are_as_one(given):
    rng = np.random.default_rng(2)
    rows = rng.integers(1, 300, (50, 3))
    many = crowds_of_tuples(5000, rows, KS, given)
    for place, row in enumerate(rows):
        one = crowd_of_tuple(5000, row, KS, given)
        assert list(one.at_least.values()) == many.at_least[place].tolist()
        assert one.expected == many.expected[place]
        assert one.risk == many.risk[place]
        assert one.nobody == many.nobody[place]


@pytest.mark.parametrize("given", ["member", "paper", "unknown"])
def test_fractions_lie_between_whole_counts(given):
    low, high = (crowds_of_tuples(900, [[40, m, 500]], KS, given) for m in (60, 61))
    found = crowds_of_tuples(900, [[40, 60.25, 500], [40, 60.0, 500]], KS, given)
    if given != "paper":
        assert found.at_least[0] == pytest.approx(0.75 * low.at_least[0] + 0.25 * high.at_least[0])
        assert found.risk[0] == pytest.approx(0.75 * low.risk[0] + 0.25 * high.risk[0])
    somebody = 0.75 * (1 - low.nobody[0]) + 0.25 * (1 - high.nobody[0])
    assert 1 - found.nobody[0] == pytest.approx(somebody)
    assert found.at_least[1] == pytest.approx(low.at_least[0], rel=1e-14)
    assert low.expected[0] < found.expected[0] < high.expected[0]


def test_what_cannot_be_is_refused():
    with pytest.raises(ImpossibleCounts):
        crowd_of_tuple(10, (0, 5), [1])
    with pytest.raises(ImpossibleCounts):
        crowd_of_tuple(10, (0, 5), [1], "paper")
    with pytest.raises(ImpossibleCounts):
        crowd_of_tuple(10, (3, 5), [1], "nobody")
    with pytest.raises(ImpossibleCounts):
        crowds_of_tuples(10, [3, 5], [1])
    assert crowd_of_tuple(10, (0, 5), [1], "unknown").nobody == 1.0
    assert crowd_of_tuple(1, (1, 1), [1, 2]).at_least == {1: 1.0, 2: 0.0}
