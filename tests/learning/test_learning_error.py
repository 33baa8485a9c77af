"""The constants follow from the cases, hold what they say, and belong to today's models."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from benchmarks.learning import cases, fitting, page
from benchmarks.learning.measuring import MODELS
from benchmarks.learning.sets import CHOSEN

from reidrisk.learning.learning_error import FAMILIES, LearningError, learned
from reidrisk.prediction import Signs
from reidrisk.prediction.model_error import KINDS

ROOT = Path(__file__).resolve().parents[2]
AGAIN = "run python -m benchmarks.learning"
GOAL = 0.02


@pytest.fixture(scope="module")
def held() -> Mapping[str, Any]:
    text = files("reidrisk.learning").joinpath("learning_error.json").read_text(encoding="utf-8")
    found: Mapping[str, Any] = json.loads(text)
    return found


@pytest.fixture(scope="module")
def measured() -> list[cases.Case]:
    return cases.load(ROOT / "docs" / "learning_cases.json")


def test_every_set_that_was_chosen_is_there(
    held: Mapping[str, Any], measured: list[cases.Case]
) -> None:
    there = [(each.table, each.columns, each.sensitive) for each in measured if each.chosen]
    assert there == [(each.table, each.columns, each.sensitive) for each in CHOSEN]
    assert held["sets"] == len(measured)
    assert held["tables"] == list(dict.fromkeys(case.table for case in measured))


@pytest.mark.parametrize("model", MODELS)
def test_constants_follow_from_the_cases(
    held: Mapping[str, Any], measured: list[cases.Case], model: str
) -> None:
    for place, family in enumerate(FAMILIES):
        every = fitting.rows_of(measured, model, place)
        for kind in KINDS:
            said = held["models"][model]["figures"][kind][family]
            rows = fitting.of_kind(every, kind)
            again = fitting.widened(fitting.family_entry(rows), said["widened"])
            for name, value in again.items():
                assert said[name] == pytest.approx(value, rel=2e-3, abs=1e-4), AGAIN


@pytest.mark.slow
def test_coverage_is_what_tables_left_out_give(
    held: Mapping[str, Any], measured: list[cases.Case]
) -> None:
    again = fitting.entry_of(measured, "pairwise")["figures"]
    for kind in KINDS:
        for family in FAMILIES:
            said = held["models"]["pairwise"]["figures"][kind][family]["coverage"]
            assert said == pytest.approx(again[kind][family]["coverage"], abs=0.01), AGAIN


def test_intervals_hold_what_they_promise_on_tables_left_out(held: Mapping[str, Any]) -> None:
    for model in MODELS:
        for families in held["models"][model]["figures"].values():
            assert min(each["coverage"] for each in families.values()) >= fitting.AIM
    assert min(held["coverage"].values()) >= fitting.AIM


def test_right_guesses_of_every_chosen_set_are_within_the_goal(measured: list[cases.Case]) -> None:
    """As counted and as rounded; who is certain is off by more, as the page says."""
    for case in measured:
        if case.chosen:
            for way in ("unprotected", "rounded"):
                assert abs(page.error(case, way, page.WITH)) <= GOAL, case.columns
            assert abs(page.error(case, "unprotected", page.CERTAIN)) <= 0.022
            assert -0.15 <= page.error(case, "rounded", page.CERTAIN) <= GOAL


def test_the_models_predict_what_they_did_when_their_error_was_learned(
    held: Mapping[str, Any],
) -> None:
    for was, now in zip(held["fingerprint"], fitting.fingerprint(), strict=True):
        assert (was["columns"], was["model"]) == (now["columns"], now["model"])
        for name in ("guess_with", "certain_share"):
            assert now[name] == pytest.approx(was[name], abs=5e-6), AGAIN


def test_the_page_shows_what_was_measured(
    held: Mapping[str, Any], measured: list[cases.Case]
) -> None:
    text = page.ACCURACY.read_text(encoding="utf-8")
    for lines in (
        page.chosen_lines(measured), page.drawn_lines(measured), page.coverage_lines(held),
    ):  # fmt: skip
        assert "\n".join(lines) in text, AGAIN


@pytest.mark.parametrize("model", [*MODELS, "triples", "shuffle", "pair"])
def test_intervals_contain_the_figure_and_widen_beyond_what_was_learned(model: str) -> None:
    by = learned(model)
    usual = Signs(by.most_attributes, 0.01, {"guess_with": 0.52})
    farther = usual._replace(attributes=by.most_attributes + 1)
    low, high = by.interval("guess_with", 0.5, (0.5, 0.5), usual)
    assert low <= 0.5 <= high
    wide = by.interval("guess_with", 0.5, (0.5, 0.5), farther)
    assert 0.5 - wide[0] == pytest.approx(min(2.0 * (0.5 - low), 0.5))
    assert by.beyond(farther)
    assert not by.beyond(usual)
    assert isinstance(by, LearningError)
    for p in (0.0, 1.0):
        low, high = by.interval("certain_share", p, (p, p), usual)
        assert 0.0 <= low <= p <= high <= 1.0
    extreme = by.interval("t_closeness", 0.8, (0.7, 0.9), usual)
    assert extreme == (0.7, 0.9)
