"""`reidrisk report` as a command: formats, what it refuses, and that it can be repeated."""

from __future__ import annotations

import hashlib
import hmac
import json
import shlex
from pathlib import Path

import html5lib
import pyarrow.csv as arrow_csv
import pytest

import reidrisk as rr
from reidrisk.cli.arguments import _plain
from reidrisk.input_hash import key_file

LOOKED_AT = ("--columns", "county,age,sex")


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "people.csv"
    arrow_csv.write_csv(rr.city(2000), path)
    return path


def test_a_page_is_written(command, people: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    said = command("report", people, *LOOKED_AT, "-o", page, "--title", "A town", "--verbose")
    assert said.status == 0
    assert said.out.startswith("Many people stand out.")
    assert str(page) in said.out
    assert "reported in" in said.err
    html5lib.HTMLParser(strict=True).parse(page.read_text())
    assert "<title>A town</title>" in page.read_text()


def test_text_and_json(
    command, people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    text = command("report", people, *LOOKED_AT).out
    assert text.startswith("# Re-identification risk of people.csv")
    told = command("report", people, *LOOKED_AT, "--json").json
    assert told["command"] == "report"
    assert told["from"] == "records"
    assert told["input"]["sha256"] is None
    digest = hashlib.sha256(people.read_bytes()).digest()
    key = bytes.fromhex(key_file().read_text())
    assert told["input"]["keyed_sha256"] == hmac.new(key, digest, "sha256").hexdigest()
    assert told["input"]["people"] == 2000
    assert told["missing"] == "own"
    assert [section["key"] for section in told["sections"]][:2] == ["crowd_sizes", "at_least"]
    place = tmp_path / "report.json"
    command("report", people, *LOOKED_AT, "-o", place)
    written = json.loads(place.read_text())
    assert {**written, "reproduce": ""} == {**told, "reproduce": ""}
    command("report", people, *LOOKED_AT, "-o", tmp_path / "report", "--format", "md")
    without = [line for line in text.splitlines() if not line.startswith("    reidrisk")]
    assert set(without) <= set((tmp_path / "report").read_text().splitlines())


def test_the_command_it_tells_gives_the_same(
    command, people: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    asked = (*LOOKED_AT, "--bands", "age=5", "--publishable", "--at-least", 6, "--seed", 3)
    told = command("report", people, *asked, "--json", "--threads", 1).json
    again = shlex.split(told["reproduce"])
    # Whoever holds the table knows its name; nobody else is told.
    assert again[:3] == ["reidrisk", "report", "TABLE"]
    assert "--threads" not in again
    monkeypatch.chdir(people.parent)
    assert command("report", "people.csv", *again[3:], "--json").json == told
    told = command("report", people, *LOOKED_AT, "--json").json
    again = shlex.split(told["reproduce"])
    assert again[:3] == ["reidrisk", "report", "people.csv"]
    assert command(*again[1:], "--json").json == told


def test_statistics_are_reported(command, people: Path, tmp_path: Path) -> None:
    statistics = tmp_path / "statistics.json"
    command("publish", people, *LOOKED_AT, "-o", statistics)
    told = command("report", statistics, "--columns", "age,sex", "--bands", "age=10", "--json").json
    assert told["from"] == "statistics"
    assert told["input"]["columns"] == ["age", "sex"]
    assert told["model"]
    held = command("report", people, *LOOKED_AT, "--statistics", statistics, "--json").json
    section = next(each for each in held["sections"] if each["key"] == "prediction")
    assert section["figures"]["alone_share_counted"]["value"] > 0


def test_a_threshold_is_a_status(command, people: Path) -> None:
    said = command("report", people, *LOOKED_AT, "--fail-above", "alone_share=0.01", "--json")
    assert said.status == 1
    assert "Not met: alone_share is" in said.err
    assert json.loads(said.out)["level"] == "many"


def test_the_summary_of_a_page_says_whether_the_target_is_met(
    command, people: Path, tmp_path: Path
) -> None:
    for k, verdict in (("5", "It isn't met."), ("1", "It is met.")):
        said = command("report", people, *LOOKED_AT, "-k", k, "-o", tmp_path / "report.md")
        assert f"Target: crowds of at least {k}. {verdict}" in said.out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-o", "report.txt"], "a report is HTML, Markdown or JSON"),
        (["--format", "pdf"], "--format pdf: it is html, md or json"),
        (["--at-least", "3"], "--at-least is for a --publishable report"),
        (["--publishable", "--at-least", "1"], "whole number from 2"),
        (["--model", "nonsense"], "--model nonsense"),
        (["--up-to", "9"], "--up-to 9"),
        (["--time-limit", "0"], "--time-limit"),
        (["--seed", "-1"], "--seed"),
        (["-o", "nowhere/report.html"], "there is no directory nowhere"),
    ],
)
def test_what_is_refused(command, people: Path, options: list[str], words: str) -> None:
    said = command("report", people, *LOOKED_AT, *options)
    assert said.status == 2
    assert words in said.err


def test_the_table_is_not_overwritten(command, people: Path) -> None:
    said = command("report", people, "-o", people, "--format", "html")
    assert said.status == 2
    assert "is the table itself" in said.err


def test_statistics_take_no_options_of_records(command, people: Path, tmp_path: Path) -> None:
    statistics = tmp_path / "statistics.json"
    command("publish", people, *LOOKED_AT, "-o", statistics)
    for options in (["--missing", "wildcard"], ["--statistics", statistics]):
        said = command("report", statistics, *options)
        assert said.status == 2
    said = command("report", people, statistics)
    assert "several files that aren't all statistics" in said.err


def test_what_a_page_needs_is_said_before_anything_is_read(
    command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reidrisk.reports.document.can_draw", lambda: False)
    said = command("report", "not-there.csv", "-o", "report.html")
    assert said.status == 2
    assert "pip install 'reidrisk[report]'" in said.err


def test_paths_and_sign_ins_stay_here() -> None:
    assert _plain("/home/somebody/people.csv") == "people.csv"
    assert _plain("postgresql://me:secret@host/db") == "postgresql://host/db"
    assert _plain("age=5") == "age=5"
