"""A generated city: people with the dependences real tables have, and nobody real in them.

Postcodes lie in counties (the county follows from the postcode), town centres are young,
marital state depends on age, occupation on age and sex. The seed is fixed, so the city is the
same everywhere.

TFRR's random tables: independent attributes of random proportions.

Symbols: N records, d attributes, λ records to be expected for each possible tuple. There are N/λ
tuples, so each attribute has round((N/λ)^(1/d)) values; their proportions are drawn from a flat
Dirichlet law, the records independently.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reidrisk.arrays import Ints
from reidrisk.errors import InputError

SEED = 2015
PEOPLE = 100_000
COUNTIES = ("Amberly", "Brookmere", "Calder", "Dunmore", "Eastvale", "Fenwick", "Glenrock")
POSTCODES_PER_COUNTY = 26
MARITAL = ("single", "married", "divorced", "widowed")
OCCUPATIONS = (
    "pupil", "student", "care", "trade", "office", "teaching", "technology", "building",
    "transport", "farming", "management", "at home", "retired",
)  # fmt: skip


def city(people: int = PEOPLE, seed: int = SEED) -> pa.Table:
    """A generated table: postcode, county, age, sex, marital_state and occupation, one row a
    person.

    Parameters:
        people: how many.
        seed: of the generator.
    """
    rng = np.random.default_rng(seed)
    place = _places(people, rng)
    age = _ages(place, rng)
    sex = rng.random(people) < 0.507
    marital = _marital_states(age, sex, rng)
    occupation = _occupations(age, sex, rng)
    county = place // POSTCODES_PER_COUNTY
    return pa.table(
        {
            "postcode": _texts(place, [_postcode(p) for p in range(place.max() + 1)]),
            "county": _texts(county, COUNTIES),
            "age": age,
            "sex": _texts(sex.astype(np.int64), ("male", "female")),
            "marital_state": _texts(marital, MARITAL),
            "occupation": _texts(occupation, OCCUPATIONS),
        }
    )


def _postcode(place: int) -> str:
    """Four digits that keep their zero: the first two are the county's."""
    county, within = divmod(place, POSTCODES_PER_COUNTY)
    return f"{county + 1:02d}{within + 1:02d}"


def _texts(codes: Ints, names: tuple[str, ...] | list[str]) -> pa.Array:
    return pa.array(list(names)).take(pa.array(codes))


def _places(people: int, rng: np.random.Generator) -> Ints:
    """Postcodes of very different size, as towns and villages are."""
    places = len(COUNTIES) * POSTCODES_PER_COUNTY
    size = rng.lognormal(0.0, 1.1, places)
    return rng.choice(places, size=people, p=size / size.sum())


def _ages(place: Ints, rng: np.random.Generator) -> Ints:
    """0 to 100, thinning out above 60; the first postcodes of a county are its young centre."""
    ages = np.arange(101)
    alive = 1.0 / (1.0 + np.exp((ages - 82) / 6.5))
    drawn = rng.choice(101, size=len(place), p=alive / alive.sum())
    centre = place % POSTCODES_PER_COUNTY < 3
    young = rng.integers(18, 35, size=len(place))
    moved = centre & (rng.random(len(place)) < 0.4)
    return np.where(moved, young, drawn).astype(np.int64)


def _marital_states(age: Ints, sex: NDArray[np.bool_], rng: np.random.Generator) -> Ints:
    """Single when young, widowed when old, women more often widowed."""
    married = np.clip((age - 20) / 22, 0, 0.72)
    divorced = np.clip((age - 28) / 160, 0, 0.16)
    widowed = np.clip((age - 58) / 55, 0, 0.75) * np.where(sex, 1.0, 0.45)
    married = np.where(age < 18, 0, married * (1 - widowed))
    return _drawn(np.stack([married, divorced * (age >= 18), widowed], axis=1), rng)


def _occupations(age: Ints, sex: NDArray[np.bool_], rng: np.random.Generator) -> Ints:
    """By age first, then by a trade's share among women and men."""
    women = np.array([0.24, 0.14, 0.19, 0.12, 0.05, 0.01, 0.03, 0.02, 0.06, 0.14])
    men = np.array([0.06, 0.13, 0.13, 0.05, 0.14, 0.16, 0.12, 0.05, 0.11, 0.05])
    work = np.where(
        sex,
        2 + rng.choice(10, size=len(age), p=women / women.sum()),
        2 + rng.choice(10, size=len(age), p=men / men.sum()),
    )
    studies = (age >= 18) & (age < 27) & (rng.random(len(age)) < np.clip((27 - age) / 10, 0, 1))
    retired = (age >= 60) & (rng.random(len(age)) < np.clip((age - 58) / 9, 0, 1))
    held = np.where(age < 18, 0, np.where(studies, 1, np.where(retired, 12, work)))
    return held.astype(np.int64)


def _drawn(shares: NDArray[np.float64], rng: np.random.Generator) -> Ints:
    """Option 1, 2 … with each row's shares; option 0 with what is left."""
    reached = np.cumsum(shares, axis=1)
    reached /= np.maximum(reached[:, -1:], 1.0)
    drawn = rng.random(len(shares))[:, None]
    option = 1 + (drawn >= reached).sum(axis=1)
    return np.where(option > shares.shape[1], 0, option)


def random_table(n: int, attributes: int, lambda_: float, rng: np.random.Generator) -> pa.Table:
    """A table of n records and columns a1, a2 …, its values numbered from 0.

    Parameters:
        n: records.
        attributes: columns.
        lambda_: records for each possible combination of values, λ = n/values^attributes (TFRR).
        rng: the source of randomness.
    """
    if n < 1 or attributes < 1 or not lambda_ > 0:
        raise InputError("a random table needs n ≥ 1, attributes ≥ 1 and lambda_ > 0")
    values = max(1, round((n / lambda_) ** (1 / attributes)))
    columns = {}
    for place in range(1, attributes + 1):
        proportions = rng.dirichlet(np.ones(values))
        columns[f"a{place}"] = rng.choice(values, size=n, p=proportions)
    return pa.table(columns)
