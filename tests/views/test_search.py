"""`rr.search` on tables and statistics: known answers, both engines, rows that are people."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import reidrisk as rr
from reidrisk.errors import ContradictoryOptions, InputError


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
def test_engines_find_the_same(engine: str) -> None:
    table = rr.city(2_000, seed=3)
    asked = {"allowable_risk": 0.2, "measure": "alone_share"}
    found = rr.search(rr.read(table, engine=engine), **asked)
    other = rr.search(rr.read(table), **asked)
    assert found.minimal_risky == other.minimal_risky
    assert found.maximal_safe == other.maximal_safe


def test_figures_are_those_of_measure() -> None:
    people = rr.city(3_000, seed=1)
    table = rr.read(people)
    found = rr.search(table, allowable_risk=0.3)
    assert found.measure == "highest_risk"
    assert found.searched.complete
    for view in (*found.minimal_risky, *found.maximal_safe):
        risk = rr.measure(rr.read(people, columns=list(view.columns)))
        assert view.measures["highest_risk"] == pytest.approx(risk.highest_risk)
        assert view.measures["overall_risk"] == pytest.approx(risk.overall_risk)
        assert view.measures["alone_share"] == pytest.approx(risk.alone_share)


def test_rows_that_stand_for_several() -> None:
    rows = {"age": [1, 1, 2, 2], "sex": ["f", "m", "f", "m"], "n": [3, 1, 2, 0]}
    counted = rr.search(rr.read(rows, count="n"), allowable_risk=0.3, measure="alone_share")
    listed = {
        "age": [1] * 4 + [2] * 2,
        "sex": ["f", "f", "f", "m", "f", "f"],
    }
    each = rr.search(rr.read(listed), allowable_risk=0.3, measure="alone_share")
    assert counted.minimal_risky == each.minimal_risky
    assert counted.maximal_safe == each.maximal_safe


def test_statistics_alone_with_all_that_is_known() -> None:
    """With two attributes the pair table is the table: every drawn table has its crowds."""
    people = rr.city(2_000, seed=5)
    table = rr.read(people, columns=["age", "sex"])
    statistics = rr.publish(table, pairs="all", unprotected=True)
    for measure in ("overall_risk", "alone_share"):
        counted = rr.search(table, allowable_risk=0.01, measure=measure)
        drawn = rr.search(statistics, allowable_risk=0.01, measure=measure, draws=3, model="tree")
        assert len(drawn.minimal_risky) == len(counted.minimal_risky)
        for one, other in zip(drawn.minimal_risky, counted.minimal_risky, strict=True):
            assert one.columns == other.columns
            assert one.measures == pytest.approx(other.measures)
            assert one.intervals[measure] == pytest.approx((other.measures[measure],) * 2)
            assert one.risky_in == 3
    assert drawn.envelope.origin == "statistics"
    assert drawn.envelope.seed == 0
    assert any("drawn" in said for said in drawn.envelope.assumptions)


def test_statistics_are_searched_alike_from_the_same_seed() -> None:
    statistics = rr.publish(rr.read(rr.city(2_000, seed=5)), pairs="all", unprotected=True)
    asked = {"allowable_risk": 0.1, "draws": 2, "model": "tree"}
    one, other = (rr.search(statistics, seed=4, **asked) for _ in range(2))
    assert one.to_dict() == other.to_dict()
    assert one.measure == "overall_risk"
    ratios = rr.search(statistics, ratio=5, attributes=2, draws=2, model="tree")
    assert all(c.interval is not None for c in ratios.combinations)


def test_what_is_refused() -> None:
    rows = {"age": [1, 1, 2, 2], "sex": ["f", "m", "f", None], "who": [1, 1, 2, 3]}
    with pytest.raises(ContradictoryOptions, match="matches anything"):
        rr.search(rr.read(rows, missing="wildcard"), allowable_risk=0.3)
    with pytest.raises(InputError, match="no column 'wage'"):
        rr.search(rr.read(rows), allowable_risk=0.3, columns=["wage"])
    with pytest.raises(InputError, match="between 1 and 3"):
        rr.search(rr.read(rows, columns=["age", "sex", "who"]), allowable_risk=0.3, up_to=4)
    with pytest.raises(InputError, match="time_limit"):
        rr.search(rr.read(rows), allowable_risk=0.3, time_limit=0)
    with pytest.raises(InputError, match="view_limit"):
        rr.search(rr.read(rows), allowable_risk=0.3, view_limit=0)


def test_answers_read_well() -> None:
    table = rr.read(rr.city(2_000, seed=2))
    for asked in (
        {"allowable_risk": 0.05, "measure": "alone_share"},
        {"allowable_risk": 0.05, "measure": "alone_share", "view_limit": 20},
        {"ratio": 10, "attributes": 2},
        {"costs": dict.fromkeys(table.columns, 1), "budget": 3, "success": 0.2},
    ):
        found = rr.search(table, **asked)
        assert found.envelope.input.named in str(found)
        assert "<table>" in found._repr_html_()
        assert {"minimal_risky", "maximal_safe", "frontier", "searched"} <= found.to_dict().keys()


def test_a_search_that_stopped_claims_nothing_it_didnt_count() -> None:
    """One view is the bound of all: nothing was bought yet, and nothing is out of reach yet."""
    table = rr.read(rr.city(2_000, seed=2))
    asked = {"costs": dict.fromkeys(table.columns, 1), "budget": 9, "success": 0.9}
    words = " ".join(str(rr.search(table, **asked, view_limit=1)).split())
    assert "Nothing that raises the risk was found before the search had to stop" in words
    assert "No way to a success of 90.0 % was found before the search had to stop" in words
    assert "out of reach" not in words
    words = " ".join(str(rr.search(table, **asked | {"success": 0.01}, view_limit=4)).split())
    assert "The most it reaches so far is" in words
    assert "The cheapest way to a success of 1.0 % so far:" in words
    assert "so far" not in str(rr.search(table, **asked))
    ratios = rr.search(table, ratio=2, attributes=2, view_limit=3)
    assert "Most identifying so far" in " ".join(str(ratios).split())


def test_one_of_everything_reads_well() -> None:
    words = str(rr.search(rr.read({"a": [1, 2, 2]}, columns=["a"]), allowable_risk=0.5))
    assert "3 people, 1 quasi-identifier)" in words
    assert "1 of the 1 combination of up to 1 column exceeds the limit" in words
    assert "Of 1 combination, 1 was counted, and 1 more to rule others out." in words
    words = str(rr.search(rr.read({"a": [1], "b": [1]}, columns=["a", "b"]), allowable_risk=0.5))
    assert "1 contains a dangerous combination" in words


@pytest.mark.parametrize(("name", "k"), [("k3", 3), ("k10", 10), ("k20", 20)])
def test_anonymised_adult_is_safe_at_one_in_k(shared_data: Path, name: str, k: int) -> None:
    file = next((shared_data / "adult").glob(f"adult_anonymized_{name}*"))
    columns = [c for c in pq.read_schema(file).names if c != "salary-class"]
    table = rr.read(file, columns=columns)
    safe = rr.search(table, allowable_risk=1 / k)
    assert not safe.minimal_risky
    (whole,) = safe.maximal_safe
    assert set(whole.columns) == set(columns)
    assert whole.measures["highest_risk"] == 1 / k
    assert rr.search(table, allowable_risk=1 / k - 1e-6).minimal_risky


@pytest.mark.slow
def test_census_up_to_three(shared_data: Path) -> None:
    """The published border: 0 / 7 / 363 minimal risky combinations of one, two, three columns."""
    file = shared_data / "census_kdd" / "census_kdd.parquet"
    columns = [c for c in pq.read_schema(file).names if c not in ("instance_weight", "split")]
    table = rr.read(file, columns=columns)
    found = rr.search(table, allowable_risk=0.01, measure="alone_share", up_to=3)
    assert Counter(len(view.columns) for view in found.minimal_risky) == {2: 7, 3: 363}
    searched = found.searched
    assert searched.complete
    assert searched.views == 11_521 == searched.counted + sum(searched.pruned.values())


def test_belgium(shared_data: Path) -> None:
    file = shared_data / "belgium_2015" / "belgium_2015.parquet"
    columns = ["municipality", "age", "sex", "nationality", "civil_status"]
    table = rr.read(file, columns=columns, count="count")
    found = rr.search(table, allowable_risk=0.0018, measure="alone_share")
    alone = {
        v.columns: round(v.measures["alone_share"] * table.people) for v in found.minimal_risky
    }
    assert alone[("municipality", "age", "sex", "nationality")] == 20_930
    assert all(number > 0.0018 * table.people for number in alone.values())


def test_adult_from_statistics_alone(shared_data: Path) -> None:
    """Nearly every truly risky combination is found, and few safe ones are called risky."""
    file = shared_data / "adult" / "adult_arx.parquet"
    columns = ["sex", "age", "race", "marital-status", "workclass", "occupation"]
    table = rr.read(file, columns=columns)
    asked = {"allowable_risk": 0.01, "measure": "alone_share"}
    truth = rr.search(table, **asked)
    found = rr.search(rr.publish(table, pairs="all", unprotected=True), draws=3, **asked)

    def risky(answer) -> set[frozenset[str]]:
        smallest = [set(view.columns) for view in answer.minimal_risky]
        every = (frozenset(c) for size in range(1, 7) for c in combinations(columns, size))
        return {view for view in every if any(least <= view for least in smallest)}

    wanted, told = risky(truth), risky(found)
    assert len(wanted) >= 10
    assert len(told & wanted) >= 0.95 * len(wanted)
    assert len(told - wanted) <= 0.05 * 63
