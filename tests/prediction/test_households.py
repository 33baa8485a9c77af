"""Predicting tables of households: nearer than from pairs alone, recognised, and said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.crowds import CrowdSizes
from reidrisk.measurement import TableRisk
from reidrisk.prediction.households import agreeing, different, people_alike
from tests.publishing.test_shared_people import HOUSEHOLD, people, totals

SENTENCE = "People come in groups that share district, children and income, as households do: "
WAYS: Sequence[dict[str, Any]] = ({"unprotected": True}, {})
NAMES = ["unprotected", "rounded"]


def asked(statistics: rr.Statistics, **options: Any) -> TableRisk:
    return rr.predict(statistics, model=options.pop("model", "pairwise"), **options)


@pytest.mark.parametrize("protection", WAYS, ids=NAMES)
def test_households_bring_the_prediction_nearer_and_are_said(protection: dict[str, Any]) -> None:
    table = people(3000)
    truth = rr.measure(table).overall_risk
    made = rr.publish(table, shared_by_households=HOUSEHOLD, **protection)
    without, found = asked(replace(made, shared=None)), asked(made)
    assert truth < found.overall_risk < without.overall_risk
    assert found.overall_risk - truth < 0.7 * (without.overall_risk - truth)
    assert any(each.startswith(SENTENCE) for each in found.warnings)
    assert not any("groups" in each for each in without.warnings)
    (group,) = found.groups
    assert made.shared is not None
    assert group.combinations == made.shared.combinations < 0.9 * group.expected
    assert found.to_dict()["groups"] == [group.to_dict()]
    assert without.to_dict()["groups"] == []
    assert found.as_fitted is not None
    assert without.as_fitted is not None
    assert found.as_fitted.overall_risk == without.as_fitted.overall_risk


@pytest.mark.parametrize("protection", WAYS, ids=NAMES)
def test_intervals_are_no_narrower_and_hold_the_truth(protection: dict[str, Any]) -> None:
    table = people(3000, 1)
    truth = rr.measure(table)
    made = rr.publish(table, shared_by_households=HOUSEHOLD, **protection)
    without, found = asked(replace(made, shared=None)), asked(made)
    assert found.intervals.keys() == without.intervals.keys()
    for name in ("overall_risk", "alone_share", "share_in_crowds_of_at_least_2"):
        low, high = found.intervals[name]
        before = without.intervals[name]
        assert high - low >= before[1] - before[0]
    low, high = found.intervals["overall_risk"]
    assert low <= truth.overall_risk <= high
    assert found.intervals["expected_reidentifications"][0] == pytest.approx(low * found.people)


def test_of_all_columns_the_figure_is_the_one_published() -> None:
    table = people(3000, 2)
    columns = [*HOUSEHOLD]
    made = rr.publish(table, shared_by_households=HOUSEHOLD, unprotected=True)
    truth = totals(table)[0] / table.people
    assert asked(made, columns=columns).overall_risk == pytest.approx(truth, abs=0.01)


@pytest.mark.parametrize("protection", WAYS, ids=NAMES)
def test_people_by_themselves_change_nothing(protection: dict[str, Any]) -> None:
    made = rr.publish(people(2000, together=False), shared_by_households=HOUSEHOLD, **protection)
    without, found = asked(replace(made, shared=None)), asked(made)
    assert found.groups == ()
    assert found == without


def test_seen_otherwise_than_published_it_says_nothing() -> None:
    made = rr.publish(people(1000), shared_by_households=HOUSEHOLD, unprotected=True)
    assert asked(made).groups
    assert not asked(made, columns=["district", "income", "sex", "age"]).groups
    assert not asked(made, levels={"income": "2"}).groups
    assert asked(made, columns=[*HOUSEHOLD, "sex"]).groups
    assert not asked(made, model="tree").groups
    assert not asked(replace(made, sample_of=10 * made.records)).groups


def test_three_way_tables_show_households_too() -> None:
    table = people(2000)
    made = rr.publish(table, triples=True, unprotected=True)
    assert HOUSEHOLD in [triple.of for triple in made.triples]
    found = asked(made, model="triples")
    group = next(each for each in found.groups if each.of == HOUSEHOLD)
    assert group.merged_share == 0.0
    assert group.combinations < 0.9 * group.expected
    assert any(each.startswith(SENTENCE) for each in found.warnings)
    alone = rr.publish(people(2000, together=False), triples=True, unprotected=True)
    assert not asked(alone, model="triples").groups


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000), rows=st.integers(1, 60))
def test_agreement_by_enumeration(seed: int, rows: int) -> None:
    """Pairs of people counted one by one."""
    table = np.random.default_rng(seed).integers(0, 3, (rows, 4)).astype(np.int32)
    of_set, of_all = people_alike(table, [0, 1]), people_alike(table, range(4))
    same_set = (table[:, None, :2] == table[None, :, :2]).all(axis=2)
    same_all = (table[:, None] == table[None]).all(axis=2)
    assert of_set.tolist() == same_set.sum(axis=1).tolist()
    assert different(of_set) == len({tuple(row) for row in table[:, :2].tolist()})
    others, in_both = same_set.sum(axis=1) - 1, same_all.sum(axis=1) - 1
    held = others > 0
    expected = 0.0
    if held.any():
        expected = max((in_both[held] / others[held]).mean(), in_both.sum() / others.sum())
    assert agreeing(of_all, of_set) == pytest.approx(expected)


def test_crowds_are_of_as_many_people() -> None:
    made = rr.publish(people(1000, 3), shared_by_households=HOUSEHOLD, unprotected=True)
    crowds: CrowdSizes = asked(made).crowd_sizes
    assert crowds.people == pytest.approx(made.records)
