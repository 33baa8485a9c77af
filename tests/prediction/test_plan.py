"""What one more question, or a coarser one, costs."""

from __future__ import annotations

import json

import numpy as np
import pytest

import reidrisk as rr
from reidrisk.errors import InputError, UnknownColumn
from reidrisk.statistics.statistics import Attribute, Statistics
from reidrisk.statistics.statistics_file import save_statistics


@pytest.fixture(scope="module")
def city() -> rr.Statistics:
    table = rr.read(rr.city(20_000, seed=3), columns=["postcode", "age", "sex", "marital_state"])
    return rr.publish(table, pairs="all", unprotected=True)


def test_every_way_is_ranked(city: rr.Statistics) -> None:
    plan = rr.plan(city, ["age", "sex"], 50, model="tree")
    assert {each.told for each in plan.options} >= {
        "as asked", "and postcode", "and marital_state", "age in bands of 5"
    }  # fmt: skip
    risks = [each.overall_risk for each in plan.options]
    assert risks == sorted(risks)
    by_name = {each.told: each for each in plan.options}
    now, finer, rougher = (
        by_name[name] for name in ("as asked", "and postcode", "age in bands of 5")
    )
    for figure in ("overall_risk", "alone_share", "exact", "expected_unique"):
        assert getattr(rougher, figure) <= getattr(now, figure) <= getattr(finer, figure)
    assert now is plan.as_asked
    low, high = finer.intervals["overall_risk"]
    assert low <= finer.overall_risk <= high


def test_figures_are_those_of_group_and_predict(city: rr.Statistics) -> None:
    plan = rr.plan(city, ["age"], 30, could_ask=["sex"], bands={"age": "10"}, model="tree")
    assert [each.kind for each in plan.options] == ["coarser", "as_asked", "one_more"]
    coarse, now, more = plan.options
    assert now.exact == rr.group(city, 30, columns=["age"]).exact
    assert coarse.exact == rr.group(city, 30, columns=["age"], bands={"age": 10}).exact
    both = rr.group(city, 30, columns=["age", "sex"])
    assert more.exact == both.exact
    assert more.expected_unique == both.expected_unique
    risk = rr.predict(city, columns=["age", "sex"], model="tree")
    assert more.overall_risk == risk.overall_risk
    assert more.alone_share == risk.alone_share


def test_ranked_by_what_is_asked_for(city: rr.Statistics) -> None:
    plan = rr.plan(city, ["age"], 10, measure="exact", model="independent", values={"age": "0-120"})
    exact = [each.exact for each in plan.options]
    assert exact == sorted(exact)
    assert plan.as_asked.outcomes == 121
    assert plan.envelope.model == "independent"
    assert plan.envelope.seed is None


def test_pairwise_states_its_seed(city: rr.Statistics) -> None:
    plan = rr.plan(city, ["age", "sex"], 10, could_ask=["marital_state"], bands={}, seed=4)
    assert plan.envelope.model == "tree, pairwise"
    assert plan.envelope.seed == 4


def test_codes_are_not_seen_in_bands() -> None:
    rng = np.random.default_rng(0)
    codes = {str(code): 5 for code in rng.choice(90_000, 100, replace=False)}
    statistics = Statistics(500, (Attribute("code", codes), Attribute("sex", {"f": 250, "m": 250})))
    plan = rr.plan(statistics, ["code", "sex"], 10)
    assert [each.kind for each in plan.options] == ["as_asked"]
    asked = rr.plan(statistics, ["code", "sex"], 10, bands={"code": [10_000]})
    assert asked.options[0].outcomes < asked.options[1].outcomes


def test_what_is_said(city: rr.Statistics) -> None:
    plan = rr.plan(city, ["age"], 50, model="tree")
    assert "The question that adds most risk is postcode" in str(plan)
    assert "▸ as asked" in str(plan)
    assert "<table>" in plan._repr_html_()
    told = json.loads(plan.to_json())
    assert told["command"] == "plan"
    assert told["asked"] == ["age"]
    assert told["options"][0].keys() >= {"overall_risk", "alone", "exact", "expected_unique"}


def test_several_files_are_merged(tmp_path) -> None:
    for name in ("age", "sex"):
        held = Statistics(10, (Attribute(name, {"1": 4, "2": 6}),))
        save_statistics(held, tmp_path / f"{name}.json")
    plan = rr.plan([tmp_path / "age.json", tmp_path / "sex.json"], ["age"], 2)
    assert plan.options[-1].columns == ("age", "sex")


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("no question", {"asked": []}),
        ("is asked already", {"asked": ["age"], "could_ask": ["age"]}),
        ("it isn't asked", {"asked": ["age"], "bands": {"sex": 5}}),
        ("measure='guess'", {"asked": ["age"], "measure": "guess"}),
        ("model='guess'", {"asked": ["age"], "model": "guess"}),
        ("whole numbers from 1", {"asked": ["age"], "size": 0}),
    ],
)
def test_what_is_refused(city: rr.Statistics, said: str, asked: dict) -> None:
    with pytest.raises(InputError, match=said):
        rr.plan(city, **({"size": 5} | asked))
    with pytest.raises(UnknownColumn):
        rr.plan(city, ["shoe_size"], 5)
    with pytest.raises(InputError, match="these are records"):
        rr.plan(rr.read({"age": [1, 2]}, columns=["age"]), ["age"], 2)
