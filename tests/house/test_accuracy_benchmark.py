"""The accuracy benchmark: its figures against brute force, its page against its figures."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from benchmarks import marked_page
from benchmarks.accuracy import coverage, group_forms, plots, whole_blocks
from benchmarks.accuracy.__main__ import blocks, main
from benchmarks.accuracy.cases import Case, Figures, Told, Whole
from benchmarks.accuracy.measuring import CITY, at_hand, city, measured
from benchmarks.accuracy.people_ways import (
    FEWEST,
    KS,
    NAMES,
    added,
    drawn,
    judged_at,
    settled_of,
    told_apart,
)
from benchmarks.accuracy.predicting import MODELS, judged, made, predicted, sparse_share
from benchmarks.accuracy.real_tables import MOST_VALUES, RealTable, load
from benchmarks.accuracy.search import comparison
from benchmarks.accuracy.subsets import GEOGRAPHY, RULES, subsets

import reidrisk as rr
from reidrisk.laws.group_law import GroupLaw
from reidrisk.prediction.scoring import person_model, scored


def made_up(n: int = 2000, seed: int = 0) -> RealTable:
    rng = np.random.default_rng(seed)
    town = rng.integers(0, 15, n)
    codes = np.stack([town, town // 5, (town + rng.integers(0, 6, n)) % 20], axis=1)
    values = tuple(tuple(f"v{v}" for v in range(count)) for count in (15, 3, 20))
    return RealTable("adult", ("town", "county", "age"), values, codes, np.ones(n, dtype=int))


def brute_auc(scores: list[float], truth: list[bool]) -> float:
    """Every pair of a yes and a no, one by one."""
    pairs = [(s, t) for s, yes in zip(scores, truth, strict=True) if yes
             for t, other in zip(scores, truth, strict=True) if not other]  # fmt: skip
    return sum(1.0 if s > t else 0.5 if s == t else 0.0 for s, t in pairs) / len(pairs)


def test_figures_of_people_are_those_of_brute_force() -> None:
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 8, (40, 1)) / 7.0
    crowds, people = rng.integers(1, 5, 40), rng.integers(1, 4, 40)
    told, bins = judged_at(scores, crowds, people, (3,), fewest=1)
    score = [float(each) for each, times in zip(scores[:, 0], people, strict=True)
             for _ in range(times)]  # fmt: skip
    truth = [bool(size >= 3) for size, times in zip(crowds, people, strict=True)
             for _ in range(times)]  # fmt: skip
    assert told[3].auc == pytest.approx(brute_auc(score, truth))
    brier = sum((s - yes) ** 2 for s, yes in zip(score, truth, strict=True)) / len(score)
    assert told[3].brier == pytest.approx(brier)
    assert told[3].positive == pytest.approx(sum(truth) / len(truth))
    off = 0.0
    for low in range(10):
        inside = [(s, yes) for s, yes in zip(score, truth, strict=True)
                  if min(int(s * 10), 9) == low]  # fmt: skip
        off += abs(sum(s - yes for s, yes in inside))
        assert bins[3][low][0] == pytest.approx(len(inside) / len(score))
    assert told[3].calibration == pytest.approx(off / len(score))


def test_where_hardly_anybody_is_to_be_told_apart_nothing_is_judged() -> None:
    crowds = np.array([1, 9])
    scores = np.array([[0.2], [0.9]])
    few = judged_at(scores, crowds, np.array([FEWEST - 1, 500]), (2,))
    enough = judged_at(scores, crowds, np.array([FEWEST, 500]), (2,))
    assert few == ({}, {})
    assert enough[0][2].auc == 1.0


def test_drawn_people_keep_the_crowds_of_the_whole_table(monkeypatch: pytest.MonkeyPatch) -> None:
    table = made_up().of(("town", "county", "age"))
    assert drawn(table, np.random.default_rng(0)) is table
    monkeypatch.setattr("benchmarks.accuracy.people_ways.MOST_TUPLES", 40)
    some = drawn(table, np.random.default_rng(0))
    assert some.n == 40
    assert np.all(some.people >= 1)


def test_two_attributes_with_their_pair_table_are_known() -> None:
    table = made_up(300).of(("town", "age"))
    settled = settled_of(table)
    told, bins = told_apart(
        settled, table, made(settled.knowledge, "pairwise", 0), np.random.default_rng(0)
    )
    assert set(told) == set(bins) == set(NAMES)
    for way in ("tree", "pairwise"):
        for found in told[way].values():
            assert found.auc == pytest.approx(1)
            assert found.brier == pytest.approx(0, abs=1e-9)
            assert found.calibration == pytest.approx(0, abs=1e-9)
    total: dict[str, dict[int, list[list[float]]]] = {}
    added(total, bins)
    added(total, bins)
    (k, *_) = bins["tree"]
    assert np.array(total["tree"][k]) == pytest.approx(2 * np.array(bins["tree"][k]))


def test_a_set_is_counted_and_predicted() -> None:
    table = made_up()
    case, bins = predicted(table, ("town", "county", "age"))
    assert case.mad == pytest.approx(1)
    assert case.band == "0.75–1"
    distinct = len({tuple(row) for row in table.codes.tolist()})
    assert case.counted[0] == pytest.approx(distinct / 2000)
    assert set(case.whole) == set(MODELS)
    assert case.whole["pairwise"].worst <= case.whole["independent"].worst
    assert set(bins) == set(NAMES)
    assert set(case.told["tree"]) <= set(KS)


def test_errors_and_intervals_are_of_the_counted_figure() -> None:
    part = made_up().of(("town", "county", "age"))
    model = made(part.knowledge(), "independent", 0)
    said = model.crowd_sizes()
    right = judged(model, (said.overall_risk, said.alone_share), 0.0)
    assert (right.overall, right.alone) == (0.0, 0.0)
    assert (right.overall_inside, right.alone_inside) == (True, True)
    wrong = judged(model, (said.overall_risk - 0.2, said.alone_share + 0.2), 0.0)
    assert (wrong.overall, wrong.alone) == pytest.approx((0.2, -0.2))
    assert (wrong.overall_inside, wrong.alone_inside) == (False, False)


def test_sparse_people_are_counted_one_by_one() -> None:
    table = made_up(120)
    part = table.of(table.columns)
    rows = table.codes.tolist()
    places = [(i, j) for i, j in product(range(3), range(3)) if i < j]
    sparse = 0
    for row in rows:
        held = [sum(r[i] == row[i] and r[j] == row[j] for r in rows) for i, j in places]
        sparse += min(held) <= 3
    assert 0 < sparse < 120
    assert sparse_share(part, part.knowledge()) == pytest.approx(sparse / 120)


def test_intervals_hold_nine_in_ten_tables_drawn_from_the_model() -> None:
    lines = coverage.lines(made_up(1500), 60, 0)
    held = {line.split("|")[1].strip(): line.split("|")[4:6] for line in lines[2:]}
    assert set(held) == {"independent", "pair", "tree", "shuffle", "pairwise"}
    # 60 tables at 90 %: four standard deviations below.
    for name in ("independent", "pair"):
        assert all(float(cell.strip().rstrip("%")) >= 74 for cell in held[name]), name


def test_groups_are_held_against_the_exact_law() -> None:
    part = made_up().of(("town", "age"))
    rows = group_forms.of_table(part)
    law = GroupLaw.of_counts(part.people, 300)
    assert [int(row[1]) for row in rows] == [law.smallest_under(p) for p in group_forms.LIKELY]
    # A tree of two attributes has their very pair table.
    assert {row[-1] for row in rows} == {"1.000"}
    # Unequal tuples make it less likely than equal ones.
    assert all(float(row[3]) > 1 for row in rows)


def test_subsets_follow_their_rule() -> None:
    columns = (*GEOGRAPHY, "age", "sex", "nationality", "civil_status")
    rule = next(each for each in RULES if each.begin)
    chosen = subsets(rule, columns)
    assert chosen == subsets(rule, columns)
    assert len(set(chosen)) == len(chosen) == 16
    assert all(len(set(each) & set(GEOGRAPHY)) == 2 for each in chosen)
    adult = next(each for each in RULES if each.table == "adult")
    assert len(subsets(adult, [f"c{place}" for place in range(9)])) == 29


def test_public_tables_are_read(shared_data: Path) -> None:
    table = load("be_motor97", shared_data)
    assert "amount" not in table.columns
    assert max(len(values) for values in table.values) <= MOST_VALUES
    assert table.of(("sex", "fuel")).n == 163_212


def test_searches_are_held_against_each_other() -> None:
    table = rr.read(rr.city(500), columns=["age", "sex"])
    answer = rr.search(table, allowable_risk=0.05, measure="overall_risk")
    row = comparison("overall_risk", 0.05, table.columns, answer, {"pairwise": answer})
    assert row == "| overall_risk > 0.05 | 2 of 3 | 2 (100.0%), 0 | 1, 1, 1 |"


def test_the_quick_run_needs_no_public_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert at_hand(tmp_path, quick=True) == [CITY]
    main(["all", "--quick", "--data", str(tmp_path), "--keep", str(tmp_path / "parts")])
    told = capsys.readouterr()
    assert "## headline" in told.out
    assert "adult: not run" in told.err
    # What was kept isn't measured again.
    again = measured(tmp_path, 0, True, tmp_path / "parts")
    assert capsys.readouterr().err.count(" s\n") == 0
    assert {case.table for case in again.cases} == {"city"}
    path = tmp_path / "figures.json"
    again.save(path)
    assert Figures.load(path).cases == again.cases
    names = plots.write(again, tmp_path / "plots")
    assert set(plots.CALIBRATION_FILES) <= set(names)
    for name in names:
        drawing = (tmp_path / "plots" / name).read_text()
        # An image has no page around it to take its colour from.
        assert re.match(r'<svg [^>]*color="#1c2127"[^>]*><rect [^>]*fill="#ffffff"', drawing)


def test_the_city_is_as_it_is_generated() -> None:
    table = city(800)
    truth = rr.measure(rr.read(rr.city(800), columns=list(table.columns)), dependence=False)
    assert table.of(table.columns).crowds().overall_risk == pytest.approx(truth.overall_risk)
    codes = table.of(("age", "sex"))
    known = settled_of(codes)
    told = scored(known, codes.codes, (2,), "member", person_model(known, "tree").model).crowds
    assert told.expected == pytest.approx(codes.people)


def a_case(table: str, columns: int, mad: float, off: float) -> Case:
    whole = {model: Whole(off, -off / 2, False, True, 0.1) for model in MODELS}
    told = {way: {2: Told(0.9, 0.01, 0.05, 0.5)} for way in NAMES}
    named = tuple(f"c{place}" for place in range(columns))
    return Case(table, named, 100, mad, 0.1, (0.2, 0.1), whole, told)


def test_tables_of_cases_say_mean_and_largest() -> None:
    cases = [a_case("one", 2, 0.1, 0.02), a_case("one", 3, 0.6, -0.04), a_case("two", 3, 1.0, 0.0)]
    by_table = whole_blocks.along(cases, "table")
    assert by_table[2].startswith("| one | 2 | 0.0300, 0.0400 |")
    assert by_table[3].startswith("| two | 1 | 0.0000, 0.0000 |")
    assert [case.band for case in cases] == ["0–0.25", "0.5–0.75", "0.75–1"]
    assert list(whole_blocks.grouped(cases[::-1], "dependence")) == [case.band for case in cases]
    assert list(whole_blocks.grouped(cases[::-1], "attributes")) == [2, 3]
    goals = whole_blocks.goals(cases)
    assert "0 of 1 sets within" in goals[2]
    assert "**missed**" in goals[2]
    assert "reached" in goals[3]


def test_a_page_keeps_its_text_and_changes_its_tables() -> None:
    page = "before\n<!-- table: one -->\nold\n<!-- end: one -->\nafter\n"
    assert marked_page.blocks_of(page) == {"one": "old"}
    new = marked_page.filled(page, {"one": ["| a |", "|---|"]})
    assert new == "before\n<!-- table: one -->\n| a |\n|---|\n<!-- end: one -->\nafter\n"
    with pytest.raises(ValueError, match="two"):
        marked_page.filled(page, {"one": [], "two": []})
    with pytest.raises(ValueError, match="one"):
        marked_page.filled(page, {})


def test_the_accuracy_page_shows_the_figures_it_keeps() -> None:
    docs = Path(__file__).resolve().parents[2] / "docs"
    figures = Figures.load(docs / "accuracy_figures.json")
    page = (docs / "accuracy.md").read_text()
    assert marked_page.filled(page, blocks(figures)) == page
    for name in (name for name, _ in plots.plots(figures)):
        assert f"images/accuracy/{name}.svg" in page
        assert (docs / "images" / "accuracy" / f"{name}.svg").exists()
