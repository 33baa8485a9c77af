"""Populations: which columns of which public tables samples are drawn from, by what fractions.

A table is taken for the population: whole registers, and tables of records as if they were all. The
sets are columns such as an attacker may know: age, sex, place, family, work; none was dropped.
Samples are drawn without replacement; those of fewer than 200 or more than 60,000 people are left
out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchmarks.accuracy.real_tables import coded
from reidrisk.arrays import Ints
from reidrisk.samples import SampledCells, cells_of
from reidrisk.statistics import value_order

FRACTIONS = (0.003, 0.01, 0.03, 0.05, 0.1, 0.2)
FEWEST, MOST = 200, 60_000
SETS: dict[str, tuple[str, str | None, tuple[str, ...]]] = {
    "adult": ("adult/adult_arx.parquet", None, (
        "age,sex,race", "age,sex,race,education", "age,sex,race,marital-status,education",
        "age,sex,native-country,occupation",
        "sex,age,race,marital-status,education,native-country,workclass,occupation")),
    "census_kdd": ("census_kdd/census_kdd.parquet", None, (
        "age,sex,race,marital_stat,education",
        "age,sex,race,major_industry_code,major_occupation_code",
        "age,sex,education,country_of_birth_self,hispanic_origin",
        "age,detailed_industry_recode,detailed_occupation_recode,sex",
        "age,sex,race,marital_stat,education,citizenship,detailed_household_and_family_stat,"
        "tax_filer_stat",
        "age,sex,state_of_previous_residence,marital_stat,detailed_household_summary_in_household",
    )),
    "diabetes130": ("diabetes130/diabetes130.parquet", None, (
        "race,gender,age,admission_type_id,discharge_disposition_id,admission_source_id",
        "race,gender,age,time_in_hospital,medical_specialty",
        "race,gender,age,time_in_hospital,num_procedures,number_diagnoses",
        "race,gender,age,num_medications,payer_code")),
    "belgium_2015": ("belgium_2015/belgium_2015.parquet", "count", (
        "municipality,age,sex", "municipality,age,sex,nationality",
        "district,age,sex,nationality,civil_status", "municipality,age,sex,civil_status",
        "municipality,age,sex,nationality,civil_status")),
    "nist_national2019": ("nist_national2019/national2019.parquet", None, (
        "AGEP,SEX,RAC1P,MSP,EDU", "PUMA,AGEP,SEX,RAC1P", "PUMA,AGEP,SEX,HISP,MSP",
        "AGEP,SEX,INDP_CAT,EDU,DVET", "AGEP,SEX,EDU,NPF,NOC,OWN_RENT")),
    "atus": ("atus/atus.parquet", None, (
        "state,sex,age,edu", "sex,age,race,edu,marital,famincome",
        "state,age,sex,race,hispanic,citizen", "age,sex,occup_code,ind_code,edu,famincome",
        "state,sex,age,race,edu,marital,hh_size")),
    "natality2014": ("natality2014/natality2014.parquet", None, (
        "mager,fagecomb,sex", "mager,fagecomb,priorlive,pay",
        "mager,dplural,precare,previs,sex,pay")),
    "be_motor97": ("be_motor97/be_motor97.parquet", None, (
        "postcode,ageph,sex", "postcode,ageph,sex,fuel", "ageph,sex,bm,power,agec",
        "ageph,sex,bm,power,fuel,use,coverage")),
    "us_fertility1980": ("us_fertility1980/us_fertility1980.parquet", None, (
        "age,work,afam,hispanic,other,morekids,gender1,gender2", "age,work,afam,hispanic")),
    "us_military": ("us_military/us_military.parquet", "count", (
        "grade,branch,gender,race,hisp,rank",)),
}  # fmt: skip


class Drawn(NamedTuple):
    """A sample, and how many people of the population its cells hold."""

    sample: SampledCells
    crowds: Ints
    fraction: float
    population_alone: int


@dataclass(frozen=True, eq=False)
class Population:
    """Distinct combinations of a table's columns and their people."""

    table: str
    columns: tuple[str, ...]
    cells: SampledCells

    def samples(self, seed: int) -> Iterator[Drawn]:
        """One for each fraction that leaves a fitting number of people."""
        n = self.cells.n
        for at, fraction in enumerate(FRACTIONS):
            people = round(n * fraction)
            if FEWEST <= people <= MOST:
                yield self.sample(people, fraction, np.random.default_rng([seed, at]))

    def sample(self, people: int, fraction: float, rng: np.random.Generator) -> Drawn:
        """So many of its people, all equally likely."""
        cells = self.cells
        drawn = rng.multivariate_hypergeometric(cells.people, people, method="marginals")
        held = np.flatnonzero(drawn)
        sample, cell = cells_of(
            cells.names, cells.codes[held], drawn[held].astype(np.int64), cells.n, cells.ordered
        )
        crowds = np.zeros(sample.cells, dtype=np.int64)
        crowds[cell] = cells.people[held]
        return Drawn(sample, crowds, fraction, int(np.count_nonzero(cells.people == 1)))


def populations(data: Path, table: str) -> Iterator[Population]:
    """The sets of one table."""
    file, people_in, sets = SETS[table]
    read = pq.read_table(data / file)
    people = np.ones(len(read), dtype=np.int64)
    if people_in is not None:
        people = read[people_in].to_numpy().astype(np.int64)
    for names in (each.split(",") for each in sets):
        columns = [column_of(read[name]) for name in names]
        codes = np.stack([codes for codes, _ in columns], axis=1)
        ordered = [order for _, order in columns]
        cells, _ = cells_of(names, codes, people, int(people.sum()), ordered)
        yield Population(table, tuple(names), cells)


def column_of(column: object) -> tuple[NDArray[np.int64], bool]:
    """Codes of the values in their order, and whether they have one."""
    codes, values = coded(pc.cast(column.combine_chunks(), "string"))  # type: ignore[attr-defined]
    ranks, ordered = value_order([None if each == "(empty)" else each for each in values])
    return ranks[codes], ordered
