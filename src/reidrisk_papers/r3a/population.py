"""The table that stands in for SPD: 3,985,166 people of Belgium, or quickly a generated city.

Hospital, length of stay and quarter are generated (`hospitals`, stand_ins.toml). With z normal, the
length of stay in whole days is

    floor(exp(log median + β·(age − 40) + e_h + σ·z)),   e_h normal, one for each hospital h.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import reidrisk as rr
from reidrisk.arrays import Ints
from reidrisk_papers.r3a.hospitals import Places, Ratios, drawn_hospitals, hospital_law
from reidrisk_papers.r3a.stand_ins import stand_ins
from reidrisk_papers.setting import Setting

OLDEST = 85
LONGEST_STAY = 365
# Places of chance: what is drawn in one doesn't move with another.
PEOPLE, HOSPITALS, STAYS, QUARTERS, NATIONALITY = range(10, 15)


class Population(NamedTuple):
    """One row a person, columns as in the mapping; and what it is, in a sentence."""

    records: pa.Table
    said: str


def population(setting: Setting) -> Population:
    """Generated where quick, otherwise drawn from the register."""
    held = stand_ins().population
    if setting.quick:
        people, hospitals = setting.scaled(held["quick_people"], 2000), held["quick_hospitals"]
        known = _of_the_city(people, setting)
        said = f"{people:,} people of a generated city, in place of SPD's {held['people']:,}"
    else:
        people, hospitals = setting.scaled(held["people"], 2000), held["hospitals"]
        known = _of_the_register(setting, people)
        said = f"{people:,} people drawn from Belgium's register, in place of SPD, which isn't had"
    generated = _generated(known, hospitals, setting)
    records = pa.table({name: {**known, **generated}[name] for name in stand_ins().columns})
    said += "; hospital, length of stay and quarter are generated"
    return Population(records, said + (", nationality as well" if setting.quick else ""))


def _of_the_register(setting: Setting, people: int) -> dict[str, pa.Array]:
    """People without replacement: the cells' counts are multivariate hypergeometric."""
    names = ["age", "sex", "nationality", "civil_status", "municipality", "district"]
    cells = pq.read_table(setting.public_table("belgium"), columns=[*names, "count"])
    count = cells.column("count").to_numpy()
    drawn = setting.rng(PEOPLE).multivariate_hypergeometric(count, people, method="marginals")
    rows = pa.array(np.repeat(np.arange(len(count)), drawn))
    known = {name: cells.column(name).take(rows).combine_chunks() for name in names}
    return {**known, "age": _topped(known["age"])}


def _of_the_city(people: int, setting: Setting) -> dict[str, pa.Array]:
    """The city's people, in as many municipalities and districts as a country has."""
    city, rng = rr.city(people, seed=_seed(setting)), setting.rng(NATIONALITY)
    held = stand_ins().population
    postcode = city.column("postcode").combine_chunks()
    within = pc.cast(pc.utf8_slice_codeunits(postcode, 2, 4), pa.int64()).to_numpy()
    part = np.minimum(rng.geometric(0.4, people), held["quick_parts"])
    group = (within - 1) // held["quick_postcodes"]
    municipality = _joined(postcode, part)
    place, places = _numbered(municipality)
    foreign = stand_ins().generated["foreign"]
    share = rng.beta(1.5, 1.5 / foreign - 1.5, places)
    nationality = (rng.random(people) < share[place]).astype(np.int64)
    return {
        "age": _topped(city.column("age").combine_chunks()),
        "sex": city.column("sex").combine_chunks(),
        "nationality": pa.array(["own", "foreign"]).take(pa.array(nationality)),
        "civil_status": city.column("marital_state").combine_chunks(),
        "municipality": municipality,
        "district": _joined(city.column("county").combine_chunks(), group + 1),
    }


def _joined(name: pa.Array, part: Ints) -> pa.Array:
    return pc.binary_join_element_wise(name, pc.cast(pa.array(part), pa.string()), "-")


def _seed(setting: Setting) -> int:
    """A whole number where chance begins, for what takes a seed."""
    return int(setting.rng(PEOPLE).integers(1 << 31))


def _topped(age: pa.Array) -> pa.Array:
    return pc.min_element_wise(age, pa.scalar(OLDEST, age.type))


def _generated(known: Mapping[str, pa.Array], hospitals: int, setting: Setting) -> dict[str, Any]:
    law = stand_ins().generated
    municipality, many = _numbered(known["municipality"])
    district, _ = _numbered(known["district"])
    of = np.zeros(many, dtype=np.int64)
    of[municipality] = district
    places = Places(np.bincount(municipality, minlength=many), of)
    goals = Ratios(law["hospital_of_municipality"], law["district_of_hospital"])
    rng = setting.rng(HOSPITALS)
    chosen, _ = hospital_law(places, max(hospitals, of.max() + 1), goals, rng)
    hospital = drawn_hospitals(municipality, chosen, rng)
    age = known["age"].to_numpy(zero_copy_only=False)
    return {
        "hospital": hospital + 1,
        "length_of_stay": _days(age, hospital, setting.rng(STAYS)),
        "quarter": 1 + setting.rng(QUARTERS).choice(4, len(age), p=law["quarters"]),
    }


def _days(age: Ints, hospital: Ints, rng: np.random.Generator) -> Ints:
    law = stand_ins().generated
    each = rng.normal(0.0, law["days_by_hospital"], hospital.max() + 1)
    centre = np.log(law["median_days"]) + law["days_by_year_of_age"] * (age - 40) + each[hospital]
    days = np.floor(np.exp(centre + law["days_spread"] * rng.standard_normal(len(age))))
    stays: Ints = np.minimum(days, LONGEST_STAY).astype(np.int64)
    return stays


def _numbered(column: pa.Array) -> tuple[Ints, int]:
    """Values numbered from 0, and how many there are."""
    coded = column.dictionary_encode()
    return coded.indices.to_numpy().astype(np.int64), len(coded.dictionary)
