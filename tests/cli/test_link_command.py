"""`reidrisk link` as a command."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def tables(tmp_path: Path) -> tuple[Path, Path]:
    released, register = tmp_path / "released.csv", tmp_path / "register.csv"
    released.write_text("age,zip,ill\n31,0123,a\n47,0456,b\n52,0789,a\n")
    register.write_text(
        "name,years,postcode\nAnn Example,33,0199\nBo Sample,44,0400\nCy Case,44,0401\n"
    )
    return released, register


PAIRED = ("--on", "age=years,zip=postcode", "--bands", "age=10", "--levels", "zip=2")


def test_it_counts_candidates_and_names_nobody(command, tables, tmp_path: Path) -> None:
    said = command("link", *tables, *PAIRED)
    assert said.status == 0
    assert said.out.startswith("1 person of 3 (33.3 %) has exactly one candidate in the register")
    told = command("link", *tables, *PAIRED, "--json")
    assert told.json["candidates"] == {"none": 1, "one": 1, "more": 1}
    assert told.json["k_map"] == 1
    assert told.json["register"]["on"] == {"age": "years", "zip": "postcode"}
    assert told.json["claims"]["right"] == {"value": 1.0, "interval": [1.0, 1.0]}
    assert "Ann" not in said.out + said.err + told.out


def test_matches_go_to_a_private_file(command, tables, tmp_path: Path) -> None:
    place = tmp_path / "matches.csv"
    said = command("link", *tables, *PAIRED, "--show-matches", place, "--register-key", "name")
    assert said.status == 0
    assert "Ann" not in said.out + said.err
    assert '"Ann Example"' in place.read_text()
    assert place.stat().st_mode & 0o77 == 0


def test_a_register_of_visits_is_questioned(command, tmp_path: Path) -> None:
    """Several rows of somebody are several candidates, until it is said what a row is."""
    released, register = tmp_path / "released.csv", tmp_path / "register.csv"
    released.write_text("age\n31\n47\n")
    register.write_text("patient_id,age\n" + "".join(f"p{i // 3},{30 + i}\n" for i in range(60)))
    said = command("link", released, register, "--on", "age")
    assert said.status == 0
    assert "Of the register: Is each row one person?" in " ".join(said.out.split())
    said = command("link", released, register, "--on", "age", "--rows-are-people")
    assert "Is each row one person?" not in " ".join(said.out.split())


def test_a_limit_is_a_status(command, tables) -> None:
    said = command("link", *tables, *PAIRED, "--fail-above", "one_candidate_share=0.1")
    assert said.status == 1
    assert "Not met: one_candidate_share is 0.333333, above 0.1." in said.err
    said = command("link", *tables, *PAIRED, "--fail-above", "one_candidate_share=0.5")
    assert said.status == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--on", "age"], "there is no column 'age'"),
        ([], "no column of the same name"),
        ([*PAIRED, "--errors", "2"], "from 0 to 1"),
        ([*PAIRED, "--tolerance", "age=soon"], "--tolerance age"),
        ([*PAIRED, "--compare", "zip=loud"], "--compare zip=loud"),
        ([*PAIRED, "--register-covers", "1.2"], "--register-covers 1.2"),
        ([*PAIRED, "--show-matches", "m.csv"], "--register-key"),
        ([*PAIRED, "--fail-above", "k=5"], "no measure is called 'k'"),
    ],
)
def test_what_is_refused(
    command, tables, options: list[str], words: str, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = command("link", *tables, *options)
    assert said.status == 2
    assert words in said.err
