"""Attackers with errors: exact, drawn and played, against every case listed in loops."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.attacks import monte_carlo, noisy_knowledge
from reidrisk.attacks.monte_carlo import (
    another_value,
    candidates,
    hits_of,
    known_with_errors,
    wilson,
)
from reidrisk.attacks.targets import tuples_of
from tests.attacks import oracles
from tests.engines.tables import Drawn, tables

people = st.one_of(tables("people"), tables("counts"))
WHAT = "a test"


@settings(max_examples=40)
@given(people, st.sampled_from([0.0, 0.01, 0.2, 0.5, 0.9, 1.0]))
def test_the_exact_risk_is_that_of_every_case(drawn: Drawn, error: float) -> None:
    found = rr.attack(rr.read(drawn.written, **drawn.options), errors=error).errors
    assert found is not None
    assert found.interval is None
    rows = oracles.people_rows(drawn.truth, drawn.names)
    assert found.overall_risk == pytest.approx(oracles.risk_with_errors(rows, error))
    low, high = found.limits
    assert low - 1e-12 <= found.overall_risk <= high + 1e-12


@settings(max_examples=30)
@given(people, st.floats(0, 1))
def test_errors_never_help_more_than_knowing_which_values_are_right(
    drawn: Drawn, error: float
) -> None:
    rows = oracles.people_rows(drawn.truth, drawn.names)
    assert oracles.risk_with_errors(rows, error) <= (
        oracles.risk_at_random(rows, 1 - error) + 1e-12
    )


@settings(max_examples=30)
@given(people, st.integers(0, 99))
def test_matching_finds_those_who_agree_on_most(drawn: Drawn, seed: int) -> None:
    engine = rr.read(drawn.written, **drawn.options).engine
    tuples = tuples_of(engine, drawn.names, WHAT)
    rng = np.random.default_rng(seed)
    targets = tuples.drawn(20, rng)
    known = known_with_errors(tuples, targets, 0.5, rng)
    mask = rng.random((20, len(drawn.names))) < 0.5
    for block, chosen in product((1, 7, 1 << 18), (None, mask)):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(noisy_knowledge, "BLOCK", block)
            found = candidates(tuples, known.values, chosen)
        for at in range(20):
            agree = sum(
                (column.codes == known.values[j][at]).astype(int)
                for j, column in enumerate(tuples.columns)
                if chosen is None or chosen[at, j]
            )
            agree = np.broadcast_to(agree, len(tuples))
            assert found.agreement[at] == agree.max()
            assert found.people[at] == tuples.people[agree == agree.max()].sum()


def test_another_value_is_another_by_frequency() -> None:
    counts = np.array([5, 0, 3, 2])
    rng = np.random.default_rng(1)
    drawn = another_value(counts, np.zeros(60_000, np.uint8), rng)
    assert np.bincount(drawn, minlength=4) / 60_000 == pytest.approx([0, 0, 0.6, 0.4], abs=0.01)
    drawn = another_value(counts, np.full(60_000, 2, np.uint8), rng)
    assert np.bincount(drawn, minlength=4) / 60_000 == pytest.approx([5 / 7, 0, 0, 2 / 7], abs=0.01)
    assert len(another_value(counts, np.empty(0, np.uint8), rng)) == 0


@pytest.mark.parametrize("error", [1e-7, 0.1, 0.7, 1.0])
def test_some_value_wrong(error: float) -> None:
    """P(value j is wrong | some is) = e/(1 − (1−e)^m), the same for each; at least one is."""
    wrong = monte_carlo._wrong(80_000, 4, error, np.random.default_rng(2), some=True)
    assert wrong.any(axis=1).all()
    expected = error / -np.expm1(4 * np.log1p(-error)) if error < 1 else 1.0
    assert wrong.mean(axis=0) == pytest.approx([expected] * 4, abs=0.008)


def test_a_column_of_one_value_is_never_wrong() -> None:
    table = rr.read({"a": ["x"] * 6, "b": list("pqqrrr")})
    alone = rr.read({"b": list("pqqrrr")})
    one, other = rr.attack(table, errors=0.3), rr.attack(alone, errors=0.3)
    assert one.errors is not None
    assert other.errors is not None
    assert one.errors.overall_risk == pytest.approx(other.errors.overall_risk)
    constant = rr.read({"a": ["x"] * 6}, columns=["a"])
    assert rr.attack(constant, errors=0.3, play=10).errors.overall_risk == pytest.approx(1 / 6)


def city(people: int = 1500) -> rr.Table:
    return rr.read(rr.city(people), columns=["county", "sex", "marital_state", "occupation"])


@pytest.mark.parametrize("error", [0.02, 0.2, 0.6])
def test_drawn_agrees_with_exact(monkeypatch: pytest.MonkeyPatch, error: float) -> None:
    exact = rr.attack(city(), errors=error).errors
    monkeypatch.setattr(noisy_knowledge, "MOST_PAIRS", 0)
    drawn = rr.attack(city(), errors=error).errors
    assert exact is not None
    assert exact.interval is None
    assert drawn is not None
    assert drawn.interval is not None
    assert drawn.interval[0] <= exact.overall_risk <= drawn.interval[1]
    assert drawn.limits == exact.limits
    assert drawn.limits[0] <= drawn.overall_risk <= drawn.limits[1]


def test_limits_of_many_attributes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where not every subset is counted, the upper limit is coarser and still holds."""
    from reidrisk.attacks import random_knowledge

    tight = rr.attack(city(), errors=0.2).errors
    monkeypatch.setattr(random_knowledge, "MOST_VIEWS", 1)
    coarse = rr.attack(city(), errors=0.2).errors
    assert tight is not None
    assert coarse is not None
    assert coarse.limits[0] == tight.limits[0]
    assert tight.limits[1] <= coarse.limits[1] <= 1


@pytest.mark.parametrize("options", [{}, {"errors": 0.0}, {"errors": 0.1}, {"errors": 0.5},
                                     {"share": 0.5}, {"share": 0.0}])  # fmt: skip
def test_the_attack_played_hits_as_often_as_computed(options: dict[str, float]) -> None:
    found = rr.attack(city(), play=20_000, **options).played
    assert found is not None
    low, high = found.interval
    assert low <= found.overall_risk <= high
    assert low <= found.hit_rate <= high


def test_a_table_drawn_from_statistics_is_played_against_its_own_risk() -> None:
    """The risk at random is a mean over drawn tables; the one played on has its own, as counted."""
    table = rr.read(rr.city(400), columns=["county", "age", "sex", "occupation"])
    statistics = rr.publish(table, pairs="all", at_least=5)
    found = rr.attack(statistics, share=0.7, play=200_000)
    assert found.played is not None
    assert found.random_knowledge is not None
    assert found.played.overall_risk != found.random_knowledge.overall_risk
    low, high = found.played.interval
    assert low <= found.played.overall_risk <= high


def test_the_interval_covers() -> None:
    """19 of 20 times: of 200 games at least 180 hold the exact risk, and not all of them."""
    tuples = tuples_of(city().engine, ["county", "sex", "occupation"], WHAT)
    exact = float(np.dot(noisy_knowledge.risk_of_each(tuples, 0.15), tuples.people) / tuples.n)
    inside = 0
    for seed in range(200):
        hits = hits_of(tuples, 400, np.random.default_rng(seed), error=0.15)
        low, high = wilson(hits / 400, 400)
        inside += low <= exact <= high
    assert 180 <= inside < 200


def test_wilson() -> None:
    assert wilson(0.5, 100) == pytest.approx((0.403832, 0.596168), abs=1e-6)
    assert wilson(0.0, 10) == pytest.approx((0.0, 0.277533), abs=1e-6)
    assert wilson(1.0, 10) == pytest.approx((0.722467, 1.0), abs=1e-6)
