"""Three-way tables as offices publish them: three labels and a count in each row."""

from __future__ import annotations

from pathlib import Path

import pytest

import reidrisk as rr
from reidrisk.errors import InputError
from reidrisk.statistics.statistics import Statistics, Suppressed

PLAIN = """age,sex,region,people
young,f,north,10
young,f,south,20
young,m,north,15
young,m,south,5
old,f,north,7
old,f,south,13
old,m,north,20
old,m,south,10
"""
WITH_TOTALS = """age;sex;region;count
20;f;north;10
;;south;20
;;Total;30
;m;north;15
;;south;<5
;;Total;19
30;f;north;7
;;south;13
;;Total;20
;m;north;20
;;south;10
;;Total;30
"""


def made(folder: Path, **tables: str) -> Statistics:
    paths = []
    for name, text in tables.items():
        paths.append(folder / f"{name}.csv")
        paths[-1].write_text(text)
    return rr.compile(paths)


def test_a_table_of_three_labels_and_a_count(tmp_path: Path) -> None:
    found = made(tmp_path, people=PLAIN)
    assert found.records == 100
    assert found.names == ("age", "sex", "region")
    (triple,) = found.triples
    assert triple.of == ("age", "sex", "region")
    assert triple.counts["old", "f", "south"] == 13
    assert dict(found.attribute("region").counts) == {"north": 52, "south": 48}
    risk = rr.predict(found)
    assert risk.envelope.model == "triples"
    assert risk.crowd_sizes.overall_risk == pytest.approx(8 / 100)


def test_totals_become_pair_tables_and_suppressed_cells_stay_so(tmp_path: Path) -> None:
    found = made(tmp_path, people=WITH_TOTALS)
    assert found.records == 99
    pair = found.pair("age", "sex")
    assert pair is not None
    assert dict(pair.counts) == {("20", "f"): 30, ("20", "m"): 19, ("30", "f"): 20, ("30", "m"): 30}
    assert found.triples[0].counts["20", "m", "south"] == Suppressed(5)
    assert rr.predict(found).crowd_sizes.people == pytest.approx(99, rel=1e-6)


def test_beside_other_tables_under_their_spelling(tmp_path: Path) -> None:
    found = made(
        tmp_path,
        region="Region,people\nNorth,52\nSouth,48\n",
        people=PLAIN,
        age_by_sex="age,sex,people\nyoung,f,30\nyoung,m,20\nold,f,20\nold,m,30\n",
    )
    assert found.names == ("Region", "age", "sex")
    assert found.triples[0].counts["old", "f", "South"] == 13
    assert [pair.of for pair in found.pairs] == [("age", "sex")]


def test_labels_that_are_numbers_need_a_named_count(tmp_path: Path) -> None:
    text = "year,sex,age,people\n2020,f,20,5\n2020,f,21,6\n2020,m,20,7\n2020,m,21,8\n"
    found = made(tmp_path, people=text)
    assert found.triples[0].counts["2020", "m", "21"] == 8


def test_what_contradicts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="total"):
        made(tmp_path, people=WITH_TOTALS.replace("Total;30", "Total;31", 1))
    with pytest.raises(InputError, match="two cells"):
        made(tmp_path, people=PLAIN + "old,m,south,1\n")
    with pytest.raises(InputError, match="'f' of 'sex'"):
        made(tmp_path, people=PLAIN, sex="sex,people\nf,60\nm,40\n")


@pytest.mark.parametrize(
    "text",
    [
        "age,female,male,Total\n18-24,10,20,30\n25-44,15,5,20\nTotal,25,25,50\n",
        "age,sex,people,per cent\na,f,10,50\na,m,2,10\nb,f,3,15\nb,m,5,25\n",
    ],
)
def test_what_has_two_labels_stays_a_two_way_table(tmp_path: Path, text: str) -> None:
    found = made(tmp_path, age_by_sex=text)
    assert not found.triples
    assert len(found.pairs) == 1
