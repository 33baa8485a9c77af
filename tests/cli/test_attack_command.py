"""`reidrisk attack`, as people use it and misuse it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import reidrisk as rr

SECRET = "Xq7-secret"
PEOPLE = f"id,age,sex,town\n1,39,f,{SECRET}\n2,39,f,b\n3,40,m,b\n4,41,m,b\n5,41,m,b\n"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return path


@pytest.fixture
def statistics(tmp_path: Path) -> Path:
    path = tmp_path / "statistics.json"
    table = rr.read(rr.city(3000), columns=["county", "age", "sex"])
    rr.save_statistics(rr.publish(table, pairs="all", unprotected=True), path)
    return path


def test_in_words(command: Callable, people: Path) -> None:
    said = command(
        "attack", people, "--columns", "age,sex,town", "--knows", "age,sex", "--up-to", 2,
        "--errors", 0.1, "--play", 500, "--unique-up-to", 2,
    )  # fmt: skip
    assert (said.status, said.err) == (0, "")
    words = " ".join(said.out.split())
    assert words.startswith("Many people stand out (people.csv: 5 people attacked, knowing age")
    assert "1 person of 5 (20.0 %) is alone (unique)" in words
    assert "re-identified with at least people share" in words
    assert "All combinations of up to 2 attributes, by overall_risk" in words
    assert "Simulated attack on 500 targets: " in words
    assert "can be singled out by 2 attributes or fewer" in words
    assert SECRET not in said.out


def test_as_json(command: Callable, people: Path) -> None:
    said = command("attack", people, "--columns", "age,sex", "--json")
    assert said.json["knows"] == ["age", "sex"]
    assert said.json["cdf"] == [[0.5, 0.8], [1.0, 1.0]]
    assert said.json["survival"] == [[0.5, 1.0], [1.0, 0.2]]
    assert said.json["seed"] is None
    assert said.json["expected_reidentifications"] == 3


def test_files(command: Callable, people: Path, tmp_path: Path) -> None:
    risks, sets = tmp_path / "risk.csv", tmp_path / "sets.csv"
    options = ["--columns", "age,sex,town", "--knows", "age,town", "--risk-file", risks,
               "--person-file", sets]  # fmt: skip
    said = command("attack", people, *options)
    assert said.status == 0
    assert risks.read_text().splitlines()[:3] == ["row,crowd,risk", "1,1,1", "2,1,1"]
    lines = sets.read_text().splitlines()
    assert lines[0] == "row,sets,smallest,minimal_sets,matters_most,share_age,share_town"
    assert lines[1].replace('"', "") == "1,1,1,town,town,0,1"
    assert lines[2].replace('"', "") == "2,1,2,age+town,age,1,1"
    assert "Each record's minimal unique sets:" in said.out
    for path in (risks, sets):
        assert SECRET not in path.read_text()
    said = command("attack", people, *options, "--key", "id")
    assert sets.read_text().startswith("id,sets,")


def test_statistics(command: Callable, statistics: Path) -> None:
    said = command("attack", statistics, "--knows", "age,sex", "--json", "--play", 300)
    assert said.status == 0, said.err
    assert said.json["from"] == "statistics"
    assert said.json["model"] == "tree"
    assert said.json["seed"] == 0
    assert said.json["played"]["targets"] == 300
    words = command("attack", statistics, "--bands", "age=10", "--model", "tree").out
    assert "expected" in words
    assert "Model: tree." in words


def test_a_threshold(command: Callable, people: Path) -> None:
    options = ["--columns", "age,sex", "--fail-above", "highest_risk=0.5"]
    assert command("attack", people, *options).status == 1
    assert command("attack", people, *options, "--knows", "sex").status == 0


FAULTS: dict[str, tuple[list[str], str]] = {
    "unknown attribute": (["--knows", "agee"], "did you mean 'age'"),
    "errors": (["--errors", "1.5"], "--errors 1.5 isn't between 0 and 1"),
    "share": (["--share", "-1"], "--share -1 isn't between 0 and 1"),
    "above": (["--above", "20"], "--above 20"),
    "a word": (["--errors", "often"], "not a valid float"),
    "up to": (["--up-to", "4"], "more than the 3 attributes"),
    "too many": (["--up-to", "3", "--view-limit", "6"], "are 7 combinations, and at most 6"),
    "unique": (["--unique-up-to", "9"], "more than the 3 attributes"),
    "both": (["--share", "0.5", "--errors", "0.5"], "can't both hold"),
    "play": (["--play", "0"], "at least one target"),
    "measure": (["--up-to", "1", "--measure", "fame"], "no measure is called"),
    "key alone": (["--key", "id"], "no file is to be written"),
    "same file": (["--risk-file", "a.csv", "--person-file", "a.csv"], "the same file"),
    "kind of file": (["--person-file", "a.txt"], "how its table is to be written"),
    "unknown key": (["--person-file", "a.csv", "--key", "idd"], "there is no column 'idd'"),
    "model": (["--model", "tree"], "--model is for statistics"),
    "not looked at": (["--knows", "id"], "'id' isn't among the quasi-identifiers"),
    "a measure alone": (["--measure", "alone_share"], "--up-to isn't given"),
    "no views": (["--view-limit", "0"], "--view-limit needs a whole number from 1"),
    "seed": (["--seed", "-1", "--play", "5"], "--seed is a whole number from 0"),
    "persons": (["--person", "id", "--play", "5"], "can't both hold"),
    "persons' sets": (["--person", "id", "--person-file", "a.csv"], "can't both hold"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_bad_input(
    command: Callable, people: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.chdir(people.parent)
    options, words = FAULTS[fault]
    said = command("attack", people, "--columns", "age,sex,town", *options)
    assert said.status == 2, said
    assert words in said.err
    assert SECRET not in said.err
    assert said.out == ""
    assert [path.name for path in people.parent.iterdir()] == ["people.csv"]


@pytest.mark.parametrize(
    "options",
    [["--person-file", "a.csv"], ["--risk-file", "a.csv"], ["--count", "n"],
     ["--missing", "wildcard"], ["--unique-up-to", "2"], ["--empty", "?"], ["--sheet", "a"]],
)  # fmt: skip
def test_what_only_records_have(command: Callable, statistics: Path, options: list[str]) -> None:
    said = command("attack", statistics, *options)
    assert said.status == 2
    assert f"{options[0]} is for records, and these are statistics" in said.err
    both = command("attack", statistics, statistics.parent / "other.csv")
    assert both.status == 2


def test_verbose_says_what_was_detected(command: Callable, people: Path, statistics: Path) -> None:
    said = command("attack", people, "--verbose")
    assert "detected: CSV" in said.err
    assert "5 people attacked in" in said.err
    assert (
        "model pairwise: 3,000 people attacked in" in command("attack", statistics, "--verbose").err
    )
