"""When a report was made, against which target, and what was done to the table."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

import reidrisk as rr
from reidrisk.errors import InputError
from reidrisk.generalisation.safer_table import record_of

EPOCH = "1763493600"


@pytest.fixture
def city(tmp_path: Path) -> Path:
    from pyarrow import csv

    csv.write_csv(rr.city(3000), tmp_path / "people.csv")
    return tmp_path / "people.csv"


@pytest.fixture
def safer(command: Callable, city: Path, tmp_path: Path) -> Path:
    place = tmp_path / "safer.csv"
    done = command("generalise", city, "--columns", "county,age,sex", "-k", "5",
                   "--suppress", "0.02", "--frontier", "none", "-o", place)  # fmt: skip
    assert done.status == 0, done.err
    assert "records what was done, for `report`" in " ".join(done.out.split())
    return place


def section(report: dict, key: str) -> dict | None:
    return next((each for each in report["sections"] if each["key"] == key), None)


def test_a_report_says_when_it_was_made(
    command: Callable, city: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", EPOCH)
    asked = ("report", city, "--columns", "sex", "--up-to", "1")
    told = command(*asked, "--json").json
    assert told["made"] == "2025-11-18T19:20:00+00:00"
    assert told["provenance"]["Made"] == "18 November 2025, 19:20 UTC"
    assert "Made 18 November 2025, 19:20 UTC." in command(*asked).out
    assert "made 18 November 2025, 19:20 UTC" in command(*asked, "--format", "html").out
    assert command(*asked).out == command(*asked).out
    for wrong in ("", "soon", "9" * 30):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", wrong)
        made = datetime.fromisoformat(command(*asked, "--json").json["made"])
        assert made.tzinfo is not None


def test_a_report_says_whether_its_target_is_met(command: Callable, city: Path) -> None:
    asked = ("report", city, "--columns", "county,sex", "--up-to", "1", "--json")
    assert section(command(*asked).json, "target") is None
    met = section(command(*asked, "-k", "k=11").json, "target")
    assert met["sentences"] == ["Target: crowds of at least 11.", "It is met."]
    both = command(*asked, "-k", "5000", "--fail-above", "alone_share=0.5")
    assert both.status == 0
    missed = section(both.json, "target")
    assert missed["sentences"][1].startswith("It isn't met: crowds of at least 5,000")
    assert [row[2] for row in missed["tables"][0]["rows"]] == ["yes", "no"]
    zero = section(command(*asked, "--fail-above", "alone_share=0,people=10").json, "target")
    assert [row[2] for row in zero["tables"][0]["rows"]] == ["yes", "no"]
    for wrong in (("-k", "0"), ("-k", "5", "--fail-above", "k=6"), ("--measure", "alone_share"),
                  ("--publishable", "-k", "3"),
                  ("--publishable", "--fail-above", "alone_share=0.001")):  # fmt: skip
        assert command(*asked, *wrong).status == 2


def test_the_record_of_a_release(safer: Path) -> None:
    place = safer.with_name("safer.csv.reidrisk.json")
    text = place.read_text()
    told = json.loads(text)
    assert place.stat().st_mode & 0o777 == 0o600
    assert told["format"] == "reidrisk-release/1"
    assert told["target"]["allowable_risk"] == 0.2
    assert told["before"]["people"] == 3000
    assert told["after"]["smallest_crowd"] >= 5
    assert "people.csv" not in text
    for value in ("Eastvale", "female", "Amberly"):
        assert value not in text


def test_a_report_says_what_was_done(command: Callable, city: Path, safer: Path) -> None:
    looked_at = ("--columns", "county,age,sex", "--up-to", "1", "--json")
    by_record = section(command("report", safer, *looked_at).json, "treatment")
    assert "Made coarser: " in by_record["sentences"][0]
    assert "People left out: " in by_record["sentences"][1]
    measures = {row[0]: row[1:] for row in by_record["tables"][0]["rows"]}
    assert measures["people"][0] == "3,000"
    by_table = section(command("report", safer, "--before", city, *looked_at).json, "treatment")
    assert by_table["tables"][0] == by_record["tables"][0]
    safer.with_name("safer.csv.reidrisk.json").unlink()
    assert section(command("report", safer, *looked_at).json, "treatment") is None
    by_table = section(command("report", safer, "--before", city, *looked_at).json, "treatment")
    assert by_table["sentences"][0].startswith("People left out: ")
    refused = command("report", city, "--before", safer, *looked_at)
    assert refused.status == 2
    assert "fewer than the 3,000 now" in refused.err + refused.out


def test_a_record_of_another_file_is_no_record(command: Callable, safer: Path) -> None:
    safer.write_text(safer.read_text() + safer.read_text().splitlines()[1] + "\n")
    told = command("report", safer, "--columns", "county,age,sex", "--up-to", "1", "--json").json
    assert section(told, "treatment") is None
    place = safer.with_name("safer.csv.reidrisk.json")
    for damaged in ("", "[]", "{", '{"format": "reidrisk-release/1"}', "[" * 100_000):
        place.write_text(damaged)
        assert record_of(safer) is None
        assert command("report", safer, "--columns", "sex", "--up-to", "1", "--json").status == 0


def test_the_record_takes_no_other_files_place(command: Callable, city: Path) -> None:
    place = city.with_name("safer.csv.reidrisk.json")
    place.write_text("my notes")
    done = command(
        "generalise", city, "--columns", "sex", "-k", "5", "-o", city.with_name("safer.csv")
    )
    assert done.status == 2
    assert "is in the way" in done.err
    assert place.read_text() == "my notes"
    assert not city.with_name("safer.csv").exists()


def test_what_was_done_isnt_published_in_small_counts(command: Callable, safer: Path) -> None:
    report = command("report", safer, "--columns", "county,age,sex", "--up-to", "1", "--json",
                     "--publishable").json  # fmt: skip
    done = section(report, "treatment")
    record = record_of(safer)
    assert record is not None
    gone = record.told["suppressed"]["people"]
    assert gone % 5 != 0, "choose another table: this one tells nothing"
    assert [table["heads"] for table in done["tables"]] == [["column", "level"]]
    told = json.dumps(done)
    assert f" {gone}." not in told
    assert "3,000" not in told


def test_in_python(safer: Path, city: Path) -> None:
    columns = ["county", "age", "sex"]
    table, before = rr.read(safer, columns=columns), rr.read(city, columns=columns)
    found = rr.report(table, before=before, limits={"highest_risk": "1/5"}, up_to=1)
    keys = [each.key for each in found.sections]
    assert keys[:2] == ["target", "treatment"]
    assert found.made.tzinfo is not None
    with pytest.raises(InputError, match="other quasi-identifiers"):
        rr.report(table, before=rr.read(city, columns=["sex"]), up_to=1)
    with pytest.raises(InputError, match="these are statistics"):
        rr.report(rr.publish(table), before=before)
