"""Tables anonymised to k = 3, 10 and 20: public ones, or a generated city made so here."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import reidrisk as rr
from reidrisk_papers.setting import Setting

KS = (3, 10, 20)
ADULT = ("age", "education", "occupation", "relationship", "sex", "native-country")
CITY = ("postcode", "age", "sex", "marital_state")
PEOPLE = 40_000
# Left out so that the rest may stay fine.
SUPPRESSED = 0.05


@dataclass(frozen=True, eq=False)
class Anonymised:
    """A table for each k, the columns an attacker may know, and where they come from."""

    tables: dict[int, pa.Table]
    columns: tuple[str, ...]
    costs: str
    data: str

    def read(self, k: int, columns: Sequence[str] | None = None) -> rr.Table:
        """One of them, as an attacker who knows these columns sees it."""
        return rr.read(self.tables[k], columns=list(columns or self.columns))


def anonymised(setting: Setting) -> Anonymised:
    """Adult as published, or a city generalised here."""
    if setting.quick:
        return _city(setting.scaled(PEOPLE, 5_000))
    tables = {k: pq.read_table(setting.public_table(f"adult_k{k}")) for k in KS}
    data = (
        "Adult anonymised to k = 3, 10 and 20 (published with pyCANON), six columns; the paper's "
        "table isn't named"
    )
    return Anonymised(tables, ADULT, "adult", data)


def to_generalise(setting: Setting) -> tuple[Any, dict[str, Any], str]:
    """A table as recorded, its hierarchies, and what it is."""
    if setting.quick:
        people = setting.scaled(PEOPLE, 5_000)
        table = rr.read(rr.city(people), columns=list(CITY))
        return table, {}, f"a generated city of {people:,} people with proposed hierarchies"
    table = rr.read(setting.public_table("adult"))
    hierarchies = setting.public_table("adult_hierarchies")
    return table, {"hierarchies": hierarchies}, "Adult, 30,162 people, with published hierarchies"


@lru_cache(maxsize=1)
def _city(people: int) -> Anonymised:
    table = rr.read(rr.city(people), columns=list(CITY))
    tables = {}
    with tempfile.TemporaryDirectory() as folder:
        for k in KS:
            place = Path(folder) / f"k{k}.parquet"
            rr.generalise(table, k=k, suppress=SUPPRESSED, loss="entropy", output=place)
            tables[k] = pq.read_table(place)
    data = (
        f"a generated city of {people:,} people, generalised here to k = 3, 10 and 20 with up to "
        f"{SUPPRESSED:.0%} left out"
    )
    return Anonymised(tables, CITY, "city", data)
