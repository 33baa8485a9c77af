"""The independent law against every shuffle, exact rationals, real shuffles, and itself."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reidrisk.crowds.crowd_sizes import CrowdSizes
from reidrisk.models.crowd_law import members_by_splitting, splitting_work
from reidrisk.models.independent import (
    MOST_WORK,
    MOST_WORK_FOR_ENTROPY,
    entropy_by_spectrum,
    expected_crowd_sizes,
    experience_entropy,
    members_by_spectrum,
    random_entropy,
)
from reidrisk.models.knowledge import distinguishing_attributes
from tests.models.oracles import (
    by_factorial_moments,
    counts_of,
    even,
    every_shuffle,
    listed,
    shuffled_crowds,
    uneven,
)


def crowds_by(way, counts, n):
    sizes, mass = way(distinguishing_attributes(counts, n), n)
    return CrowdSizes(sizes, n * mass / sizes, "expected")


@st.composite
def small_tables(draw, most_people=5):
    n = draw(st.integers(1, most_people))
    column = st.lists(st.integers(0, 2), min_size=n, max_size=n)
    return draw(st.lists(column, min_size=2, max_size=3))


@st.composite
def value_counts(draw):
    n = draw(st.integers(1, 3000))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kinds = st.sampled_from([even, uneven])
    sizes = draw(st.lists(st.integers(1, min(n, 200)), min_size=1, max_size=5))
    return n, [draw(kinds)(n, size, rng) for size in sizes]


# Certain answers.


@given(small_tables())
@settings(deadline=None, max_examples=60)
def test_small_tables_agree_with_every_shuffle_there_is(columns):
    n = len(columns[0])
    predicted = listed(expected_crowd_sizes(counts_of(columns), n), n)
    assert predicted == pytest.approx(every_shuffle(columns), abs=1e-12)


def test_six_people_and_three_columns_agree_with_every_shuffle():
    columns = [[0, 0, 0, 1, 1, 2], [0, 1, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1]]
    predicted = listed(expected_crowd_sizes(counts_of(columns), 6), 6)
    assert predicted == pytest.approx(every_shuffle(columns), abs=1e-12)


@pytest.mark.parametrize(
    "counts",
    [
        [[30, 20, 10], [25, 25, 10], [50, 7, 3], [31, 29]],
        [[1] * 20 + [2] * 20, [40, 20]],
        [[59, 1], [58, 2], [57, 3], [30, 30], [20, 20, 20]],
    ],
)
def test_sixty_people_agree_with_exact_rationals(counts):
    counts = [np.array(each, dtype=np.int64) for each in counts]
    predicted = listed(expected_crowd_sizes(counts, 60), 60)
    assert predicted == pytest.approx(by_factorial_moments(counts, 60), rel=1e-11, abs=1e-13)


def test_random_entropy_is_the_entropy_of_the_exact_histogram():
    counts = [np.array([30, 20, 10]), np.array([25, 25, 10]), np.array([50, 7, 3])]
    crowds, sizes = by_factorial_moments(counts, 60), np.arange(1, 61)
    entropy = np.sum(crowds * sizes / 60 * np.log2(60 / sizes))
    assert random_entropy(counts, 60) == pytest.approx(entropy, abs=1e-11)


# Shuffles: R3A's own way.


@pytest.mark.parametrize("way", [members_by_splitting, members_by_spectrum])
@pytest.mark.parametrize(
    ("n", "values", "kind", "shuffles"),
    [
        (5_000, (2, 5, 40, 30), even, 60),
        (5_000, (2, 5, 40, 30), uneven, 60),
        (20_000, (300, 60), uneven, 30),
        (5_000, (3_000, 2, 3), even, 60),
    ],
)
def test_prediction_is_the_mean_of_shuffles(way, n, values, kind, shuffles):
    rng = np.random.default_rng(20240607)
    counts = [kind(n, each, rng) for each in values]
    predicted = crowds_by(way, counts, n)
    tables = [CrowdSizes.of(each) for each in shuffled_crowds(counts, shuffles, rng)]
    for measure in ("overall_risk", "alone_share", "table_entropy"):
        seen = np.array([getattr(table, measure) for table in tables])
        error = seen.std(ddof=1) / math.sqrt(shuffles)
        assert getattr(predicted, measure) == pytest.approx(seen.mean(), abs=4 * error + 1e-4)


def test_binomial_without_narrowing_would_miss_what_shuffles_show():
    """The figure to beat: B(m, q) puts ORR several standard errors off where counts are small."""
    n, rng = 2_000, np.random.default_rng(5)
    counts = [even(n, 50, rng), even(n, 40, rng)]
    m, q = np.meshgrid(counts[0], counts[1] / n, indexing="ij")
    binomial = np.sum(1 - (1 - q) ** m) / n
    tables = shuffled_crowds(counts, 400, rng)
    seen = np.array([len(each) / n for each in tables])
    error = seen.std(ddof=1) / math.sqrt(len(seen))
    assert abs(binomial - seen.mean()) > 8 * error
    assert expected_crowd_sizes(counts, n).overall_risk == pytest.approx(seen.mean(), abs=4 * error)


# Splitting and spectrum: two ways to one law.


@pytest.mark.parametrize(
    ("n", "values"),
    [
        (3_000, (30, 20, 7)),
        (30_000, (2, 5, 86, 58)),
        (100_000, (300, 86, 10)),
        (30_000, (500, 400)),
    ],
)
def test_spectrum_and_splitting_agree(n, values):
    rng = np.random.default_rng(11)
    counts = [uneven(n, each, rng) for each in values]
    exact, gridded = (crowds_by(w, counts, n) for w in (members_by_splitting, members_by_spectrum))
    assert gridded.overall_risk == pytest.approx(exact.overall_risk, abs=2e-5)
    assert gridded.alone_share == pytest.approx(exact.alone_share, abs=2e-5)
    assert gridded.table_entropy == pytest.approx(exact.table_entropy, abs=3e-4)
    entropy = entropy_by_spectrum(distinguishing_attributes(counts, n), n)
    assert entropy == pytest.approx(exact.table_entropy, abs=1e-4)


def test_spectrum_and_splitting_agree_size_by_size():
    n, rng = 50_000, np.random.default_rng(12)
    counts = [uneven(n, each, rng) for each in (200, 60, 4)]
    exact = listed(crowds_by(members_by_splitting, counts, n), n)[:40]
    gridded = listed(crowds_by(members_by_spectrum, counts, n), n)[:40]
    assert gridded == pytest.approx(exact, rel=2e-2, abs=1e-2)


def test_smallest_crowd_survives_the_spectrum():
    n, rng = 1_000_000, np.random.default_rng(13)
    counts = [even(n, each, rng) for each in (200, 25, 4)]
    ways = members_by_splitting, members_by_spectrum
    exact, gridded = (crowds_by(way, counts, n).smallest_crowd for way in ways)
    assert 10 < exact < 40
    assert abs(gridded - exact) <= 1


def test_a_kept_attribute_of_many_small_counts_needs_no_grid():
    n = sum(range(1, 81))
    counts = [np.arange(1, 81), np.array([n - 1000, 1000])]
    exact, gridded = (crowds_by(w, counts, n) for w in (members_by_splitting, members_by_spectrum))
    assert gridded.overall_risk == pytest.approx(exact.overall_risk, abs=1e-4)


def test_an_attribute_of_small_counts_is_better_kept_out_of_the_spectrum():
    n, rng = 30_000, np.random.default_rng(17)
    attributes = distinguishing_attributes([even(n, each, rng) for each in (20_000, 2, 3)], n)
    exact = math.log2(n) - members_by_splitting(attributes, n).mean_log2
    assert entropy_by_spectrum(attributes, n) == pytest.approx(exact, abs=1e-6)
    assert abs(entropy_by_spectrum(attributes[::-1], n) - exact) > 1e-3


@pytest.mark.filterwarnings("error")
def test_crowds_of_thousands_survive_the_spectrum():
    """Nobody's tuple is empty: the crowds are the tuples, 2000 people each give or take."""
    n, rng = 1_000_000, np.random.default_rng(19)
    counts = [even(n, each, rng) for each in (100, 5)]
    crowds = crowds_by(members_by_spectrum, counts, n)
    assert crowds.distinct == pytest.approx(500, rel=1e-3)
    assert 1600 < crowds.smallest_crowd < 2000 < crowds.largest_crowd < 2400


def test_people_with_the_rarest_tuples_are_alone_and_counted():
    n, rng = 10_000, np.random.default_rng(18)
    counts = [uneven(n, 3_000, rng) for _ in range(8)]
    crowds = crowds_by(members_by_spectrum, counts, n)
    assert crowds.people == pytest.approx(n, rel=1e-12)
    assert crowds.alone_share == pytest.approx(1.0, abs=1e-9)


def test_large_tables_are_left_to_the_spectrum():
    n, rng = 300_000, np.random.default_rng(14)
    counts = [uneven(n, each, rng) for each in (1500, 400)]
    attributes = distinguishing_attributes(counts, n)
    assert splitting_work(attributes, n, MOST_WORK) > MOST_WORK
    by_spectrum = crowds_by(members_by_spectrum, counts, n)
    assert expected_crowd_sizes(counts, n) == by_spectrum
    assert by_spectrum.people == pytest.approx(n, rel=1e-12)


def test_entropy_is_the_same_on_both_sides_of_its_limit():
    n, rng = 60_000, np.random.default_rng(15)
    counts = [uneven(n, each, rng) for each in (80, 60, 5)]
    attributes = distinguishing_attributes(counts, n)
    assert splitting_work(attributes, n, 1e9) > MOST_WORK_FOR_ENTROPY
    exact = math.log2(n) - members_by_splitting(attributes, n).mean_log2
    assert random_entropy(counts, n) == pytest.approx(exact, abs=3e-5)


# What always holds.


@given(value_counts())
@settings(deadline=None, max_examples=60)
def test_people_add_up_and_entropies_keep_their_order(table):
    n, counts = table
    crowds = expected_crowd_sizes(counts, n)
    entropy = random_entropy(counts, n)
    assert crowds.kind == "expected"
    assert crowds.people == pytest.approx(n, rel=1e-9)
    assert crowds.table_entropy == pytest.approx(entropy, abs=1e-3)
    assert -1e-9 <= entropy <= min(experience_entropy(counts), math.log2(n)) + 1e-9


@given(value_counts(), st.integers(2, 50))
@settings(deadline=None, max_examples=40)
def test_one_more_attribute_never_lowers_the_risk(table, values):
    n, counts = table
    more = [*counts, even(n, min(values, n), np.random.default_rng(values))]
    finer, coarser = expected_crowd_sizes(more, n), expected_crowd_sizes(counts, n)
    assert finer.overall_risk >= coarser.overall_risk - 1e-6
    assert random_entropy(more, n) >= random_entropy(counts, n) - 1e-4


@given(value_counts(), st.randoms())
@settings(deadline=None, max_examples=30)
def test_the_order_of_attributes_and_values_does_not_matter(table, random):
    n, counts = table
    mixed = [np.array(random.sample(each.tolist(), len(each))) for each in counts]
    random.shuffle(mixed)
    # Attributes with equally many values may change places, and rounding with them.
    assert random_entropy(mixed, n) == pytest.approx(random_entropy(counts, n), abs=1e-4)


# The ends of the range.


def test_one_attribute_is_left_as_it_is():
    counts = np.array([5_000, 1_234, 700, 700, 1])
    n, p = int(counts.sum()), counts / counts.sum()
    crowds = expected_crowd_sizes([counts], n)
    assert crowds.sizes.tolist() == [1, 700, 1_234, 5_000]
    assert crowds.crowds.tolist() == pytest.approx([1, 2, 1, 1], rel=1e-15)
    assert random_entropy([counts], n) == pytest.approx(-np.sum(p * np.log2(p)), rel=1e-14)
    assert random_entropy([counts], n) == pytest.approx(crowds.table_entropy, rel=1e-14)


def test_an_attribute_with_one_value_changes_nothing():
    counts = [np.array([40, 30, 30]), np.array([90, 10])]
    with_constant = [*counts, np.array([100])]
    assert expected_crowd_sizes(with_constant, 100) == expected_crowd_sizes(counts, 100)
    assert random_entropy(with_constant, 100) == random_entropy(counts, 100)
    assert experience_entropy(with_constant) == experience_entropy(counts)


def test_all_values_distinct_leave_everybody_alone():
    counts = [np.ones(500, dtype=np.int64), np.array([499, 1])]
    assert expected_crowd_sizes(counts, 500).alone == (500.0, 1.0)
    assert random_entropy(counts, 500) == pytest.approx(math.log2(500), rel=1e-15)


def test_a_rare_value_beside_a_common_one_is_one_person_alone():
    counts = [np.array([999, 1]), np.array([999, 1])]
    crowds = listed(expected_crowd_sizes(counts, 1000), 1000)
    # Both rare values on one person: 1 chance in 1000.
    assert crowds[0] == pytest.approx(2 * 0.999 + 0.001, rel=1e-12)
    assert crowds[997] == pytest.approx(0.999, rel=1e-12)
    assert crowds[998] == pytest.approx(0.001, rel=1e-9)


@pytest.mark.parametrize("counts", [[], [[1]], [[1], [1]]])
def test_one_person_is_one_crowd(counts):
    counts = [np.array(each) for each in counts]
    assert listed(expected_crowd_sizes(counts, 1), 1).tolist() == [1.0]
    assert random_entropy(counts, 1) == experience_entropy(counts) == 0.0


def test_without_attributes_everybody_stands_together():
    crowds = expected_crowd_sizes([], 70)
    assert (crowds.sizes.tolist(), crowds.crowds.tolist()) == ([70], [1.0])
    assert random_entropy([], 70) == 0.0


def test_without_people_there_are_no_crowds():
    assert expected_crowd_sizes([np.empty(0, np.int64)], 0).distinct == 0
    assert random_entropy([np.empty(0, np.int64)], 0) == 0.0
    assert experience_entropy([np.empty(0, np.int64)]) == 0.0


def test_values_nobody_holds_do_not_count():
    counts = [np.array([0, 60, 40, 0]), np.array([50, 0, 50])]
    held = [np.array([60, 40]), np.array([50, 50])]
    assert expected_crowd_sizes(counts, 100) == expected_crowd_sizes(held, 100)


def test_counts_that_do_not_add_up_are_refused():
    with pytest.raises(ValueError, match="add up to 99, not to 100"):
        expected_crowd_sizes([np.array([50, 50]), np.array([50, 49])], 100)


def test_experience_entropy_adds_up():
    counts = [np.full(8, 25), np.array([100, 100]), np.array([200])]
    assert experience_entropy(counts) == pytest.approx(4.0, rel=1e-15)


def test_only_numpy_is_imported():
    code = "import sys, reidrisk.models; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
