"""All combinations ranked, against counting each by itself."""

from __future__ import annotations

from itertools import combinations

import pytest

import reidrisk as rr
from reidrisk.searches import combination_ranking as module
from reidrisk.searches.combination_ranking import affordable_size, ranking
from reidrisk.searches.searched_tables import searchable

COLUMNS = ["county", "age", "sex", "occupation"]


def test_every_combination_is_counted() -> None:
    table = rr.read(rr.city(1500), columns=COLUMNS)
    found = ranking(searchable(table))
    assert found.complete
    assert found.up_to == 4
    told = {frozenset(view.columns): view for view in found.views}
    assert len(told) == 15
    for size in range(1, 5):
        for columns in combinations(COLUMNS, size):
            crowds = table.engine.crowd_sizes(columns)
            view = told[frozenset(columns)]
            assert view.alone_share == crowds.alone_share
            assert view.overall_risk == crowds.overall_risk


def test_the_riskiest_of_a_size_come_first() -> None:
    found = ranking(searchable(rr.read(rr.city(1500), columns=COLUMNS)))
    for size in range(1, 5):
        shares = [view.alone_share for view in found.of_size(size)]
        assert shares == sorted(shares, reverse=True)


def test_the_smallest_beyond_a_share() -> None:
    found = ranking(searchable(rr.read(rr.city(1500), columns=COLUMNS)))
    risky = {frozenset(v.columns) for v in found.views if v.alone_share > 0.1}
    minimal = {one for one in risky if not any(other < one for other in risky)}
    assert minimal
    assert {frozenset(view.columns) for view in found.smallest_beyond(0.1)} == minimal
    assert found.smallest_beyond(1.0) == []


def test_what_attributes_add_is_what_a_search_says() -> None:
    table = rr.read(rr.city(1500), columns=COLUMNS)
    found = ranking(searchable(table), up_to=2)
    searched = rr.search(table, ratio=2, attributes=2)
    assert {each.attribute: each.share for each in found.adds} == pytest.approx(
        {each.attribute: each.share for each in searched.adds}  # type: ignore[union-attr]
    )


def test_sizes_stay_within_the_work_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = searchable(rr.read(rr.city(1500), columns=COLUMNS))
    assert affordable_size(asked) == 4
    monkeypatch.setattr(module, "MOST_VIEWS", 10)
    assert affordable_size(asked) == 2
    monkeypatch.setattr(module, "MOST_WORK", 1)
    assert affordable_size(asked) == 1


def test_drawn_tables_are_ranked() -> None:
    statistics = rr.publish(rr.read(rr.city(1500), columns=COLUMNS[:3]))
    found = ranking(searchable(statistics, model="tree", draws=2))
    assert len(found.views) == 7
    assert found.of_size(3)[0].alone_share == pytest.approx(
        rr.predict(statistics, model="tree").alone_share, abs=0.03
    )
