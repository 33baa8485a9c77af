"""The real tables of figures 2, 5 and 6, and what stands in for those that can't be had.

Adult and Census as in the paper. SPD (hospital discharges: ZIP code → county) and School can't be
had. Belgium's register stands in for SPD: a municipality lies in one district as a ZIP code in one
county. In a quick run a generated city stands in for it: a postcode lies in one county.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import reidrisk as rr
from reidrisk_papers.setting import Setting

DRAWING = 2
PEOPLE = 300_000
CITY_PEOPLE = 50_000
LEFT_OUT = {"adult_whole": ("fnlwgt", "split"), "census_kdd": ("instance_weight", "split")}
BELGIUM = ("municipality", "district", "age", "sex", "nationality", "civil_status")


@dataclass(frozen=True, eq=False)
class RealTable:
    """A table of people; its first place decides the seeds of what is drawn from it."""

    place: int
    name: str
    records: pa.Table

    @property
    def columns(self) -> list[str]:
        """The attributes to choose from."""
        return list(self.records.column_names)

    @cached_property
    def dependences(self) -> Sequence[Any]:
        """D of every ordered pair of attributes (eq. 1)."""
        table = rr.read(self.records, columns=self.columns)
        return rr.measure(table, dependence=True).dependence or ()

    @cached_property
    def strength(self) -> Mapping[frozenset[str], float]:
        """Of each pair of attributes the larger of its two dependences."""
        found: dict[frozenset[str], float] = {}
        for each in self.dependences:
            pair = frozenset(each.of + each.on)
            found[pair] = max(found.get(pair, 0.0), each.uncorrected)
        return found


def real_tables(setting: Setting) -> dict[str, RealTable]:
    """Every table of this run by its role: Adult, Census, and who stands in for SPD."""
    if setting.quick:
        return {"spd": standing_in(setting)}
    return {
        "adult": _public(setting, "adult_whole", 0, "Adult"),
        "census": _public(setting, "census_kdd", 1, "Census"),
        "spd": standing_in(setting),
    }


def standing_in(setting: Setting) -> RealTable:
    """The table in SPD's place."""
    if setting.quick:
        return RealTable(3, "Generated city", rr.city(setting.scaled(CITY_PEOPLE, least=5000)))
    cells = pq.read_table(setting.public_table("belgium"))
    rng = setting.rng(DRAWING, 2)
    counts = cells.column("count").to_numpy()
    drawn = rng.multivariate_hypergeometric(counts, PEOPLE, method="marginals")
    rows = np.repeat(np.arange(len(drawn)), drawn)
    return RealTable(2, "Belgium", cells.select(BELGIUM).take(rows))


def told(setting: Setting) -> str:
    """On what data these figures are run."""
    had = "Adult and Census need --data" if setting.quick else "Adult and Census as in the paper"
    return f"{told_of_stand_in(setting)}; {had}; School can't be had and nothing stands in for it"


def told_of_stand_in(setting: Setting) -> str:
    """What is in SPD's place, and why."""
    if setting.quick:
        return (
            f"a generated city of {setting.scaled(CITY_PEOPLE, least=5000):,} people stands in for "
            "SPD (its postcodes lie in counties as ZIP codes do)"
        )
    return (
        f"{PEOPLE:,} people drawn from Belgium's register stand in for SPD, whose discharges can't "
        "be had (a municipality lies in one district as a ZIP code in one county)"
    )


def _public(setting: Setting, key: str, place: int, name: str) -> RealTable:
    records = pq.read_table(setting.public_table(key))
    names = [column for column in records.column_names if column not in LEFT_OUT[key]]
    return RealTable(place, name, records.select(names))
