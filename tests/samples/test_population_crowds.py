"""Crowds of the population: against crowds drawn from the laws, and against whole populations."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import reidrisk as rr
from reidrisk.errors import ContradictoryOptions, ImpossibleCounts, InputError
from reidrisk.samples import Estimate, PopulationView, cells_of, estimated
from reidrisk.samples.population_crowds import CellCrowds, expected_crowds
from tests.samples.drawn_people import people, sampled

EVERYBODY = 20_000
COLUMNS = ["county", "age", "sex", "marital_state"]


@pytest.fixture(scope="module")
def estimate() -> Estimate:
    sample, _ = sampled(people(EVERYBODY, 5), 1200, 3)
    return estimated(sample, np.random.default_rng(0))


@pytest.fixture(scope="module")
def whole() -> pa.Table:
    return rr.city(EVERYBODY)


@pytest.fixture(scope="module")
def sample(whole: pa.Table) -> rr.Table:
    rows = np.random.default_rng(0).choice(EVERYBODY, 2000, replace=False)
    return rr.read(whole.take(rows), columns=COLUMNS)


def drawn(estimate: Estimate, cell: int, rng: np.random.Generator, many: int) -> np.ndarray:
    """F of one cell of two people and more: the laws in turn."""
    f = int(estimate.sample.people[cell])
    halves = []
    for law in estimate.laws:
        shape, pi = law.calibration.shape + f, float(np.exp(law.log_pi[cell]))
        halves.append(f + rng.negative_binomial(shape, pi, many))
    return np.concatenate(halves)


def test_the_crowd_of_a_cell_is_the_mean_of_the_laws(estimate: Estimate) -> None:
    rng = np.random.default_rng(1)
    cells = CellCrowds.of_sample(estimate)
    for cell in np.flatnonzero(estimate.sample.people == 2)[:3]:
        crowds = drawn(estimate, int(cell), rng, 40_000)
        one = cells.rows(np.array([cell]))
        assert one.mean[0] == pytest.approx(crowds.mean(), rel=0.02)
        for size in (1, 2, 3, 5, 20):
            assert one.at_least(size)[0] == pytest.approx((crowds >= size).mean(), abs=0.01)
        low, high = (one.quantile(end, EVERYBODY)[0] for end in (0.05, 0.95))
        assert (crowds <= low).mean() >= 0.04
        assert (crowds < low).mean() <= 0.06
        assert (crowds <= high).mean() >= 0.94
        assert (crowds < high).mean() <= 0.96


def test_a_cell_of_one_is_alone_as_the_estimate_says(estimate: Estimate) -> None:
    one = CellCrowds.of_sample(estimate).rows(estimate.sample.alone)
    assert one.at_least(1) == pytest.approx(np.ones(estimate.sample_alone))
    assert 1.0 - one.at_least(2) == pytest.approx(estimate.unique)
    inverse, before = np.zeros(estimate.sample_alone), np.ones(estimate.sample_alone)
    for size in range(1, 1500):
        after = one.at_least(size + 1)
        inverse, before = inverse + (before - after) / size, after
    assert inverse == pytest.approx(estimate.inverse[estimate.sample.alone], rel=1e-3)


def test_crowds_hold_everybody_and_agree_with_the_estimate(estimate: Estimate) -> None:
    crowds = expected_crowds(estimate)
    assert crowds.kind == "expected"
    assert crowds.people == pytest.approx(EVERYBODY, rel=1e-6)
    assert crowds.alone.people == pytest.approx(estimate.alone, rel=1e-6)
    assert crowds.overall_risk == pytest.approx(estimate.overall_risk, rel=0.005)


def test_a_combination_nobody_sampled_has_a_crowd_too(estimate: Estimate) -> None:
    """Somebody who has it meets themselves at least; nobody may, if nothing is known."""
    there = {tuple(row) for row in estimate.sample.codes.tolist()}
    row = next(
        [a, b, 0, 0]
        for a in range(estimate.sample.values[0])
        for b in range(estimate.sample.values[1])
        if (a, b, 0, 0) not in there
    )
    codes = np.array([row], dtype=np.int32)
    member = CellCrowds.unseen(estimate, codes, member=True)
    unknown = CellCrowds.unseen(estimate, codes, member=False)
    assert member.at_least(1)[0] == 1.0
    assert unknown.at_least(1)[0] < 1.0
    assert member.mean[0] > 1.0 > unknown.inverse[0]
    # A member drawn from the population meets crowds in proportion to their size.
    rng = np.random.default_rng(4)
    for at, (log_pi, shape) in enumerate(zip(unknown.log_pi, unknown.shapes, strict=True)):
        crowds = rng.negative_binomial(shape, np.exp(log_pi[0]), 400_000)
        met = rng.choice(crowds, 100_000, p=crowds / crowds.sum())
        of_one = CellCrowds(member.people, (member.log_pi[at],), (shape,), None, member=True)
        assert of_one.mean[0] == pytest.approx(met.mean(), rel=0.05)
        assert of_one.at_least(2)[0] == pytest.approx((met >= 2).mean(), abs=0.02)


def test_an_attack_on_a_sample_meets_the_populations_crowds(
    whole: pa.Table, sample: rr.Table
) -> None:
    risk = rr.attack(sample, population=EVERYBODY, up_to=2)
    truth = rr.attack(rr.read(whole, columns=COLUMNS), up_to=2)
    bare = rr.attack(sample)
    assert risk.people == EVERYBODY
    assert risk.overall_risk == pytest.approx(truth.overall_risk, rel=0.1)
    assert bare.overall_risk > 2 * truth.overall_risk
    low, high = risk.view.intervals["overall_risk"]
    assert low <= truth.overall_risk <= high
    assert risk.share_above == pytest.approx(truth.share_above, abs=0.03)
    assert risk.all_knowledge is not None
    assert truth.all_knowledge is not None
    for ours, true in zip(risk.all_knowledge.views, truth.all_knowledge.views, strict=True):
        # Knowledge of few large crowds is a risk of next to nothing.
        assert ours.overall_risk == pytest.approx(true.overall_risk, rel=0.25, abs=2e-4)
    assert risk.envelope.model == "calibrated laws"
    assert "doesn't know who is in the sample" in " ".join(map(str, risk.envelope.assumptions))


def test_attack_and_population_say_the_same(sample: rr.Table) -> None:
    attack, population = (
        rr.attack(sample, population=EVERYBODY),
        rr.population(sample, population=EVERYBODY),
    )
    assert attack.alone.people == pytest.approx(population.alone.value, rel=1e-6)
    assert attack.overall_risk == pytest.approx(population.overall_risk.value, rel=0.005)
    assert attack.view.intervals["overall_risk"] == population.overall_risk.interval


def test_persons_of_a_sample_have_the_populations_crowds(whole: pa.Table, sample: rr.Table) -> None:
    """Of 60 people each, 90 % intervals hold their crowd; sampled or not."""
    view = PopulationView.of(sample, COLUMNS, EVERYBODY)
    rows = whole.select(COLUMNS).to_pylist()
    counted: dict[tuple[object, ...], int] = {}
    for row in rows:
        counted[tuple(row.values())] = counted.get(tuple(row.values()), 0) + 1
    held, met, expected = [], [], []
    for at in np.random.default_rng(5).choice(EVERYBODY, 300, replace=False):
        texts = {name: str(value) for name, value in rows[at].items()}
        try:
            found = view.crowd(texts, (2, 5), "member")
        except InputError:
            continue
        crowd = counted[tuple(rows[at].values())]
        held.append(found.ends[0] <= crowd <= found.ends[1])
        met.append(1.0 / crowd)
        expected.append(float(found.crowds.risk[0]))
    assert np.mean(held) >= 0.8
    assert np.mean(expected) == pytest.approx(np.mean(met), rel=0.15)


def test_a_person_of_a_sample(whole: pa.Table, sample: rr.Table) -> None:
    row = {name: whole[name][0].as_py() for name in COLUMNS}
    risk = rr.person(sample, row, population=EVERYBODY)
    truth = rr.person(rr.read(whole, columns=COLUMNS), row)
    low, high = risk.limits["expected_crowd"]
    assert low <= truth.expected_crowd <= high
    assert risk.limits["risk"] == (1 / high, 1 / low)
    assert risk.gives_away[0].attribute == truth.gives_away[0].attribute
    assert "of the population" in str(risk)
    one = rr.person(sample, {"sex": row["sex"]}, population=EVERYBODY)
    assert one.gives_away[0].risk_without_it == 1 / EVERYBODY


def test_a_sample_of_everybody_is_counted(whole: pa.Table) -> None:
    table = rr.read(whole.slice(0, 500), columns=COLUMNS)
    assert rr.attack(table, population=500).crowd_sizes == rr.measure(table).crowd_sizes
    row = {name: whole[name][3].as_py() for name in COLUMNS}
    assert rr.person(table, row, population=500).risk == rr.person(table, row).risk


def test_what_a_population_cannot_be_asked(whole: pa.Table, sample: rr.Table) -> None:
    statistics = rr.publish(sample, unprotected=True, population=EVERYBODY)
    row = {name: whole[name][0].as_py() for name in COLUMNS}
    for asked in ({"share": 0.5}, {"errors": 0.1}, {"play": 10}, {"unique_up_to": 2}):
        with pytest.raises(ContradictoryOptions, match="records themselves"):
            rr.attack(sample, population=EVERYBODY, **asked)  # type: ignore[arg-type]
    with pytest.raises(ContradictoryOptions, match="these are statistics"):
        rr.attack(statistics, population=EVERYBODY)
    with pytest.raises(ContradictoryOptions, match="these are statistics"):
        rr.person(statistics, row, population=EVERYBODY)
    with pytest.raises(ContradictoryOptions, match="paper"):
        rr.person(sample, row, population=EVERYBODY, given="paper")
    with pytest.raises(ImpossibleCounts, match="2,000 people"):
        rr.attack(sample, population=1999)
    with pytest.raises(InputError, match="nobody in the sample has the value given") as refused:
        rr.person(sample, row | {"age": 117}, population=EVERYBODY)
    assert "117" not in str(refused.value)


def test_weights_say_whom_crowds_stand_for() -> None:
    rng = np.random.default_rng(6)
    rows = rng.integers(0, 12, (600, 3))
    weight = np.where(rows[:, 0] < 6, 4.0, 16.0)
    cells, _ = cells_of(("a", "b", "c"), rows, np.ones(600, dtype=np.int64), 6000, weight=weight)
    found = estimated(cells, np.random.default_rng(0))
    crowds = expected_crowds(found)
    assert crowds.people == pytest.approx(6000, rel=1e-6)
    assert crowds.alone.people == pytest.approx(found.alone, rel=1e-6)
    assert crowds.overall_risk == pytest.approx(found.overall_risk, rel=0.02)
