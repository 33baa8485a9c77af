"""Counted tables are those of the records; attributes that others determine are recognised."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

import reidrisk as rr
from reidrisk.publishing.counted_tables import CountedTables

COUNTY = {"1": "east", "2": "east", "3": "west"}


def people(rows: int = 300) -> dict[str, list[str | None]]:
    postcode = [str(1 + i % 3) for i in range(rows)]
    age = [str(22 + (i * i) % 7) for i in range(rows)]
    return {
        "county": [COUNTY[each] for each in postcode],
        "postcode": postcode,
        "age": age,
        "band": ["20-24" if int(each) < 25 else "25-29" for each in age],
        "age_again": [f"{each} years" for each in age],
        "planet": ["earth"] * rows,
        "eyes": [None if i % 5 == 0 else "brown" if i % 2 else "blue" for i in range(rows)],
    }


def test_counts_are_those_of_the_records() -> None:
    held = people()
    counted = CountedTables.of(rr.read(held, columns=list(held)))
    assert counted.people == 300
    for name, values, margin in zip(counted.names, counted.values, counted.margins, strict=True):
        assert dict(zip(values, margin.tolist(), strict=True)) == Counter(held[name])
    for (i, j), cells in counted.pairs.items():
        found = {
            (counted.values[i][a], counted.values[j][b]): n
            for a, b, n in zip(cells.first, cells.second, cells.people.tolist(), strict=True)
        }
        pair = zip(held[counted.names[i]], held[counted.names[j]], strict=True)
        assert found == Counter(pair)


def everybody(counted: CountedTables) -> list[np.ndarray]:
    """Every value is named."""
    return [np.ones(len(margin), dtype=bool) for margin in counted.margins]


def test_pairs_chosen_in_either_order() -> None:
    held = people()
    table = rr.read(held, columns=["age", "eyes", "county"])
    one = CountedTables.of(table, [("eyes", "age")])
    other = CountedTables.of(table, [("age", "eyes")])
    assert list(one.pairs) == list(other.pairs) == [(0, 1)]
    for name in ("first", "second", "people"):
        a, b = (sorted(getattr(each.pairs[0, 1], name).tolist()) for each in (one, other))
        assert a == b


def test_what_determines_what() -> None:
    held = people()
    counted = CountedTables.of(rr.read(held, columns=list(held)))
    named = {
        counted.names[a]: counted.names[b]
        for a, b in counted.determined(everybody(counted)).items()
    }
    assert named == {"county": "postcode", "band": "age", "age_again": "age"}
    county = counted.names.index("county")
    assert counted.map_of(county, counted.names.index("postcode")) == COUNTY


def test_a_chain_is_determined_by_its_finest_attribute() -> None:
    fine = [str(i % 12) for i in range(120)]
    held = {
        "region": [str(int(each) // 6) for each in fine],
        "province": [str(int(each) // 3) for each in fine],
        "place": fine,
    }
    counted = CountedTables.of(rr.read(held, columns=list(held)))
    assert counted.determined(everybody(counted)) == {0: 2, 1: 2}


def test_what_nobody_is_told_of_determines_nothing() -> None:
    """A record number goes with one value of everything, and none of its values is named."""
    held = {"number": [str(i) for i in range(60)], "sex": ["f", "m"] * 30}
    counted = CountedTables.of(rr.read(held, columns=list(held)))
    named = [margin >= 5 for margin in counted.margins]
    assert counted.determined(named) == {}
    assert counted.determined(everybody(counted)) == {1: 0}


def test_real_hierarchies_are_recognised(shared_data: Path) -> None:
    path = shared_data / "belgium_2015" / "belgium_2015.parquet"
    counted = CountedTables.of(rr.read(path, count="count"))
    named = {
        counted.names[a]: counted.names[b]
        for a, b in counted.determined(everybody(counted)).items()
    }
    assert named == dict.fromkeys(["district", "province", "region"], "municipality")
