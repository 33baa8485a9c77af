"""`population`: from a table to figures, intervals, a file of records, and refusals."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import reidrisk as rr
from reidrisk.arrays import Ints
from reidrisk.errors import ContradictoryOptions, InputError, ReidriskError
from reidrisk.samples import cells_of, estimated
from reidrisk.samples.individual_risk import individual_risk
from reidrisk.samples.panel import ESTIMATORS, panel
from reidrisk.samples.population_error import learned
from reidrisk.statistics import value_order
from tests.samples.drawn_people import new_york, people, sampled

POPULATION = 40_000


@pytest.fixture(scope="module")
def everybody() -> Ints:
    return people(POPULATION, 7)


def table_of(rows: Ints, **more: Any) -> Mapping[str, Any]:
    return {f"c{place}": rows[:, place].tolist() for place in range(rows.shape[1])} | more


@pytest.fixture(scope="module")
def drawn(everybody: Ints) -> Ints:
    return everybody[np.random.default_rng(3).choice(POPULATION, 2000, replace=False)]


@pytest.fixture(scope="module")
def risk(drawn: Ints) -> rr.PopulationRisk:
    return rr.population(table_of(drawn), population=POPULATION, panel=True)


def true_of(everybody: Ints, drawn: Ints) -> tuple[int, float, int, float]:
    """τ1, τ2, people alone, and the mean of 1/F."""
    _, back, many = np.unique(everybody, axis=0, return_inverse=True, return_counts=True)
    held = dict(zip(map(tuple, everybody.tolist()), many[back.ravel()].tolist(), strict=True))
    _, place, here = np.unique(drawn, axis=0, return_inverse=True, return_counts=True)
    crowds = np.array([held[tuple(row)] for row in drawn.tolist()])
    alone = here[place.ravel()] == 1
    unique = int((crowds[alone] == 1).sum())
    return (
        unique,
        float((1 / crowds[alone]).sum()),
        int((many == 1).sum()),
        len(many) / len(everybody),
    )


def test_the_truth_lies_in_the_intervals(
    everybody: Ints, drawn: Ints, risk: rr.PopulationRisk
) -> None:
    tau1, tau2, alone, overall = true_of(everybody, drawn)
    for figure, true in (
        (risk.tau1, tau1), (risk.tau2, tau2), (risk.alone, alone), (risk.overall_risk, overall),
        (risk.highest_risk, 1.0),
    ):  # fmt: skip
        low, high = figure.interval
        assert low <= figure.value <= high
        assert low <= true <= high


SHAPES = ((30, 12, 8, 5), (60, 20, 4), (12, 10, 8, 6, 4), (100, 9, 3))


def test_over_several_populations_it_is_three_times_nearer_than_class_sizes_alone() -> None:
    ours, theirs = [], []
    for seed, shape in enumerate(SHAPES):
        sample, crowds = sampled(people(POPULATION, 20 + seed, shape), 5000, seed)
        found = estimated(sample, np.random.default_rng(seed))
        true = max(int((crowds[sample.alone] == 1).sum()), 1)
        ours.append(math.log(found.tau1 / true))
        others = panel(sample)
        theirs.append([math.log(max(others[name], 0.1) / true) for name in ESTIMATORS[:6]])
    apart = np.sqrt(np.mean(np.square(theirs), axis=0))
    assert 3 * np.sqrt(np.mean(np.square(ours))) < np.nanmin(apart)


def test_probabilities_are_calibrated_and_intervals_hold(everybody: Ints) -> None:
    expected, hits, held = 0.0, 0, []
    said, true = [], []
    for seed in range(12):
        sample, crowds = sampled(everybody, 800 + 200 * seed, 100 + seed)
        found = estimated(sample, np.random.default_rng(seed))
        unique = crowds[sample.alone] == 1
        expected, hits = expected + found.tau1, hits + int(unique.sum())
        low, high = learned().tau1(found).interval
        held.append(low <= unique.sum() <= high)
        sure = found.unique > 0.5
        said.append(found.unique[sure])
        true.append(unique[sure])
    together = np.concatenate(said)
    assert len(together) > 300
    assert np.concatenate(true).mean() == pytest.approx(together.mean(), abs=0.1)
    assert hits == pytest.approx(expected, rel=0.15)
    assert np.mean(held) >= 0.75


def test_a_whole_population_is_counted() -> None:
    risk = rr.population({"a": [1, 1, 2, 3], "b": ["x", "x", "y", "y"]}, population=4)
    assert risk.tau1 == (2.0, (2.0, 2.0))
    assert risk.overall_risk.value == 0.75
    assert risk.envelope.model is None
    assert "whole population" in str(risk)


@pytest.mark.parametrize(
    ("table", "population"),
    [
        ({"a": list(range(30))}, 3000),
        ({"a": ["x"] * 40, "b": ["y"] * 40}, 4000),
        ({"a": list(range(200)), "b": list(range(200))}, 20_000),
        ({"a": [1, 2]}, 10),
        ({"a": [7]}, 10),
        ({"a": ["x", "x", None, "y"] * 20, "b": [1, 2, 2, None] * 20}, 100_000),
    ],
)
def test_odd_samples_are_answered_with_intervals(table: Mapping[str, Any], population: int) -> None:
    risk = rr.population(rr.read(table, columns=list(table)), population=population)
    for figure in (risk.tau1, risk.tau2, risk.alone, risk.overall_risk, risk.highest_risk):
        low, high = figure.interval
        assert 0.0 <= low <= figure.value <= high
        assert math.isfinite(high)
    assert risk.alone.interval[1] > 0.0
    assert str(risk)
    json.loads(risk.to_json())


def test_where_all_are_alone_the_interval_is_wide_and_says_why() -> None:
    table = {"a": list(range(200)), "b": list(range(200))}
    risk = rr.population(rr.read(table, columns=["a", "b"]), population=20_000)
    low, high = risk.tau1.interval
    assert high - low > 150
    assert any("Everybody in the sample is alone" in each for each in risk.warnings)


def test_few_people_are_said_to_be_few() -> None:
    risk = rr.population(rr.read({"a": [1, 1, 2, 3] * 8}), population=400)
    assert any("says little" in each for each in risk.warnings)


def test_a_number_a_fraction_and_equal_weights_say_the_same(drawn: Ints) -> None:
    by_number = rr.population(table_of(drawn), population=POPULATION)
    by_fraction = rr.population(table_of(drawn), fraction=2000 / POPULATION)
    weighted = table_of(drawn, w=[POPULATION / 2000] * 2000)
    by_weight = rr.population(weighted, weight="w")
    assert by_number.tau1 == by_fraction.tau1 == by_weight.tau1
    scaled = rr.population(table_of(drawn, w=[1] * 2000), weight="w", population=POPULATION)
    assert scaled.tau1 == by_number.tau1


def test_rows_may_be_counts(drawn: Ints) -> None:
    rows, many = np.unique(drawn, axis=0, return_counts=True)
    counted = rr.population(
        table_of(rows, people=many.tolist()), count="people", population=POPULATION
    )
    assert counted.tau1 == rr.population(table_of(drawn), population=POPULATION).tau1


def test_weights_by_strata_come_nearer_than_ignoring_them() -> None:
    """A tenth of one group and one in a hundred of the other: the group is a column."""
    ours, plainly = [], []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        everybody = people(60_000, 9 + seed, (40, 12, 6))
        group = (rng.random(60_000) < 0.2).astype(int)
        rows = np.column_stack([everybody, group])
        chance = np.where(group == 1, 0.1, 0.01)
        drawn = rows[rng.random(60_000) < chance]
        table = table_of(drawn, w=np.where(drawn[:, 3] == 1, 10.0, 100.0).tolist())
        weighted = rr.population(table, weight="w", population=60_000)
        table = {key: each for key, each in table.items() if key != "w"}
        plain = rr.population(table, population=60_000)
        _, tau2, alone, _ = true_of(rows, drawn)
        ours.append(abs(math.log(weighted.tau2.value / tau2)))
        plainly.append(abs(math.log(plain.tau2.value / tau2)))
        for figure, true in ((weighted.alone, alone), (weighted.tau2, tau2)):
            assert figure.interval[0] <= true <= figure.interval[1]
        assert any("strata" in each for each in weighted.envelope.assumptions)
        assert any("as learned from samples by strata" in each for each in weighted.warnings)
    assert np.mean(ours) < 0.5 * np.mean(plainly)


def test_ordered_values_are_told_from_names() -> None:
    assert value_order(["10", "9", None, "100"])[0].tolist() == [1, 0, 3, 2]
    assert value_order(["20-24", "15-19", "85+", "<5"])[0].tolist() == [2, 1, 3, 0]
    assert value_order(["2024-03-01", "2023-12-31"])[0].tolist() == [1, 0]
    assert value_order(["red", "green"])[1] is False
    assert value_order([None])[1] is False


def test_new_york_is_nearer_than_hours_of_sampling() -> None:
    """Posterior means of a published Bayesian nonparametric model: 38.8 and 66.7."""
    for n, true, published in ((5000, 27, 38.8), (10_000, 53, 66.7)):
        found = estimated(new_york(n), np.random.default_rng(0))
        assert abs(found.tau1 - true) < abs(published - true)
        low, high = learned().tau1(found).interval
        assert low <= true <= high
    low, high = learned().tau1(estimated(new_york(1000), np.random.default_rng(0))).interval
    assert low <= 9 <= high


def test_each_record_gets_its_risk(drawn: Ints, tmp_path: Path) -> None:
    weights = np.where(drawn[:, 0] > 10, 30.0, 15.0)
    houses = [f"h{row // 2}" for row in range(len(drawn))]
    table = table_of(drawn, w=weights.tolist(), house=houses)
    place = tmp_path / "risks.parquet"
    risk = rr.population(table, weight="w", household="house", risk_file=place)
    held = pq.read_table(place).to_pydict()
    assert list(held) == ["row", "crowd", "risk", "population_unique", "population_risk",
                          "individual_risk", "household_risk"]  # fmt: skip
    assert sum(held["population_unique"]) == pytest.approx(risk.tau1.value)
    alone = [each for each, crowd in zip(held["population_risk"], held["crowd"], strict=True)
             if crowd == 1]  # fmt: skip
    assert sum(alone) == pytest.approx(risk.tau2.value)
    for unique, mean, crowd in zip(
        held["population_unique"], held["population_risk"], held["crowd"], strict=True
    ):
        assert 0.0 <= unique <= mean <= 1.0 / crowd + 1e-12
    first = individual_risk(np.array([held["crowd"][0]]), np.array([weights[0] * held["crowd"][0]]))
    assert held["crowd"][0] == 1 or first[0] > 0
    two = [1 - (1 - held["population_risk"][row]) * (1 - held["population_risk"][row + 1])
           for row in range(0, len(drawn), 2)]  # fmt: skip
    assert held["household_risk"][::2] == pytest.approx(two)
    assert risk.households is not None
    assert risk.households.overall_risk == pytest.approx(np.mean(two))


def test_the_same_seed_gives_the_same_answer(drawn: Ints) -> None:
    one, other, third = (
        rr.population(table_of(drawn), population=POPULATION, seed=seed) for seed in (1, 1, 2)
    )
    assert one == other
    assert one.tau1 != third.tau1
    assert one.envelope.seed == 1


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({}, "says nothing of the population's size"),
    ({"population": 3}, "the sample alone has 4 people"),
    ({"fraction": 1.5}, "above 0 and at most 1"),
    ({"fraction": 0.0}, "above 0 and at most 1"),
    ({"fraction": -1.0}, "above 0 and at most 1"),
    ({"fraction": math.nan}, "above 0 and at most 1"),
    ({"population": 10, "fraction": 0.5}, "both say how large it is"),
    ({"weight": "zero"}, "no positive number"),
    ({"weight": "negative"}, "no positive number"),
    ({"weight": "gap"}, "no positive number"),
    ({"weight": "small"}, "add up to 2 people, and the sample alone has 4"),
    ({"weight": "absent"}, "absent"),
    ({"weight": "fine", "fraction": 0.5}, "everybody was sampled alike"),
    ({"weight": "fine", "count": "counts"}, "can't both hold"),
    ({"population": 10, "missing": "wildcard"}, "has no crowds"),
    ({"population": 10, "household": "gap"}, "don't say with whom they live"),
    ({"population": 10, "seed": -1}, "--seed"),
]


@pytest.mark.parametrize(("given", "said"), REFUSED, ids=[str(each) for each, _ in REFUSED])
def test_what_cannot_be_is_refused(given: dict[str, Any], said: str) -> None:
    table = {
        "a": [1, 1, 2, 3], "zero": [1, 0, 1, 1], "negative": [1, -1, 1, 1], "gap": [1, None, 1, 1],
        "small": [0.5] * 4, "fine": [2] * 4, "counts": [1] * 4,
    }  # fmt: skip
    with pytest.raises(ReidriskError) as refused:
        rr.population(table, columns=["a"], **given)
    assert said in refused.value.message


def test_a_person_may_have_several_rows() -> None:
    table = {"id": [1, 1, 2, 3, 3], "a": ["x", "y", "x", "x", "y"]}
    risk = rr.population(table, person="id", population=30)
    assert risk.sampled == 3
    assert risk.sample_alone.people == 1
    with pytest.raises(ContradictoryOptions, match="several rows"):
        rr.population(table, person="id", population=30, risk_file="risks.csv")


def test_the_order_of_the_records_changes_nothing(drawn: Ints) -> None:
    one, other = (
        rr.population(table_of(rows), population=POPULATION) for rows in (drawn, drawn[::-1])
    )
    assert one.tau1 == other.tau1
    names = [{"c0": [f"n{each}" for each in rows[:, 0].tolist()]} for rows in (drawn, drawn[::-1])]
    one, other = (
        rr.population(table_of(rows) | name, population=POPULATION)
        for rows, name in zip((drawn, drawn[::-1]), names, strict=True)
    )
    assert one.tau1 == other.tau1


def test_only_estimated_measures_can_be_limited(risk: rr.PopulationRisk) -> None:
    assert risk.value("overall_risk") == risk.overall_risk.value
    with pytest.raises(InputError, match="isn't estimated"):
        risk.value("lowest_risk")


def test_no_value_of_a_record_is_said(drawn: Ints) -> None:
    table = table_of(drawn) | {"c0": [f"secret{each}" for each in drawn[:, 0].tolist()]}
    risk = rr.population(table, population=POPULATION, panel=True)
    assert "secret" not in str(risk) + risk.to_json() + repr(risk)


def test_cells_keep_all_people_and_the_order_of_rows() -> None:
    codes = np.array([[3, 1], [5, 1], [3, 1], [9, 2]])
    cells, cell = cells_of(("a", "b"), codes, np.array([1, 2, 1, 4]), 100)
    assert cells.n == 8
    assert cells.people[cell].tolist() == [2, 2, 2, 4]
    assert cells.values == (3, 2)
    assert (cells.codes[cell][0] == cells.codes[cell][2]).all()


def test_the_words_and_the_picture_say_the_same(risk: rr.PopulationRisk) -> None:
    said = str(risk)
    assert f"{risk.sample_alone.people:,} people of 2,000 are alone in the sample" in said
    assert f"Of them {round(risk.tau1.value):,} are expected" in said
    low, high = (round(end) for end in risk.tau1.interval)
    drawn = risk.plot().to_dict()
    assert f"90 % interval {low:,} to {high:,}" in drawn["description"]
    parts = [row for layer in drawn["layer"] for row in layer["data"]["values"]]
    assert {"what": "alone in the population too", "from": 0.0, "to": risk.tau1.value} in parts
    assert repr(risk).startswith("<PopulationRisk: Of ")


def test_one_person_is_and_several_are() -> None:
    table = {"a": ["x"] * 30 + ["y"], "b": [1] * 30 + [2]}
    said = str(rr.population(rr.read(table, columns=["a", "b"]), population=31))
    assert "all 1 person alone" in said or "1 person" in said
    assert "1 are" not in said


def test_nobody_alone_is_no_promise() -> None:
    risk = rr.population(rr.read({"a": [1, 1, 2, 2] * 30, "b": [1] * 120}), population=12_000)
    assert risk.tau1 == (0.0, (0.0, 0.0))
    assert risk.alone.interval[1] == pytest.approx(300, rel=0.01)
    assert "at most 300 people" in str(risk)
    with pytest.raises(InputError, match="nothing to draw"):
        risk.plot()
