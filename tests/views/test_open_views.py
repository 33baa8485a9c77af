"""What a stopped search leaves open, as the answer tells it: every figure against every view."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reidrisk.crowds import measure_named
from reidrisk.crowds.answer import Envelope, Input
from reidrisk.records.coded_tuples import CodedTuples
from reidrisk.searches.answers import OpenViews, Searched
from reidrisk.searches.scorer import yardstick
from reidrisk.searches.searched_tables import Searchable
from reidrisk.searches.searching import search
from tests.views.brute import crowds, tables

View = frozenset[str]
RISING = ["overall_risk", "alone_share", "highest_risk", "lowest_risk", "share_above:0.3"]
FALLING = ["share_in_crowds_of_at_least:3"]


def searchable(tuples: CodedTuples) -> Searchable:
    about = Envelope("search", "records", Input(0, tuples.columns), "own", "none")
    return Searchable((tuples,), tuples.columns, about)


def values_of(tuples: CodedTuples, measure: str) -> dict[View, float]:
    places, judged = range(len(tuples.columns)), measure_named(measure)
    return {
        frozenset(tuples.columns[j] for j in view): judged.value(crowds(tuples, view))
        for size in range(1, len(tuples.columns) + 1)
        for view in combinations(places, size)
    }


def inside(region: OpenViews, views: Mapping[View, float], order: tuple[str, ...]) -> list[View]:
    """Those that see all of it and, of the columns after it, first one of `any_of`."""
    base = frozenset(region.sees)
    last = max((order.index(name) for name in base), default=-1)
    found = []
    for view in views:
        if base < view:
            first = min(view - base, key=order.index)
            if order.index(first) > last and first in region.any_of:
                found.append(view)
    return found


def check(searched: Searched, values: Mapping[View, float], order: tuple[str, ...]) -> set[View]:
    """Every open view lies between the figures given, and in one group only; all of them."""
    left: list[View] = []
    for region in searched.open:
        mine = inside(region, values, order)
        assert len(mine) == region.views
        low, high = sorted((region.low, region.high))
        for view in mine:
            assert view <= frozenset(region.no_more_than)
            assert low - 1e-12 <= values[view] <= high + 1e-12
        left += mine
    assert len(left) == len(set(left)) == searched.open_views
    assert searched.counted + sum(searched.pruned.values()) + len(left) == len(values)
    return set(left)


@given(tables(), st.sampled_from(RISING + FALLING), st.sampled_from([0.1, 0.4]), st.integers(1, 25))
def test_what_isnt_told_as_risky_is_safe_or_open(
    tuples: CodedTuples, measure: str, allowable: float, most: int
) -> None:
    found = search(
        searchable(tuples), allowable_risk=allowable, measure=measure, view_limit=most
    )  # fmt: skip
    values, judged = values_of(tuples, measure), yardstick(measure, allowable)
    left = check(found.searched, values, tuples.columns)
    told = [frozenset(view.columns) for view in found.minimal_risky]
    for view, value in values.items():
        if judged.risky(value):
            assert view in left or any(view >= small for small in told)
        else:
            assert not any(view >= small for small in told)


@given(tables(), st.sampled_from(RISING), st.data())
def test_what_isnt_on_the_frontier_is_beaten_or_open(
    tuples: CodedTuples, measure: str, data: st.DataObject
) -> None:
    prices = st.sampled_from(["0", "0.1", "0.2", "1"])
    costs = {name: data.draw(prices) for name in tuples.columns}
    most = data.draw(st.integers(1, 25))
    found = search(
        searchable(tuples), costs=costs, budget=1, measure=measure, view_limit=most
    )  # fmt: skip
    values = values_of(tuples, measure)
    left = check(found.searched, values, tuples.columns)
    paid = {view: sum(Fraction(costs[name]) for name in view) for view in values}
    for view, value in values.items():
        if paid[view] <= 1 and view not in left:
            reached = [
                point.measures[measure] or 0.0
                for point in found.frontier
                if (point.cost or 0.0) <= float(paid[view]) + 1e-12
            ]
            assert value <= max([found.of_nothing, *reached]) + 1e-12
    assert found.of_nothing == pytest.approx(measure_named(measure).value(crowds(tuples, ())))
