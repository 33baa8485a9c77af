"""`rr.search` where a person has several rows: the crowds of multisets of rows, by brute force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.crowds import measure_named
from reidrisk.crowds.crowd_sizes import CrowdSizes
from reidrisk.searches.combination_ranking import ranking
from reidrisk.searches.searched_tables import searchable

ENGINES = ["codes", "duckdb"]
NAMES = ("a", "b", "c")
MEASURES = ("overall_risk", "alone_share", "highest_risk", "share_above:0.4", "lowest_risk")
View = tuple[str, ...]


@st.composite
def histories(draw: st.DrawFn) -> dict[str, list[Any]]:
    """Up to 14 rows of three columns, of up to five people."""
    rows = draw(st.lists(
        st.tuples(st.sampled_from("pqrst"), st.sampled_from(["1", "2", None]),
                  st.sampled_from("xy"), st.sampled_from(["u", "v", None])),
        min_size=1, max_size=14,
    ))  # fmt: skip
    rows.append(("p", "1", "x", "u"))
    return dict(zip(("who", *NAMES), map(list, zip(*rows, strict=True)), strict=True))


def crowd_of_each(table: dict[str, list[Any]], columns: Sequence[str]) -> list[int]:
    """Everybody's crowd, as it is defined: the people with the same rows, each equally often."""
    held: dict[str, Counter[tuple[Any, ...]]] = {}
    for row, person in enumerate(table["who"]):
        held.setdefault(person, Counter())[tuple(table[name][row] for name in columns)] += 1
    return [sum(mine == other for other in held.values()) for mine in held.values()]


def value(table: dict[str, list[Any]], columns: Sequence[str], measure: str) -> float:
    return float(
        measure_named(measure).value(CrowdSizes.of_people(np.array(crowd_of_each(table, columns))))
    )


def every_view() -> list[View]:
    return [view for size in (1, 2, 3) for view in combinations(NAMES, size)]


def read(table: dict[str, list[Any]], engine: str) -> rr.Table:
    return rr.read(table, columns=list(NAMES), person="who", engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
@given(table=histories(), measure=st.sampled_from(MEASURES), limit=st.sampled_from([0.3, 0.5, 0.9]))
def test_the_border_is_that_of_all_views(
    engine: str, table: dict[str, list[Any]], measure: str, limit: float
) -> None:
    found = rr.search(read(table, engine), allowable_risk=limit, measure=measure)
    risky = {view for view in every_view() if value(table, view, measure) > limit}
    minimal = {v for v in risky if not any(set(w) < set(v) for w in risky)}
    safe = set(every_view()) - risky
    maximal = {v for v in safe if not any(set(v) < set(w) for w in safe)}
    assert {view.columns for view in found.minimal_risky} == minimal
    assert {view.columns for view in found.maximal_safe} - {()} == maximal
    for view in found.minimal_risky:
        for name in (measure, "overall_risk", "alone_share"):
            assert view.measures[name] == pytest.approx(value(table, view.columns, name))
    alone = value(table, (), measure) > limit
    assert alone == any("How many rows each person has" in said for said in found.envelope.warnings)


@pytest.mark.parametrize("engine", ENGINES)
@given(table=histories(), above=st.sampled_from([1.0, 1.5, 3.0]))
def test_the_ratio_compares_crowds_of_people(
    engine: str, table: dict[str, list[Any]], above: float
) -> None:
    found = rr.search(read(table, engine), ratio=above, attributes=2)
    for one in found.combinations:
        single = zip(*(crowd_of_each(table, [name]) for name in one.columns), strict=True)
        both = crowd_of_each(table, one.columns)
        z = [min(alone) / crowd for alone, crowd in zip(single, both, strict=True)]
        assert one.mean == pytest.approx(sum(z) / len(z))
        assert one.largest == pytest.approx(max(z))
        assert one.share_above == pytest.approx(sum(each > above for each in z) / len(z))


@given(table=histories())
def test_costs_buy_what_people_of_several_rows_give_away(table: dict[str, list[Any]]) -> None:
    costs = {"a": 1, "b": 2, "c": 4}
    found = rr.search(read(table, "codes"), costs=costs, budget=7)
    nothing = value(table, (), "overall_risk")
    assert found.of_nothing == pytest.approx(nothing)
    most = nothing
    for budget in range(1, 8):
        bought = [v for v in every_view() if sum(costs[name] for name in v) <= budget]
        best = max((value(table, view, "overall_risk") for view in bought), default=0.0)
        points = {point.cost: point.measures["overall_risk"] for point in found.frontier}
        assert (budget in points) == (best > most + 1e-12)
        if budget in points:
            assert points[budget] == pytest.approx(best)
        most = max(most, best)


def test_a_pair_may_part_people_whom_no_column_parts() -> None:
    """Two people with the same ages and the same clinics, in another pairing: no product bound."""
    table = {"who": list("ppqq"), "a": list("1212"), "b": list("xyyx"), "c": list("uuuu")}
    found = rr.search(read(table, "codes"), allowable_risk=0.5)
    assert [view.columns for view in found.minimal_risky] == [("a", "b")]
    ranked = ranking(searchable(read(table, "codes")))
    assert next(view.columns for view in ranked.of_size(2)) == ("a", "b")
    assert {one.attribute: round(one.share, 6) for one in ranked.adds} == {
        "a": 0.5,
        "b": 0.5,
        "c": 0,
    }
