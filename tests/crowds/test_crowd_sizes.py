"""Every measure against its definition, person by person."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reidrisk.crowds import measure_named
from reidrisk.crowds.crowd_sizes import CrowdSizes, bin_label
from reidrisk.errors import InputError

each_crowd = st.lists(st.integers(1, 400), min_size=1, max_size=40)


@given(each_crowd)
def test_measures_are_sums_over_people(sizes: list[int]) -> None:
    crowds = CrowdSizes.of(sizes)
    of_each = [size for size in sizes for _ in range(size)]
    n = len(of_each)
    assert crowds.people == n
    assert crowds.distinct == crowds.expected_reidentifications == len(sizes)
    assert crowds.overall_risk == pytest.approx(float(sum(Fraction(1, s) for s in of_each) / n))
    assert crowds.alone == (of_each.count(1), of_each.count(1) / n)
    assert crowds.smallest_crowd == min(sizes)
    assert crowds.highest_risk == 1 / min(sizes)
    assert crowds.lowest_risk == 1 / max(sizes)
    for risk in (0.01, 0.05, 0.2, 0.5, 1.0):
        assert crowds.share_above(risk) == sum(1 / s > risk for s in of_each) / n
    for k in (1, 2, 5, 100):
        assert crowds.share_in_crowds_of_at_least(k) == sum(s >= k for s in of_each) / n
    entropy = sum(math.log2(n / s) for s in of_each) / n
    assert crowds.table_entropy == pytest.approx(entropy, abs=1e-12)
    assert crowds.table_entropy <= math.log2(n) + 1e-12
    assert sum(crowds.binned().values()) == len(sizes)


@given(st.lists(each_crowd, min_size=1, max_size=4))
def test_parts_add_up(parts: list[list[int]]) -> None:
    each = [CrowdSizes.of(part) for part in parts]
    merged = CrowdSizes.merged((part.sizes, part.crowds) for part in each)
    assert merged == CrowdSizes.of([size for part in parts for size in part])


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 5)), min_size=1))
def test_matching_counts_people(pairs: list[tuple[int, int]]) -> None:
    size, people = (np.array(column, dtype=np.int64) for column in zip(*pairs, strict=True))
    crowds = CrowdSizes.matching(size, people)
    assert crowds.people == people.sum()
    risks = [1 / s for s, held in pairs for _ in range(held)]
    assert crowds.distinct == pytest.approx(sum(risks))
    assert crowds.alone.people == sum(held for s, held in pairs if s == 1)


def test_expected_extremes_are_even_chances() -> None:
    """P(some crowd ≤ s) = 1 − e^(−Σ): 0.3 + 0.5 expected crowds reach one half at size 2."""
    sizes, expected = np.array([1, 2, 50, 60]), np.array([0.3, 0.5, 4.0, 0.2])
    crowds = CrowdSizes(sizes, expected, "expected")
    assert crowds.smallest_crowd == 2
    assert crowds.lowest_risk == 1 / 50


@pytest.mark.parametrize(
    ("size", "label"),
    [(100, "100"), (101, "101-200"), (200, "101-200"), (400, "201-400"), (401, "401-800")],
)
def test_bins(size: int, label: str) -> None:
    assert bin_label(size) == label


def test_measures_by_name() -> None:
    crowds = CrowdSizes.of([1, 1, 5, 10])
    assert measure_named("alone_share").value(crowds) == 2 / 17
    assert measure_named("share_above:0.15").value(crowds) == 7 / 17
    assert measure_named("share_in_crowds_of_at_least:6").value(crowds) == 10 / 17
    for wrong in ("risk", "share_above", "overall_risk:3", "share_above:x"):
        with pytest.raises(InputError):
            measure_named(wrong).value(crowds)


def test_what_is_no_histogram() -> None:
    for sizes, crowds in (([0, 1], [1, 1]), ([2, 1], [1, 1]), ([1], [0]), ([1], [1, 2])):
        with pytest.raises(ValueError):
            CrowdSizes(np.array(sizes), np.array(crowds))
