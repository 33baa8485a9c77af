from __future__ import annotations

import json
from pathlib import Path

import pytest


@pytest.fixture
def people(tmp_path: Path) -> Path:
    file = tmp_path / "people.csv"
    rows = [f"{20 + i % 30},{'fm'[i % 2]},{i % 7}" for i in range(400)]
    file.write_text("age,sex,town\n" + "\n".join(rows) + "\n")
    return file


def test_by_risk(command, people: Path) -> None:
    said = command("search", people, "--allowable-risk", 0.05, "--measure", "alone_share")
    assert said.status == 0
    assert "Smallest risky" in said.out or "None of the" in said.out
    told = command("search", people, "--allowable-risk", "0.05", "--json").json
    assert told["command"] == "search"
    assert told["measure"] == "highest_risk"
    searched = told["searched"]
    assert searched["complete"] is True
    assert searched["views"] == 7 == searched["counted"] + sum(searched["pruned"].values())
    assert all({"columns", "overall_risk", "alone_share", "highest_risk"} <= view.keys()
               for view in told["minimal_risky"])  # fmt: skip


def test_by_ratio_and_cost(command, people: Path, tmp_path: Path) -> None:
    told = command("search", people, "--ratio", 2, "--attributes", 2, "--json").json
    assert {"columns", "mean", "median", "largest", "share_above"} <= told["combinations"][0].keys()
    assert sum(each["share"] for each in told["adds"]) == pytest.approx(1)
    costs = tmp_path / "costs.toml"
    costs.write_text("age = 1\nsex = 0.5\ntown = 2\n")
    told = command("search", people, "--costs", costs, "--budget", "2.5", "--json").json
    assert [point["cost"] for point in told["frontier"]] == sorted(
        point["cost"] for point in told["frontier"]
    )
    said = command("search", people, "--costs", costs, "--budget", "2.5", "--success", "0.01")
    assert "cheapest way" in said.out
    assert "└" in said.out


def test_statistics(command, people: Path, tmp_path: Path) -> None:
    file = tmp_path / "statistics.json"
    command("publish", people, "-o", file, "--pairs", "all", "--unprotected")
    said = command("search", file, "--allowable-risk", "0.1", "--draws", 2, "--verbose")
    assert said.status == 0
    assert "2 drawn tables" in said.out
    assert "searched in" in said.err
    told = command("search", file, "--allowable-risk", "0.1", "--columns", "age,sex", "--json").json
    assert told["from"] == "statistics"
    assert told["draws"] == 5
    assert told["seed"] == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "asks one question"),
        (["--allowable-risk", "0.1", "--ratio", "2", "--attributes", "2"], "asks one question"),
        (["--allowable-risk", "0"], "above 0"),
        (["--allowable-risk", "1.5"], "between 0 and 1"),
        (["--allowable-risk", "0.1", "--measure", "people"], "same for every combination"),
        (["--allowable-risk", "0.1", "--measure", "wealth"], "no measure"),
        (["--allowable-risk", "0.1", "--columns", "age,wage"], "no column 'wage'"),
        (["--allowable-risk", "0.1", "--up-to", "9"], "between 1 and 3"),
        (["--allowable-risk", "0.1", "--time-limit", "-1"], "--time-limit"),
        (["--allowable-risk", "0.1", "--missing", "wildcard"], "there are none"),
        (["--allowable-risk", "0.1", "--draws", "3"], "--draws is for statistics"),
        (["--allowable-risk", "0.1", "--model", "tree"], "--model is for statistics"),
        (["--allowable-risk", "0.1", "--background", "b.json"], "--background is for statistics"),
        (["--ratio", "2", "--attributes", "2", "--up-to", "1"], "takes no --up-to"),
        (["--allowable-risk", "0.1", "--key", "age"], "no file is to be written"),
        (["--person-file", "sets.txt"], "how its table is to be written"),
        (["--person-file", "sets.csv", "--unique-up-to", "4"], "more than the 3 attributes"),
        (["--person-file", "sets.csv", "--ratio", "2"], "belong together"),
        (["--ratio", "2", "--attributes", "4"], "there are 3 attributes"),
        (["--budget", "2"], "needs the attributes' costs"),
    ],
)
def test_bad_input_ends_in_2(command, people: Path, options: list[str], said: str) -> None:
    ended = command("search", people, *options)
    assert ended.status == 2
    assert said in ended.err
    assert ended.out == ""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--count", "n"], "--count is for records"),
        (["--person", "n"], "--person is for records"),
        (["--missing", "wildcard"], "--missing is for records"),
        (["--engine", "duckdb"], "--engine is for records"),
        (["--delimiter", ";"], "--delimiter is for records"),
        (["--person-file", "sets.csv"], "--person-file is for records"),
        (["--unique-up-to", "2"], "--unique-up-to is for records"),
        (["--model", "oracle"], "--model oracle"),
        (["--draws", "0"], "--draws 0: it is a whole number from 1 to 1,000"),
        (["--draws", "100000000"], "--draws 100000000"),
        (["--seed", "-1"], "--seed is a whole number from 0"),
        (["--columns", "age,wage"], "wage"),
        (["--background", "none.json"], "none.json"),
    ],
)
def test_bad_input_on_statistics(
    command, people: Path, tmp_path: Path, options: list[str], said: str
) -> None:
    file = tmp_path / "statistics.json"
    command("publish", people, "-o", file, "--pairs", "all", "--unprotected")
    ended = command("search", file, "--allowable-risk", "0.1", *options)
    assert ended.status == 2
    assert said in ended.err
    assert ended.out == ""


def test_several_statistics_and_a_background(command, people: Path, tmp_path: Path) -> None:
    """Files about the same people are united; the dependence may come from other ones."""
    whole, ages, towns = (tmp_path / f"{name}.json" for name in ("whole", "ages", "towns"))
    command("publish", people, "-o", whole, "--pairs", "all", "--unprotected")
    for file, columns in ((ages, "age,sex"), (towns, "town")):
        asked = ["--columns", columns, "--pairs", "none", "--unprotected"]
        command("publish", people, "-o", file, *asked)
    options = ["--allowable-risk", "0.1", "--draws", 2, "--json"]
    told = command("search", ages, towns, *options).json
    assert told["input"]["columns"] == ["age", "sex", "town"]
    assert told["model"] == "independent"
    behind = command("search", ages, towns, *options, "--background", whole).json
    assert behind["model"] != "independent"
    mixed = command("search", ages, people, *options)
    assert mixed.status == 2


def test_what_singles_each_person_out(command, people: Path, tmp_path: Path) -> None:
    """Beside a question or alone, the same file that `attack` writes."""
    mine, theirs = tmp_path / "mine.csv", tmp_path / "theirs.csv"
    alone = command("search", people, "--person-file", mine, "--json").json
    attacked = command("attack", people, "--person-file", theirs, "--json").json
    assert mine.read_bytes() == theirs.read_bytes()
    assert alone["unique_sets"] == attacked["unique_sets"]
    assert alone["command"] == "search"
    assert alone["minimal_risky"] == alone["maximal_safe"] == alone["frontier"] == []
    assert alone["searched"]["views"] == alone["searched"]["counted"] == 7
    told = command(
        "search", people, "--allowable-risk", "0.1", "--unique-up-to", 2, "--json"
    ).json  # fmt: skip
    assert told["unique_sets"]["up_to"] == 2
    assert told["minimal_risky"]
    words = command("search", people, "--person-file", mine, "--key", "age").out
    assert words.startswith("20 people can be singled out (people.csv: 400 people, 3 quasi")
    assert "can be singled out by 3 attributes or fewer" in " ".join(words.split())
    assert "Each record's minimal unique sets:" in words
    assert mine.read_text().startswith('"age"') or mine.read_text().startswith("age")
    plain = command("search", people, "--allowable-risk", "0.1", "--json").json
    assert plain["unique_sets"] is None


def test_verbose_says_what_was_detected(command, people: Path) -> None:
    said = command("search", people, "--allowable-risk", "0.1", "--verbose")
    assert "detected: CSV" in said.err
    assert "engine embedded: 400 people searched in" in said.err


def strictly(text: str) -> dict:
    """One JSON object as the standard has it: no NaN, no Infinity, nothing beside it."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize(
    "rows",
    ["a,b\n1,x\n", "a\n1\n2\n2\n", "a,b,c\n1,,x\n2,,x\n2,,y\n", "a,b\n" + "1,x\n" * 20,
     "Größe,名前\n1,山\n2,川\n2,川\n", "a,b\nNaN,x\n1,NaN\n,x\n"],
    ids=["one row", "one column", "an empty column", "all the same", "unicode", "NaN"],
)  # fmt: skip
def test_odd_tables_answer_in_json(command, tmp_path: Path, rows: str) -> None:
    file, costs = tmp_path / "odd.csv", tmp_path / "costs.toml"
    file.write_text(rows, encoding="utf-8")
    columns = rows.splitlines()[0].split(",")
    costs.write_text("\n".join(f'"{name}" = 1' for name in columns), encoding="utf-8")
    always = ["--columns", ",".join(columns), "--json"]
    keys = {"minimal_risky", "maximal_safe", "frontier", "searched", "command", "input", "seed"}
    for asked in (
        ["--allowable-risk", 0.5],
        ["--allowable-risk", 0.5, "--view-limit", 1],
        ["--ratio", 1, "--attributes", 1],
        ["--costs", costs, "--budget", 1],
        ["--person-file", tmp_path / "sets.csv"],
    ):
        for engine in ("codes", "duckdb") if "--person-file" not in asked else ("codes",):
            said = command("search", file, *asked, *always, "--engine", engine)
            assert said.status == 0, said
            assert keys <= strictly(said.out).keys()
            assert said.err == ""
    for asked in (["--up-to", 1, "--share", 0.5, "--play", 10], ["--errors", 0.5, "--play", 10]):
        told = strictly(command("attack", file, *asked, *always).out)
        assert {
            "knows",
            "cdf",
            "survival",
            "overall_risk",
            "command",
            "input",
            "seed",
        } <= told.keys()
        assert told["cdf"][-1][1] == told["survival"][0][1] == 1
