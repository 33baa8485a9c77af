"""Groups: the exact law against rationals and listings, the published forms, the inverse."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reidrisk.laws import published_forms
from reidrisk.laws.group_law import GroupLaw, all_different
from reidrisk.laws.saddle_point import SaddlePoint
from reidrisk.laws.tuple_space import TupleSpace

from .group_oracles import (
    by_people,
    by_recurrence,
    by_sequences,
    log_of,
    many_digits,
    unique_member,
)

counts_of_few = st.lists(st.integers(0, 6), min_size=1, max_size=5).filter(any)
counts_of_many = st.lists(
    st.one_of(st.integers(0, 3), st.integers(0, 10**6)), min_size=2, max_size=40
).filter(any)


def law_of(counts: list[int]) -> GroupLaw:
    return GroupLaw.of_counts(np.array(counts))


@given(counts_of_few, st.integers(1, 4))
def test_small_groups_by_listing_everything(counts: list[int], k: int) -> None:
    law, wanted = law_of(counts), by_sequences(counts, k)
    assert wanted == by_recurrence(counts, k)
    assert law.exact(k) == pytest.approx(float(wanted), rel=1e-12)
    assert law.shared(k) == pytest.approx(float(1 - wanted), rel=1e-12, abs=1e-15)
    assert law.member_unique(k) == pytest.approx(float(unique_member(counts, k)), rel=1e-12)
    assert law.expected_unique(k) == k * law.member_unique(k)
    if sum(counts) < k:
        assert law.exact_finite(k) is None
    else:
        assert law.exact_finite(k) == pytest.approx(float(by_people(counts, k)), rel=1e-12)


@given(counts_of_many, st.integers(2, 40))
def test_recurrence_and_saddle_point_against_rationals(counts: list[int], k: int) -> None:
    wanted = by_recurrence(counts, k)
    p = np.array(counts) / sum(counts)
    log = SaddlePoint(TupleSpace.listed(p)).log_all_different(k)
    if wanted == 0:
        assert log == -math.inf
        assert law_of(counts).exact(k) == 0.0
        return
    assert log == pytest.approx(log_of(wanted), rel=1e-13, abs=1e-12)
    assert law_of(counts).log_exact(k) == pytest.approx(log_of(wanted), rel=1e-13, abs=1e-12)
    if float(wanted) > 1e-290:
        assert all_different(p, k)[k] == pytest.approx(float(wanted), rel=1e-12)


@pytest.mark.parametrize(("values", "k"), [(300, 20), (300, 150), (300, 299), (2000, 60)])
def test_the_saddle_point_against_sixty_digits(values: int, k: int) -> None:
    rng = np.random.default_rng(values + k)
    for p in (rng.dirichlet(np.full(values, 0.3)), 1.0 / np.arange(1.0, values + 1) ** 1.5):
        p = p / p.sum()
        log = SaddlePoint(TupleSpace.listed(p)).log_all_different(k)
        # The oracle's draws add up to 1 to sixty digits only where they do in floating point.
        total = math.fsum(p)
        assert log == pytest.approx(float(many_digits(p, k)) - k * math.log(total), abs=1e-10)


@given(st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=60), st.integers(1, 70), st.data())
def test_no_law_exceeds_the_uniform_one(parts: list[float], k: int, data: st.DataObject) -> None:
    p = np.array(parts) / sum(parts)
    empty = data.draw(st.integers(0, 40))
    law = GroupLaw(TupleSpace.listed(p), len(p) + empty)
    assert law.log_exact(k) <= published_forms.log_uniform(k, law.outcomes) + 1e-11
    assert law.kappa >= 0.0
    assert law.discrepancy >= 0.0
    if k > len(p):
        assert law.exact(k) == 0.0


@given(counts_of_many)
def test_larger_groups_are_less_often_unique(counts: list[int]) -> None:
    law = law_of(counts)
    logs = [law.log_exact(k) for k in range(1, len(counts) + 2)]
    assert logs[0] == 0.0
    for smaller, larger in pairwise(logs):
        assert larger <= smaller + 1e-12
    shares = [law.member_unique(k) for k in range(1, 20)]
    assert all(b <= a + 1e-12 for a, b in pairwise(shares))


@given(counts_of_few, st.integers(1, 4))
def test_people_of_a_large_population_are_as_good_as_draws(counts: list[int], k: int) -> None:
    """exact_finite tends to exact as everybody is there a thousand, a million times."""
    exact = law_of(counts).exact(k)
    off = []
    for times in (1000, 10**6):
        finite = law_of([count * times for count in counts]).exact_finite(k)
        assert finite is not None
        off.append(abs(finite - exact))
        assert off[-1] <= k * k / (sum(counts) * times)
    assert finite >= exact - 1e-12


def test_the_papers_uniform_probabilities() -> None:
    assert round(published_forms.uniform(29, 95), 7) == 0.0083993
    assert round(published_forms.uniform(41, 190), 7) == 0.0094665
    assert law_of([7] * 95).exact(29) == pytest.approx(published_forms.uniform(29, 95), rel=1e-12)
    assert published_forms.uniform(96, 95) == 0.0
    assert published_forms.uniform(1, 95) == 1.0
    # The classical birthday problem.
    assert law_of([1] * 365).smallest_under(0.5) == 23


def test_published_forms_agree_where_they_should() -> None:
    """k of the order of √N and nearly equal outcomes: all within a few per cent."""
    rng = np.random.default_rng(5)
    law = law_of(rng.integers(900, 1100, 10_000).tolist())
    for k in (30, 100):
        exact, n, kappa = law.exact(k), law.outcomes, law.kappa
        assert law.poisson(k) == pytest.approx(exact, rel=0.01)
        assert law.alpha_squared(k) == pytest.approx(exact, rel=0.02)
        assert published_forms.kullback_leibler(k, n, kappa) == pytest.approx(exact, rel=0.001)
        form = published_forms.kullback_leibler_exponential(k, n, kappa)
        assert form == pytest.approx(exact, rel=0.02)
        assert published_forms.uniform_exponential(k, n) == pytest.approx(exact, rel=0.02)
    assert law.kappa == pytest.approx(law.discrepancy, rel=0.01)


@given(counts_of_many, st.integers(1, 60))
def test_poisson_is_its_product(counts: list[int], k: int) -> None:
    p = np.array(counts) / sum(counts)
    wanted = math.exp(math.fsum(np.log1p(k * p) - k * p))
    assert law_of(counts).poisson(k) == pytest.approx(wanted, rel=1e-11, abs=1e-300)


@given(counts_of_many)
def test_kappa_and_discrepancy_by_definition(counts: list[int]) -> None:
    law, n, people = law_of(counts), len(counts), sum(counts)
    kappa = math.fsum(c / people * math.log(n * c / people) for c in counts if c)
    assert law.kappa == pytest.approx(kappa, rel=1e-9, abs=1e-12)
    squares = math.fsum((c / people * n) ** 2 / n for c in counts)
    assert law.discrepancy == pytest.approx(0.5 * (squares - 1), rel=1e-9, abs=1e-12)


@given(counts_of_many, st.floats(1e-30, 0.999))
def test_the_smallest_group_under_a_value(counts: list[int], value: float) -> None:
    law = law_of(counts)
    size = law.smallest_under(value)
    assert law.exact(size) <= value * (1 + 1e-12)
    assert size == 1 or law.exact(size - 1) > value * (1 - 1e-12)


def test_a_shared_tuple_of_a_huge_space() -> None:
    """Two of 10^12 equally likely tuples: 1 − P(all differ) would be off in the fifth digit."""
    law = GroupLaw(TupleSpace.independent([np.full(1000, 1e-3)] * 4), 10**12)
    assert law.shared(2) == pytest.approx(1e-12, rel=1e-12)
    wanted = -math.expm1(published_forms.log_uniform(1000, 10**12))
    assert law.shared(1000) == pytest.approx(wanted, rel=1e-9)
    assert law.exact(1000) == 1.0 - law.shared(1000)


def test_sharing_meets_the_saddle_point() -> None:
    """Both ways where P(shared) is about 0.001."""
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.full(50_000, 0.2))
    law = GroupLaw(TupleSpace.listed(p), 50_000)
    for k in range(2, 7):
        log = SaddlePoint(law.space).log_all_different(k)
        assert 1e-5 < law.shared(k) < 2e-3
        assert law.shared(k) == pytest.approx(-math.expm1(log), rel=1e-9)


def test_one_outcome() -> None:
    law = law_of([5, 0])
    assert (law.exact(1), law.exact(2), law.shared(2)) == (1.0, 0.0, 1.0)
    assert (law.member_unique(1), law.member_unique(2)) == (1.0, 0.0)
    assert law.kappa == pytest.approx(math.log(2))
    assert law.smallest_under(0.5) == 2
