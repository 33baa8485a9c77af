"""Chains of draws: the tree's law against exact rationals, and against the independent law."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reidrisk.laws.chains import (
    chain_answer,
    chain_answers,
    chain_mean_reciprocals,
    chain_means,
    chain_table,
    chain_tails,
)
from reidrisk.laws.factorial_series import Quantities
from reidrisk.laws.law_tables import ListedLaw
from reidrisk.laws.many_tuples import mean_reciprocals, tails


def exact(n: int, holders: list[int], among: list[int]) -> list[Fraction]:
    """P(X = k) by drawing after drawing, as defined."""
    law = {n: Fraction(1)}
    for h, a in zip(holders, among, strict=True):
        after: dict[int, Fraction] = {}
        for m, p in law.items():
            for k in range(max(0, m + h - a), min(m, h) + 1):
                part = Fraction(comb(m, k) * comb(a - m, h - k), comb(a, h))
                after[k] = after.get(k, Fraction(0)) + p * part
        law = after
    return [law.get(k, Fraction(0)) for k in range(n + 1)]


@st.composite
def chains(draw: st.DrawFn, most: int = 40) -> tuple[int, list[int], list[int]]:
    """A tree of pair tables: each stage's people hold everybody so far."""
    n = draw(st.integers(2, most))
    holders, among, at_most = [draw(st.integers(1, n))], [n], n
    at_most = holders[0]
    for _ in range(draw(st.integers(1, 3))):
        a = draw(st.integers(at_most, n))
        h = draw(st.integers(0, a))
        holders.append(h)
        among.append(a)
        at_most = min(at_most, h)
    return n, holders, among


@given(chains())
def test_tails_and_reciprocals_are_exact(chain: tuple[int, list[int], list[int]]) -> None:
    n, holders, among = chain
    law = exact(n, holders, among)
    h, a = np.array([holders]), np.array([among])
    ks = [0, 1, 2, 3, 5, 10]
    found = chain_tails(n, h, a, ks)[0]
    for k, p in zip(ks, found, strict=True):
        assert p == pytest.approx(float(sum(law[k:])), rel=1e-9, abs=1e-12)
    mean = sum(k * p for k, p in enumerate(law))
    assert chain_means(n, h, a)[0] == pytest.approx(float(mean))
    reciprocal = chain_answers(n, h, a, Quantities((), reciprocal=True))[0, 0]
    wanted = sum((p / k for k, p in enumerate(law) if k), Fraction(0))
    assert reciprocal == pytest.approx(float(wanted), rel=1e-9, abs=1e-12)
    if min(holders) >= 0:
        others = sum((p / (k + 1) for k, p in enumerate(law)), Fraction(0))
        assert chain_mean_reciprocals(n, h, a)[0] == pytest.approx(float(others), rel=1e-9)


@given(chains(most=30))
def test_every_way_gives_the_same(chain: tuple[int, list[int], list[int]]) -> None:
    """Whole numbers and strides, each on its own."""
    n, holders, among = chain
    law = exact(n, holders, among)
    slow = chain_answer(n, tuple(holders), tuple(among), Quantities((1, 3), reciprocal=True))
    assert slow[0] == pytest.approx(float(sum(law[1:])), abs=1e-14)
    assert slow[1] == pytest.approx(float(sum(law[3:])), abs=1e-14)
    listed = ListedLaw(chain_table(n, holders, among))
    for k in range(n + 1):
        assert float(listed.at_least(np.array(k))) == pytest.approx(float(sum(law[k:])), abs=1e-11)


@given(st.integers(10, 10**6), st.lists(st.floats(0.001, 1.0), min_size=1, max_size=4))
def test_drawn_from_everybody_it_is_the_recursive_law(n: int, shares: list[float]) -> None:
    counts = np.array([[max(1, round(n * share)) for share in shares]])
    among = np.full_like(counts, n)
    ks = [1, 2, 5, 20]
    assert chain_tails(n, counts, among, ks) == pytest.approx(tails(n, counts, ks), abs=1e-9)
    assert chain_mean_reciprocals(n, counts, among) == pytest.approx(
        mean_reciprocals(n, counts), rel=1e-8
    )


def test_many_rows_of_all_sizes() -> None:
    """Large crowds by expansion and strides: against the recursion itself at the same numbers."""
    n, holders, among = 3000, [900, 700, 800], [3000, 900, 1200]
    law = exact_floats(n, holders, among)
    found = chain_tails(n, np.array([holders]), np.array([among]), [400, 460, 500])[0]
    assert found == pytest.approx([law[k:].sum() for k in (400, 460, 500)], abs=1e-9)


def exact_floats(n: int, holders: list[int], among: list[int]) -> np.ndarray:
    from scipy.stats import hypergeom

    law = np.zeros(n + 1)
    law[n] = 1.0
    for h, a in zip(holders, among, strict=True):
        after = np.zeros(n + 1)
        for m in np.flatnonzero(law > 1e-18):
            k = np.arange(0, min(m, h) + 1)
            after[k] += law[m] * hypergeom.pmf(k, a, m, h)
        law = after
    return law


@pytest.mark.parametrize("mean", [60.0, 104.8, 130.0, 149.0])
def test_far_above_the_mean(mean: float) -> None:
    """Sizes well above the mean, where whole numbers of too few bits would cancel to anything."""
    from scipy.stats import hypergeom

    n, a = 523_706, 16_563
    b = round(mean * n / a)
    ks = [1, 50, 100, 110, 130, 150, 158, 200, 300, 900]
    wanted = [hypergeom.sf(k - 1, n, a, b) for k in ks]
    assert tails(n, np.array([[a, b]]), ks)[0] == pytest.approx(wanted, rel=1e-6, abs=1e-10)
    # The same crowd as a chain: everybody's c, and b's people among them.
    holders, among = np.array([[a, n, b]]), np.array([[n, n, n]])
    assert chain_tails(n, holders, among, ks)[0] == pytest.approx(wanted, rel=1e-6, abs=1e-10)
    slow = chain_answer(n, (a, b), (n, n), Quantities(tuple(ks)))
    assert slow == pytest.approx(wanted, rel=1e-6, abs=1e-14)


def test_sizes_beyond_any_crowd() -> None:
    found = tails(1000, np.array([[10, 20], [900, 950]]), [5, 500, 1000])
    assert found[0, 1:].tolist() == [0.0, 0.0]
    assert found[1, 1] == pytest.approx(1.0)


def test_two_numbers_vary_little() -> None:
    """A stage that leaves two numbers only: strides must not skip one of them."""
    listed = ListedLaw(chain_table(18, [17, 3, 1], [18, 18, 17]))
    law = exact(18, [17, 3, 1], [18, 18, 17])
    assert float(listed.at_least(np.array(1))) == pytest.approx(float(sum(law[1:])))
    assert float(np.sum(listed.probabilities)) == pytest.approx(1.0)


@st.composite
def mixed_chains(draw: st.DrawFn) -> tuple[int, list[float], list[int]]:
    """Chains some of whose counts lie between two whole ones."""
    n, holders, among = draw(chains())
    return n, [draw(st.floats(max(h - 1, 0), h)) for h in holders], among


def corners(holders: list[float]) -> list[tuple[float, list[int]]]:
    """The whole counts around counts with fractions, and their weights."""
    found = [(1.0, list[int]())]
    for h in holders:
        up = h - int(h)
        found = [
            (w * share, [*whole, int(h) + more])
            for w, whole in found
            for more, share in ((0, 1.0 - up), (1, up))
            if share
        ]
    return found


@given(mixed_chains())
def test_counts_with_fractions_mix_the_laws_of_whole_counts(
    chain: tuple[int, list[float], list[int]],
) -> None:
    n, holders, among = chain
    ks, h, a = [0, 1, 2, 3, 5, 10], np.array([holders]), np.array([among])
    parts = [(w, exact(n, whole, among)) for w, whole in corners(holders)]
    law = [float(sum(w * float(each[k]) for w, each in parts)) for k in range(n + 1)]
    found = chain_tails(n, h, a, ks)[0]
    assert found == pytest.approx([sum(law[k:]) for k in ks], rel=1e-8, abs=1e-10)
    mean = sum(k * p for k, p in enumerate(law))
    assert chain_means(n, h, a)[0] == pytest.approx(mean, rel=1e-9, abs=1e-12)
    wanted = sum(p / k for k, p in enumerate(law) if k)
    reciprocal = chain_answers(n, h, a, Quantities((), reciprocal=True))[0, 0]
    assert reciprocal == pytest.approx(wanted, rel=1e-8, abs=1e-10)
    others = sum(p / (k + 1) for k, p in enumerate(law))
    assert chain_mean_reciprocals(n, h, a)[0] == pytest.approx(others, rel=1e-8)
    slow = chain_answer(n, tuple(holders), tuple(among), Quantities((1, 3), reciprocal=True))
    assert slow == pytest.approx([sum(law[1:]), sum(law[3:]), wanted], abs=1e-13)


@pytest.mark.parametrize("n", [700, 20_000, 3_000_000])
def test_mixed_counts_of_all_sizes(n: int) -> None:
    """Series, expansion, whole numbers and strides: each as the mixture of its whole counts."""
    draws = np.random.default_rng(n)
    holders, among = np.empty((120, 4)), np.full((120, 4), n)
    for stage in range(4):
        if stage:
            least = np.ceil(holders[:, :stage].min(axis=1)).astype(np.int64)
            among[:, stage] = draws.integers(least, n + 1)
        holders[:, stage] = among[:, stage] * draws.uniform(0.02, 0.98, 120) ** 2
    ks = [1, 2, 5, 20, 100, 400]
    quantities = Quantities((1,), reciprocal=True)
    wanted = np.zeros((len(holders), len(ks) + 4))
    for ups in np.ndindex(2, 2, 2, 2):
        up = holders - np.floor(holders)
        weight = np.prod(np.where(ups, up, 1.0 - up), axis=1)[:, None]
        whole = np.floor(holders).astype(np.int64) + np.array(ups)
        wanted += weight * figures(n, whole, among, ks, quantities)
    assert figures(n, holders, among, ks, quantities) == pytest.approx(wanted, rel=2e-10, abs=2e-10)


def figures(n: int, holders: np.ndarray, among: np.ndarray, ks: list[int], quantities: Quantities):  # type: ignore[no-untyped-def]
    return np.column_stack(
        [
            chain_tails(n, holders, among, ks),
            chain_answers(n, holders, among, quantities),
            chain_means(n, holders, among),
            chain_mean_reciprocals(n, holders, among),
        ]
    )
