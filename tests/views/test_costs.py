from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.errors import InputError
from reidrisk.records.coded_tuples import CodedTuples
from reidrisk.searches import cost as frontier_module
from reidrisk.searches.cost import Costs, Frontier, frontier
from reidrisk.searches.counting_scorer import CountingScorer
from reidrisk.searches.lattice import Lattice, Limits
from reidrisk.searches.scorer import yardstick
from tests.views.brute import crowds, tables

CITY = {"age": [39, 39, 40, 41], "sex": ["f", "m", "f", "m"], "town": ["a", "a", "b", "b"]}


@st.composite
def questions(draw: st.DrawFn):
    tuples = draw(tables())
    costs = [draw(st.sampled_from(["0", "0.1", "0.2", "0.3", "1", "2.5"])) for _ in tuples.columns]
    return tuples, Costs(tuple(map(Fraction, costs))), Fraction(draw(st.sampled_from(["0.3", "2"])))


def by_brute_force(tuples: CodedTuples, lattice: Lattice, costs: Costs, budget: Fraction):
    views = [
        (costs.of(lattice, bits), crowds(tuples, lattice.seen(bits)).overall_risk)
        for bits in lattice.all_bits()
    ]
    affordable = [(cost, value) for cost, value in views if cost <= budget]
    best: list[tuple[Fraction, float]] = [(Fraction(-1), 1 / tuples.total)]
    for cost, value in sorted(affordable, key=lambda one: (one[0], -one[1])):
        if value > best[-1][1] + 1e-12:
            best.append((cost, value))
    return best[1:], len(affordable)


def searched(tuples: CodedTuples, costs: Costs, budget: Fraction, limits: Limits):
    lattice = Lattice.of_knowledge(tuples.columns)
    scorer = CountingScorer(lattice, tuples, yardstick("overall_risk"))
    return lattice, frontier(scorer, costs, budget, limits)


@given(questions(), st.sampled_from([1, 12]))
def test_same_frontier_as_every_view(asked, ceiling: int) -> None:
    tuples, costs, budget = asked
    usual = frontier_module.WORTH_A_CEILING
    frontier_module.WORTH_A_CEILING = ceiling
    lattice, found = searched(tuples, costs, budget, Limits())
    frontier_module.WORTH_A_CEILING = usual
    truth, affordable = by_brute_force(tuples, lattice, costs, budget)
    assert [(p.cost, pytest.approx(p.score.value)) for p in found.points] == truth
    assert costs.affordable(lattice.up_to, budget) == affordable
    assert found.complete
    check(lattice, costs, found)
    for cost, value in truth:
        point = found.cheapest(value - 1e-12)
        assert point is not None
        assert point.cost == cost
    assert found.cheapest(1.1) is None


def check(lattice: Lattice, costs: Costs, found: Frontier) -> None:
    assert found.counted + sum(found.pruned.values()) + found.open == lattice.views
    for point in found.points:
        assert costs.of(lattice, point.bits) == point.cost


@given(questions(), st.integers(1, 12))
def test_a_stopped_search_says_only_what_is_true(asked, most_views: int) -> None:
    tuples, costs, budget = asked
    lattice, found = searched(tuples, costs, budget, Limits(most_views=most_views))
    check(lattice, costs, found)
    truth, _ = by_brute_force(tuples, lattice, costs, budget)
    for point in found.points:
        reached = max(value for cost, value in truth if cost <= point.cost)
        assert point.score.value <= reached + 1e-12
    most = max([region.high.value for region in found.regions], default=0.0)
    best = max([point.score.value for point in found.points], default=found.nothing.value)
    assert max([value for _, value in truth], default=0.0) <= max(most, best) + 1e-12


def test_by_hand() -> None:
    table = rr.read(CITY)
    found = rr.search(table, costs={"age": 2, "sex": 1, "town": "0.5"}, budget=3, success=0.6)
    assert [(v.cost, v.columns) for v in found.frontier] == [
        (0.5, ("town",)), (1.5, ("sex", "town")),
    ]  # fmt: skip
    assert found.cheapest is not None
    assert found.cheapest.columns == ("sex", "town")
    assert found.affordable == 6
    assert found.of_nothing == 0.25


def test_sums_of_tenths_are_exact() -> None:
    table = rr.read(CITY)
    found = rr.search(table, costs=dict.fromkeys(CITY, 0.1), budget=0.3)
    assert found.affordable == 7


def test_costs_rank_the_risky(tmp_path: Path) -> None:
    file = tmp_path / "costs.toml"
    file.write_text("[costs]\nage = 5\nsex = 1\ntown = 1.5\n")
    found = rr.search(rr.read(CITY), allowable_risk=0.5, costs=file)
    assert [(view.columns, view.cost) for view in found.minimal_risky] == [
        (("sex", "town"), 2.5),
        (("age",), 5.0),
    ]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"costs": {"age": 1, "sex": 1}, "budget": 3}, "no cost is given for town"),
        ({"costs": {"age": 1, "sex": -1, "town": 1}, "budget": 3}, "can't be negative"),
        ({"costs": {"age": 1, "sex": "dear", "town": 1}, "budget": 3}, "isn't a number"),
        ({"costs": {"age": 1, "sex": True, "town": 1}, "budget": 3}, "isn't a number"),
        ({"costs": {"age": 1, "sex": float("nan"), "town": 1}, "budget": 3}, "isn't a number"),
        (
            {"costs": {"age": 1, "sex": 1, "town": 1, "wage": 1}, "budget": 3},
            "isn't among the quasi-identifiers",
        ),
        ({"costs": {"age": 1, "sex": 10**400, "town": 1}, "budget": 3}, "more than 100 digits"),
        ({"costs": {"age": 1, "sex": "1e-99999999", "town": 1}, "budget": 3}, "100 digits"),
        ({"costs": dict.fromkeys(CITY, 1), "budget": "1e999999999"}, "budget has more than 100"),
        ({"costs": dict.fromkeys(CITY, 1), "budget": "inf"}, "the budget isn't a number"),
        (
            {"costs": {"age": [1], "sex": 1, "town": 1}, "budget": 1},
            "the cost of age isn't a number",
        ),
        ({"costs": {"age": 4, "sex": 5, "town": 6}, "budget": 3}, "buys nothing"),
        ({"costs": {"age": 4, "sex": 5, "town": 6}, "budget": -3}, "can't be negative"),
        ({"budget": 3}, "needs the attributes' costs"),
        ({"costs": dict.fromkeys(CITY, 1)}, "asks one question"),
        (
            {"costs": dict.fromkeys(CITY, 1), "budget": 3, "measure": "smallest_crowd"},
            "can't measure success",
        ),
        ({"costs": dict.fromkeys(CITY, 1), "budget": 3, "success": 2.0}, "between 0 and 1"),
        ({"allowable_risk": 0.1, "success": 0.5}, "within a budget"),
    ],
)
def test_bad_questions(asked: dict, said: str) -> None:
    with pytest.raises(InputError, match=said):
        rr.search(rr.read(CITY), **asked)


@pytest.mark.parametrize("text", ["age = ", "\xff"])
def test_files_that_are_no_costs(text: str, tmp_path: Path) -> None:
    file = tmp_path / "costs.toml"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match="isn't TOML"):
        rr.search(rr.read(CITY), costs=file, budget=1)
    with pytest.raises(InputError, match="can't be read"):
        rr.search(rr.read(CITY), costs=tmp_path / "none.toml", budget=1)
