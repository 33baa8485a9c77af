"""Calibration and the risks that follow from it, against sums over every size a crowd may have."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from reidrisk.samples.calibration import calibrated, log_likelihood
from reidrisk.samples.households import households, risk_of_each
from reidrisk.samples.individual_risk import individual_risk
from reidrisk.samples.pairs_total import expit, logit, shifted_to
from reidrisk.samples.risk_integrals import log_kept, mean_of_inverse, nobody_else
from tests.samples.drawn_people import DATA


@given(st.floats(0.05, 40.0), st.floats(1e-3, 30.0), st.integers(1, 12), st.floats(1.05, 30.0))
def test_risks_are_sums_over_the_negative_binomial_law(
    shape: float, mean: float, people: int, times: float
) -> None:
    n = 1000.0
    log_pi = log_kept(np.array([mean]), shape, n, n * times)
    pi = float(np.exp(log_pi[0]))
    more = np.arange(200_000)
    law = stats.nbinom(shape + people, pi)
    chances = law.pmf(more)
    if law.sf(more[-1]) > 1e-9:
        return
    held = np.array([people])
    assert nobody_else(log_pi, shape, held)[0] == pytest.approx(chances[0], rel=1e-9)
    expected = float((chances / (people + more)).sum())
    assert mean_of_inverse(log_pi, shape, held)[0] == pytest.approx(expected, rel=1e-5)


def test_a_whole_population_is_certain() -> None:
    log_pi = log_kept(np.array([0.3, 5.0]), 2.0, 100.0, 100.0)
    assert mean_of_inverse(log_pi, 2.0, np.array([1, 4])) == pytest.approx([1.0, 0.25])
    assert nobody_else(log_pi, 2.0, np.array([1, 4])) == pytest.approx([1.0, 1.0])


def test_calibration_finds_what_cells_were_drawn_by() -> None:
    rng = np.random.default_rng(1)
    log_expected = rng.normal(-1.5, 1.5, 120_000)
    mean = np.exp(0.2 + 1.03 * log_expected)
    people = rng.poisson(rng.gamma(3.0, mean / 3.0))
    seen = people > 0
    found = calibrated(log_expected[seen], people[seen])
    assert found.ended == "converged"
    assert found.shift == pytest.approx(0.2, abs=0.08)
    assert found.slope == pytest.approx(1.03, abs=0.03)
    assert found.shape == pytest.approx(3.0, rel=0.2)


def test_the_likelihood_is_that_of_cells_seen() -> None:
    shape, mean = 1.7, 0.8
    law = stats.nbinom(shape, shape / (shape + mean))
    counts = np.array([[5, 3, 0, 1, 0, 0, 0, 0, 2]], dtype=float)
    chances = np.append(law.pmf(np.arange(1, 9)), law.sf(8)) / law.sf(0)
    expected = float(np.dot(counts[0], np.log(chances)))
    assert log_likelihood(np.log([mean]), shape, counts) == pytest.approx(expected)


@given(st.lists(st.floats(0.001, 0.999), min_size=1, max_size=30), st.floats(0.05, 0.95))
def test_shifted_odds_have_the_total_asked_for(p: list[float], share: float) -> None:
    odds = logit(np.array(p))
    target = share * len(p)
    assert expit(odds + shifted_to(odds, target)).sum() == pytest.approx(target, rel=1e-6)


def test_individual_risk_is_sdcmicros_on_its_own_example() -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    place = DATA / "sdcmicro" / "francdat.parquet"
    if not place.exists():
        pytest.skip("sdcMicro's francdat isn't in ../shared/data")
    rows = pq.read_table(place).to_pylist()
    keys = [tuple(row[name] for name in ("Key1", "Key2", "Key3", "Key4")) for row in rows]
    people = np.array([keys.count(key) for key in keys])
    weight = np.array([sum(row["w"] for row, other in zip(rows, keys, strict=True) if other == key)
                       for key in keys])  # fmt: skip
    risk = individual_risk(people, weight)
    # As `freqCalc` and `indivRisk` of sdcMicro 5.7 give them.
    assert people.tolist() == [2, 2, 2, 1, 1, 1, 1, 2]
    assert weight.tolist() == [110, 84.5, 84.5, 17, 541, 8, 5, 110]
    expected = [0.01714426, 0.02204233, 0.02204233, 0.17707583, 0.01165448, 0.29706308, 0.40235948,
                0.01714426]  # fmt: skip
    assert risk == pytest.approx(expected, abs=5e-8)


@given(st.integers(1, 6), st.floats(1.01, 500.0))
def test_individual_risk_is_the_mean_over_crowds(people: int, times: float) -> None:
    p = 1.0 / times
    more = np.arange(2_000_00)
    law = stats.nbinom(people, p)
    if law.sf(more[-1]) > 1e-12:
        return
    expected = float((law.pmf(more) / (people + more)).sum())
    found = individual_risk(np.array([people]), np.array([people * times]))[0]
    assert found == pytest.approx(expected, rel=1e-6)


def test_a_households_risk_is_that_one_of_its_members_is_found() -> None:
    risk = np.array([0.5, 0.2, 1.0, 0.3, 0.0])
    of = np.array([7, 7, 2, 2, 5])
    assert risk_of_each(of, risk) == pytest.approx([0.6, 0.6, 1.0, 1.0, 0.0])
    codes = np.array([[1, 0], [1, 1], [0, 2], [0, 0], [3, 1]], dtype=np.int32)
    found = households(of, risk, ("district", "age"), codes)
    assert (found.number, found.of_several, found.shared) == (3, 2, ("district",))
    assert found.overall_risk == pytest.approx((0.6 + 1.0 + 0.0) / 3)
    assert found.highest_risk == 1.0
