from __future__ import annotations

import math

import numpy as np
import pytest

from reidrisk.errors import ImpossibleCounts
from reidrisk.laws.recursive_hypergeometric import RecursiveHypergeometric

from .mixed_law import between_whole_counts


def test_whole_counts_are_their_own_law():
    mixed, law = (
        between_whole_counts(500, (40, 50, 100)),
        RecursiveHypergeometric(500, (40, 50, 100)),
    )
    assert len(mixed.laws) == 1
    assert mixed.pmf(3) == law.pmf(3)
    assert (mixed.mean(), mixed.var(), mixed.support()) == (law.mean(), law.var(), law.support())


def test_a_fraction_is_a_weight():
    mixed = between_whole_counts(500, (40, 50.3, 100))
    low, high = (RecursiveHypergeometric(500, (40, m, 100)) for m in (50, 51))
    sizes = np.arange(8)
    for question in ("pmf", "cdf", "sf", "tail"):
        exact = 0.7 * getattr(low, question)(sizes) + 0.3 * getattr(high, question)(sizes)
        assert getattr(mixed, question)(sizes) == pytest.approx(exact, rel=1e-13)
    assert mixed.logpmf(2) == pytest.approx(math.log(mixed.pmf(2)))
    assert mixed.reciprocal() == pytest.approx(0.7 * low.reciprocal() + 0.3 * high.reciprocal())


def test_several_fractions_multiply_their_weights():
    mixed = between_whole_counts(300, (40.5, 50.25, 100))
    assert sorted(mixed.weights) == pytest.approx([0.125, 0.125, 0.375, 0.375])
    assert mixed.mean() == pytest.approx(300 * (40.5 / 300) * (50.25 / 300) * (100 / 300))
    sizes = np.arange(mixed.support()[1] + 1)
    p = mixed.pmf(sizes)
    assert math.fsum(p) == pytest.approx(1.0, abs=1e-12)
    assert mixed.var() == pytest.approx(np.dot(p, (sizes - mixed.mean()) ** 2), rel=1e-10)
    assert mixed.std() == math.sqrt(mixed.var())


def test_draws_come_from_all_laws():
    mixed = between_whole_counts(10, (3.5, 10))
    drawn = mixed.rvs(1000, 1)
    assert sorted(set(drawn.tolist())) == [3, 4]
    assert isinstance(mixed.rvs(rng=1), int)


@pytest.mark.parametrize(
    "counts", [(3.5, 10.5), (math.nan, 3), (-0.5, 3), [i + 0.5 for i in range(9)]]
)
def test_what_cannot_be_is_refused(counts):
    with pytest.raises(ImpossibleCounts):
        between_whole_counts(10, counts)
