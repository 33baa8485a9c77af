"""Towns: people by town, age and other columns, as counts; a country's register, or generated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import reidrisk as rr
from reidrisk_papers.setting import Setting

# The paper's M = 94: a hundred and more years old are a tiny part, and left out.
AGES = 95
# Below this most ages are nobody's, and the town lies far from all others.
FEWEST = 500
CITY = 400_000


@dataclass(frozen=True, eq=False)
class Towns:
    """Records of counts, the columns beside the town, and where they come from."""

    records: pa.Table
    columns: tuple[str, ...]
    data: str

    def group(self, columns: Sequence[str], size: int, ages: int = AGES, **how: Any) -> list[Any]:
        """The figures of each town; every age is listed, held by somebody or not."""
        table = rr.read(self.records, columns=["town", *columns], count="count")
        asked = rr.group(
            table, size, columns=list(columns), by="town", values={"age": f"0-{ages - 1}"}, **how
        )
        return list(asked.groups)

    def of(self, town: str, columns: Sequence[str]) -> rr.Table:
        """One town's records."""
        kept = self.records.filter(pc.equal(self.records["town"], town))
        return rr.read(kept, columns=list(columns), count="count")

    def part(self, names: Sequence[str]) -> Towns:
        """Only these towns."""
        kept = self.records.filter(pc.is_in(self.records["town"], pa.array(list(names))))
        return Towns(kept, self.columns, self.data)


def towns(setting: Setting) -> Towns:
    """A country's municipalities, or a generated city's postcodes."""
    if setting.quick:
        return _city(setting.scaled(CITY, 80_000))
    return _belgium(str(setting.public_table("belgium")))


def large(groups: Sequence[Any]) -> list[Any]:
    """Those with enough people for their ages to be more than chance."""
    return [each for each in groups if each.people >= FEWEST]


@lru_cache(maxsize=1)
def _belgium(path: str) -> Towns:
    columns = ("age", "sex", "civil_status", "nationality")
    held = pq.read_table(path, columns=["municipality", *columns, "count"])
    kept = held.filter(pc.less(held["age"], AGES))
    above = pc.sum(held["count"]).as_py() - pc.sum(kept["count"]).as_py()
    records = pa.table({
        "town": kept["municipality"].cast(pa.string()),
        **{name: kept[name].cast(pa.string()) for name in columns},
        "count": kept["count"],
    })  # fmt: skip
    many = len(pc.unique(records["town"]))
    data = (
        f"Belgium's {many} municipalities on 1 January 2015 in place of the paper's 428 Dutch "
        f"ones; {above:,} people above 94 are left out"
    )
    return Towns(records, columns, data)


@lru_cache(maxsize=1)
def _city(people: int) -> Towns:
    columns = ("age", "sex", "marital_state", "occupation")
    held = rr.city(people).rename_columns({"postcode": "town"}).select(["town", *columns])
    kept = held.filter(pc.less(held["age"], AGES))
    counted = kept.group_by(["town", *columns]).aggregate([([], "count_all")])
    records = counted.rename_columns(["town", *columns, "count"])
    many = len(pc.unique(records["town"]))
    data = f"{many} postcodes of a generated city of {people:,} people instead of Dutch towns"
    return Towns(records, columns, data)
