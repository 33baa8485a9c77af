"""The constants follow from the cases, hold what they say, and belong to today's models."""

import json
import math
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.accuracy.measuring import city
from benchmarks.model_error import cases, constants, judging, page, quick, widening
from benchmarks.model_error.column_sets import column_sets
from benchmarks.model_error.fitting import (
    Moving,
    model_entry,
    moved_figures,
    moved_rows,
    moves_of,
    of_kind,
    quantile,
    rows_of,
)
from benchmarks.model_error.generated import SHARED, STRUCTURES
from benchmarks.model_error.measuring import WAYS, case_of, chance_to_share
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.crowds import CrowdSizes
from reidrisk.measurement import AT_LEAST
from reidrisk.models import chosen_model, intervals
from reidrisk.prediction.model_error import (
    APART_AND_RARE,
    FAMILIES,
    KINDS,
    Learned,
    Signs,
    chance_of_crowds,
    features,
    figures_of,
    learned,
    moved,
    moving_sign,
    signs_of,
    table_figures,
)
from reidrisk.prediction.questions import complete_counts

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "docs" / "model_error_cases.json"
AGAIN = "run python -m benchmarks.model_error"
THREE_DIGITS = 2e-3
EVERY = (*FAMILIES[:2], f"{AT_LEAST}5")


@pytest.fixture(scope="module")
def held() -> Mapping[str, Any]:
    text = files("reidrisk.prediction").joinpath("model_error.json").read_text(encoding="utf-8")
    found: Mapping[str, Any] = json.loads(text)
    return found


@pytest.fixture(scope="module")
def measured() -> list[cases.Case]:
    return cases.load(CASES)


def test_the_file_says_what_it_was_learned_from(
    held: Mapping[str, Any], measured: list[cases.Case]
) -> None:
    assert held["sets"] == len(measured)
    assert held["tables"] == list(dict.fromkeys(case.table for case in measured))
    assert len(held["tables"]) >= 12
    assert all(3 <= len(case.columns) <= 9 for case in measured)


@pytest.mark.parametrize("model", constants.MODELS)
def test_constants_follow_from_the_cases(
    held: Mapping[str, Any], measured: list[cases.Case], model: str
) -> None:
    said = held["models"][model]
    factors = {what: (low, high) for what, (low, high) in said["widened"].items()}
    moving = Moving(said["moved_by"], [kind for kind, by in said["moves"].items() if by > 0.0])
    again = judging.widened(model_entry(measured, model, moving), factors)
    assert said["usually_apart"] == pytest.approx(again["usually_apart"], rel=THREE_DIGITS)
    for kind in KINDS:
        assert said["moves"][kind] == pytest.approx(
            again["moves"][kind], rel=THREE_DIGITS, abs=1e-4
        )
        for family, each in again["figures"][kind].items():
            for name, value in each.items():
                stated = said["figures"][kind][family][name]
                assert stated == pytest.approx(value, rel=THREE_DIGITS, abs=1e-4), AGAIN
    ends = [said["group"]["low"], said["group"]["high"]]
    expected = [again["group"]["low"], again["group"]["high"]]
    assert ends == pytest.approx(expected, rel=THREE_DIGITS, abs=1e-4)
    quantiles = np.array(said["person"]["quantiles"])
    assert quantiles == pytest.approx(
        np.array(again["person"]["quantiles"]), rel=THREE_DIGITS, abs=1e-4
    )
    assert said["most_attributes"] == again["most_attributes"]
    assert said["most_sparse"] == pytest.approx(again["most_sparse"], abs=1e-4)


@pytest.mark.slow
def test_coverage_is_what_tables_left_out_give(
    held: Mapping[str, Any], measured: list[cases.Case]
) -> None:
    again = constants.of(measured)
    for name in ("coverage", "median_width"):
        assert held[name] == pytest.approx(again[name], rel=0.01, abs=1e-4), AGAIN
    for table, by_family in again["coverage_by_table"].items():
        assert held["coverage_by_table"][table] == pytest.approx(by_family, abs=0.02)
    without = "coverage_by_table_widened_without_it"
    for table, by_family in again[without].items():
        assert held[without][table] == pytest.approx(by_family, abs=0.02)
    for model in constants.MODELS:
        said, found = held["models"][model], again["models"][model]
        assert said["widened"] == {what: pytest.approx(ends, rel=THREE_DIGITS)
                                   for what, ends in found["widened"].items()}  # fmt: skip
        for what in judging.OTHERS:
            assert said[what]["coverage"] == pytest.approx(found[what]["coverage"], abs=0.01)


def test_intervals_hold_what_they_promise_on_tables_left_out(held: Mapping[str, Any]) -> None:
    for family in FAMILIES:
        assert widening.AIM <= held["coverage"][family] <= 0.93
        assert held["median_width"][family] <= 0.02
        for by_family in held["coverage_by_protection"].values():
            assert by_family[family] >= 0.87
        for by_family in held["coverage_by_table"].values():
            assert by_family[family] >= widening.ON_EVERY_TABLE
    for said in held["models"].values():
        for families in said["figures"].values():
            assert min(each["coverage"] or 1.0 for each in families.values()) >= 0.87
        assert min(said[what]["coverage"] for what in judging.OTHERS) >= widening.AIM


def test_moving_is_kept_only_where_tables_left_out_come_closer(held: Mapping[str, Any]) -> None:
    for model, errors in held["mean_error_before_and_after_moving"].items():
        for kind, moves in held["models"][model]["moves"].items():
            before, after = errors[kind]["overall_risk"]
            assert after <= before
            assert (moves > 0.0) == (after < before)
    for model in ("tree", "independent"):
        assert not any(held["models"][model]["moves"].values())


def test_sets_of_the_accuracy_page_come_closer_when_moved(measured: list[cases.Case]) -> None:
    told = json.loads((ROOT / "docs" / "accuracy_figures.json").read_text(encoding="utf-8"))
    every = of_kind(rows_of(measured, "pairwise", "overall_risk"), "counted")
    errors = []
    for case in told["cases"]:
        if len(case["columns"]) < 3:
            continue
        _, sparse, true, _ = case["facts"]
        p, t = (true + case["whole"][model][0] for model in ("pairwise", "tree"))
        weight = moves_of([row for row in every if row.case.table != case["table"]], APART_AND_RARE)
        off = weight * moving_sign(APART_AND_RARE, features(p, t, sparse))
        errors.append((abs(p - true), abs(p - off - true)))
    assert len(errors) == 133
    before, after = np.mean(errors, axis=0)
    assert (before, after) == pytest.approx((0.0028, 0.0022), abs=5e-5)
    assert np.max(errors, axis=0) == pytest.approx([0.072, 0.068], abs=5e-4)


def test_adult_comes_closer_when_moved(measured: list[cases.Case]) -> None:
    every = of_kind(rows_of(measured, "pairwise", "overall_risk"), "counted")
    adult = [row for row in every if row.case.table == "adult"]
    weight = moves_of([row for row in every if row.case.table != "adult"], APART_AND_RARE)
    now = moved_rows(adult, "pairwise", APART_AND_RARE, weight)
    before, after = (np.mean([abs(row.true - row.predicted) for row in rows])
                     for rows in (adult, now))  # fmt: skip
    assert (before, after) == pytest.approx((0.0028, 0.0011), abs=5e-5)


def test_no_set_published_as_counted_is_far_off_when_moved(held: Mapping[str, Any]) -> None:
    before, after = held["largest_error_before_and_after_moving"]["pairwise"]["counted"][
        "overall_risk"
    ]
    assert after < 0.05 < before


@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=60),
    st.floats(0.0, 0.6),
)
def test_moved_crowds_hold_everybody_and_the_risk_falls_by_as_much(
    crowds: list[int], by: float
) -> None:
    before = CrowdSizes.of(crowds)
    after = moved(before, by)
    assert after.people == pytest.approx(before.people)
    share = min(2.0 * by / before.overall_risk, 1.0)
    small = sum(crowd <= 10 for crowd in crowds) / before.people
    assert before.overall_risk - after.overall_risk == pytest.approx(share * small / 2.0, abs=1e-12)
    assert after.alone_share == pytest.approx((1.0 - share) * before.alone_share)
    for k in (2, 3, 5, 10, 20, 50):
        assert after.share_in_crowds_of_at_least(k) >= before.share_in_crowds_of_at_least(k) - 1e-12


def test_the_benchmark_moves_figures_as_predictions_are() -> None:
    rng = np.random.default_rng(0)
    crowds = CrowdSizes.of(np.concatenate([rng.poisson(1.5, 3000), rng.poisson(14.0, 60)]))
    figures = figures_of(crowds, cases.KS)
    off = 0.1 * crowds.overall_risk
    expected = figures_of(moved(crowds, off), cases.KS)
    found = moved_figures([figures[name] for name in cases.NAMES], off)
    assert found == pytest.approx([expected[name] for name in cases.NAMES], abs=0.003)


def test_what_was_taken_off_is_said_and_as_fitted_stays() -> None:
    table = rr.read(rr.city(3_000), ["county", "age", "sex", "marital_state", "occupation"])
    risk = rr.predict(rr.publish(table, unprotected=True))
    told = json.loads(risk.to_json())
    assert told["as_fitted"]["overall_risk"] > told["overall_risk"]
    assert any("usually off by" in each for each in told["assumptions"])
    low, high = told["intervals"]["overall_risk"]
    assert low <= told["overall_risk"] <= high
    tree = json.loads(rr.predict(rr.publish(table, unprotected=True), model="tree").to_json())
    assert tree["as_fitted"]["overall_risk"] == tree["overall_risk"]
    assert not any("usually off by" in each for each in tree["assumptions"])


def test_the_models_predict_what_they_did_when_their_error_was_learned(
    held: Mapping[str, Any],
) -> None:
    now = constants.fingerprint()
    assert len(now) == len(held["fingerprint"]), AGAIN
    for was, found in zip(held["fingerprint"], now, strict=True):
        assert (was["columns"], was["model"]) == (found["columns"], found["model"])
        for name in ("overall_risk", "alone_share"):
            assert found[name] == pytest.approx(was[name], abs=5e-6), AGAIN


@pytest.mark.parametrize("model", [*constants.MODELS, "a model that wasn't tried"])
@pytest.mark.parametrize("name", EVERY)
def test_intervals_contain_the_figure_and_lie_within_0_and_1(model: str, name: str) -> None:
    of_model = learned(model)
    for p in np.linspace(0.0, 1.0, 21):
        for apart in (-0.3, 0.0, 0.4):
            signs = Signs(5, 0.3, {name: float(np.clip(p + apart, 0.0, 1.0))})
            low, high = of_model.interval(name, float(p), (float(p), float(p)), signs)
            assert 0.0 <= low <= p <= high <= 1.0


@pytest.mark.parametrize("name", EVERY)
def test_chance_widens_an_interval(name: str) -> None:
    of_model, signs = learned("pairwise"), Signs(5, 0.3, {name: 0.45})
    low, high = of_model.interval(name, 0.4, (0.4, 0.4), signs)
    lower, higher = of_model.interval(name, 0.4, (0.3, 0.5), signs)
    assert lower < low < high < higher
    assert lower <= 0.3
    assert higher >= 0.5


FIGURE = st.floats(0.0, 1.0)
KIND = st.sampled_from(KINDS)


@given(st.sampled_from(constants.MODELS), KIND, st.sampled_from(EVERY), FIGURE, FIGURE, FIGURE,
       st.lists(FIGURE, min_size=2, max_size=2).map(sorted))  # fmt: skip
def test_an_interval_is_never_narrower_than_chance_alone(
    model: str, kind: str, name: str, p: float, t: float, sparse: float, chance: list[float]
) -> None:
    low, high = chance[0], chance[1]
    signs = Signs(5, sparse, {name: t}, kind=kind)
    lower, higher = learned(model).interval(name, p, (low, high), signs)
    assert lower <= min(low, p) + 1e-12
    assert higher >= max(high, p) - 1e-12


@given(st.sampled_from(constants.MODELS), KIND, st.sampled_from(EVERY), FIGURE,
       st.lists(st.floats(0.0, 0.5), min_size=2, max_size=2).map(sorted),
       st.lists(FIGURE, min_size=2, max_size=2).map(sorted))  # fmt: skip
def test_an_interval_widens_with_every_sign_of_error(
    model: str, kind: str, name: str, p: float, apart: list[float], sparse: list[float]
) -> None:
    toward = 1.0 if p < 0.5 else -1.0
    ends = [
        learned(model).interval(name, p, (p, p), Signs(5, q, {name: p + toward * off}, kind=kind))
        for off, q in zip(apart, sparse, strict=True)
    ]
    assert ends[1][0] <= ends[0][0] + 1e-12
    assert ends[1][1] >= ends[0][1] - 1e-12


@given(KIND, FIGURE, st.lists(st.floats(0.0, 0.5), min_size=2, max_size=2).map(sorted), FIGURE)
def test_more_is_taken_off_where_a_tree_says_something_else(
    kind: str, p: float, apart: list[float], sparse: float
) -> None:
    toward = 1.0 if p < 0.5 else -1.0
    near, far = (
        learned("pairwise").move(p, Signs(5, sparse, {"overall_risk": p + toward * off}, kind=kind))
        for off in apart
    )
    assert 0.0 <= near <= far + 1e-12 <= p / 2.0 + 1e-9


def test_nothing_is_taken_off_where_no_pair_of_values_is_rare() -> None:
    for kind in KINDS:
        assert learned("pairwise").move(0.4, Signs(5, 0.0, {"overall_risk": 0.6}, kind=kind)) == 0.0


def test_combinations_without_a_simpler_model_get_the_usual_distance() -> None:
    of_model = learned("pairwise")
    usual = of_model.usually_apart * 0.3 * 0.7
    for name in EVERY:
        signs = Signs(5, 0.2, {name: 0.3 + usual})
        ends = of_model.interval(name, 0.3, (0.3, 0.3), signs)
        unknown = of_model.interval(name, 0.3, (0.3, 0.3), signs._replace(simpler={}))
        assert unknown == pytest.approx(ends)


def test_chance_of_crowds_of_at_least_two_is_that_of_people_alone() -> None:
    assert chance_of_crowds(40.0, 40.0, 0.008, 1_000.0) == pytest.approx(0.008)
    assert chance_of_crowds(90.0, 40.0, 0.008, 1_000.0) == pytest.approx(0.008 * 1.5)
    # No more than crowds whose numbers are independent leave.
    assert chance_of_crowds(90.0, 40.0, 0.9, 1_000.0) == pytest.approx(1.645 * 90**0.5 / 1_000)
    assert chance_of_crowds(90.0, 0.0, 0.0, 1_000.0) == pytest.approx(1.645 * 90**0.5 / 1_000)


@pytest.mark.parametrize("k", [3, 5, 10])
def test_chance_of_crowds_is_no_less_than_drawn_tables_leave(k: int) -> None:
    rng = np.random.default_rng(0)
    expected = rng.gamma(0.5, 6.0, 1_500)
    people = int(expected.sum())
    drawn = rng.multinomial(people, expected / expected.sum(), size=800)
    shares = (drawn * (drawn >= k)).sum(axis=1) / people
    alone = 1.645 * float(((drawn == 1).sum(axis=1) / people).std())
    sizes = np.arange(people + 1.0)
    crowds = np.bincount(drawn.ravel(), minlength=people + 1) / len(drawn)
    small = float((sizes**2 * crowds)[:k].sum())
    found = chance_of_crowds(small, float(crowds[1]), alone, people)
    assert 1.0 <= found / (1.645 * float(shares.std())) <= 1.6


def test_the_benchmark_has_the_chance_of_crowds_that_predictions_have() -> None:
    rng = np.random.default_rng(0)
    crowds = CrowdSizes.of(np.concatenate([rng.poisson(1.5, 3000), rng.poisson(14.0, 60)]))
    figures, alone = figures_of(crowds, cases.KS), crowds.alone_share
    chance = {"alone_share": (alone - 0.01, alone + 0.01)}
    prediction = cases.Prediction(
        tuple(figures.values()), ((0.0, 1.0), (alone - 0.01, alone + 0.01))
    )
    signs = Signs(5, 0.0, {}, kind=KINDS[0])
    of_product = table_figures(crowds, chance, "independent", signs, cases.KS).intervals
    of_model, people = learned("independent"), int(crowds.people)
    for place, name in enumerate(cases.NAMES[2:], 2):
        ends = of_model.interval(name, figures[name], prediction.chance_of(place, people), signs)
        assert of_product[name] == pytest.approx(ends, abs=0.003)


@pytest.mark.parametrize("model", ["pairwise", "tree"])
def test_intervals_widen_beyond_what_was_learned(model: str) -> None:
    of_model = learned(model)
    usual = Signs(of_model.most_attributes, 0.01, {"overall_risk": 0.52})
    farther = usual._replace(attributes=of_model.most_attributes + 1)
    assert not of_model.beyond(usual)
    assert of_model.beyond(farther)
    low, high = of_model.interval("overall_risk", 0.5, (0.5, 0.5), usual)
    lower, higher = of_model.interval("overall_risk", 0.5, (0.5, 0.5), farther)
    assert 0.5 - lower == pytest.approx(2.0 * (0.5 - low))
    assert higher - 0.5 == pytest.approx(2.0 * (high - 0.5))


def test_two_attributes_counted_have_no_model_error() -> None:
    table = rr.read(rr.city(1_000), ["age", "occupation"])
    known = complete_counts(rr.publish(table, unprotected=True), None, {}, {})
    signs = signs_of(known, "pairwise", (2, 5))
    model = chosen_model(known.knowledge, "tree").model
    crowds = model.crowd_sizes()
    chance = intervals(crowds, model.spread())
    for name, p in figures_of(crowds, (2, 5)).items():
        ends = chance.get(name, (p, p))
        assert learned("pairwise").interval(name, p, ends, signs) == ends
    assert learned("tree").all_unique(0.3, 2) == (0.3, 0.3)
    assert learned("tree").crowd(7.0, 1_000.0, 2) == (7.0, 7.0)


@pytest.mark.parametrize("expected", [1.0, 1.2, 4.0, 70.0, 5_000.0])
def test_a_crowds_interval_holds_it_and_no_more_than_all_people(expected: float) -> None:
    low, high = learned("tree").crowd(expected, 6_000.0, 5)
    assert 1.0 <= low <= expected <= high <= 6_000.0


def test_a_groups_interval_holds_what_the_law_gives() -> None:
    for model in constants.MODELS:
        low, high = learned(model).all_unique(0.4, 5)
        assert 0.0 < low < high < 1.0
    assert low <= 0.4 <= high


def test_two_different_people_share_all_values_by_counting_pairs() -> None:
    crowds = [3, 2, 1, 1]
    assert chance_to_share(crowds) == pytest.approx(4 / 21)
    assert chance_to_share([1, 1, 1]) == pytest.approx(0.5 / 3)


def test_a_weighted_quantile_is_where_the_weights_say() -> None:
    values = np.array([3.0, 1.0, 2.0])
    assert quantile(values, np.array([1.0, 1.0, 1.0]), 0.5) == pytest.approx(2.0)
    assert quantile(values, np.array([98.0, 1.0, 1.0]), 0.5) == pytest.approx(3.0, abs=0.05)


def test_judging_notices_errors_larger_than_those_learned(measured: list[cases.Case]) -> None:
    some = [case for case in measured if case.table in ("adult", "natality2014", "atus")]
    entries = judging.left_out(some, "tree", Moving())
    what = judging.part_of("counted", "overall_risk")
    before = judging.coverage(judging.judged(some, entries, "tree", what))
    off = [case._replace(truth=tuple((each + 0.5) % 1.0 for each in case.truth)) for case in some]
    after = judging.coverage(judging.judged(off, entries, "tree", what))
    assert after < 0.3 < before


def test_a_set_of_columns_is_measured_in_every_way_and_kept(tmp_path: Path) -> None:
    table, columns = city(2_000), ("county", "sex", "occupation")
    case = case_of(table, columns)
    counted = rr.measure(rr.read(rr.city(2_000), list(columns))).crowd_sizes
    assert case.truth[0] == pytest.approx(counted.overall_risk)
    assert case.truth[3] == pytest.approx(counted.share_in_crowds_of_at_least(3))
    assert list(case.published) == list(WAYS)
    exact = case.published["unprotected"]
    assert exact.predictions["pairwise"].figures[0] == pytest.approx(case.truth[0], abs=0.02)
    assert all(crowd is not None for crowd in exact.expected["tree"])
    cases.save([case], tmp_path / "cases.json")
    (again,) = cases.load(tmp_path / "cases.json")
    assert again.truth == pytest.approx(case.truth, abs=1e-5)
    assert again.signs("rounded", "pairwise").simpler == pytest.approx(
        case.signs("rounded", "pairwise").simpler, abs=1e-5
    )


def test_sets_are_drawn_by_the_rule() -> None:
    columns = [f"c{place}" for place in range(7)]
    sets = column_sets("adult", columns, 30_000)
    assert sets == column_sets("adult", columns, 30_000)
    assert len(sets) == len({tuple(each) for each in sets}) == 8
    assert all(3 <= len(each) <= 7 and each == sorted(each) for each in sets)
    assert len(column_sets("adult", columns, 400_000)) == 4
    assert len(column_sets("adult", columns[:3], 30_000)) == 1


def test_an_interval_holds_the_learned_share_of_errors_it_was_made_of(
    measured: list[cases.Case], held: Mapping[str, Any]
) -> None:
    of_tree: Learned = learned("tree")
    inside = []
    for case in measured:
        for protection, published in case.published.items():
            prediction, signs = published.predictions["tree"], case.signs(protection, "tree")
            p = prediction.figures[0]
            low, high = of_tree.interval(
                "overall_risk", p, prediction.chance_of(0, case.people), signs
            )
            inside.append(low <= case.truth[0] <= high)
    assert math.fsum(inside) / len(inside) > 0.85


def test_the_page_shows_what_was_learned() -> None:
    text = page.PAGE.read_text(encoding="utf-8")
    held = files("reidrisk.prediction").joinpath("model_error.json").read_text(encoding="utf-8")
    assert "\n".join(page.lines(json.loads(held))) in text


def test_the_readme_gives_the_coverage_that_was_measured(held: Mapping[str, Any]) -> None:
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    worst = min(each["overall_risk"] for each in held["coverage_by_table"].values())
    assert (
        f"held the overall risk in {held['coverage']['overall_risk']:.0%}".replace("%", " %")
        + f" of {held['sets']} sets of columns; on the worst of {len(held['tables'])} tables in "
        + f"{worst:.0%}".replace("%", " %")
    ) in readme


def test_quick_fails_where_a_bound_is_broken() -> None:
    kept = {key: [quick.Held(0.0, (True,) * 8)] * 2 for key in quick.BOUNDS}
    assert quick.judged(kept)[1]
    for key, bound in quick.BOUNDS.items():
        far = [quick.Held(2.0 * bound.error, (True,) * 8)]
        told, is_kept = quick.judged(kept | {key: far})
        assert not is_kept
        assert "broken" in "".join(told)
        if bound.coverage > 0.0:
            assert not quick.judged(kept | {key: [quick.Held(0.0, (False,) * 8)]})[1]


def test_generated_tables_have_the_structure_they_are_called_by() -> None:
    for name, make in STRUCTURES.items():
        table = make(np.random.default_rng(1))
        again = make(np.random.default_rng(1))
        assert np.array_equal(table.codes, again.codes)
        assert 0.9 * 4_000 <= table.n <= 4_000
        assert all(len(held) == codes.max() + 1
                   for held, codes in zip(table.values, table.codes.T, strict=True))  # fmt: skip
        if name == "households":
            # Twice as many as alone would share three columns if nobody lived together.
            assert table.of(SHARED).crowds().share_in_crowds_of_at_least(2) > 0.5


def test_ends_are_moved_out_until_all_and_every_table_are_held(measured: list[cases.Case]) -> None:
    some = [case for case in measured if case.table in ("nist_national2019", "atus", "adult")]
    entries = judging.left_out(some, "tree", Moving())
    part = widening.Part(widening.left_of(some, entries, "tree", "overall_risk"))
    low, high = part.ends(every_table=True)
    assert low >= high >= 1.0
    every, *by_table = part.coverage((low, high)).tolist()
    assert every >= widening.AIM
    assert min(by_table) >= widening.ON_EVERY_TABLE
    found = [
        each
        for kind in KINDS
        for each in judging.judged(
            some, entries, "tree", judging.part_of(kind, "overall_risk"), (low, high)
        )
    ]
    assert judging.coverage(found) == pytest.approx(every)
