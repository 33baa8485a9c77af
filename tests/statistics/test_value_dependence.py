"""Support, confidence and lift against brute force; the thresholds of the papers."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.statistics.dependence import (
    frequent_tuples,
    max_dependence,
    strong_value_pairs,
    value_dependences,
)
from reidrisk.statistics.statistics import Attribute, PairCounts, Statistics, Suppressed


def of_records(a: list[str], b: list[str]) -> Statistics:
    pairs = PairCounts(("a", "b"), Counter(zip(a, b, strict=True)))
    attributes = (Attribute("a", Counter(a)), Attribute("b", Counter(b)))
    return Statistics(len(a), attributes, (pairs,))


letters = st.lists(st.sampled_from("xyz"), min_size=9, max_size=9)


@given(letters, letters)
def test_rules_by_brute_force(a: list[str], b: list[str]) -> None:
    rules = {(r.given, r.then): r for r in value_dependences(of_records(a, b))}
    n = len(a)
    for x, y in set(zip(a, b, strict=True)):
        both = sum((p, q) == (x, y) for p, q in zip(a, b, strict=True))
        rule = rules[("a", x), ("b", y)]
        assert rule.support == both / n
        assert rule.confidence == both / a.count(x)
        assert rule.lift == pytest.approx((both / n) / (a.count(x) / n * (b.count(y) / n)))
        assert rules[("b", y), ("a", x)].confidence == both / b.count(y)


def test_thresholds() -> None:
    """100,000 people: 0.95 sure of 20; 0.6 sure of 12 (a share of 1.2e-4) and of 9 (0.9e-4)."""
    cells = {("p", "v"): 19, ("q", "v"): 1, ("r", "w"): 12, ("q", "w"): 8, ("s", "u"): 9,
             ("q", "u"): 6}  # fmt: skip
    attributes = (
        Attribute("a", {"p": 30, "q": 90_000, "r": 40, "s": 9_930}),
        Attribute("b", {"v": 20, "w": 20, "u": 15, "rest": 99_945}),
    )
    held = Statistics(100_000, attributes, (PairCounts(("a", "b"), cells),))
    rules = list(value_dependences(held))
    frequent = {(rule.given[1], rule.then[1]) for rule in frequent_tuples(rules)}
    assert frequent == {("v", "p"), ("w", "r"), ("p", "v")}
    strong = [(rule.given[1], rule.then[1]) for rule in strong_value_pairs(rules)]
    assert strong == [("v", "p"), ("p", "v"), ("w", "r"), ("u", "s")]


def test_what_is_held_back_says_nothing() -> None:
    attributes = (Attribute("a", {"p": 6, "q": Suppressed(5)}), Attribute("b", {"v": 8}))
    cells = {("p", "v"): Suppressed(5), ("q", "v"): 2}
    held = Statistics(8, attributes, (PairCounts(("a", "b"), cells),))
    assert list(value_dependences(held)) == []


@pytest.mark.parametrize(
    ("n", "low", "high"), [(30_000, 0.26, 0.32), (150_000, 0.22, 0.29)]
)  # fmt: skip
def test_random_tables_of_two_attributes_look_dependent(n: int, low: float, high: float) -> None:
    """TFRR: 0.2 to 0.3 at d = 2 and λ = 0.1, falling with N; corrected, nothing is left of it."""
    rng = np.random.default_rng(4)
    tables = [rr.random_table(n, 2, 0.1, rng) for _ in range(3)]
    found = [rr.measure(rr.read(t, columns=["a1", "a2"])).dependence for t in tables]
    assert low < np.mean([each.uncorrected for listed in found for each in listed]) < high
    assert max(abs(each.corrected) for listed in found for each in listed) < 0.01


@pytest.mark.parametrize("d", [3, 4, 5])
def test_random_tables_of_more_attributes_hardly_do(d: int) -> None:
    rng = np.random.default_rng(5)
    table = rr.random_table(30_000, d, 0.1, rng)
    names = table.column_names
    assert len(set(table.column(0).to_pylist())) <= round(300_000 ** (1 / d))
    assert max_dependence(rr.measure(rr.read(table, columns=names)).dependence) < 0.05
