"""`reidrisk learn`: what it prints, what it writes, its exit status, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

import reidrisk as rr

ASKED = ("--columns", "county,age,sex", "--sensitive", "occupation")


@pytest.fixture(scope="module")
def city(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("city") / "city.csv"
    pacsv.write_csv(rr.city(3000), place)
    return place


def written(folder: Path, **columns: list[object]) -> Path:
    place = folder / "table.csv"
    pacsv.write_csv(pa.table(columns), place)
    return place


def plainly(text: str) -> str:
    return " ".join(text.split())


def test_what_it_prints_and_its_json(command: Callable, city: Path) -> None:
    said = command("learn", city, *ASKED)
    assert said.status == 0
    for words in ("occupation is certain for", "and yet their occupation is certain", "with the "
                  "table, and for", "own record", "distinct ℓ-diversity", "t-closeness, all values "
                  "equally far apart", "β-likeness", "δ-disclosure", "(α, k)"):  # fmt: skip
        assert words in plainly(said.out)
    told = command("learn", city, *ASKED, "--json").json
    found = told["sensitive"]["occupation"]
    assert found["certain"]["people"] >= found["certain_in_crowds_of_at_least"]["5"]["people"] > 0
    guess = found["guess"]
    assert guess["with"] - guess["without"] == pytest.approx(guess["gain"])
    assert sum(each["people"] for each in found["by_value"]) == 3000
    assert told["command"] == "learn"


def test_the_answer_fits_a_terminal(command: Callable, city: Path) -> None:
    said = command("learn", city, *ASKED, "--sensitive", "marital_state")
    assert max(map(len, said.out.splitlines())) <= 92


@pytest.mark.parametrize(
    ("values", "headline", "sentence"),
    [
        (["a"] * 4, "s is certain for everybody", "In smaller crowds, it is certain for 4 people"),
        (["a", "b"] * 2, "s is certain for nobody", "In no crowd does everybody have the same s"),
        (["a", "a", "a", "b"], "s is certain for 2 of 4 people, 50.0 %", "for nobody. In smaller"),
    ],
)
def test_everybody_nobody_and_some(
    command: Callable, tmp_path: Path, values: list[object], headline: str, sentence: str
) -> None:
    said = command("learn", written(tmp_path, x=[1, 1, 2, 2], s=values), "--columns", "x",
                   "--sensitive", "s")  # fmt: skip
    assert said.status == 0
    assert said.out.startswith(headline)
    assert sentence in plainly(said.out)


def test_one_person_is_spoken_of_in_the_singular(command: Callable, tmp_path: Path) -> None:
    place = written(tmp_path, x=[1, 2, 2], s=["a", "a", "b"])
    said = command("learn", place, "--columns", "x", "--sensitive", "s")
    assert "it is certain for 1 person, people alone included" in plainly(said.out)


def test_what_tells_nothing_is_said_to(command: Callable, city: Path) -> None:
    said = command("learn", city, "--columns", "sex", "--sensitive", "marital_state")
    assert "the table helps nobody to guess it" in plainly(said.out)
    assert "people guessed right, by their value" not in said.out


def test_several_sensitive_columns(command: Callable, city: Path) -> None:
    asked = ("--columns", "sex", "--sensitive", "occupation,marital_state")
    said = command("learn", city, *asked)
    assert said.out.startswith("occupation and marital_state are certain for nobody")
    assert set(command("learn", city, *asked, "--json").json["sensitive"]) == {
        "occupation", "marital_state",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("limit", "status"),
    [("l=1", 0), ("l=3", 1), ("certain_share=0", 1), ("certain_share=1", 0),
     ("t_closeness=0.1", 1), ("alpha=1", 0), ("guess_costs=0", 1), ("guess_gain=0.99", 0),
     ("beta_likeness=0.5,alpha=1", 1)],
)  # fmt: skip
def test_limits_end_in_a_status(command: Callable, city: Path, limit: str, status: int) -> None:
    said = command("learn", city, *ASKED, "--fail-above", limit)
    assert said.status == status
    assert ("Not met" in said.err) == bool(status)
    gate = command("learn", city, *ASKED, "--fail-above", limit, "--json").json["gate"]
    assert gate["verdict"] == ("fail" if status else "pass")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("--columns", "sex"), "no sensitive column is named"),
        (("--columns", "sex", "--sensitive", "diagnosis"), "diagnosis"),
        (("--columns", "sex,occupation", "--sensitive", "occupation"), "both a quasi-identifier"),
        (("--columns", "sex", "--sensitive", "age,age"), "named twice"),
        ((*ASKED, "--fail-above", "salary=1"), "salary"),
        ((*ASKED, "--fail-above", "overall_risk=0.1"), "overall_risk"),
        ((*ASKED, "--recursive-l", "0"), "whole number from 1"),
        ((*ASKED, "--missing", "wildcard"), "--missing own"),
        ((*ASKED, "--key", "postcode"), "--risk-file isn't given"),
    ],
)
def test_what_it_refuses(command: Callable, city: Path, asked: tuple[str, ...], words: str) -> None:
    said = command("learn", city, *asked)
    assert said.status == 2
    assert words in plainly(said.err)


def test_the_risk_file(command: Callable, city: Path, tmp_path: Path) -> None:
    place = tmp_path / "learnt.csv"
    said = command("learn", city, *ASKED, "--risk-file", place)
    assert said.status == 0
    assert str(place) in said.out
    table = pacsv.read_csv(place)
    assert table.num_rows == 3000
    told = command("learn", city, *ASKED, "--json").json["sensitive"]["occupation"]
    assert sum(table["occupation_certain"].to_pylist()) == told["certain"]["people"]
    guessed = sum(table["occupation_guessed"].to_pylist()) / 3000
    assert guessed == pytest.approx(told["guess"]["with"])
    # Its values aren't in it.
    assert "retired" not in place.read_text()


def test_hostile_names_and_values_stay_text(command: Callable, tmp_path: Path) -> None:
    bell, red = chr(7), chr(27) + "[31m"
    place = written(tmp_path, x=[1, 1, 2, 2], **{f"s{bell}": [f"{red}a", f"{red}a", "b", "<b>"]})
    said = command("learn", place, "--columns", "x", "--sensitive", f"s{bell}")
    assert said.status == 0
    assert bell not in said.out
    assert red not in said.out
    assert (
        f"{red}a"
        not in command("learn", place, "--columns", "x", "--sensitive", f"s{bell}", "--json").out
    )


def test_a_long_name_is_kept_whole(command: Callable, tmp_path: Path) -> None:
    name = "confirmed_main_diagnosis_at_discharge_by_the_international_classification"
    said = command("learn", written(tmp_path, x=[1, 1], **{name: ["a", "b"]}), "--columns", "x",
                   "--sensitive", name)  # fmt: skip
    assert said.status == 0
    assert said.out.startswith(f"{name} is certain for nobody")


def test_persons_with_several_rows(command: Callable, tmp_path: Path) -> None:
    place = written(tmp_path, id=[1, 1, 2, 2, 3], sex=list("ffffm"), s=list("ababa"))
    asked = ("--person", "id", "--columns", "sex", "--sensitive", "s")
    found = command("learn", place, *asked, "--json").json["sensitive"]["s"]
    # Both of the first crowd have the set a + b.
    assert found["certain"]["people"] == 3
    assert [each["value"] for each in found["by_value"]].count("a + b") == 1


def test_report_and_attack_take_it_from_the_command_line(
    command: Callable, city: Path, tmp_path: Path
) -> None:
    said = command("report", city, *ASKED)
    assert "## What would be learnt?" in said.out
    assert "--sensitive occupation" in said.out
    said = command("report", city, *ASKED, "--publishable")
    assert "## What would be learnt?" in said.out
    said = command("attack", city, *ASKED, "--play", 500)
    assert "Simulated guessing of occupation, of 500 people drawn" in plainly(said.out)
    place = tmp_path / "s.json"
    assert command("publish", city, "--columns", "county,sex", "-o", place).status == 0
    for question in ("report", "attack"):
        said = command(question, place, "--sensitive", "occupation")
        assert said.status == 2
        assert "--sensitive" in said.err
