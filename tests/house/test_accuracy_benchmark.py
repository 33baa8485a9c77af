"""The accuracy benchmark runs, on sets small enough for a test."""

from __future__ import annotations

from benchmarks.accuracy.random_dependence import looked_at, trends
from benchmarks.accuracy.random_sets import SETS, ParameterSet


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
