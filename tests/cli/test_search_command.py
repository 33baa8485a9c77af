from __future__ import annotations

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
    command("publish", people, "-o", file, "--pairs", "all", "--at-least", 1)
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
        (["--allowable-risk", "0.1", "--measure", "people"], "same in every view"),
        (["--allowable-risk", "0.1", "--measure", "wealth"], "no measure"),
        (["--allowable-risk", "0.1", "--columns", "age,wage"], "no column 'wage'"),
        (["--allowable-risk", "0.1", "--up-to", "9"], "between 1 and 3"),
        (["--allowable-risk", "0.1", "--time-limit", "-1"], "--time-limit"),
        (["--allowable-risk", "0.1", "--missing", "wildcard"], "there are none"),
        (["--allowable-risk", "0.1", "--draws", "0"], "--draws"),
        (["--allowable-risk", "0.1", "--model", "oracle"], "--model oracle"),
        (["--ratio", "2", "--attributes", "4"], "there are 3 attributes"),
        (["--budget", "2"], "needs the attributes' costs"),
    ],
)
def test_bad_input_ends_in_2(command, people: Path, options: list[str], said: str) -> None:
    ended = command("search", people, *options)
    assert ended.status == 2
    assert said in ended.err
    assert ended.out == ""
