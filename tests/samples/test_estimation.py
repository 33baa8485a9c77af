"""The total of the two-way tables, by loops; how laws and total are combined; sub-sampled fits."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from reidrisk.samples import cells_of, estimated
from reidrisk.samples.estimation import less_sure
from reidrisk.samples.pairs_total import can_be_listed, pairs_total, population_tables
from reidrisk.samples.sampled_cells import SampledCells
from tests.samples.drawn_people import people, sampled


@pytest.fixture(scope="module")
def sample() -> SampledCells:
    return sampled(people(9000, 3, (8, 5, 4)), 600, 1)[0]


def test_tables_of_the_population_hold_its_people_and_the_samples_margins(
    sample: SampledCells,
) -> None:
    tables = population_tables(sample)
    assert set(tables) == {(0, 1), (0, 2), (1, 2)}
    for (i, j), table in tables.items():
        assert table.shape == (sample.values[i], sample.values[j])
        counts = np.bincount(sample.codes[:, i], sample.people) * 9000 / 600
        assert table.sum(axis=1) == pytest.approx(counts, rel=1e-6)
        assert (table > 0).all()


def test_the_total_is_that_of_crowds_expected_under_all_pairs(sample: SampledCells) -> None:
    tables = population_tables(sample)
    combinations = list(product(*map(range, sample.values)))
    expected = dict.fromkeys(combinations, 9000 / len(combinations))
    for _ in range(60):
        for (i, j), table in tables.items():
            held: dict[tuple[int, int], float] = {}
            for each, many in expected.items():
                held[each[i], each[j]] = held.get((each[i], each[j]), 0.0) + many
            for each in combinations:
                expected[each] *= table[each[i], each[j]] / held[each[i], each[j]]
    total = sum(many * math.exp(-many) for many in expected.values())
    assert pairs_total(sample) == pytest.approx(total, rel=1e-3)


def test_laws_and_total_meet_half_way(sample: SampledCells) -> None:
    found = estimated(sample, np.random.default_rng(0))
    by_laws = (found.totals["stack"] + found.totals["chain"]) / 2
    highest = max(found.totals["stack"], found.totals["chain"])
    total = min(found.totals["pairs"], highest)
    assert found.with_total
    assert found.tau1 == pytest.approx(math.sqrt(by_laws * total), rel=1e-6)
    assert found.alone == pytest.approx(found.tau1 * 9000 / 600)
    assert found.tau1 <= found.tau2 <= found.sample_alone


def test_people_who_cannot_be_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values that exclude each other make the two-way tables' total too high: no law follows it."""
    rows = people(20_000, 3, (30, 8, 2))
    rows[:, 1] = np.where(rows[:, 0] < 15, 0, rows[:, 1])
    sample, _ = sampled(rows, 1500, 2)
    found = estimated(sample, np.random.default_rng(0))
    monkeypatch.setattr("reidrisk.samples.estimation.pairs_total", lambda *_: 1e9)
    beyond = estimated(sample, np.random.default_rng(0))
    highest = max(beyond.totals["stack"], beyond.totals["chain"])
    assert found.totals["pairs"] < beyond.totals["pairs"]
    assert beyond.tau1 <= highest
    assert beyond.disagreement > found.disagreement


def test_what_is_left_of_a_person_is_spread_as_the_laws_would(sample: SampledCells) -> None:
    found = estimated(sample, np.random.default_rng(0))
    one, inverse = sample.alone, np.mean([law.inverse(sample) for law in found.laws], axis=0)
    bare = np.mean([law.unique(sample) for law in found.laws], axis=0)
    larger = (inverse[one] - bare) / (1.0 - bare)
    assert found.inverse[one] == pytest.approx(found.unique + (1.0 - found.unique) * larger)
    rest = np.setdiff1d(np.arange(sample.cells), one)
    assert found.inverse[rest] == pytest.approx(inverse[rest])


def test_where_combinations_are_too_many_the_laws_speak_alone() -> None:
    large, _ = sampled(people(9000, 3, (200, 200, 90)), 500, 1)
    assert not can_be_listed(large)
    found = estimated(large, np.random.default_rng(0))
    by_laws = (found.totals["stack"] + found.totals["chain"]) / 2
    assert not found.with_total
    assert found.tau1 == pytest.approx(by_laws, rel=1e-6)


def test_less_sure_probabilities_keep_their_order_and_their_total() -> None:
    p = np.array([0.001, 0.2, 0.7, 0.99])
    weight = np.array([1.0, 2.0, 3.0, 4.0])
    found = less_sure(p, float(np.dot(weight, p)), weight)
    assert np.dot(weight, found) == pytest.approx(np.dot(weight, p))
    assert np.all(np.diff(found) > 0)
    assert found[0] > p[0]
    assert found[-1] < p[-1]


def test_weighted_cells_are_worth_what_their_weights_leave() -> None:
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 3, (200, 2))
    weight = rng.uniform(1.0, 9.0, 200)
    cells, _ = cells_of(("a", "b"), rows, np.ones(200, dtype=np.int64), 5000, weight=weight)
    scaled = weight * 5000 / weight.sum()
    assert cells.worth == pytest.approx(scaled.sum() ** 2 / (scaled**2).sum())
    assert cells.held.sum() == pytest.approx(cells.worth)
    assert np.dot(cells.people, cells.stands_for) == pytest.approx(5000)
    assert cells.fraction == pytest.approx(1.0 / cells.stands_for)
    plain, _ = cells_of(("a", "b"), rows, np.ones(200, dtype=np.int64), 5000)
    assert replace(plain, people=plain.people).stands_for == pytest.approx(25.0)
