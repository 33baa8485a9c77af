"""The panel's estimators, against their laws worked out by enumeration and published answers."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from reidrisk.samples.class_size_estimators import (
    ClassSizes,
    _snb_classes,
    dankar,
    ewens,
    pitman,
    slide_negative_binomial,
    zayatz,
)
from reidrisk.samples.log_linear import main_effects, two_way
from reidrisk.samples.panel import ESTIMATORS, panel, scatter
from tests.samples.drawn_people import new_york, people, sampled


def restaurant(n: int, theta: float, alpha: float) -> dict[tuple[int, ...], float]:
    """Every partition of n people and its chance: one joins a class of s by s − α, or opens one."""
    laws: dict[tuple[int, ...], float] = {(1,): 1.0}
    for there in range(1, n):
        following: dict[tuple[int, ...], float] = {}
        for sizes, chance in laws.items():
            for at, size in enumerate(sizes):
                grown = tuple(sorted((*sizes[:at], size + 1, *sizes[at + 1 :])))
                part = chance * (size - alpha) / (theta + there)
                following[grown] = following.get(grown, 0.0) + part
            opened = tuple(sorted((*sizes, 1)))
            part = chance * (theta + alpha * len(sizes)) / (theta + there)
            following[opened] = following.get(opened, 0.0) + part
        laws = following
    return laws


def sizes(*people: int, population: int) -> ClassSizes:
    return ClassSizes.of(np.array(people, dtype=np.int64), population)


@pytest.mark.parametrize(("theta", "alpha"), [(2.0, 0.3), (0.7, 0.6), (5.0, 0.01)])
def test_pitmans_expected_uniques_are_those_of_every_partition(theta: float, alpha: float) -> None:
    whole = 7
    exact = sum(
        chance * sizes.count(1) for sizes, chance in restaurant(whole, theta, alpha).items()
    )
    logs = math.lgamma(theta + 1) - math.lgamma(theta + alpha)
    logs += math.lgamma(whole + theta + alpha - 1) - math.lgamma(whole + theta)
    assert whole * math.exp(logs) == pytest.approx(exact)


def test_pitmans_likelihood_is_that_of_every_partition() -> None:
    from reidrisk.samples.class_size_estimators import _pitman_likelihood

    laws = restaurant(6, 1.5, 0.4)
    one, other = (3, 2, 1), (2, 2, 1, 1)
    found = [_pitman_likelihood(sizes(*each, population=10), 0.4, 1.5) for each in (one, other)]
    # A partition's chance is its likelihood times how many ways there are to form it.
    ways = [60, 45]
    chances = [laws[tuple(sorted(each))] for each in (one, other)]
    assert found[0] - found[1] == pytest.approx(
        math.log(chances[0] / ways[0]) - math.log(chances[1] / ways[1])
    )


def test_ewens_fits_the_number_of_classes() -> None:
    sample = sizes(1, 1, 1, 2, 5, population=100)
    found = ewens(sample)
    theta = found * 99 / (10 - found)
    assert sum(theta / (theta + i) for i in range(10)) == pytest.approx(5.0)
    assert math.isnan(ewens(sizes(1, 1, population=10)))


def test_zayatz_is_the_ratio_of_hypergeometric_chances() -> None:
    sample = sizes(1, 1, 1, 2, 2, 4, population=60)
    n = sample.n
    chances = {size: stats.hypergeom(60, size, n).pmf(1) for size in (1, 2, 4)}
    share = 3 * chances[1] / (3 * chances[1] + 2 * chances[2] + chances[4])
    assert zayatz(sample) == pytest.approx(3 * share)


def test_snb_counts_the_classes_that_a_sample_leaves() -> None:
    pi, a, p = 0.2, 0.8, 0.15
    more = np.arange(2000)
    chances = stats.nbinom(a, p).pmf(more)
    ones = 500 * float((chances * stats.binom(more + 1, pi).pmf(1)).sum())
    twos = 500 * float((chances * stats.binom(more + 1, pi).pmf(2)).sum())
    assert _snb_classes(500.0, pi, a, p) == pytest.approx((ones, twos), rel=1e-9)


def test_dankars_rule_takes_pitman_of_small_samples_and_the_smaller_of_two_of_large_ones() -> None:
    small, large = (sampled(people(5000, 3), n, 1)[0] for n in (400, 1500))
    of = ClassSizes.of(small.people, small.population)
    assert dankar(of) == pitman(of)
    of = ClassSizes.of(large.people, large.population)
    known = [each for each in (zayatz(of), slide_negative_binomial(of)) if not math.isnan(each)]
    assert dankar(of) == min(known)


# As rerun in the study that made these samples public, to the nearest person.
PUBLISHED = {
    1000: {"ewens": 1, "pitman": 30, "zayatz": 159, "main_effects": 8},
    5000: {"ewens": 6, "pitman": 100, "zayatz": 207, "main_effects": 44},
    10_000: {"ewens": 14, "pitman": 158, "zayatz": 234, "main_effects": 88},
}


@pytest.mark.parametrize("n", PUBLISHED)
def test_known_answers_of_new_york(n: int) -> None:
    found = panel(new_york(n))
    for name, value in PUBLISHED[n].items():
        assert found[name] == pytest.approx(value, abs=1.0)


def test_log_linear_models_of_independent_columns_agree_with_poisson_crowds() -> None:
    rng = np.random.default_rng(2)
    rows = np.stack([np.minimum(rng.geometric(0.15, 40_000), 40), rng.integers(0, 12, 40_000),
                     np.minimum(rng.geometric(0.3, 40_000), 20)], axis=1)  # fmt: skip
    sample, crowds = sampled(rows, 8000, 5)
    true = int((crowds[sample.alone] == 1).sum())
    assert true > 30
    assert main_effects(sample) == pytest.approx(true, rel=0.3)


def test_two_way_interactions_keep_every_pair_table() -> None:
    sample, _crowds = sampled(people(20_000, 8, (8, 5, 3)), 3000, 4)
    assert 0.0 <= two_way(sample) <= len(sample.alone)


def test_the_panel_names_all_and_says_how_far_they_scatter() -> None:
    sample, _ = sampled(people(5000, 3), 400, 1)
    found = panel(sample)
    assert tuple(found) == ESTIMATORS
    assert scatter({"a": 2.0, "b": 8.0, "c": math.nan}) == 4.0
    assert math.isinf(scatter({"a": 0.0, "b": 1.0}))
    assert math.isnan(scatter({"a": math.nan}))
    assert all(one <= other for one, other in pairwise([0.0, scatter(found)]))


def test_very_large_classes_are_no_trouble() -> None:
    sample = sizes(1, 1, 1, 2, 2, 50_000, 200_000, population=1_000_000)
    for estimate in (ewens, pitman, zayatz, slide_negative_binomial, dankar):
        found = estimate(sample)
        assert math.isnan(found) or 0.0 <= found <= 3.0 + 1e-9
