"""Limits: fractions and crowd sizes as people write them, compared as they are meant."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.crowds import crowd_size, first_size, limit_value, measure_named, rounded_crowd
from reidrisk.errors import InputError


@given(st.integers(1, 2**26), st.integers(1, 2**26))
def test_equal_fractions_are_equal_limits(size: int, times: int) -> None:
    """1/s however it is written: a crowd of s keeps it, one of s − 1 exceeds it."""
    for written in (f"1/{size}", f"k={size}", Fraction(1, size), f" {times} / {size * times} "):
        limit = limit_value(written, "--allowable-risk")
        assert not 1.0 / size > limit
        assert size == 1 or 1.0 / (size - 1) > limit


@given(st.integers(1, 10**5))
def test_the_smallest_crowd_of_a_limit(size: int) -> None:
    assert first_size(limit_value(f"1/{size}", "")) == size
    assert first_size(limit_value(f"k={size}", "")) == size


def test_decimals_mean_what_they_say() -> None:
    assert limit_value("0.2", "") == limit_value("1/5", "") == limit_value("k=5", "") == 0.2
    assert limit_value("0.333", "") < limit_value("1/3", "")
    assert measure_named("smallest_crowd").limit("k=5", "") == 5


def test_a_rounded_fraction_is_recognised() -> None:
    assert {limit: rounded_crowd(limit) for limit in (0.09, 0.33, 0.333, 0.07, 0.0909, 0.015)} == {
        0.09: 11, 0.33: 3, 0.333: 3, 0.07: 14, 0.0909: 11, 0.015: 66,
    }  # fmt: skip
    for size in range(1, 3000):
        assert rounded_crowd(1 / size) is None
    for meant in (0.1, 0.05, 0.025, 0.01, 0.001, 0.15, 0.5, 0.0, 1.0, math.inf):
        assert rounded_crowd(meant) is None
    assert "1/11 is 0.09091" in measure_named("highest_risk").rounding_note(0.09)
    assert "1/11 or k=11" in measure_named("highest_risk").rounding_note(0.09)
    assert measure_named("overall_risk").rounding_note(0.09) == ""


@pytest.mark.parametrize("written", ["", "1/0", "1/", "k=0", "k=1.5", "k=-3", "often", "1/11/2"])
def test_what_is_no_limit(written: str) -> None:
    with pytest.raises(InputError):
        limit_value(written, "--allowable-risk")


def test_a_crowd_size_limits_no_share() -> None:
    with pytest.raises(InputError, match="1/11"):
        measure_named("overall_risk").limit("k=11", "--allowable-risk")


def test_crowd_sizes() -> None:
    assert [crowd_size(each) for each in (11, "11", "k=11", "1/11", " K = 11 ")] == [11] * 5
    for wrong in ("0", "-3", "2/11", "many", "1.5"):
        with pytest.raises(InputError):
            crowd_size(wrong)


def test_limits_in_python() -> None:
    ages = [place for place in range(3) for _ in range(11)]
    table = rr.read({"age": ages, "odd": list(range(33))}, columns=["age", "odd"])
    for limit in (Fraction(1, 11), "1/11", "k=11", 1 / 11):
        found = rr.search(table, allowable_risk=limit)
        assert [view.columns for view in found.minimal_risky] == [("odd",)]
        safer = rr.generalise(table, allowable_risk=limit, play=0)
        assert safer.levels["age"] == 0
        assert safer.envelope.warnings == ()
    rounded = rr.search(table, allowable_risk=0.09)
    assert len(rounded.minimal_risky) == 2
    assert "1/11 or k=11" in rounded.envelope.warnings[-1]
    safer = rr.generalise(table, allowable_risk=0.09, play=0)
    assert "crowds of at least 12" in str(safer)
    assert "1/11 or k=11" in str(safer)
    assert rr.generalise(table, k="k=11", play=0).levels["age"] == 0
    assert measure_named("share_above:1/11").threshold(0.5) == 0.5
    assert rr.measure(table).value("share_above:1/11") == rr.measure(table).share_above(1 / 11)
