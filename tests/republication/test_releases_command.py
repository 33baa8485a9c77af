"""`reidrisk releases`: text, JSON, the gate, what is refused; and a real series of releases."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import reidrisk as rr
from tests.commanding import Said
from tests.places import sqlite

MONDAY = "county,sex\n" + "a,f\n" * 6 + "b,m\n" * 7
TUESDAY = MONDAY + "a,f\nc,f\nc,f\n"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    for name, text in (("monday", MONDAY), ("tuesday", TUESDAY)):
        (tmp_path / f"{name}.csv").write_text(text)
    return [str(tmp_path / f"{name}.csv") for name in ("monday", "tuesday")]


def test_the_headline_is_of_those_added(command: Callable[..., Said], files: list[str]) -> None:
    told = command("releases", *files).out
    assert told.startswith(
        "1 of the 3 people added since monday is alone among them (33.3 %) (tuesday: 16 people)"
    )
    assert "1 person is alone in the difference only: hidden in a crowd of 5 or more" in told
    back = command("releases", *files[::-1]).out
    assert back.startswith("1 of the 3 people removed since tuesday is alone among them (33.3 %)")


def test_json(command: Callable[..., Said], files: list[str]) -> None:
    found = command("releases", *files, "--json").json
    assert found["command"] == "releases"
    assert found["release"]["alone"]["people"] == 0
    assert found["added"]["alone"] == {"people": 1, "share": 1 / 3}
    assert (found["removed"]["people"], found["removed"]["smallest_crowd"]) == (0, None)
    assert found["changed"] is None
    assert found["alone_in_difference_only"] == 1
    assert [each["name"] for each in found["releases"]] == ["monday", "tuesday"]
    assert found["input"]["people"] == 16


def test_the_gate_judges_the_difference(command: Callable[..., Said], files: list[str]) -> None:
    met = command(
        "releases", *files, "--fail-above", "added_alone_share=0.5,removed_highest_risk=0"
    )
    assert met.status == 0
    found = command("releases", *files, "--fail-above", "alone_in_difference_only=0")
    assert found.status == 1
    assert "alone_in_difference_only is 1, above 0" in found.err
    assert command("releases", *files, "--fail-above", "added_highest_risk=k=2").status == 1
    unknown = command("releases", *files, "--fail-above", "changed_alone_share=0")
    assert unknown.status == 2
    assert "--person COL" in unknown.err
    assert "added_alone_share" in command("releases", *files, "--fail-above", "x=1").err


def test_a_rounded_limit_of_the_difference_is_explained(
    command: Callable[..., Said], files: list[str], tmp_path: Path
) -> None:
    text = MONDAY + "a,f\n" * 11
    (tmp_path / "more.csv").write_text(text)
    more = str(tmp_path / "more.csv")
    found = command("releases", files[0], more, "--fail-above", "added_highest_risk=0.0909")
    assert found.status == 1
    assert "1/11" in found.err


def test_rows_that_may_not_be_people_are_asked_about(
    command: Callable[..., Said], tmp_path: Path
) -> None:
    for name in ("one", "two"):
        rows = [f"{i},{i % 3},{name[0]}" for i in range(1, 40)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["people,age,sex", *rows]))
    files = [str(tmp_path / f"{name}.csv") for name in ("one", "two")]
    told = command("releases", *files, "--columns", "age", "--fail-above", "added_alone_share=0")
    assert told.status == 2
    assert "--count people" in told.err
    assert "rows" in command("releases", *files, "--columns", "age").out


def test_one_file_and_none(command: Callable[..., Said], files: list[str]) -> None:
    for given in (files[:1], []):
        told = command("releases", *given)
        assert told.status == 2
        assert "name two or more" in told.err


def test_two_tables_of_a_database(command: Callable[..., Said], tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy", reason="pip install 'reidrisk[database]'")
    addresses: list[str] = []
    for name, rows in (("monday", 6), ("tuesday", 7)):
        held = pa.table({"county": ["a"] * rows, "sex": ["f"] * rows})
        addresses.append(sqlite.write(tmp_path / "held.db", name, held))
    tables = ("--table", "monday", "--table", "tuesday")
    found = command("releases", *addresses, *tables, "--json").json
    assert found["added"]["alone"]["people"] == 1
    told = command("releases", *addresses, *tables, "--table", "more")
    assert told.status == 2
    assert "--table is given 3 times, and 2 releases are in a database" in told.err


def test_a_table_of_a_database_means_nothing_for_files(
    command: Callable[..., Said], files: list[str]
) -> None:
    assert "no address" in command("releases", *files, "--table", "monday").err


def test_pictures_are_described(files: list[str]) -> None:
    pytest.importorskip("altair")
    drawn = rr.releases(*files).plot()
    told = drawn.to_dict()["description"]
    assert "in the release (16): 0 %; added (3): 33.3 %" in told


def test_nothing_differs() -> None:
    held = {"age": [1, 1, 2]}
    assert str(rr.releases(held, dict(held))).startswith("Nothing differs since release 1")


RKI = Path(__file__).resolve().parents[3] / "shared" / "data" / "rki_releases"


@pytest.mark.skipif(not RKI.is_dir(), reason="the releases aren't at hand (../shared/data)")
def test_cases_reported_in_germany() -> None:
    """6 and 7 April 2020: few are alone in the release, many of those added."""
    files = [RKI / f"rki_2020-04-{day}.parquet" for day in ("06", "07")]
    known = ["IdLandkreis", "Altersgruppe", "Geschlecht"]
    found = rr.releases(*files, columns=known, count="AnzahlFall")
    assert (found.release.alone.people, found.release.people) == (697, 99_225)
    assert (found.added.alone.people, found.added.people) == (714, 3_885)
    assert str(found).startswith(
        "714 of the 3,885 people added since rki_2020-04-06 are alone among them (18.4 %)"
    )
