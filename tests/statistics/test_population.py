"""A sample's statistics as its population's, and one table's counts with another's dependence."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.models.as_published.shuffle import Shuffle
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.registry import chosen_model
from reidrisk.statistics.background import background_tuples, linked, with_background
from reidrisk.statistics.imputation import completed, completed_attribute
from reidrisk.statistics.population import population_cells, population_of
from reidrisk.statistics.statistics import Attribute, Other, PairCounts, Statistics


def statistics_of(columns, pairs=(), records=None):
    """Statistics of columns of texts, {name: values}."""
    names = list(columns)
    attributes = tuple(
        Attribute(name, dict(zip(*_counted(columns[name]), strict=True))) for name in names
    )
    tables = []
    for first, second in pairs:
        joint = [f"{a}|{b}" for a, b in zip(columns[first], columns[second], strict=True)]
        values, counts = _counted(joint)
        cells = {tuple(v.split("|")): c for v, c in zip(values, counts, strict=True)}
        tables.append(PairCounts((first, second), cells))
    return Statistics(records or len(columns[names[0]]), attributes, tuple(tables))


def _counted(values):
    found, counts = np.unique(np.array(values, dtype=str), return_counts=True)
    return found.tolist(), counts.tolist()


def people(n, seed, shift=0):
    """Towns, ages that depend on the town, and sex."""
    rng = np.random.default_rng(seed)
    town = rng.choice(40, n, p=np.random.default_rng(1).dirichlet(np.ones(40)))
    age = (town // 2 + rng.integers(0, 12, n) + shift) % 60
    return {
        "town": [f"t{t}" for t in town],
        "age": [str(a) for a in age],
        "sex": rng.choice(["f", "m"], n).tolist(),
    }


PAIRS = [("town", "age"), ("age", "sex"), ("town", "sex")]


# A sample.


@given(st.integers(0, 2**32 - 1), st.integers(2, 500))
@settings(deadline=None, max_examples=40)
def test_the_populations_cells_keep_the_counts(seed, times):
    rng = np.random.default_rng(seed)
    cells = rng.poisson(1.5, (6, 5)).astype(float)
    cells[0, 0] += 1
    rows, columns = (cells.sum(axis=axis).astype(np.int64) * times for axis in (1, 0))
    found, missed = population_cells(cells, rows, columns)
    held = np.ix_(rows > 0, columns > 0)
    assert found.sum(axis=1) == pytest.approx(rows, rel=1e-6, abs=1e-3 * times)
    assert found.sum(axis=0) == pytest.approx(columns, rel=1e-6, abs=1e-3 * times)
    unseen = cells[held] == 0
    assert np.all(found[held][unseen] > 0)
    assert missed == pytest.approx(found[held][unseen].sum() / rows.sum())


def test_a_table_turned_gives_the_same_cells_turned():
    rng = np.random.default_rng(4)
    cells = rng.poisson(2.0, (9, 4)).astype(float)
    rows, columns = (cells.sum(axis=axis).astype(np.int64) * 30 for axis in (1, 0))
    found, missed = population_cells(cells, rows, columns)
    turned, again = population_cells(cells.T.copy(), columns, rows)
    assert turned == pytest.approx(found.T)
    assert again == pytest.approx(missed)


def drawn_rows(seed, of_one_value):
    """40 rows of 2,000 people, some of one value only, and 30 sampled of each."""
    rng = np.random.default_rng(seed)
    chances = rng.dirichlet(np.full(12, 0.7), 40)
    chances[:of_one_value] = np.eye(12)[0]
    whole = rng.multinomial(2000, chances)
    return whole, np.stack([rng.multivariate_hypergeometric(row, 30) for row in whole])


def test_the_people_a_sample_missed_are_as_many_as_there_are():
    for seed in range(6):
        whole, sample = drawn_rows(seed, 0)
        found, missed = population_cells(sample.astype(float), whole.sum(axis=1), whole.sum(axis=0))
        assert missed == pytest.approx(whole[sample == 0].sum() / whole.sum(), rel=0.25)
        assert np.abs(found - whole).sum() < np.abs(sample * (2000 / 30) - whole).sum()


def test_values_that_exclude_each_other_hardly_get_anybody():
    """Rows of one value among rows of all values: in proportion to independence it would be 6 %."""
    for seed in range(6):
        whole, sample = drawn_rows(seed, 15)
        found, _ = population_cells(sample.astype(float), whole.sum(axis=1), whole.sum(axis=0))
        assert found[:15, 1:].sum() < 0.005 * whole[:15].sum()


def test_what_always_goes_together_goes_together_in_the_population():
    """Each town lies in one county: no model puts anybody elsewhere."""
    towns = np.zeros((60, 4))
    towns[np.arange(60), np.arange(60) % 4] = np.arange(1, 61)
    counts = towns.sum(axis=1).astype(np.int64) * 10, towns.sum(axis=0).astype(np.int64) * 10
    found, missed = population_cells(towns, *counts)
    assert missed == 0.0
    assert found == pytest.approx(10.0 * towns)
    few, some = population_cells(np.minimum(towns, 2), *(np.full(60, 100), np.full(4, 1500)))
    assert some > 0.0
    assert np.all(few > 0.0)


def test_a_sample_says_what_it_is_of():
    sample = completed(statistics_of(people(1000, 0), PAIRS))
    found = population_of(sample, 50_000)
    assert found.records == found.knowledge.n == 50_000
    assert [counts.sum() for counts in found.knowledge.counts] == [50_000] * 3
    assert "sample of 50,000" in found.assumptions[0]
    assert "Dirichlet" in found.assumptions[1]
    assert population_of(sample, 1000) is sample
    with pytest.raises(ValueError, match="can't be of 999"):
        population_of(sample, 999)


def test_folded_cells_cannot_say_what_was_missed():
    sample = rr.read(rr.city(2000), columns=["postcode", "age"], bands={"age": 5})
    whole, folded = (
        population_of(completed(rr.publish(sample, **how)), 40_000)
        for how in ({"unprotected": True}, {"exact": True})
    )
    assert not any("were suppressed, so" in warning for warning in whole.warnings)
    assert any("were suppressed, so" in warning for warning in folded.warnings)


def test_scaled_cells_would_leave_nobody_alone():
    rng = np.random.default_rng(2)
    town = rng.choice(60, 300_000, p=np.random.default_rng(1).dirichlet(np.full(60, 0.7)))
    age = np.minimum(rng.gamma(4, 6 + town % 5, 300_000), 110).astype(int)
    sex = rng.integers(0, 2, 300_000)
    alone = np.sum(np.unique(np.stack([town, age, sex]), axis=1, return_counts=True)[1] == 1)
    chosen = rng.choice(300_000, 6000, replace=False)
    sample = {name: column[chosen].astype(str).tolist()
              for name, column in (("town", town), ("age", age), ("sex", sex))}  # fmt: skip
    seen = completed(statistics_of(sample, PAIRS))
    found = chosen_model(population_of(seen, 300_000).knowledge)[0].crowd_sizes()
    assert found.alone.people == pytest.approx(alone, rel=0.35)
    counts = tuple(each * 50 for each in seen.knowledge.counts)
    cells = {pair: each * 50 for pair, each in seen.knowledge.pairs.items()}
    naive = Knowledge(300_000, seen.names, counts, cells)
    assert chosen_model(naive)[0].crowd_sizes().alone.people < alone / 100


# Background.


def test_matching_goes_both_ways():
    bands = completed_attribute(Attribute("age", {"20-24": 5, "25-29": 5, "95+": 2}), 12)
    years = completed_attribute(Attribute("age", {"21": 1, "22": 2, "26": 3, "70": 6}), 12)
    assert linked(bands, years).tolist() == [[1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]]
    assert linked(years, bands).tolist() == [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0]]


def test_missing_is_missing_and_lumped_values_are_unknown():
    here = completed_attribute(Attribute("a", {"x": 5}, 2, Other(3, 1)), 10)
    there = completed_attribute(Attribute("a", {"y": 1, "x": 5}, 4), 10)
    assert linked(here, there).tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 0]]


def test_the_backgrounds_dependence_and_the_targets_counts():
    background = completed(statistics_of(people(60_000, 4), PAIRS))
    own = people(2000, 5)
    target = completed(statistics_of(own))
    found = with_background(target, background)
    assert len(found.knowledge.pairs) == 3
    for (i, j), cells in found.knowledge.pairs.items():
        assert cells.sum(axis=1) == pytest.approx(target.knowledge.counts[i], abs=0.5)
        assert cells.sum(axis=0) == pytest.approx(target.knowledge.counts[j], abs=0.5)
    truth = len(set(zip(*own.values(), strict=True))) / 2000
    risk = chosen_model(found.knowledge)[0].crowd_sizes().overall_risk
    without = chosen_model(target.knowledge)[0].crowd_sizes().overall_risk
    assert abs(risk - truth) < 0.02 < without - truth
    assert "3 pair tables have the background's dependence" in found.assumptions[0]


def test_values_the_background_lacks_are_independent_and_said():
    own = people(500, 6)
    own["town"][:100] = ["nowhere"] * 100
    background = completed(statistics_of(people(20_000, 7), PAIRS))
    found = with_background(completed(statistics_of(own)), background)
    assert any("town: 1 values of 100 people are unknown" in each for each in found.assumptions)
    town = found.attributes[0].place["nowhere"]
    counts = found.knowledge.counts
    sex = found.knowledge.pairs[0, 2][town]
    assert sex == pytest.approx(100 * counts[2] / 500, rel=0.1)


def test_cells_the_background_leaves_empty_are_opened_where_they_must():
    background = completed(
        statistics_of({"a": ["x", "y"] * 50, "b": ["p", "q"] * 50}, [("a", "b")])
    )
    target = completed(statistics_of({"a": ["x"] * 60 + ["y"] * 40, "b": ["p"] * 50 + ["q"] * 50}))
    found = with_background(target, background)
    assert found.knowledge.pairs[0, 1] == pytest.approx(np.array([[50, 10], [0, 40]]), abs=1)
    assert any("had to be given people" in each for each in found.assumptions)


def test_the_targets_own_pairs_stay():
    own = people(300, 8)
    target = completed(statistics_of(own, [("age", "sex")]))
    background = completed(statistics_of(people(5000, 9), PAIRS))
    found = with_background(target, background)
    assert np.array_equal(found.knowledge.pairs[1, 2], target.knowledge.pairs[1, 2])
    alone = with_background(target, completed(statistics_of({"other": ["x", "y"]})))
    assert "shares no pair" in alone.assumptions[-1]


def test_frequent_tuples_of_the_background_in_the_targets_values():
    rng = np.random.default_rng(10)
    town = rng.integers(0, 20, 5000)
    whole = {"town": [f"t{t}" for t in town], "county": [f"c{t // 4}" for t in town]}
    background = completed(statistics_of(whole, [("town", "county")]))
    part = {name: values[:400] for name, values in whole.items()}
    part["town"] = [town.upper() for town in part["town"]]
    target = completed(statistics_of(part))
    tuples = background_tuples(target, background)
    assert len(tuples) == 20
    model = Shuffle.of(target.knowledge, tuples, samples=2, capacity=2)
    assert model.unreached == 0
    assert model.average_sample_mean == pytest.approx(20 / 400)
