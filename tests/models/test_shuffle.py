"""R3A's algorithms: as published, seeded, and in agreement with the closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from reidrisk.models.as_published.semi_random import FrequentTuple, frequent_tuples
from reidrisk.models.as_published.shuffle import Shuffle, Shuffler
from reidrisk.models.independent import Independent
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.strong_dependence import Pair
from tests.models.tables import crowds_in, dependent_table, knowledge_of


def geography(n, rng):
    """Town, its district (one in ten people misplaced), sex, age."""
    town = rng.choice(24, n, p=rng.dirichlet(np.full(24, 2.0)))
    district = np.where(rng.random(n) < 0.9, town // 4, rng.integers(0, 6, n))
    return np.stack([town, district, rng.integers(0, 2, n), rng.integers(0, 12, n)], axis=1)


def test_the_papers_example():
    """Eq. 16: six people, three attributes; eq. 17 the standard data set."""
    counts = (np.array([2, 3, 1]), np.array([3, 3]), np.array([2, 2, 2]))
    shuffler = Shuffler(Knowledge(6, ("a", "b", "c"), counts), ())
    assert [each.tolist() for each in shuffler.standard] == [
        [0, 0, 1, 1, 1, 2],
        [0, 0, 0, 1, 1, 1],
        [0, 0, 1, 1, 2, 2],
    ]


def test_a_random_sample_has_its_means_and_their_average():
    codes = dependent_table(200, (6, 5, 4), np.random.default_rng(0))
    found = Shuffle.of(knowledge_of(codes), samples=6, capacity=4)
    assert found.sample_means.shape == (6,)
    assert found.average_sample_mean == pytest.approx(found.crowd_sizes().overall_risk)
    assert found.fit["samples"] == 6
    assert found.fit["capacity"] == 4
    assert found.crowd_sizes().people == pytest.approx(200)


@pytest.mark.parametrize("values", [(30, 20), (12, 8, 6, 3), (2000, 1500, 900, 800, 700, 900, 3)])
def test_random_shuffles_average_to_the_independent_law(values):
    """The last needs more than 64 bits for a tuple."""
    rng = np.random.default_rng(1)
    codes = np.stack([rng.integers(0, each, 900) for each in values], axis=1)
    counts = tuple(
        np.bincount(column, minlength=v) for column, v in zip(codes.T, values, strict=True)
    )
    knowledge = Knowledge(900, tuple(map(str, range(len(values)))), counts)
    found = Shuffle.of(knowledge, samples=20, capacity=10)
    model = Independent.of(knowledge)
    error = 4 * found.spread().overall_risk / np.sqrt(200) + 2e-5
    assert found.average_sample_mean == pytest.approx(model.crowd_sizes().overall_risk, abs=error)


def test_seeded_whatever_the_cores(monkeypatch):
    knowledge = knowledge_of(dependent_table(100, (5, 4, 3), np.random.default_rng(2)))
    once = Shuffle.of(knowledge, seed=5, samples=4, capacity=3).sample_means
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0}, raising=False)
    again = Shuffle.of(knowledge, seed=5, samples=4, capacity=3).sample_means
    assert once.tolist() == again.tolist()
    other = Shuffle.of(knowledge, seed=6, samples=4, capacity=3).sample_means
    assert once.tolist() != other.tolist()


def test_progress_is_told():
    told = []
    knowledge = knowledge_of(dependent_table(50, (3, 2), np.random.default_rng(3)))
    Shuffle.of(knowledge, samples=3, capacity=1, progress=lambda *now: told.append(now))
    assert [each[1:] for each in told] == [(1, 3), (2, 3), (3, 3)]


# Frequent tuples.


def test_frequent_tuples_are_sure_or_common():
    rng = np.random.default_rng(4)
    knowledge = knowledge_of(geography(20_000, rng))
    found = frequent_tuples(knowledge)
    assert {(each.of, each.on) for each in found} == {(1, 0)}
    assert len(found) == 24
    assert [each.confidence for each in found] == sorted(
        (each.confidence for each in found), reverse=True
    )
    assert all(each.value == each.given // 4 for each in found)


def test_rare_tuples_need_to_be_certain():
    counts = (np.array([29_000, 996, 4]), np.array([29_000, 994, 6]))
    cells = np.array([[29_000.0, 0, 0], [0, 994, 2], [0, 0, 4]])
    knowledge = Knowledge(30_000, ("a", "b"), counts, {(0, 1): cells})
    found = {(each.of, each.value, each.given) for each in frequent_tuples(knowledge)}
    # Two of three, but 4 people: more than 1e-4 of them; 0.67 suffices then.
    assert (0, 2, 2) in found
    scarce = Knowledge(30_000, ("a", "b"), (counts[0] + [1, 0, -1], counts[1] + [1, 0, -1]),
                       {(0, 1): cells + np.array([[1, 0, 0], [0, 0, 0], [0, 0, -1]])})  # fmt: skip
    found = {(each.of, each.value, each.given) for each in frequent_tuples(scarce)}
    assert (0, 2, 2) not in found
    assert (1, 2, 2) in found


# Semi-random.


def test_counts_stay_and_confidences_are_reached():
    rng = np.random.default_rng(5)
    knowledge = knowledge_of(geography(3000, rng))
    frequent = frequent_tuples(knowledge)
    shuffler = Shuffler(knowledge, frequent)
    for _ in range(5):
        table, missed = shuffler.table(rng)
        again = knowledge_of(table)
        assert missed == 0
        for ours, theirs in zip(again.counts, knowledge.counts, strict=True):
            assert np.array_equal(ours, theirs)
        for each in frequent:
            cells, wanted = (k.pair(each.of, each.on) for k in (again, knowledge))
            assert cells[each.value, each.given] == wanted[each.value, each.given]


def test_a_chain_of_pairs_is_not_undone():
    rng = np.random.default_rng(6)
    town = rng.integers(0, 30, 2000)
    codes = np.stack([town, town // 3, town // 15, rng.integers(0, 4, 2000)], axis=1)
    knowledge = knowledge_of(codes)
    found = Shuffle.of(knowledge, frequent_tuples(knowledge), samples=2, capacity=3)
    assert found.unreached == 0
    assert found.fit["ended"] == "all reached"
    table = found.sample(2000, rng)
    assert np.array_equal(table[:, 0] // 3, table[:, 1])
    assert np.array_equal(table[:, 1] // 5, table[:, 2])


def test_no_more_than_there_are():
    """min(background confidence, supp(a)/supp(b)): 0.9 of 50 can't be had of 20."""
    counts = (np.array([20, 80]), np.array([50, 50]))
    knowledge = Knowledge(100, ("a", "b"), counts)
    found = Shuffle.of(knowledge, [FrequentTuple(0, 1, 0, 0, 0.9, 0.6)], samples=1, capacity=2)
    table = knowledge_of(found.sample(100, np.random.default_rng(0)))
    assert table.pairs[0, 1].tolist() == [[20, 0], [30, 50]]
    assert found.unreached == 0


def test_what_cant_be_reached_is_counted():
    counts = (np.array([60, 40]), np.array([50, 50]))
    both = [FrequentTuple(0, 1, 0, 0, 1.0, 0.9), FrequentTuple(0, 1, 0, 1, 0.8, 0.9)]
    found = Shuffle.of(Knowledge(100, ("a", "b"), counts), both, samples=1, capacity=2)
    # 50 of the 60 go to the first; the second wanted 40 and gets 10.
    assert found.unreached == 30
    assert found.fit["ended"] == "some tuples out of reach"


def test_semi_random_shuffles_are_near_the_pair_law():
    """The pair's whole table against its frequent tuples: nearly the same knowledge."""
    rng = np.random.default_rng(7)
    knowledge = knowledge_of(geography(3000, rng))
    found = Shuffle.of(knowledge, frequent_tuples(knowledge), samples=5, capacity=6)
    pair = Pair.of(knowledge).crowd_sizes().overall_risk
    independent = Independent.of(knowledge).crowd_sizes().overall_risk
    assert abs(found.average_sample_mean - pair) < 0.02 < independent - pair


def test_every_confidence_one_is_the_pair_law_itself():
    rng = np.random.default_rng(8)
    town = rng.integers(0, 40, 1500)
    codes = np.stack([town, town // 5, rng.integers(0, 9, 1500)], axis=1)
    knowledge = knowledge_of(codes)
    found = Shuffle.of(knowledge, frequent_tuples(knowledge), samples=10, capacity=10)
    pair = Pair(knowledge, ((0, 1),)).crowd_sizes()
    error = 4 * found.spread().overall_risk / 10
    assert found.average_sample_mean == pytest.approx(pair.overall_risk, abs=error)
    assert crowds_in(found.sample(1500, rng)).sum() == 1500
