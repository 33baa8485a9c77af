"""Values whose people, as published, all have the same sensitive value."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

import reidrisk as rr
from reidrisk.publishing import homogeneous_values, without_table
from reidrisk.statistics import Attribute, PairCounts, Statistics, Suppressed


def statistics(**cells: dict[str, int]) -> Statistics:
    """Wards by diagnosis, each cell as given."""
    counts = {(ward, s): n for ward, row in cells.items() for s, n in row.items()}
    table = PairCounts(("ward", "diagnosis"), counts)
    wards, found = table.margin(0), table.margin(1)
    attributes = (Attribute("ward", wards), Attribute("diagnosis", found))  # type: ignore[arg-type]
    return Statistics(sum(wards.values()), attributes, (table,), at_least=5)


def test_all_or_nearly_all_with_one_value() -> None:
    known = statistics(
        burns={"burnt": 40}, eyes={"eye": 97, "flu": 3}, mixed={"flu": 120, "eye": 20, "burnt": 20},
        few={"burnt": 4}, half={"flu": 94, "eye": 6},
    )  # fmt: skip
    found = homogeneous_values(known, ["diagnosis"])
    assert [(each.value, each.people, each.sensitive_value) for each in found] == [
        ("eyes", 100, "eye"), ("burns", 40, "burnt"),
    ]  # fmt: skip
    assert found[0].share == 0.97
    assert found[0].prior == 123 / 404
    assert not homogeneous_values(known, ["diagnosis"], 200)


def test_a_common_value_is_told_only_where_it_is_certain() -> None:
    known = statistics(a={"flu": 96, "cut": 4}, b={"flu": 90, "cut": 10}, c={"flu": 20})
    assert [each.value for each in homogeneous_values(known, ["diagnosis"])] == ["c"]
    assert not homogeneous_values(statistics(a={"flu": 96}, b={"flu": 9}), ["diagnosis"])


def test_people_left_out_count_as_others() -> None:
    """A cell that isn't published may hold somebody with another value."""
    known = statistics(a={"flu": 50}, b={"cut": 50})
    ward = Attribute("ward", {"a": 54, "b": 50})
    cells = {**known.pairs[0].counts, ("a", "cut"): Suppressed(5)}
    pair = PairCounts(("ward", "diagnosis"), cells)
    hidden = Statistics(104, (ward, known.attributes[1]), (pair,))
    assert [each.value for each in homogeneous_values(hidden, ["diagnosis"])] == ["b"]


def test_an_empty_cell_tells_nothing() -> None:
    table = PairCounts(("ward", "diagnosis"), {("a", None): 50, ("b", "flu"): 50})
    attributes = (Attribute("ward", {"a": 50, "b": 50}), Attribute("diagnosis", {"flu": 50}, 50))
    known = Statistics(100, attributes, (table,))
    assert [each.value for each in homogeneous_values(known, ["diagnosis"])] == ["b"]


def test_columns_without_a_table_are_named() -> None:
    known = Statistics(10, (Attribute("a", {"x": 10}), Attribute("s", {"y": 10})))
    assert without_table(known, "s") == ("a",)
    assert not homogeneous_values(known, ["s"])
    with pytest.raises(rr.UnknownColumn, match="no attribute 'diagnosis'"):
        homogeneous_values(known, ["diagnosis"])


@pytest.fixture(scope="module")
def patients(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("patients") / "patients.csv"
    wards = ["burns"] * 40 + [f"w{row % 4}" for row in range(400)]
    found = ["burnt"] * 40 + [("flu", "cut", "eye", "burnt", "ill")[row % 5] for row in range(400)]
    pacsv.write_csv(pa.table({"ward": wards, "diagnosis": found}), place)
    return place


@pytest.mark.parametrize("protection", [(), ("--exact",), ("--unprotected",)])
def test_publish_warns_and_check_says_the_same(
    command: Callable, patients: Path, tmp_path: Path, protection: tuple[str, ...]
) -> None:
    place = tmp_path / "statistics.json"
    asked = ("--columns", "ward", "--sensitive", "diagnosis")
    said = command("publish", patients, "-o", place, *asked, *protection)
    assert said.status == 0
    assert "1 value of ward reveals diagnosis (attribute disclosure)" in " ".join(said.out.split())
    assert "coarser bands or levels of ward" in " ".join(said.out.split())
    published = command(
        "publish", patients, "-o", place, *asked, *protection, "--json", "--force"
    ).json["homogeneous"]
    assert [(each["value"], each["sensitive_value"]) for each in published] == [("burns", "burnt")]
    # The count is the file's own, not that of the records.
    stated = rr.load_statistics(place).attribute("ward").counts["burns"]
    assert published[0]["people"] == stated
    checked = command("check", place, "--sensitive", "diagnosis", "--json").json
    assert checked["homogeneous"] == published
    said = command("check", place, "--sensitive", "diagnosis")
    assert "reveals diagnosis" in " ".join(said.out.split())


def test_nothing_is_said_unasked_and_wrong_columns_are_refused(
    command: Callable, patients: Path, tmp_path: Path
) -> None:
    place = tmp_path / "statistics.json"
    said = command("publish", patients, "-o", place, "--json")
    assert said.json["homogeneous"] == []
    said = command("check", place, "--sensitive", "salary")
    assert said.status == 2
    assert "no attribute 'salary'" in said.err
    said = command("publish", patients, "-o", place, "--sensitive", "salary", "--force")
    assert said.status == 2
    assert "salary" in said.err
