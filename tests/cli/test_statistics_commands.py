"""compile and check, as people use them."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from reidrisk.statistics.statistics_file import load_statistics


def test_from_the_example_to_a_checked_file(command: Callable, tmp_path: Path) -> None:
    said = command("compile", "--example", tmp_path / "tables")
    tables = sorted((tmp_path / "tables").glob("*.csv"))
    assert [table.name for table in tables] == ["age.csv", "age_by_sex.csv", "sex.csv"]
    assert "Next: reidrisk compile" in said.out
    out = tmp_path / "statistics.json"
    said = command("compile", *tables, "-o", out)
    assert said.status == 0
    assert "10,000 people, 2 attributes" in said.out
    assert "age_by_sex.csv: counts of 4 values of age by 2 of sex; totals checked" in said.out
    assert command("check", out).status == 0
    assert load_statistics(out).pairs[0].of == ("age", "sex")


def test_compile_json(command: Callable, tmp_path: Path) -> None:
    table = tmp_path / "sex.csv"
    table.write_text("sex;Prozent\nf;52,55\nm;47,45\n")
    out = tmp_path / "statistics.json"
    said = command("compile", table, "--records", 1_000_000, "-o", out, "--json")
    assert said.json["rounded_to"] == 100
    assert said.json["attributes"] == ["sex"]
    assert said.json["tables"] == ["sex.csv: per cent of 2 values of sex"]
    said = command("compile", table, "--records", 1_000_000, "-o", out)
    assert "Counts are known to the nearest 100." in said.out


def test_nothing_is_written_when_tables_disagree(command: Callable, tmp_path: Path) -> None:
    table = tmp_path / "sex.csv"
    table.write_text("sex,people\nf,52\nm,47\nTotal,100\n")
    out = tmp_path / "statistics.json"
    said = command("compile", table, "-o", out, "--json")
    assert said.status == 2
    assert said.json["error"]["kind"] == "inconsistent_statistics"
    assert "the total is 100, its cells add up to 99" in said.json["error"]["message"]
    assert not out.exists()
    assert command("compile", table).status == 2
    assert command("compile", "-o", out).status == 2
    assert command("compile", table, "-o", table).status == 2
    assert "would be lost" in command("compile", table, "-o", table).err
    assert "there is no file" in command("compile", tmp_path / "none.csv", "-o", out).err


def test_files_checked_together_disagree(command: Callable, tmp_path: Path) -> None:
    for name, text in (("one", "sex,n\nf,52\nm,48\n"), ("two", "sex,n\nf,51\nm,49\n")):
        (tmp_path / f"{name}.csv").write_text(text)
        command("compile", tmp_path / f"{name}.csv", "-o", tmp_path / f"{name}.json")
    said = command("check", tmp_path / "one.json", tmp_path / "two.json")
    assert said.status == 2
    assert "52 people with 'f' in one, 51 in another" in said.err


def test_one_person(command: Callable, tmp_path: Path) -> None:
    command("check", "--example", tmp_path / "club.json")
    said = command("person", tmp_path / "club.json", "age=22", "sex=Female", "--verbose")
    assert said.status == 0
    assert "club.json: 100 people, sex and age known" in said.out
    assert "12 people are expected to share this combination of values" in said.out
    assert "age 22 was taken as the band 18-24." in " ".join(said.out.split())
    told = command("person", tmp_path / "club.json", "age=22", "sex=f", "--json")
    assert told.status == 2
    assert told.json["error"]["kind"] == "unknown_value"
    told = command("person", tmp_path / "club.json", "age=22", "sex=female", "--json").json
    assert told["command"] == "person"
    assert told["from"] == "statistics"
    assert len(told["input"]["sha256"]) == 64
    assert told["k_indistinguishable"]["10"] == 1.0
    assert told["gives_away"][0]["attribute"] in ("age", "sex")
    assert command("person", tmp_path / "club.json", "age").status == 2
    assert command("person", tmp_path / "club.json", "age=22", "age=23").status == 2
    assert command("person", tmp_path / "club.json", "age=22", "--given", "perhaps").status == 2


def test_one_person_of_a_table(command: Callable, tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("age,sex\n39,f\n39,f\n40,m\n")
    said = command("person", table, "--columns", "age,sex", "age=39", "sex=F")
    assert "2 people in the table share this combination of values." in said.out
    told = command("person", table, "--columns", "age,sex", "age=39", "--json").json
    assert told["from"] == "records"
    assert told["expected_crowd"] == 2


def test_values_are_asked_for(
    command: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command("check", "--example", tmp_path / "club.json")
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n22\n"))
    said = command("person", tmp_path / "club.json", "--ask")
    assert "1: female  2: male" in said.err
    assert "sex and age known" in said.out


def test_a_file_of_people(command: Callable, tmp_path: Path) -> None:
    command("check", "--example", tmp_path / "club.json")
    records = tmp_path / "people.csv"
    records.write_text("id,age,sex,shoes\n7,22,female,41\n8,30,male,43\n9,22,robot,44\n")
    out = tmp_path / "scores.csv"
    said = command("people", tmp_path / "club.json", records, "-o", out, "--key", "id",
                   "--crowds", "2,3")  # fmt: skip
    assert said.status == 0
    assert "3 people scored on sex and age" in said.out
    assert "1 of them have a value the statistics don't list" in said.out
    assert "robot" not in said.out + said.err
    lines = out.read_text().splitlines()
    assert lines[0] == "id,expected_crowd,risk,k2,k3"
    assert lines[1].startswith('"7",12,')
    assert lines[3] == '"9",,,,'
    told = command("people", tmp_path / "club.json", records, "-o", out, "--json").json
    assert (told["rows"], told["without_answer"]) == (3, 1)
    assert command("people", tmp_path / "club.json", records, "-o", records).status == 2
    assert command("people", records, records, "-o", out).status == 2


def test_a_typed_in_table_is_predicted_from(command: Callable, tmp_path: Path) -> None:
    """From published tables to a prediction: compile, check, predict."""
    (tmp_path / "age.csv").write_text("age;Personen\n18–24;2.000\n25–44;4.500\n45+;3.500\n")
    (tmp_path / "age_by_sex.csv").write_text(
        "age,female,male\n18-24,1180,820\n25-44,2300,2200\n45 and over,1720,1780\n"
    )
    out = tmp_path / "statistics.json"
    made = command("compile", tmp_path / "age.csv", tmp_path / "age_by_sex.csv", "-o", out)
    assert made.status == 0, made.err
    assert command("check", out).status == 0
    said = command("predict", out)
    assert said.status == 0
    assert "Nobody is expected to be alone" in said.out
    assert "Model: tree." in said.out
    told = command("predict", out, "--json", "--columns", "age").json
    assert told["distinct"] == 3
    assert command("predict", out, "--fail-above", "overall_risk=0.0001").status == 1
    assert command("predict", out, "--model", "none").status == 2
    assert command("predict", tmp_path / "age.csv").status == 2
    assert command("predict").status == 2


@pytest.mark.parametrize("name", ["compile", "check", "publish", "people", "person", "predict"])
def test_every_answer_says_where_it_comes_from(
    command: Callable, tmp_path: Path, name: str
) -> None:
    club, sex, people = (tmp_path / each for each in ("club.json", "sex.csv", "people.csv"))
    command("check", "--example", club)
    sex.write_text("sex,n\nf,52\nm,48\n")
    people.write_text("age,sex\n" + "22,female\n" * 30)
    out = tmp_path / ("out.csv" if name == "people" else "out.json")
    asked = {
        "compile": [sex, "-o", out],
        "check": [club],
        "publish": [people, "--columns", "age,sex", "-o", out],
        "people": [club, people, "-o", out],
        "person": [club, "sex=male"],
        "predict": [club],
    }[name]
    told = command(name, *asked, "--json").json
    keys = {"command", "version", "from", "input", "missing", "engine", "seed", "model"}
    assert keys | {"assumptions", "warnings"} <= told.keys()
    assert told["command"] == name
    assert len(told["input"]["sha256"]) == 64
