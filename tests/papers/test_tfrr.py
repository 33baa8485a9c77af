"""TFRR rerun: each figure against a known answer, its reasons, its pictures."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import reidrisk as rr
from reidrisk.reports.charts.drawing import svg
from reidrisk_papers.expected import paper
from reidrisk_papers.figure import Figure, NotRun
from reidrisk_papers.judging import auc
from reidrisk_papers.rerunning import figures_of, rerun
from reidrisk_papers.scored_people import DrawnPeople
from reidrisk_papers.setting import Setting
from reidrisk_papers.tfrr.attribute_subsets import Subset, mad, share_strong, subsets
from reidrisk_papers.tfrr.binomial_differences import differences
from reidrisk_papers.tfrr.compared import compared, per_cent
from reidrisk_papers.tfrr.parameter_sets import SETS, ParameterSet, random_table, sets_of
from reidrisk_papers.tfrr.random_dependence import looked_at, tables_of
from reidrisk_papers.tfrr.random_people import told_apart
from reidrisk_papers.tfrr.real_tables import RealTable, real_tables, standing_in
from reidrisk_papers.tfrr.rectified import figure_6, rectified_scores, ways_for
from reidrisk_papers.tfrr.roc_pictures import ACROSS, curve_of
from reidrisk_papers.tfrr.scored_subsets import KS, cases, improved, published
from reidrisk_papers.tfrr.trends import AXES, trend

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("tfrr")]
QUICK = Setting(quick=True, scale=0.05)


@pytest.fixture(scope="module")
def rerun_quickly() -> dict[str, Figure]:
    return {figure.reported.key: figure for figure in rerun("tfrr", QUICK)}


def test_every_line_that_is_not_as_reported_has_its_reason(rerun_quickly) -> None:
    assert list(rerun_quickly) == list(figures_of("tfrr"))
    for figure in rerun_quickly.values():
        assert not figure.not_run
        assert figure.data
        assert figure.grids
        for line in figure.lines:
            if line.agrees is False or line.ours.published is None:
                assert line.ours.why, (figure.reported.key, line.expected.key)


def test_the_same_seed_gives_the_same_values(rerun_quickly) -> None:
    again = figures_of("tfrr")["figure_5"](QUICK)
    first = {line.expected.key: line.ours for line in rerun_quickly["figure_5"].lines}
    assert first == dict(again.ours)


@pytest.mark.parametrize("width", [640, 340])
def test_pictures_draw(rerun_quickly, width: int) -> None:
    for figure in rerun_quickly.values():
        assert figure.pictures
        for picture in figure.pictures:
            assert picture.description
            assert picture.caption
            assert "<path" in svg(picture.draw(width))


def test_without_its_tables_a_figure_is_not_run(tmp_path: Path) -> None:
    asked = Setting(data=tmp_path, scale=0.001)
    for name in ("figure_2a", "figure_2b", "figure_5", "figure_6"):
        with pytest.raises(NotRun, match="there is no"):
            figures_of("tfrr")[name](asked)


def test_the_sets_are_the_papers() -> None:
    assert len(set(SETS)) == 64
    assert len(sets_of(QUICK)) == 32
    assert sets_of(Setting()) == list(SETS)
    assert tables_of(Setting(), SETS[0]) == 50
    assert [tables_of(Setting(), SETS[place]) for place in (32, -1)] == [20, 5]


def test_independent_columns_look_dependent_until_corrected() -> None:
    found = looked_at(Setting(quick=True), ParameterSet(30_000, 2, 0.1))
    assert found.tables == 3
    assert len(found.plain) == 6
    assert 0.2 < found.plain.min() <= found.plain.max() < 0.3
    assert np.abs(found.corrected).max() < 0.005


def test_the_dependence_is_mutual_information_over_entropy() -> None:
    chosen = ParameterSet(30_000, 2, 12.5)
    columns = [
        random_table(QUICK, chosen).column(name).to_numpy().astype(int) for name in ("a1", "a2")
    ]
    joint = np.zeros((columns[0].max() + 1, columns[1].max() + 1))
    np.add.at(joint, tuple(columns), 1)
    rows, cols, both = (stats.entropy(each) for each in (joint.sum(1), joint.sum(0), joint.ravel()))
    mutual = rows + cols - both
    found = looked_at(QUICK, chosen).plain
    assert sorted(found) == pytest.approx(sorted([mutual / rows, mutual / cols]), rel=1e-9)


def test_trends_count_the_steps_that_fall() -> None:
    means = {each: 1.0 / (each.records * each.attributes * each.lambda_) for each in SETS}
    found = {axis: trend(means, axis) for axis in AXES}
    assert {(each.falling, each.steps, each.share) for each in found.values()} == {(48, 48, 1.0)}
    assert found["lambda_"].factor == pytest.approx(5)
    flat = trend(dict.fromkeys(SETS, 1.0), "records")
    assert flat.falling == 0
    assert "N = 30,000 to 150,000 at d = 2, λ = 0.1" in flat.why("they are all alike")


def test_differences_are_those_of_the_two_laws() -> None:
    """d = 2: the exact law is SciPy's hypergeometric one, the form SciPy's binomial."""
    chosen = ParameterSet(30_000, 2, 12.5)
    found = differences(QUICK, chosen)
    assert len(found.signed) == 5
    table = random_table(QUICK, chosen)
    held = rr.publish(rr.read(table, columns=["a1", "a2"]), pairs="none", unprotected=True)
    rng = QUICK.rng(3, SETS.index(chosen))
    one, other = (rng.choice(list(each.counts.values()), 5) for each in held.attributes)
    for place, (a, b) in enumerate(zip(one.tolist(), other.tolist(), strict=True)):
        sizes = np.arange(min(a, b) + 2)
        apart = stats.binom(b, a / 30_000).pmf(sizes) - stats.hypergeom(30_000, a, b).pmf(sizes)
        assert found.signed[place] == pytest.approx(apart.max(), rel=1e-6, abs=1e-12)
        assert found.absolute[place] == pytest.approx(np.abs(apart).max(), rel=1e-6, abs=1e-12)
    assert (found.smallest <= found.absolute + 1e-15).all()


def test_people_of_random_tables_are_told_apart_and_calibrated() -> None:
    found = told_apart(Setting(quick=True), ParameterSet(30_000, 3, 0.5))
    assert [case.k for case in found] == [2, 3, 4]
    for case in found:
        ours, better = case.judged["published"], case.judged["improved"]
        assert ours.auc > 0.85
        assert better.calibration < 0.05
        assert better.brier < ours.brier


def test_a_score_as_published_is_equation_12() -> None:
    """d = 2: P(X ≥ k)/P(X ≥ 1) of the hypergeometric law; a member is 1 + RH(n−1; n_j−1)."""
    rng = np.random.default_rng(3)
    records = pa.table({"a": rng.integers(0, 30, 2000), "b": rng.integers(0, 40, 2000)})
    drawn = DrawnPeople.of(records, 50, rng, pairs="none")
    paper_, member = (drawn.scores(KS, "independent", given) for given in ("paper", "member"))
    counts = [
        np.bincount(records.column(name).to_numpy())[drawn.people.column(name).to_numpy()]
        for name in ("a", "b")
    ]
    law, fewer = stats.hypergeom(2000, *counts), stats.hypergeom(1999, *(c - 1 for c in counts))
    for k in KS:
        assert paper_[k] == pytest.approx(law.sf(k - 1) / law.sf(0), rel=1e-8)
        assert member[k] == pytest.approx(fewer.sf(k - 2), rel=1e-8)


def test_subsets_are_drawn_by_their_rule() -> None:
    wide = pa.table({f"c{place}": [0, 1, place % 2, 1] for place in range(9)})
    table = RealTable(0, "Adult", wide)
    found = subsets(Setting(), table)
    assert found == subsets(Setting(), table)
    sizes = [len(each.columns) for each in found]
    assert {size: sizes.count(size) for size in set(sizes)} == {
        **dict.fromkeys(range(2, 9), 7), 9: 1,
    }  # fmt: skip
    assert len({each.columns for each in found}) == len(found)
    few = RealTable(0, "Few", wide.select(wide.column_names[:6]))
    assert len({each.columns for each in subsets(Setting(), few)}) == 57


def test_the_largest_dependence_of_a_subset_is_its_strongest_pair() -> None:
    table = standing_in(QUICK)
    for chosen in combinations(table.columns, 3):
        seen = rr.read(table.records, columns=list(chosen))
        held = rr.measure(seen, dependence=True).dependence or ()
        assert mad(table, chosen) == pytest.approx(max(each.uncorrected for each in held))
    assert mad(table, ("postcode", "county")) == 1.0
    # Both geographical attributes are among two of six in one draw of fifteen.
    share = share_strong(table, 2, 3000, np.random.default_rng(0))
    assert share == pytest.approx(1 / 15, abs=0.02)
    assert [Subset((), each).band for each in (0.0, 0.25, 0.5, 0.99, 1.0)] == [
        "0–0.25", "0.25–0.5", "0.5–0.75", "0.75–1", "0.75–1",
    ]  # fmt: skip


def test_two_attributes_with_their_pair_table_tell_everybody_apart() -> None:
    table = standing_in(QUICK)
    found = list(cases(Setting(quick=True, scale=0.3), table, {"tree": improved}))
    pairs = [case for case in found if len(case.subset.columns) == 2]
    assert pairs
    assert all(case.judged["tree"].auc == 1.0 for case in pairs)


def test_rectified_as_published_uses_the_answer() -> None:
    people = DrawnPeople(None, None, np.array([1, 1, 5, 5]))  # type: ignore[arg-type]
    before, anew = {2: np.array([0.1, 0.9, 0.2, 0.7])}, {2: np.array([0.99, 0.99, 0.98, 0.97])}
    assert rectified_scores(people, before, anew)[2].tolist() == [0.1, 0.9, 0.98, 0.7]


def test_the_pair_form_is_the_printed_binomial() -> None:
    """Eqs. 10 and 11: B(n_ij, n_k/N) of municipality, district and age, given X ≥ 1."""
    table = standing_in(QUICK)
    records = table.records.select(["postcode", "county", "age"])
    n = records.num_rows
    drawn = DrawnPeople.of(records, 200, np.random.default_rng(1))
    scores = {name: way(drawn) for name, way in ways_for(table).items()}
    counted = [dict(zip(*np.unique(records.column(name), return_counts=True), strict=True))
               for name in ("postcode", "age")]  # fmt: skip
    home, age = (
        np.array([held[value.as_py()] for value in drawn.people.column(name)])
        for held, name in zip(counted, ("postcode", "age"), strict=True)
    )
    law, exact = stats.binom(home, age / n), stats.hypergeom(n, home, age)
    for k in KS:
        low = (drawn.crowds >= k) & (scores["published"][k] < 0.5)
        assert low.any()
        assert scores["rectified"][k][low] == pytest.approx((law.sf(k - 1) / law.sf(0))[low])
        assert (scores["rectified"][k][~low] == scores["published"][k][~low]).all()
        assert scores["honest"][k] == pytest.approx(exact.sf(k - 1) / exact.sf(0))


def test_subsets_without_a_strong_pair_are_left_as_they_were() -> None:
    table = standing_in(QUICK)
    drawn = DrawnPeople.of(table.records.select(["postcode", "age", "sex"]), 100, QUICK.rng(0))
    scores = {name: way(drawn) for name, way in ways_for(table).items()}
    for k in KS:
        assert scores["rectified"][k] == pytest.approx(scores["published"][k], rel=1e-2)
        assert scores["honest"][k] == pytest.approx(published(drawn)[k], rel=1e-9)


def test_curves_are_drawn_through_the_roc() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        scores, truth = rng.random(400), rng.random(400) < 0.5
        scores = np.round(scores + 0.3 * truth, 2)
        found = curve_of(scores, truth)
        assert (np.diff(found) >= 0).all()
        assert found[-1] == 1.0
        assert np.trapezoid(found, ACROSS) == pytest.approx(auc(scores, truth), abs=0.01)


def test_a_reason_is_given_only_where_it_is_needed() -> None:
    assert compared("figure_4", "auc_k2", [0.95], "because").why == ""
    assert compared("figure_4", "auc_k2", [0.9, 0.99], "because").why == "because"
    assert compared("figure_4", "calibration_k2", [0.9], "because").why == ""


def test_shares_in_words() -> None:
    assert per_cent(0.4) == "40 %"
    assert per_cent([True, False, False]) == "33 %"
    assert per_cent(np.array([0.1, 0.2]), 1) == "15.0 %"


def test_headlines_are_few() -> None:
    lines = [each for held in paper("tfrr").reported.values() for each in held.expected.values()]
    assert 2 <= sum(each.headline for each in lines) <= 4


def test_real_tables(shared_data: Path) -> None:
    """Adult has two strong pairs (education its number, marital status and relationship)."""
    asked = Setting(data=shared_data, scale=0.15)
    tables = real_tables(asked)
    adult, census, belgium = tables["adult"], tables["census"], tables["spd"]
    assert (adult.records.num_rows, len(adult.columns)) == (48_842, 14)
    assert (census.records.num_rows, len(census.columns)) == (299_285, 41)
    assert belgium.records.num_rows == 300_000
    strong = {pair for pair, ratio in adult.strength.items() if ratio >= 0.5}
    assert strong == {
        frozenset({"education", "education-num"}), frozenset({"marital-status", "relationship"}),
    }  # fmt: skip
    assert sum(each.uncorrected >= 0.5 for each in census.dependences) == 81
    assert mad(belgium, ("municipality", "district")) == 1.0
    found = figure_6(asked)
    for k in KS:
        held = found.ours[f"auc_k{k}"].published, found.ours[f"honest_k{k}"].published
        assert held[0] > held[1] > 0.85  # type: ignore[operator]
