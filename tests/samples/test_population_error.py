"""The constants of the intervals follow from the cases, and hold what they say."""

import json
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.marked_page import blocks_of
from benchmarks.population import cases, errors, fitting, page, weighted
from benchmarks.population.measuring import case_of
from benchmarks.population.populations import Population

from reidrisk.samples import cells_of, estimated
from reidrisk.samples.population_error import beyond_learned, learned, learned_of
from tests.samples.drawn_people import people, sampled

DOCS = Path(__file__).resolve().parents[2] / "docs"
CASES, WEIGHTED = DOCS / "population_cases.json", DOCS / "population_weighted_cases.json"
AGAIN = "run python -m benchmarks.population"


@pytest.fixture(scope="module")
def measured() -> list[cases.Case]:
    return cases.load(CASES)


@pytest.fixture(scope="module")
def held() -> Mapping[str, Any]:
    text = files("reidrisk.samples").joinpath("population_error.json").read_text(encoding="utf-8")
    found: Mapping[str, Any] = json.loads(text)
    return found


def test_constants_follow_from_the_cases(
    measured: list[cases.Case], held: Mapping[str, Any]
) -> None:
    assert held["samples"] == len(measured)
    own = fitting.fitted(measured)
    assert held["scale"] == pytest.approx(own.scale, rel=0.02, abs=1e-3), AGAIN
    for name, scale in held["log_scales"].items():
        assert scale == pytest.approx(own.log_scales[name], rel=0.02, abs=1e-3), AGAIN
    for name, width in held["widths"].items():
        assert width == pytest.approx(own.widths[name] * held["widened"][name], rel=0.02), AGAIN


@pytest.mark.slow
def test_coverage_is_that_of_tables_left_out(
    measured: list[cases.Case], held: Mapping[str, Any]
) -> None:
    again = fitting.constants(measured)
    assert again["coverage"] == pytest.approx(held["coverage"], abs=0.01), AGAIN


def test_intervals_hold_nine_in_ten_of_all_tables_left_out_and_eight_of_each(
    held: Mapping[str, Any],
) -> None:
    assert all(each >= 0.9 for each in held["coverage"].values())
    for figure in ("tau1", "alone", "overall_risk"):
        assert held["coverage"][figure] <= 0.93
    for table, by_figure in held["coverage_by_table"].items():
        assert all(each is None or each >= 0.8 for each in by_figure.values()), table


def test_weighted_intervals_are_as_wide_as_samples_by_strata_need(held: Mapping[str, Any]) -> None:
    found = weighted.load(WEIGHTED)
    again = weighted.said(found, learned_of({**held, "wider_by_weight": 1.0}))
    assert again == {name: held[name] for name in again}, AGAIN
    assert held["weighted_coverage"] >= 0.9
    assert held["wider_by_weight"] >= 1.0
    assert weighted.rmse(found, among=True) < 0.8 * weighted.rmse(found, among=False)
    assert any(each.among for each in found)


def test_weights_widen_intervals() -> None:
    rows = people(20_000, 5)
    rng = np.random.default_rng(3)
    drawn = rows[rng.choice(20_000, 900, replace=False)]
    weight = np.where(drawn[:, 0] % 2 == 0, 10.0, 30.0)
    cells, _ = cells_of(
        ("a", "b", "c", "d"), drawn, np.ones(900, dtype=np.int64), 20_000, weight=weight
    )
    found, own = estimated(cells, np.random.default_rng(0)), learned()
    bare = replace(own, wider_by_weight=1.0)
    for name in ("tau1", "alone", "overall_risk"):
        low, high = getattr(own, name)(found).interval
        least, most = getattr(bare, name)(found).interval
        assert low <= least <= most <= high
    assert own.sigma(found) >= bare.sigma(found)


def test_the_page_says_what_was_measured(
    measured: list[cases.Case], held: Mapping[str, Any]
) -> None:
    there = blocks_of(page.PAGE.read_text(encoding="utf-8"))
    assert there["population-estimators"].splitlines() == page.estimators(measured), AGAIN
    assert there["population-tables"].splitlines() == page.by_table(measured, held), AGAIN
    assert there["population-figures"].splitlines() == page.others(measured), AGAIN


def test_goals_that_are_claimed(measured: list[cases.Case]) -> None:
    found = errors.errors(measured, lambda case: case.estimate["tau1"])
    assert found.rmse <= 0.12
    assert found.within >= 0.95
    assert errors.calibration_error(measured) <= 0.01
    for table in {case.table for case in measured}:
        own = [case for case in measured if case.table == table]
        assert errors.calibration_error(own) <= 0.02, table


def test_the_estimates_are_what_they_were_when_their_error_was_learned() -> None:
    """Three samples of people made here; after a change of a law the constants are learned anew."""
    for seed, tau1 in FINGERPRINT.items():
        sample, _ = sampled(people(20_000, 5), 1000 + 500 * seed, seed)
        assert estimated(sample, np.random.default_rng(0)).tau1 == pytest.approx(tau1, rel=1e-3), (
            AGAIN
        )


FINGERPRINT = {0: 152.65, 1: 216.012, 2: 317.806}


def test_a_case_is_measured_and_kept(tmp_path: Path) -> None:
    rows = people(3000, 2, (20, 9, 5))
    cells, _ = cells_of(("a", "b", "c"), rows, np.ones(3000, dtype=np.int64), 3000)
    population = Population("made", ("a", "b", "c"), cells)
    drawn = population.sample(600, 0.2, np.random.default_rng(1))
    case = case_of(population, drawn, 0)
    assert case.truth["alone"] == np.count_nonzero(cells.people == 1)
    assert case.truth["tau1"] <= case.sample_alone
    below, at, above = case.shifts
    assert below <= at <= above
    assert sum(count for count, _, _ in case.bins) == case.sample_alone
    assert sum(hits for _, _, hits in case.bins) == case.truth["tau1"]
    cases.save([case], tmp_path / "cases.json")
    again = cases.load(tmp_path / "cases.json")[0]
    assert again.truth == pytest.approx(dict(case.truth), rel=1e-5)
    assert again.columns == case.columns


def test_wider_constants_hold_more() -> None:
    sample, _ = sampled(people(20_000, 5), 900, 3)
    found = estimated(sample, np.random.default_rng(0))
    own = learned()
    wider = replace(
        own,
        scale=tuple(2 * each for each in own.scale),
        log_scales={
            name: tuple(2 * each for each in scale) for name, scale in own.log_scales.items()
        },
    )
    for name in ("tau1", "tau2", "alone", "overall_risk", "highest_risk"):
        low, high = getattr(own, name)(found).interval
        less, more = getattr(wider, name)(found).interval
        assert less <= low <= high <= more


def test_intervals_of_smaller_samples_than_any_learned_from_are_wider() -> None:
    sample, _ = sampled(people(20_000, 5), 900, 3)
    found = estimated(sample, np.random.default_rng(0))
    assert beyond_learned(found) == 1.0
    smaller = replace(found, sample=replace(sample, population=9_000_000))
    assert beyond_learned(smaller) == pytest.approx(np.log(10_000) / np.log(1 / 0.003))
    own = learned()
    assert own.width(smaller) == pytest.approx(own.width(found) * beyond_learned(smaller))


def test_the_highest_risk_is_the_median_of_the_smallest_crowd() -> None:
    """Against crowds drawn from the laws themselves: F − f is negative binomial."""
    sample, _ = sampled(people(20_000, 5, (6, 4)), 300, 3)
    found = estimated(sample, np.random.default_rng(0))
    rng = np.random.default_rng(1)
    chosen = rng.integers(0, 2, (4000, sample.cells))
    crowds = np.empty(chosen.shape)
    for at, law in enumerate(found.laws):
        more = rng.negative_binomial(
            law.calibration.shape + sample.people, np.exp(law.log_pi), chosen.shape
        )
        crowds = np.where(chosen == at, sample.people + more, crowds)
    # Those of one person are alone with the probabilities that were set right.
    smallest = float(np.median(crowds.min(axis=1)))
    figure = learned().highest_risk(found)
    assert figure.value == pytest.approx(1.0 / smallest, rel=0.1)
    low, high = figure.interval
    assert low < figure.value < high


def test_the_page_on_accuracy_has_the_same_table(measured: list[cases.Case]) -> None:
    text = (CASES.parent / "accuracy.md").read_text(encoding="utf-8")
    assert "\n".join(page.estimators(measured)) in text, AGAIN
    changes = (CASES.parents[1] / "CHANGELOG.md").read_text(encoding="utf-8")
    found = errors.errors(measured, lambda case: case.estimate["tau1"])
    assert f"Over {found.samples} samples" in changes
    assert f"τ1 is off by {found.rmse:.3f} on the logarithm" in changes
