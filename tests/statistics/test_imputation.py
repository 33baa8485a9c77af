"""Statistics with gaps become complete counts, and say what was assumed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reidrisk.models.raking import raked
from reidrisk.statistics.example_statistics import example_statistics
from reidrisk.statistics.imputation import (
    completed,
    completed_attribute,
    evenly,
    scaled,
    shared_out,
)
from reidrisk.statistics.statistics import Attribute, Other, PairCounts, Statistics, Suppressed


def test_nothing_to_settle_is_left_as_it_is() -> None:
    attributes = (Attribute("a", {"x": 6, "y": 4}), Attribute("b", {"p": 5, "q": 5, "r": 0}))
    cells = {("x", "p"): 5, ("x", "q"): 1, ("y", "q"): 4}
    found = completed(Statistics(10, attributes, (PairCounts(("a", "b"), cells),)))
    assert found.assumptions == ()
    assert found.knowledge.pairs[0, 1].tolist() == [[5, 1, 0], [0, 4, 0]]
    turned = completed(Statistics(10, attributes, (PairCounts(("a", "b"), cells),)), ["b", "a"])
    assert turned.knowledge.pairs[0, 1].tolist() == [[5, 0], [1, 4], [0, 0]]


def test_the_example() -> None:
    found = completed(example_statistics())
    age = found.attributes[1]
    assert age.values == ("18-24", "25-44", "45-64", None)
    assert age.counts[:4].tolist() == [20, 45, 25, 2]
    assert sorted(age.counts[4:]) == [2, 6]
    assert age.expected_counts.tolist() == [20, 45, 25, 2, 4, 4]
    assert age.in_other == 2
    assert found.assumptions == (
        "age: it isn't known how the 8 people of the 2 values merged into other are distributed; "
        "all distributions that fit the file are equally likely.",
        "sex with age: unpublished cells share the remaining count.",
    )
    pair = found.knowledge.pairs[0, 1]
    assert pair[:, :3].tolist() == [[12, 23, 12], [8, 22, 13]]
    # 5 women and 5 men are left for the missing value and the two lumped ones.
    assert np.allclose(pair[:, 3:], np.array([[1, 3, 1], [1, 3, 1]]), atol=1e-4)
    assert not np.any(pair[:, 3:] == np.rint(pair[:, 3:]))


def test_counts_held_back_share_what_is_left() -> None:
    attribute = Attribute("a", {"x": 90, "y": Suppressed(5), "z": Suppressed()}, Suppressed(3))
    found = completed_attribute(attribute, 100)
    assert found.counts[0] == 90
    assert found.counts.sum() == 100
    # y is 1 to 4, the missing value 1 or 2, and z the rest: eight ways.
    assert found.hidden is not None
    assert found.expected_counts == pytest.approx([90, 2.5, 6, 1.5])
    assert found.said == (
        "a: 3 suppressed counts share the remaining 10 people; all ways to distribute them are "
        "equally likely.",
    )


def test_rounded_counts_are_scaled() -> None:
    found = completed_attribute(Attribute("a", {"x": 50, "y": 60}), 100)
    assert found.counts.tolist() == [45, 55]
    assert "add up to 110 and were scaled to 100" in found.said[0]


def test_cells_below_a_number_stay_below_it() -> None:
    attributes = (Attribute("a", {"x": 50, "y": 50}), Attribute("b", {"p": 40, "q": 60}))
    pair = PairCounts(("a", "b"), {("x", "p"): Suppressed(5)})
    cells = completed(Statistics(100, attributes, (pair,))).knowledge.pairs[0, 1]
    assert cells.sum(axis=1) == pytest.approx([50, 50])
    assert cells.sum(axis=0) == pytest.approx([40, 60])
    # A Poisson count of mean 20 given that it is 1 to 4.
    weights = [20.0**k / math.factorial(k) for k in range(5)]
    mean = sum(k * w for k, w in enumerate(weights)) / sum(weights[1:])
    assert cells[0, 0] == pytest.approx(mean, rel=1e-3)


counts = st.lists(st.integers(0, 40), min_size=2, max_size=4)


@given(st.integers(2, 4), st.integers(2, 4), st.data())
def test_completed_tables_keep_what_was_stated(a: int, b: int, data: st.DataObject) -> None:
    """Any part of any table: stated cells as they are, rows and columns as the attributes say."""
    cells = np.array(data.draw(st.lists(st.integers(0, 30), min_size=a * b, max_size=a * b)))
    table = cells.reshape(a, b)
    if not table.sum():
        return
    stated = data.draw(st.lists(st.booleans(), min_size=a * b, max_size=a * b))
    shown = {
        (f"a{i}", f"b{j}"): int(table[i, j])
        for i in range(a)
        for j in range(b)
        if stated[i * b + j]
    }
    attributes = (
        Attribute("a", {f"a{i}": int(table[i].sum()) for i in range(a)}),
        Attribute("b", {f"b{j}": int(table[:, j].sum()) for j in range(b)}),
    )
    held = Statistics(int(table.sum()), attributes, (PairCounts(("a", "b"), shown),))
    found = completed(held).knowledge.pairs[0, 1]
    assert np.all(found >= 0)
    assert found.sum(axis=1) == pytest.approx(table.sum(axis=1), abs=1e-4)
    assert found.sum(axis=0) == pytest.approx(table.sum(axis=0), abs=1e-4)
    for (first, second), count in shown.items():
        assert found[int(first[1:]), int(second[1:])] == pytest.approx(count, abs=1e-4)


@given(st.integers(0, 1000), st.lists(st.none() | st.integers(0, 50), min_size=1, max_size=8))
def test_sharing_out(people: int, most: list[int | None]) -> None:
    shares = shared_out(people, most)
    assert all(bound is None or share <= bound for share, bound in zip(shares, most, strict=True))
    room = people if None in most else sum(bound for bound in most if bound is not None)
    assert shares.sum() == min(people, room)


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=8), st.integers(1, 10**9))
def test_scaling_adds_up(held: list[int], total: int) -> None:
    found = scaled(np.array(held), total)
    assert found.sum() == total
    if sum(held):
        assert all(abs(f - h * total / sum(held)) < 1.01 for f, h in zip(found, held, strict=True))


def test_evenly() -> None:
    assert evenly(7, 3).tolist() == [3, 2, 2]
    assert evenly(0, 0).tolist() == []


def test_other_of_unknown_values_is_one() -> None:
    found = completed_attribute(Attribute("a", {"x": 6}, 0, Other(4, 0)), 10)
    assert found.counts.tolist() == [6, 4]


def test_raking_says_what_cant_be_reached() -> None:
    fit = raked(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([3.0, 1.0]), np.array([2.0, 2.0]))
    assert fit.off_by == pytest.approx(1.0)
    fine = raked(np.ones((2, 3)), np.array([3.0, 3.0]), np.array([1.0, 2.0, 3.0]))
    assert fine.off_by < 1e-9
    assert fine.sweeps < 5
