"""The two bounds the strides rest on, in exact arithmetic for laws small enough to list."""

from __future__ import annotations

import math
from fractions import Fraction
from math import comb

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from reidrisk.laws.law_tables import PRECISION, _strides, reach, reach_to_end

from .oracles import mean_of, rational_law


def variance_of(law):
    mean = mean_of(law)
    return sum((k - mean) ** 2 * p for k, p in law.items())


@given(st.integers(10, 60), st.data())
@settings(deadline=None, max_examples=80)
def test_every_hth_summand_is_enough(n, data):
    """|ε| ≤ Σ_t exp(−V(1 − cos(2πt/h))) for the law of X_{j−1} given X_j = k."""
    counts = data.draw(st.lists(st.integers(1, n - 1), min_size=2, max_size=3))
    c, k, h = (
        data.draw(st.integers(1, n - 1)),
        data.draw(st.integers(0, n)),
        data.draw(st.integers(2, 4)),
    )
    summands = {
        m: p * comb(m, k) * comb(n - m, c - k)
        for m, p in rational_law(n, counts).items()
        if 0 <= c - k <= n - m and k <= m
    }
    total = sum(summands.values(), Fraction(0))
    assume(total > 0)
    law = {m: p / total for m, p in summands.items()}
    variance = float(variance_of(law))
    bound = sum(math.exp(-variance * (1 - math.cos(2 * math.pi * t / h))) for t in range(1, h))
    for start in range(h):
        strided = h * sum((p for m, p in law.items() if m % h == start), Fraction(0))
        assert abs(float(strided - 1)) <= bound + 1e-15


@given(st.integers(2, 60), st.data())
@settings(deadline=None, max_examples=80)
def test_nothing_likely_lies_beyond_the_reach(n, data):
    counts = data.draw(st.lists(st.integers(1, n), min_size=2, max_size=4))
    depth = data.draw(st.floats(0.5, 30))
    law = rational_law(n, counts)
    away = reach(float(variance_of(law)), depth) + 1e-9
    mean = mean_of(law)
    low = min(away, reach_to_end(float(mean_of(law)) - min(law), depth) + 1e-9)
    high = min(away, reach_to_end(max(law) - float(mean_of(law)), depth) + 1e-9)
    above = float(sum((p for k, p in law.items() if k - mean > high), Fraction(0)))
    below = float(sum((p for k, p in law.items() if mean - k > low), Fraction(0)))
    assert max(above, below) <= math.exp(-depth)


def test_strides_are_as_wide_as_the_bound_allows():
    variance = np.geomspace(0.01, 1e9, 400)
    strides = _strides(variance)
    assert (strides[variance < PRECISION / 2] == 1).all()
    wide = strides > 1
    assert (variance * (1 - np.cos(2 * np.pi / strides)) >= PRECISION * (1 - 1e-6))[wide].all()
    assert (variance * (1 - np.cos(2 * np.pi / (strides + 1))) < PRECISION)[wide].all()
