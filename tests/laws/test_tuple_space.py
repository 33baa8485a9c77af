"""Spaces of tuples: sums by message passing, and groups drawn from trees, against listing."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reidrisk.laws.group_law import GroupLaw
from reidrisk.laws.saddle_point import SaddlePoint, likely_tuples
from reidrisk.laws.tuple_space import TupleSpace, simulated

from .group_oracles import by_newton


@st.composite
def spaces(draw: st.DrawFn, most: int = 4) -> TupleSpace:
    """A forest of up to four attributes with up to `most` values, some shares nought."""
    d = draw(st.integers(1, 4))
    widths = [draw(st.integers(1, most)) for _ in range(d)]
    parent = [draw(st.sampled_from([None, *range(c)])) for c in range(d)]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shares = []
    for c in range(d):
        rows = 1 if parent[c] is None else widths[parent[c]]
        cells = rng.dirichlet(np.full(widths[c], draw(st.sampled_from([0.05, 1.0, 20.0]))), rows)
        cells[rng.random(cells.shape) < 0.2] = 0.0
        cells[cells.sum(axis=1) <= 1e-9, 0] = 1.0
        shares.append(cells / cells.sum(axis=1, keepdims=True))
    return TupleSpace(tuple(parent), tuple(shares))


def every(space: TupleSpace) -> np.ndarray:
    """p of every tuple."""
    places = [range(shares.shape[1]) for shares in space.shares]
    return np.array([space.probability(codes) for codes in product(*places)])


@given(spaces())
def test_sums_over_all_tuples(space: TupleSpace) -> None:
    p = every(space)
    held = p[p > 0]
    assert p.sum() == pytest.approx(1.0)
    assert space.held == len(held)
    assert space.largest == pytest.approx(p.max(), rel=1e-12)
    assert space.entropy == pytest.approx(-float(held @ np.log(held)), rel=1e-9, abs=1e-12)
    for m in (1, 2, 5):
        assert space.power_sum(m) == pytest.approx(float((p**m).sum()), rel=1e-12)


@given(spaces(), st.floats(1e-6, 1.0))
def test_opening_loses_nothing(space: TupleSpace, least: float) -> None:
    p = every(space)
    found = likely_tuples(space, least, 6)
    above = np.sort(p[p >= least * (1 + 1e-9)])
    listed = np.sort(found.listed)
    assert len(above) <= len(listed) <= np.count_nonzero(p >= least * (1 - 1e-9))
    assert listed[len(listed) - len(above) :] == pytest.approx(above, rel=1e-12)
    for m, total in enumerate(found.sums, start=1):
        whole = found.scale**m * total + float((found.listed**m).sum())
        assert whole == pytest.approx(float((p**m).sum()), rel=1e-11)


@given(spaces(), st.integers(2, 12))
def test_groups_of_a_tree_are_those_of_its_list(space: TupleSpace, k: int) -> None:
    p = every(space)
    tree, listed = GroupLaw(space, len(p)), GroupLaw(TupleSpace.listed(p), len(p))
    log = SaddlePoint(space).log_all_different(k)
    if math.isinf(listed.log_exact(k)):
        assert math.isinf(log)
    else:
        assert log == pytest.approx(listed.log_exact(k), abs=1e-11)
    assert tree.shared(k) == pytest.approx(listed.shared(k), rel=1e-11, abs=1e-14)
    assert tree.kappa == pytest.approx(listed.kappa, rel=1e-9, abs=1e-12)
    assert tree.member_unique(k) == pytest.approx(float(p @ (1 - p) ** (k - 1)), rel=1e-11)
    assert tree.poisson(k) == pytest.approx(listed.poisson(k), rel=1e-11)


@given(spaces(), st.integers(0, 2**32 - 1))
def test_given_some_of_the_values(space: TupleSpace, seed: int) -> None:
    rng = np.random.default_rng(seed)
    keep = [rng.random(shares.shape[1]) < 0.7 for shares in space.shares]
    for kept in keep:
        kept[0] = True
    narrow, probability = space.restricted(keep)
    places = [np.flatnonzero(kept) for kept in keep]
    p = np.array([space.probability(codes) for codes in product(*places)])
    assert probability == pytest.approx(p.sum(), rel=1e-12)
    if probability > 1e-9:
        assert every(narrow) == pytest.approx(p / p.sum(), rel=1e-9, abs=1e-15)


def test_a_large_tree_with_likely_tuples() -> None:
    """360,000 tuples, a hundred of which hold half the people: listed and summed alike."""
    rng = np.random.default_rng(2)
    widths, above = (40, 30, 20, 15), (0, 0, 2)
    shares = [rng.dirichlet(np.full(40, 0.3), 1)]
    for c, u in enumerate(above, start=1):
        shares.append(rng.dirichlet(np.full(widths[c], 0.2), widths[u]))
    space = TupleSpace((None, *above), tuple(shares))
    root, second, third, fourth = shares
    p = root[0][:, None, None, None] * second[:, :, None, None] * third[:, None, :, None] * fourth
    tree, listed = SaddlePoint(space), SaddlePoint(TupleSpace.listed(p.ravel()))
    for k in (2, 50, 500, 5000):
        assert tree.log_all_different(k) == pytest.approx(listed.log_all_different(k), abs=1e-10)


@pytest.mark.parametrize("k", [2, 40, 150])
def test_a_product_space_against_newtons_identities(k: int) -> None:
    """24 million tuples; the likeliest is drawn by a sixth of the members, or by hardly any."""
    words = 1.0 / np.arange(1.0, 31)
    for shares in (words / words.sum(), np.append(0.7, np.full(29, 0.3 / 29))):
        five = [shares] * 5
        log = GroupLaw(TupleSpace.independent(five), 30**5).log_exact(k)
        assert log == pytest.approx(float(by_newton(five, k)), rel=1e-12, abs=1e-14)


def test_independent_attributes_of_very_different_size() -> None:
    """A rare value's tuples are 10^20 times rarer than the likeliest; none is lost."""
    rare = np.array([1.0 - 1e-10, 1e-10])
    space = TupleSpace.independent([rare, rare, np.full(50, 0.02)])
    p = (rare[:, None, None] * rare[:, None] * np.full(50, 0.02)).ravel()
    for k in (10, 51, 120, 180):
        tree = SaddlePoint(space).log_all_different(k)
        listed = SaddlePoint(TupleSpace.listed(p)).log_all_different(k)
        assert tree == pytest.approx(listed, rel=1e-12, abs=1e-11)


def test_simulation_stops_as_stated_and_finds_the_law() -> None:
    rng = np.random.default_rng(0)
    counts = np.random.default_rng(4).integers(1, 100, 95)
    law = GroupLaw.of_counts(counts)
    within = 0
    for _ in range(40):
        found = simulated(law.space, 20, rng)
        assert found.unique == 385
        assert found.reached
        assert found.half_width <= 0.1
        low, high = found.interval
        within += low <= law.exact(20) <= high
    # 95 % of forty: fewer than 33 would happen once in a thousand runs.
    assert within >= 33


def test_simulation_gives_up_and_says_so() -> None:
    space = TupleSpace.listed(np.full(10, 0.1))
    found = simulated(space, 11, np.random.default_rng(0), most=3000)
    assert (found.estimate, found.groups, found.reached) == (0.0, 3000, False)
    low, high = found.interval
    assert low == 0.0
    assert 0.0 < high < 0.01


def test_simulation_of_a_space_too_wide_for_one_number() -> None:
    """22 attributes of a thousand values, one of two tuples on each side of a coin."""
    certain = np.zeros(1000)
    certain[999] = 1.0
    coin = np.zeros(1000)
    coin[[0, 999]] = 0.5
    space = TupleSpace.independent([coin, *[certain] * 20, coin])
    found = simulated(space, 2, np.random.default_rng(1), relative=0.02)
    assert found.estimate == pytest.approx(0.75, rel=0.03)


@given(spaces(), st.integers(0, 2**32 - 1))
def test_draws_have_the_spaces_probabilities(space: TupleSpace, seed: int) -> None:
    codes = space.drawn(200, np.random.default_rng(seed))
    assert all(space.probability(row) > 0.0 for row in codes)
