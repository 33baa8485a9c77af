"""The accuracy benchmark runs, on sets small enough for a test."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.accuracy.__main__ import parse, report
from benchmarks.accuracy.people_of_tables import drawn_people
from benchmarks.accuracy.persons import told_apart
from benchmarks.accuracy.real_tables import RealTable
from benchmarks.accuracy.search import comparison
from benchmarks.accuracy.subsets import GEOGRAPHY, RULES, subsets
from benchmarks.accuracy.tables import predicted

import reidrisk as rr
from reidrisk.models.choosing import chosen_model
from reidrisk.papers.judging import auc, calibration_error, judged, one_class
from reidrisk.prediction.scoring import scored


def test_scores_are_judged() -> None:
    scores = np.array([0.1, 0.4, 0.4, 0.8])
    truth = np.array([False, False, True, True])
    found = judged(scores, truth, threshold=0.3)
    assert found.auc == 0.875
    assert found.calibration == pytest.approx((0.1 + abs(0.8 - 1.0) + 0.2) / 4)
    assert found.precision == pytest.approx(2 / 3)
    assert one_class(np.array([True, True]))


def test_people_are_drawn_with_their_crowds() -> None:
    city = rr.city(500)
    drawn = drawn_people(city, ["county", "age"], 100, np.random.default_rng(1))
    counted = rr.measure(rr.read(city, columns=["county", "age"]))
    assert drawn.codes.shape == (100, 2)
    assert drawn.crowds.max() <= counted.crowd_sizes.largest_crowd
    # Two values of known joint count: the tree says the very crowd.
    told = scored(drawn.settled, drawn.codes, (2,), "member", "tree").crowds
    assert told.expected == pytest.approx(drawn.crowds)


def made_up(n: int = 2000) -> RealTable:
    rng = np.random.default_rng(0)
    town = rng.integers(0, 15, n)
    codes = np.stack([town, town // 5, (town + rng.integers(0, 6, n)) % 20], axis=1)
    values = tuple(tuple(f"v{v}" for v in range(count)) for count in (15, 3, 20))
    return RealTable("adult", ("town", "county", "age"), values, codes, np.ones(n, dtype=int))


def test_subsets_follow_their_rule() -> None:
    columns = (*GEOGRAPHY, "age", "sex", "nationality", "civil_status")
    rule = next(each for each in RULES if each.begin)
    chosen = subsets(rule, columns)
    assert chosen == subsets(rule, columns)
    assert len(set(chosen)) == len(chosen) == 16
    assert all(len(set(each) & set(GEOGRAPHY)) == 2 for each in chosen)
    adult = next(each for each in RULES if each.table == "adult")
    assert len(subsets(adult, [f"c{place}" for place in range(9)])) == 29


def test_a_subset_is_counted_and_predicted() -> None:
    found = predicted(made_up(), ("town", "county", "age"))
    assert found.strong
    assert found.counted[0] == pytest.approx(len(made_up().of(made_up().columns).codes) / 2000)
    assert found.worst("pairwise") <= found.worst("independent")


def test_statistics_are_the_tables_own() -> None:
    table = made_up().of(("town", "age"))
    held = table.statistics()
    assert held.records == 2000
    assert sum(held.pairs[0].counts.values()) == 2000  # type: ignore[arg-type]
    assert table.crowds().people == 2000


def test_area_and_calibration() -> None:
    truly, weight = np.array([True, False, True, False]), np.ones(4)
    assert auc(np.array([0.9, 0.1, 0.8, 0.2]), truly, weight) == 1
    assert auc(np.array([0.5, 0.5, 0.5, 0.5]), truly, weight) == 0.5
    assert auc(np.array([0.9, 0.1, 0.1, 0.2]), truly, np.array([1.0, 1, 3, 1])) == pytest.approx(
        (2 + 3 * 0.5) / 8
    )
    assert calibration_error(np.full(4, 0.5), truly, weight) == 0
    assert calibration_error(np.full(4, 0.9), truly, weight) == pytest.approx(0.4)
    part = made_up(100).of(("town", "age"))
    told = told_apart(chosen_model(part.knowledge())[0], part)
    # Two attributes with their pair table: everybody's crowd is known.
    assert told is not None
    assert told.auc == pytest.approx(1)
    assert told.calibration == pytest.approx(0, abs=1e-9)


def test_without_the_public_tables_it_says_so(tmp_path: Path) -> None:
    lines = list(report(parse(["tables", "--data", str(tmp_path / "none")])))
    assert "needs the public tables" in lines[-1]


def test_searches_are_held_against_each_other(tmp_path: Path) -> None:
    told = list(report(parse(["search", "--data", str(tmp_path)])))
    assert told[0].startswith("Adult: not run")
    table = rr.read(rr.city(500), columns=["age", "sex"])
    answer = rr.search(table, allowable_risk=0.05, measure="overall_risk")
    row = comparison("overall_risk", 0.05, table.columns, answer, {"pairwise": answer})
    assert row == "| overall_risk > 0.05 | 2 of 3 | 2 (100.0%), 0 | 1, 1, 1 |"
