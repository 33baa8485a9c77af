from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reidrisk.models.knowledge import ValueCounts
from reidrisk.models.spectrum import Spectrum, independent_spectrum
from tests.models.oracles import uneven

attributes = st.lists(
    st.lists(st.integers(1, 2000), min_size=1, max_size=8), min_size=1, max_size=4
)


def of_equal_size(lists):
    """Attributes of one table: the shorter ones get one more value for the rest of the people."""
    n = max(map(sum, lists))
    filled = [[*each, n - sum(each)] for each in lists]
    return [ValueCounts.of(np.array(each), n) for each in filled], n


@given(attributes)
@settings(deadline=None, max_examples=60)
def test_tuples_and_probability_are_exact(lists):
    table, n = of_equal_size(lists)
    spectrum = independent_spectrum(table, n)
    tuples = math.prod(attribute.number for attribute in table)
    assert spectrum.mass.sum() + spectrum.beyond == pytest.approx(1.0, abs=1e-12)
    if spectrum.beyond == 0.0:
        # Noise of the transform weighs most in the rarest bins.
        noise = 1e-14 * np.sum(1 / spectrum.shares)
        assert spectrum.tuples == pytest.approx(tuples, rel=1e-9, abs=noise)


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=30), st.integers(1, 20))
@settings(deadline=None, max_examples=60)
def test_one_attribute_is_exact_at_any_step(counts, times):
    n = sum(counts)
    spectrum = Spectrum.of(ValueCounts.of(np.array(counts), n)).coarsened(times)
    assert spectrum.mass.sum() == pytest.approx(1.0, rel=1e-12)
    assert spectrum.tuples == pytest.approx(len(counts), rel=1e-9)
    assert spectrum.step == pytest.approx(0.01 * times)


def test_any_smooth_sum_is_right_once_narrowed():
    """Mean of h(log q) over people, less v/2·(h' + h''), for h = (log q)² and endless counts."""
    n = 10**15
    table = [
        ValueCounts.of(np.array(each) * (n // 100), n)
        for each in ([37, 23, 40], [11, 89], [50, 31, 19])
    ]
    certain = sum(
        math.prod(p) * math.log(math.prod(p)) ** 2
        for p in product(*(attribute.counts / n for attribute in table))
    )
    spectrum = independent_spectrum(table, n).coarsened(20)
    x = np.log(spectrum.shares)
    gridded = np.dot(spectrum.mass, x**2)
    narrowed = gridded - np.dot(spectrum.narrowing, 2 * x + 2) / 2
    assert abs(gridded - certain) > 1e-3
    assert narrowed == pytest.approx(certain, abs=2e-4)


def test_narrowing_is_that_of_finite_counts():
    """Without a grid Σ mass·ε is Σ_j (values_j − 1)/n; the grid adds at most δ²/4 an attribute."""
    n = 1000
    table = [ValueCounts.of(np.array(each), n) for each in ([500, 300, 200], [900, 60, 40])]
    narrowing = independent_spectrum(table, n).narrowing.sum()
    assert 4 / n <= narrowing <= 4 / n + 2 * 0.01**2 / 4 + 1e-12


def test_what_is_too_rare_is_kept_in_total():
    n, rng = 10_000, np.random.default_rng(2)
    table = [ValueCounts.of(uneven(n, 3000, rng), n) for _ in range(8)]
    spectrum = independent_spectrum(table, n)
    assert spectrum.beyond > 0.9
    assert spectrum.mass.sum() + spectrum.beyond == pytest.approx(1.0, abs=1e-12)
    assert spectrum.shares[-1] == pytest.approx(1e-10 / n, rel=0.1)


def test_no_attribute_is_one_tuple_for_all():
    spectrum = independent_spectrum([], 50)
    assert (spectrum.mass.tolist(), spectrum.tuples) == ([1.0], 1.0)
