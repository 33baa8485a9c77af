"""The accuracy benchmark runs, on sets small enough for a test."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.accuracy.judging import judged, one_class
from benchmarks.accuracy.people_of_tables import drawn_people
from benchmarks.accuracy.random_dependence import looked_at, trends
from benchmarks.accuracy.random_sets import SETS, ParameterSet

import reidrisk as rr
from reidrisk.prediction.scoring import scored


def test_the_sets_are_the_papers() -> None:
    assert len(set(SETS)) == 64


def test_independent_columns_look_dependent_until_corrected() -> None:
    found = looked_at(ParameterSet(30_000, 2, 0.1), 2, seed=0)
    assert 0.2 < found.least <= found.mean <= found.most < 0.3
    assert abs(found.corrected) < 0.005


def test_trends_count_the_steps_that_fall() -> None:
    means = {each: 1.0 / (each.records * each.attributes * each.lambda_) for each in SETS}
    assert list(trends(means)) == [
        "- d: falls in 48 of 48 steps, median 1.3x",
        "- λ: falls in 48 of 48 steps, median 5.0x",
        "- N: falls in 48 of 48 steps, median 5.0x",
    ]
    assert "falls in 0 of 48" in next(trends(dict.fromkeys(SETS, 1.0)))


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
