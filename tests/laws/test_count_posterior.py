"""Posterior means against sums over every number of people, for both laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reidrisk.laws.count_posterior import (
    KnownCells,
    PublishedLaw,
    fitted_shape,
    log_gamma,
    posterior_of_listed,
    posterior_of_unlisted,
)
from reidrisk.laws.discrete_gaussian import DiscreteGaussian, seeded_words
from reidrisk.laws.discrete_noise import DiscreteNoise
from reidrisk.laws.random_rounding import RandomRounding


def noise(deviation: float) -> DiscreteGaussian:
    return DiscreteGaussian.at_least(deviation**2)


def prior(most: int, expected: float, shape: float) -> np.ndarray:
    """The negative binomial's probabilities of 0 … most, from one to the next."""
    logs = [shape * math.log(shape / (shape + expected))]
    for x in range(1, most + 1):
        step = (x - 1 + shape) / x * expected / (shape + expected)
        logs.append(logs[-1] + math.log(step))
    return np.exp(np.array(logs))


def moments(joint: np.ndarray) -> tuple[float, float]:
    share, people = joint / joint.sum(), np.arange(len(joint))
    mean = float(np.dot(share, people))
    return mean, float(np.dot(share, (people - mean) ** 2))


def near(found: tuple[float, float], wanted: tuple[float, float], off: float) -> None:
    """Within a share of the posterior's own standard deviation."""
    scale = math.sqrt(wanted[1]) + 1e-6
    assert abs(found[0] - wanted[0]) <= off * scale
    assert abs(math.sqrt(found[1]) - math.sqrt(wanted[1])) <= 3 * off * scale


@given(
    st.sampled_from([0.5, 1.3, 6.0, 53.0]),
    st.floats(0.01, 900.0),
    st.floats(0.02, 1e4),
    st.floats(-3.0, 3.0),
)
def test_noise_read_back_as_every_number_says(
    deviation: float, expected: float, shape: float, off: float
) -> None:
    law = noise(deviation)
    people = np.random.default_rng(int(off * 1e6) % 1000).negative_binomial(
        shape, shape / (shape + expected)
    )
    y = round(people + off * deviation)
    most = max(y, 0) + math.ceil(12 * deviation) + 10
    joint = prior(most, expected, shape) * np.exp(law.log_mass(y - np.arange(most + 1)))
    if joint.sum() < 1e-280:
        return
    found = posterior_of_listed(np.array([y]), np.array([expected]), shape, DiscreteNoise(law))
    near((found.mean[0], found.variance[0]), moments(joint), 0.02)


@pytest.mark.parametrize("deviation", [0.5, 6.0, 53.0])
@pytest.mark.parametrize("shape", [0.05, 1.0, 1e4])
def test_what_stayed_below_read_back(deviation: float, shape: float) -> None:
    law, above = noise(deviation), math.ceil(2 * deviation)
    expected = np.array([0.001, 0.3, 4.0, 70.0])
    found = posterior_of_unlisted(expected, shape, DiscreteNoise(law, above))
    most = above + math.ceil(12 * deviation)
    below = np.exp(law.log_at_most(above - np.arange(most + 1)))
    for place, m in enumerate(expected):
        wanted = moments(prior(most, float(m), shape) * below)
        near((found.mean[place], found.variance[place]), wanted, 0.03)


@given(st.integers(2, 12), st.integers(0, 40), st.floats(0.01, 300.0), st.floats(0.02, 1e4))
def test_rounding_read_back_as_every_number_says(
    base: int, step: int, expected: float, shape: float
) -> None:
    """|x − y| < base, by the probability that x is published as y."""
    law, y = RandomRounding(base), step * base
    people = np.arange(y + base)
    whole, rest = np.divmod(people, base)
    published = np.where(
        y == whole * base + base, rest / base, np.where(y == whole * base, 1 - rest / base, 0.0)
    )
    joint = prior(y + base - 1, expected, shape) * published
    if joint.sum() < 1e-280:
        return
    if step:
        found = posterior_of_listed(np.array([y]), np.array([expected]), shape, law)
    else:
        found = posterior_of_unlisted(np.array([expected]), shape, law)
    wanted = moments(joint)
    assert found.mean[0] == pytest.approx(wanted[0], rel=1e-6, abs=1e-9)
    assert found.variance[0] == pytest.approx(wanted[1], rel=1e-5, abs=1e-9)
    assert max(y - base + 1, 0) <= found.mean[0] <= y + base - 1


@given(st.floats(1e-3, 1e7))
def test_log_gamma(x: float) -> None:
    assert log_gamma(np.array([x]))[0] == pytest.approx(math.lgamma(x), rel=1e-11, abs=1e-9)


def published(
    people: np.ndarray, law: PublishedLaw, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Numbers and which of them are listed."""
    if isinstance(law, RandomRounding):
        whole, rest = np.divmod(people, law.base)
        told = law.base * (whole + (rng.random(len(people)) < rest / law.base))
        return told, told > 0
    assert isinstance(law, DiscreteNoise)
    told = people + law.noise.draw(len(people), seeded_words(rng))
    return told, told > law.above


LAWS = {
    "rounding": RandomRounding(5),
    "noise": DiscreteNoise(noise(4.0), 8),
    "loud": DiscreteNoise(noise(20.0), 40),
}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("shape", [0.3, 4.0])
def test_the_shape_is_found_and_means_are_right_on_average(name: str, shape: float) -> None:
    law, rng = LAWS[name], np.random.default_rng(5)
    expected = np.exp(rng.uniform(math.log(2.0), math.log(300.0), 6_000))
    people = rng.poisson(expected * rng.gamma(shape, 1 / shape, len(expected)))
    told, listed = published(people, law, rng)
    found = fitted_shape(KnownCells(told[listed], expected[listed], expected[~listed]), law)
    assert found == pytest.approx(shape, rel=0.15)
    mean = np.empty(len(people))
    mean[listed] = posterior_of_listed(told[listed], expected[listed], found, law).mean
    mean[~listed] = posterior_of_unlisted(expected[~listed], found, law).mean
    assert mean[~listed].sum() == pytest.approx(people[~listed].sum(), rel=0.1)
    assert mean.sum() == pytest.approx(people.sum(), rel=0.01)
    # Nearer than what was published, and than independence.
    apart = ((mean - people) ** 2).mean()
    assert apart < ((np.where(listed, told, 0) - people) ** 2).mean()
    assert apart < ((expected - people) ** 2).mean()


def test_independence_is_found_too() -> None:
    rng = np.random.default_rng(2)
    expected = np.exp(rng.uniform(0.0, 6.0, 5_000))
    people = rng.poisson(expected)
    law = DiscreteNoise(noise(3.0), 6)
    told, listed = published(people, law, rng)
    known = KnownCells(told[listed], expected[listed], expected[~listed])
    assert fitted_shape(known, law) > 100.0


@pytest.mark.parametrize("name", LAWS)
def test_nothing_listed_and_nothing_unlisted(name: str) -> None:
    law, nothing = LAWS[name], np.empty(0)
    assert fitted_shape(KnownCells(np.empty(0, np.int64), nothing, np.ones(3)), law) > 0.0
    assert fitted_shape(KnownCells(np.array([50]), np.array([40.0]), nothing), law) > 0.0
    assert not len(posterior_of_unlisted(nothing, 1.0, law).mean)
    assert not len(posterior_of_listed(np.empty(0, np.int64), nothing, 1.0, law).mean)


def test_numbers_below_nought_are_read_too() -> None:
    law = DiscreteNoise(noise(30.0))
    found = posterior_of_listed(np.array([-200, -30, 0]), np.full(3, 10.0), 1.0, law).mean
    assert 0.0 < found[0] < found[1] < found[2] < 10.0


def test_rounding_is_right_on_average() -> None:
    law = RandomRounding(5)
    for people in range(23):
        told = np.arange(0, 30, 5)
        one = law.listed(told)
        share = np.exp(
            [np.where(one.people[one.place[row]] == people, one.log_weight[row], -np.inf).max()
             for row in range(len(told))]
        )  # fmt: skip
        assert share.sum() == pytest.approx(1.0)
        assert np.dot(share, told) == pytest.approx(people)
