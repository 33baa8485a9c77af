"""Guessing sensitive values: the hits counted are those computed, within what chance allows."""

from __future__ import annotations

import numpy as np
import pytest

import reidrisk as rr
from reidrisk.attacks.guessed_values import guessed_of
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.learning import SensitiveCounts

CITY = rr.city(3000)
COLUMNS = ["county", "age", "sex"]


@pytest.mark.parametrize("known", [["county", "age", "sex"], ["age"], ["sex"]])
def test_hits_agree_with_what_is_computed(known: list[str]) -> None:
    risk = rr.attack(CITY, columns=COLUMNS, knows=known, sensitive="occupation", play=20_000)
    (guessed,) = risk.guessed_values
    learnt = rr.learn(CITY, columns=known, sensitive="occupation").sensitive["occupation"].guesses
    assert guessed.with_table.computed == learnt.with_table
    assert guessed.without.computed == learnt.without
    for each in (guessed.with_table, guessed.without):
        low, high = each.interval
        # Wider than 95 %, so that no seed is chosen for the test to pass.
        spread = 2.5 * (high - low) / 2
        assert abs(each.hit_rate - each.computed) < spread
    assert risk.envelope.seed == 0


def test_the_attacker_sees_the_crowd_alone() -> None:
    """Two values equally common in a crowd: a guess is right half of the time, not always."""
    counts = SensitiveCounts(
        "s", np.array([0, 0]), np.array([0, 1]), np.array([5, 5]), ("p", "q"), np.array([1])
    )
    guessed = guessed_of(counts, 10_000, np.random.default_rng(3))
    assert guessed.with_table.computed == 0.5
    assert abs(guessed.with_table.hit_rate - 0.5) < 0.03


def test_persons_with_several_rows_have_a_set_of_values() -> None:
    stays = {"id": [1, 1, 2, 2, 3], "sex": list("ffffm"), "s": list("ababa")}
    risk = rr.attack(stays, columns=["sex"], person="id", sensitive="s")
    (guessed,) = risk.guessed_values
    assert guessed.with_table.computed == 1.0
    assert guessed.with_table.hits == 10_000


def test_the_same_seed_draws_the_same_people() -> None:
    first, second, other = (
        rr.attack(CITY, columns=COLUMNS, sensitive=["occupation"], seed=seed).guessed_values
        for seed in (1, 1, 2)
    )
    assert first == second
    assert first != other
    assert first[0].targets == 10_000


def test_what_it_cannot_do_is_refused() -> None:
    with pytest.raises(ContradictoryOptions, match="which crowd"):
        rr.attack(CITY, columns=COLUMNS, sensitive="occupation", share=0.5)
    with pytest.raises(ContradictoryOptions, match="which crowd"):
        rr.attack(CITY, columns=COLUMNS, sensitive="occupation", errors=0.1)
    with pytest.raises(ContradictoryOptions, match="wildcard"):
        rr.attack(CITY, columns=COLUMNS, sensitive="occupation", missing="wildcard")
    with pytest.raises(ContradictoryOptions, match="these are statistics"):
        rr.attack(rr.publish(CITY, columns=COLUMNS), sensitive="occupation")
    with pytest.raises(InputError, match="read without"):
        rr.attack(rr.read(CITY, columns=COLUMNS), sensitive="occupation")
    with pytest.raises(InputError, match="isn't among the quasi-identifiers"):
        rr.attack(CITY, columns=COLUMNS, sensitive="occupation", knows=["occupation"])
