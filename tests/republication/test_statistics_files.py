"""`releases` of statistics files: the tables of counts that all of them list."""

from __future__ import annotations

from pathlib import Path

import pytest

import reidrisk as rr
from tests.republication.plainly_compared import sizes


def counted(ages: dict[str, int], cells: dict[tuple[str, str], int]) -> rr.Statistics:
    sexes: dict[str, int] = {}
    for (sex, _), people in cells.items():
        sexes[sex] = sexes.get(sex, 0) + people
    listed = (rr.Attribute("sex", sexes), rr.Attribute("age", ages))
    pairs = (rr.PairCounts(("sex", "age"), cells),)
    return rr.Statistics(sum(ages.values()), listed, pairs)


ONE = counted({"39": 10, "40": 4}, {("f", "39"): 8, ("m", "39"): 2, ("f", "40"): 3, ("m", "40"): 1})
OTHER = counted(
    {"39": 12, "40": 4}, {("f", "39"): 9, ("m", "39"): 3, ("f", "40"): 2, ("m", "40"): 2}
)


def test_each_table_is_compared_and_the_worst_leads(tmp_path: Path) -> None:
    paths = [tmp_path / "monday.json", tmp_path / "tuesday.json"]
    for each, path in zip((ONE, OTHER), paths, strict=True):
        rr.save_statistics(each, path)
    found = rr.releases(*paths)
    assert [each.of for each in found.tables] == [("age", "sex"), ("sex",), ("age",)]
    assert (sizes(found.added), sizes(found.removed)) == ([1, 1, 1], [1])
    assert found.alone_in_difference_only == 1
    worst = found.tables[0]
    assert (worst.cells, worst.not_compared, worst.small) == (4, 0, 4)
    assert found.to_dict()["from"] == "statistics"
    assert str(found).startswith("3 of the 3 people added since monday are alone among them")
    assert rr.releases(ONE, OTHER).tables == found.tables
    (only,) = rr.releases(ONE, OTHER, columns=["age"]).tables
    assert (only.of, sizes(only.difference.added)) == (("age",), [2])


def test_hidden_cells_are_left_out_and_counted() -> None:
    cells = {("f", "39"): 8, ("m", "39"): rr.Suppressed(5), ("f", "40"): 3}
    hidden = rr.Statistics(14, ONE.attributes, (rr.PairCounts(("sex", "age"), cells),))
    (pair,) = (each for each in rr.releases(hidden, OTHER).tables if len(each.of) == 2)
    assert (pair.cells, pair.not_compared) == (2, 2)


def test_refused(tmp_path: Path) -> None:
    rounded = rr.Statistics(15, (rr.Attribute("age", {"39": 15}),), rounded_to=3)
    with pytest.raises(rr.InputError, match="rounded or have noise"):
        rr.releases(ONE, rounded)
    with pytest.raises(rr.InputError, match="no table of counts in common"):
        rr.releases(ONE, rr.Statistics(15, (rr.Attribute("race", {"x": 15}),)))
    with pytest.raises(rr.InputError, match="these are statistics"):
        rr.releases(ONE, OTHER, count="n")
    path, copy = tmp_path / "held.json", tmp_path / "copy.json"
    rr.save_statistics(ONE, path)
    copy.write_bytes(path.read_bytes())
    with pytest.raises(rr.InputError, match="byte by byte"):
        rr.releases(path, copy)
