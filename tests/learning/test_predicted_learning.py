"""What would be learnt, from statistics alone: counted where these determine the table."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.errors import ContradictoryOptions, InputError, UnknownColumn
from reidrisk.learning import LEARNING_MEASURES
from reidrisk.learning.learning_prediction import DrawnLearning, figures_of, mean_figures
from reidrisk.learning.predicted_learning import MERGED
from reidrisk.learning.sensitive_risk import SensitiveRisk

pairs_drawn = st.lists(
    st.tuples(st.sampled_from("pqr"), st.sampled_from("xyz")), min_size=2, max_size=25
)
CITY = ["county", "age", "sex", "occupation"]


def counted(table: dict[str, list[str]], columns: list[str]) -> SensitiveRisk:
    found = rr.learn(table, columns=columns, sensitive="s", rows_are_people=True)
    assert isinstance(found, rr.LearningRisk)
    return found.sensitive["s"]


def unprotected(table: dict[str, list[str]]) -> rr.Statistics:
    return rr.publish(rr.read(table, list(table), rows_are_people=True), unprotected=True)


@given(pairs_drawn)
@settings(max_examples=25)
def test_where_two_way_tables_are_the_table_the_prediction_is_the_count(
    people: list[tuple[str, str]],
) -> None:
    """One column beside the sensitive one; and another that it determines."""
    one = {"a": [a for a, _ in people], "s": [s for _, s in people]}
    for table in (one, {"b": [str(ord(a) // 2) for a in one["a"]], **one}):
        known = [name for name in table if name != "s"]
        risk = counted(table, known)
        found = rr.learn(unprotected(table), sensitive="s", draws=3)
        assert isinstance(found, rr.LearningPrediction)
        told = found.sensitive["s"]
        for name, value in figures_of(risk).items():
            assert told.figures[name] == pytest.approx(value, abs=1e-9), name
        assert told.recursive_l == risk.distinct_l
        assert told.figures["recursive_c"] == pytest.approx(risk.recursive_c)
        for mine, own in zip(told.by_value, risk.by_value, strict=True):
            assert (mine.value, mine.people, mine.certain) == (own.value, own.people, own.certain)
            assert mine.guesses.with_table == pytest.approx(own.guesses.with_table)


def test_two_attributes_counted_have_no_model_error() -> None:
    table = {"a": list("ppqqqr"), "s": list("xyxxyz")}
    told = rr.learn(unprotected(table), sensitive="s").sensitive["s"]
    for name, value in told.figures.items():
        assert told.intervals[name] == pytest.approx((value, value)), name


def test_a_value_that_is_determined_is_certain() -> None:
    table = {"a": list("pqrspqrs"), "b": list("xxyyxyxy"), "s": list("uuvvuuvv")}
    told = rr.learn(unprotected(table), sensitive="s").sensitive["s"]
    assert told.figures["guess_with"] == 1.0
    assert told.figures["certain_share"] == 1.0
    assert told.figures["guess_without"] == 0.5


@pytest.fixture(scope="module")
def city() -> rr.Table:
    return rr.read(rr.city(3_000), CITY)


PROTECTIONS: dict[str, dict[str, Any]] = {
    "unprotected": {"unprotected": True},
    "rounded": {},
    "exact": {"exact": True},
    "noisy": {"epsilon": 2.0, "budget": 10.0},
    "with triples": {"unprotected": True, "triples": True},
    "without pairs": {"unprotected": True, "pairs": "none"},
}


@pytest.mark.parametrize("name", PROTECTIONS)
def test_every_protections_file_answers(name: str, city: rr.Table, tmp_path: Path) -> None:
    options = dict(PROTECTIONS[name])
    if "epsilon" in options:
        options["ledger"] = tmp_path / "ledger.json"
    statistics = rr.publish(city, **options)
    columns = [each for each in statistics.names if each != "occupation"]
    found = rr.learn(statistics, sensitive="occupation", columns=columns, draws=4)
    assert isinstance(found, rr.LearningPrediction)
    told, figures = found.sensitive["occupation"], found.sensitive["occupation"].figures
    assert found.envelope.origin == "statistics"
    assert found.envelope.input.columns == tuple(columns)
    for measure, value in figures.items():
        low, high = told.intervals[measure]
        assert low <= value + 1e-9, measure
        assert value <= high + 1e-9, measure
    for measure in ("guess_with", "guess_without", "certain_share", "alpha", "t_closeness"):
        assert 0.0 <= figures[measure] <= 1.0 + 1e-12
    assert figures["guess_without"] <= figures["guess_with"] + 1e-12
    assert figures["guess_gain"] == pytest.approx(figures["guess_with"] - figures["guess_without"])
    assert sum(each.people for each in told.by_value) == pytest.approx(told.people)
    json.loads(found.to_json())


def test_right_guesses_of_the_city_are_within_two_points(city: rr.Table) -> None:
    counted_there = rr.learn(rr.city(3_000), columns=CITY[:3], sensitive="occupation")
    assert isinstance(counted_there, rr.LearningRisk)
    truth = counted_there.sensitive["occupation"].guesses
    told = rr.learn(rr.publish(city, unprotected=True), sensitive="occupation", draws=5)
    found = told.sensitive["occupation"]
    assert found.guesses.with_table == pytest.approx(truth.with_table, abs=0.02)
    assert found.guesses.without == pytest.approx(truth.without, abs=0.005)
    low, high = found.intervals["guess_with"]
    assert low <= truth.with_table <= high


def test_the_seed_makes_the_answer(city: rr.Table) -> None:
    statistics = rr.publish(city, unprotected=True)
    one, again, other = (
        rr.learn(statistics, sensitive="occupation", columns=["age", "sex"], draws=2, seed=seed)
        for seed in (3, 3, 4)
    )
    assert one.to_dict() == again.to_dict()
    assert one.to_dict()["seed"] == 3
    assert one.sensitive["occupation"].figures != other.sensitive["occupation"].figures


def test_several_sensitive_attributes_never_part_crowds(city: rr.Table) -> None:
    statistics = rr.publish(city, unprotected=True)
    found = rr.learn(statistics, sensitive=["occupation", "sex"], draws=2)
    assert found.envelope.input.columns == ("county", "age")
    assert list(found.sensitive) == ["occupation", "sex"]
    for name in LEARNING_MEASURES:
        values = [each.value(name) for each in found.sensitive.values()]
        assert found.value(name) in values


def test_bands_make_less_learnt(city: rr.Table) -> None:
    statistics = rr.publish(city, unprotected=True)
    fine, coarse = (
        rr.learn(statistics, sensitive="occupation", draws=3, bands=bands)
        for bands in (None, {"age": "20"})
    )
    name = "guess_with"
    assert coarse.sensitive["occupation"].figures[name] < fine.sensitive["occupation"].figures[name]


def test_values_merged_into_other_are_one_row_and_nothing_is_empty() -> None:
    statistics = rr.Statistics(
        60,
        (
            rr.Attribute("a", {"p": 30, "q": 30}),
            rr.Attribute("s", {"x": 30, "y": 20}, other=rr.Other(count=10, values=4)),
        ),
    )
    told = rr.learn(statistics, sensitive="s", draws=4).sensitive["s"]
    people = {each.value: each.people for each in told.by_value}
    assert people == {"x": 30.0, "y": 20.0, MERGED: 10.0}
    assert told.without_value == 0.0
    assert told.values == pytest.approx(6.0)


def test_an_empty_value_is_certain_for_nobody() -> None:
    table = {"a": ["p", "p", "q", "q"], "s": ["x", "x", None, None]}
    told = rr.learn(unprotected(table), sensitive="s", draws=2).sensitive["s"]
    assert told.without_value == 2.0
    assert told.figures["certain_share"] == pytest.approx(0.5)


def test_a_hierarchy_of_the_sensitive_attribute() -> None:
    table = {"a": list("ppqqqr"), "s": list("xyxxyz")}
    levels = {"s": rr.Hierarchy("s", ({"x": "one", "y": "one", "z": "two"},))}
    options = {"sensitive": "s", "hierarchies": levels}
    found = rr.learn(unprotected(table), draws=2, **options).sensitive["s"]
    own = rr.learn(table, columns=["a"], rows_are_people=True, **options).sensitive["s"]
    assert found.distance == own.distances.kind == "hierarchy"
    assert found.figures["t_closeness"] == pytest.approx(own.t_closeness)


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({}, InputError, "no sensitive attribute"),
        ({"sensitive": "salary"}, UnknownColumn, "salary"),
        ({"sensitive": ["s", "s"]}, ContradictoryOptions, "twice"),
        ({"sensitive": "s", "columns": ["a", "s"]}, ContradictoryOptions, "both"),
        ({"sensitive": ["a", "s"]}, InputError, "no other attribute"),
        ({"sensitive": "s", "columns": ["c"]}, UnknownColumn, "c"),
        ({"sensitive": "s", "draws": 0}, InputError, "draws=0"),
        ({"sensitive": "s", "seed": -1}, InputError, "seed"),
        ({"sensitive": "s", "model": "oracle"}, InputError, "oracle"),
        ({"sensitive": "s", "recursive_l": 0}, InputError, "recursive_l"),
        ({"sensitive": "s", "risk_file": "x.csv"}, ContradictoryOptions, "records"),
        ({"sensitive": "s", "missing": "own"}, ContradictoryOptions, "statistics"),
    ],
)  # fmt: skip
def test_what_is_refused(options: dict[str, Any], error: type[Exception], says: str) -> None:
    statistics = unprotected({"a": list("ppqqqr"), "s": list("xyxxyz")})
    with pytest.raises(error, match=says):
        rr.learn(statistics, **options)


def test_options_of_statistics_are_refused_for_records() -> None:
    for option in ({"draws": 3}, {"model": "tree"}, {"background": "b.json"}):
        with pytest.raises(ContradictoryOptions, match="for statistics"):
            rr.learn({"a": ["p"], "s": ["x"]}, columns=["a"], sensitive="s", **option)


def test_means_and_ends_of_draws_also_where_one_is_infinite() -> None:
    base = counted({"a": list("ppqq"), "s": list("xyxy")}, ["a"])
    drawn = [
        DrawnLearning.of(base, 2)._replace(figures={"alpha": value}, recursive={2: c})
        for value, c in ((0.2, 1.0), (0.4, math.inf), (0.6, 3.0))
    ]
    means, ends = mean_figures(drawn)
    assert means["alpha"] == pytest.approx(0.4)
    assert ends["alpha"] == (0.2, 0.6)
    assert math.isinf(means["recursive_c"])
    assert ends["recursive_c"] == (1.0, math.inf)


def test_the_commonest_value_is_guessed_as_often_as_it_is_published() -> None:
    rng = np.random.default_rng(2)
    table = {name: [str(i) for i in rng.integers(0, 3, 500)] for name in "abs"}
    statistics = unprotected(table)
    told = rr.learn(statistics, sensitive="s", draws=3).sensitive["s"]
    most = max(table["s"].count(value) for value in set(table["s"]))
    assert told.figures["guess_without"] == pytest.approx(most / 500, abs=0.002)
    triple = replace(statistics, pairs=())
    without = rr.learn(triple, sensitive="s", draws=3)
    assert without.envelope.model == "independent"


def test_of_people_with_several_rows_it_says_what_is_not_there() -> None:
    table = {"id": list("112233"), "a": list("ppqqpq"), "s": list("xyxxyy")}
    statistics = rr.publish(rr.read(table, ["a", "s"], person="id"), unprotected=True)
    found = rr.learn(statistics, sensitive="s", draws=2)
    assert found.envelope.input.people == 3
    assert any("several rows" in each for each in found.warnings)
    plain = rr.learn(unprotected({"a": list("ppq"), "s": list("xyx")}), sensitive="s", draws=2)
    assert not any("several rows" in each for each in plain.warnings)


def test_the_command(command, city: rr.Table, tmp_path: Path) -> None:
    place = tmp_path / "city.json"
    rr.save_statistics(rr.publish(city), place)
    asked = ("learn", place, "--sensitive", "occupation", "--columns", "age,sex", "--draws", 3)
    said = command(*asked)
    assert said.status == 0
    assert "would be guessed right for" in said.out
    told = command(*asked, "--json").json
    assert told["command"] == "learn"
    assert told["model"] == "tree" or told["model"] == "pairwise"
    assert told["draws"] == 3
    found = told["sensitive"]["occupation"]
    low, high = found["intervals"]["guess_with"]
    assert low <= found["guess"]["with"] <= high
    assert any("expectations of an extreme" in each for each in told["assumptions"])
    assert command(*asked, "--fail-above", "guess_gain=0").status == 1
    refused = command(*asked, "--risk-file", tmp_path / "x.csv")
    assert refused.status == 2
    assert "statistics" in refused.err
    records = tmp_path / "people.csv"
    records.write_text("age,diagnosis\n" + "39,a\n40,b\n" * 30)
    asked = ("learn", records, "--sensitive", "diagnosis", "--rows-are-people")
    assert command(*asked).status == 0
    assert command(*asked, "--draws", 3).status == 2
