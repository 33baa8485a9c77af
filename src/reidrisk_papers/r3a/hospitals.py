"""Hospitals drawn by municipality, so that two gain ratios are those of the paper's table 5.

Symbols: m a municipality with share p_m of the people, d(m) its district, h a hospital with share
s(h) of all beds, s_d(h) of its district's, u_m(h) the few hospitals that m's people mostly go to
(the nearest gets half, the next a quarter, …). Somebody of m goes to h with probability

    P(h | m) = ε·s(h) + (1 − ε)·[(1 − λ)·s_d(m)(h) + λ·u_m(h)].

ε, the share that goes anywhere in the country, settles g(district, hospital) = I/H(district); λ,
how far a municipality has its own hospitals, g(hospital, municipality) = I/H(hospital). Both ratios
are exact sums over p_m·P(h | m), and monotone in ε and λ, which bisection in turn finds.

Where it fails: goals that no ε and λ between 0 and 1 reach; the nearest are taken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Floats, Ints

USUAL = 3
SIZES_SPREAD = 0.8
ROUNDS, HALVINGS = 3, 13
# Entropies are sums of many logarithms: below this they are none.
NOTHING = 1e-12


class Ratios(NamedTuple):
    """g(hospital, municipality) and g(district, hospital)."""

    hospital: float
    district: float


class Places(NamedTuple):
    """Municipalities: people in each and the number of its district, districts from 0."""

    people: Ints
    district: Ints


class Choice(NamedTuple):
    """The three parts of P(h | m): anywhere, in the district, the usual hospitals."""

    anywhere: Floats
    nearby: Floats
    usual: Floats

    def law(self, away: float, own: float) -> Floats:
        """P(h | m), a row a municipality: `away` is ε, `own` is λ."""
        here = (1.0 - own) * self.nearby + own * self.usual
        return away * self.anywhere + (1.0 - away) * here


def hospital_law(
    places: Places, hospitals: int, goals: Ratios, rng: np.random.Generator
) -> tuple[Floats, Ratios]:
    """P(h | m) that comes nearest to the goals, and the ratios it has."""
    choice = drawn_choice(places, hospitals, rng)
    away, own = 0.1, 0.5

    def found(away: float, own: float) -> Ratios:
        return ratios(places, choice.law(away, own))

    for _ in range(ROUNDS):
        away = _bisected(lambda each, own=own: goals.district - found(each, own).district)  # type: ignore[misc]
        own = _bisected(lambda each, away=away: found(away, each).hospital - goals.hospital)  # type: ignore[misc]
    return choice.law(away, own), found(away, own)


def drawn_choice(places: Places, hospitals: int, rng: np.random.Generator) -> Choice:
    """Where hospitals are, one at least in each district, how large, and who mostly goes where."""
    people = np.bincount(places.district, places.people)
    districts = len(people)
    more = rng.choice(districts, max(hospitals - districts, 0), p=people / people.sum())
    at = np.concatenate([np.arange(districts), more])
    size = rng.lognormal(0.0, SIZES_SPREAD, len(at)) * (people / np.bincount(at))[at]
    inside = places.district[:, None] == at[None, :]
    near = np.where(inside, np.log(size) + rng.gumbel(size=inside.shape), -np.inf)
    rank = np.argsort(np.argsort(-near, axis=1), axis=1)
    usual = inside * (rank < USUAL) * 0.5**rank
    return Choice(size / size.sum(), _by_row(inside * size), _by_row(usual))


def ratios(places: Places, law: Floats) -> Ratios:
    """Both gain ratios under p_m·P(h | m)."""
    joint = (places.people / places.people.sum())[:, None] * law
    by_district = np.zeros((places.district.max() + 1, law.shape[1]))
    np.add.at(by_district, places.district, joint)
    return Ratios(
        _ratio(_mutual(joint), _entropy(joint.sum(axis=0))),
        _ratio(_mutual(by_district), _entropy(by_district.sum(axis=1))),
    )


def drawn_hospitals(municipality: Ints, law: Floats, rng: np.random.Generator) -> Ints:
    """A hospital for each person, by the number of their municipality."""
    reached = np.cumsum(law, axis=1)
    order = np.argsort(municipality, kind="stable")
    many = np.bincount(municipality, minlength=len(law))
    drawn = [
        np.searchsorted(reached[place], rng.random(people) * reached[place, -1], side="right")
        for place, people in enumerate(many.tolist())
    ]
    hospital = np.empty(len(municipality), dtype=np.int64)
    hospital[order] = np.concatenate(drawn)
    return hospital


def _bisected(rises: Callable[[float], float]) -> float:
    """Where a function that rises from 0 to 1 crosses zero, or the nearer end."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if rises(middle) >= 0 else (middle, high)
    return (low + high) / 2


def _by_row(weights: Floats) -> Floats:
    rows: Floats = weights / weights.sum(axis=1, keepdims=True)
    return rows


def _ratio(shared: float, bits: float) -> float:
    return shared / bits if bits > NOTHING else 0.0


def _mutual(joint: Floats) -> float:
    return _entropy(joint.sum(axis=0)) + _entropy(joint.sum(axis=1)) - _entropy(joint)


def _entropy(shares: Floats) -> float:
    held = shares[shares > 0]
    return float(-np.dot(held, np.log2(held)))
