"""The sampler: its law against exact probabilities, its arithmetic within 63 bits."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reidrisk.errors import InputError
from reidrisk.laws import discrete_gaussian
from reidrisk.laws.discrete_gaussian import (
    LARGEST_DEVIATION,
    DiscreteGaussian,
    seeded_words,
    system_words,
)

VARIANCES = [0.25, 0.7, 1.0, 4.0, 37.3, 2500.0, 3e6]
# Of a normal number, 4.5 standard deviations: once in 150,000.
FAR = 4.5


def chi_square(found: np.ndarray, expected: np.ndarray) -> float:
    """Standardised: about normal, for many cells."""
    statistic = float(((found - expected) ** 2 / expected).sum())
    degrees = len(expected) - 1
    # Wilson and Hilferty.
    return ((statistic / degrees) ** (1 / 3) - 1 + 2 / (9 * degrees)) / math.sqrt(2 / (9 * degrees))


def exact(law: DiscreteGaussian) -> tuple[np.ndarray, np.ndarray]:
    reach = np.arange(-math.ceil(12 * law.deviation), math.ceil(12 * law.deviation) + 1)
    mass = np.exp(-(reach.astype(float) ** 2) / (2 * law.variance))
    return reach, mass / mass.sum()


@pytest.mark.parametrize("variance", VARIANCES)
def test_draws_have_the_exact_law(variance: float) -> None:
    law = DiscreteGaussian.at_least(variance)
    drawn = law.draw(200_000, seeded_words(np.random.default_rng(7)))
    reach, mass = exact(law)
    number = math.floor(np.log2(len(reach)) * 8) if len(reach) > 100 else len(reach)
    edges = np.unique(np.linspace(0, len(reach), number + 1).astype(int))
    place = np.searchsorted(edges, drawn - reach[0], side="right") - 1
    found = np.bincount(place, minlength=len(edges) - 1).astype(float)
    expected = np.add.reduceat(mass, edges[:-1]) * len(drawn)
    some = expected > 5
    found = np.append(found[some], found[~some].sum())
    expected = np.append(expected[some], max(expected[~some].sum(), 1e-3))
    if expected[-1] < 5:
        assert found[-1] < 20
        found, expected = found[:-1], expected[:-1]
    assert abs(chi_square(found, expected)) < FAR


@pytest.mark.parametrize("variance", VARIANCES)
def test_mean_and_variance(variance: float) -> None:
    law = DiscreteGaussian.at_least(variance)
    drawn = law.draw(200_000, seeded_words(np.random.default_rng(11)))
    reach, mass = exact(law)
    own = float(np.dot(mass, reach.astype(float) ** 2))
    fourth = float(np.dot(mass, reach.astype(float) ** 4))
    assert own <= law.variance * (1 + 1e-12)
    assert abs(drawn.mean()) < FAR * math.sqrt(own / len(drawn))
    assert abs((drawn.astype(float) ** 2).mean() - own) < FAR * math.sqrt(
        (fourth - own**2) / len(drawn)
    )


@pytest.mark.parametrize(("over", "under"), [(0, 5), (3, 5), (5, 5), (7, 5), (22, 5), (1, 1)])
def test_coins_fall_as_often_as_they_should(over: int, under: int) -> None:
    words = seeded_words(np.random.default_rng(3))
    coins = discrete_gaussian._exponential_coins(np.full(100_000, over, np.uint64), under, words)
    p = math.exp(-over / under)
    assert abs(coins.mean() - p) <= FAR * math.sqrt(p * (1 - p) / len(coins))


@pytest.mark.parametrize("bound", [1, 2, 3, 6, 2**40 + 1, 3 * 2**61])
def test_uniform_numbers_below_a_bound(bound: int) -> None:
    words = seeded_words(np.random.default_rng(5))
    found = discrete_gaussian._below(bound, 100_000, words)
    assert int(found.max()) < bound
    parts = min(bound, 6)
    held = np.bincount((found // np.uint64(-(-bound // parts))).astype(int), minlength=parts)
    assert np.all(np.abs(held - 1e5 / parts) <= FAR * math.sqrt(1e5 / parts))


def test_words_at_the_top_or_bottom_make_nothing_likelier() -> None:
    """2⁶⁴ isn't a multiple of 3: the one word too many is drawn anew."""
    told = [np.array([0, 1, 2, 3], np.uint64), np.array([2], np.uint64)]
    found = discrete_gaussian._below(3, 4, lambda count: told.pop(0))
    assert found.tolist() == [2, 1, 2, 0]
    assert not told


@given(st.floats(0.0, float(LARGEST_DEVIATION) ** 2))
def test_variance_is_rounded_up_a_little(variance: float) -> None:
    law = DiscreteGaussian.at_least(variance)
    own, wanted = Fraction(law.numerator, law.denominator), max(Fraction(variance), Fraction(1, 4))
    assert wanted <= own <= wanted * (1 + Fraction(1, 400))
    assert wanted > 1 << 20 or own <= wanted * (1 + Fraction(2, 1 << 20))
    assert DiscreteGaussian.at_least(law.variance) == law


@given(st.floats(0.25, float(LARGEST_DEVIATION) ** 2))
def test_no_product_outgrows_its_bits(variance: float) -> None:
    law = DiscreteGaussian.at_least(variance)
    scale, s, d = law._scale, law.numerator, law.denominator
    shared = math.gcd(d * scale, s)
    largest = discrete_gaussian.FARTHEST * scale * (d * scale // shared) + s // shared
    assert largest**2 < 1 << 63
    assert 2 * s * d * scale**2 // shared**2 < 1 << 63
    assert 2 * s * d * scale**2 % shared**2 == 0


@pytest.mark.parametrize("variance", [0.25, 3.0, 900.0])
def test_tails_are_sums(variance: float) -> None:
    law = DiscreteGaussian.at_least(variance)
    reach, mass = exact(law)
    for bound in (-3, 0, 2, 40):
        assert law.above(bound) == pytest.approx(mass[reach > bound].sum(), rel=1e-9, abs=1e-40)
        held = mass[reach <= bound].sum()
        assert np.exp(law.log_at_most(np.array([bound])))[0] == pytest.approx(held, abs=1e-12)


def test_far_below_nothing_is_left() -> None:
    law = DiscreteGaussian.at_least(4.0)
    assert law.log_at_most(np.array([-1000, 1000])).tolist() == [-np.inf, 0.0]


def test_noise_larger_than_any_table_is_refused() -> None:
    with pytest.raises(InputError, match="epsilon"):
        DiscreteGaussian.at_least(1e15)


def test_words_of_the_system_differ() -> None:
    assert len(np.unique(system_words(1000))) == 1000


def test_as_many_as_asked() -> None:
    law = DiscreteGaussian.at_least(9.0)
    for count in (0, 1, 17):
        assert len(law.draw(count)) == count
