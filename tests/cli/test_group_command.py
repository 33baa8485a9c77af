"""group and plan, as people use them."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

TABLE = "town,age,sex\na,20,f\na,21,m\na,22,f\na,20,m\nb,30,f\nb,30,f\nb,34,m\n"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(TABLE)
    return path


def test_one_group(command: Callable, people: Path) -> None:
    said = command("group", people, "--columns", "age,sex", "--size", 2)
    assert said.status == 0
    assert "people.csv: 7 people, groups of 2 on age and sex" in said.out
    assert "All 2 members are unique" in said.out
    assert "Kullback–Leibler" in said.out
    told = command("group", people, "--columns", "age,sex", "--size", 2, "--json").json
    assert told["outcomes"] == 10
    assert told["exact"] == pytest.approx(1 - (5 * 1 + 4) / 49)
    assert told["exact_finite"] == pytest.approx(20 / 21)


def test_a_curve_with_its_plot(command: Callable, people: Path) -> None:
    said = command("group", people, "--columns", "age", "--sizes", "2-4", "--values", "age=20-39")
    assert "exact █, uniform │" in said.out
    assert said.out.count("│") == 4
    told = command("group", people, "--columns", "age", "--sizes", "2,4", "--json").json
    assert [each["size"] for each in told["groups"]] == [2, 4]


def test_bands_of_several_widths(command: Callable, people: Path) -> None:
    options = ("--columns", "age", "--size", 2, "--values", "age=20-39", "--json")
    told = command("group", people, "--bands", "age=2,5,10", *options).json
    assert [each["outcomes"] for each in told["groups"]] == [10, 4, 2]
    told = command("group", people, "--bands", "age=10", *options).json
    assert told["outcomes"] == 2
    assert told["exact"] == pytest.approx(2 * 4 * 3 / 49)


def test_by_group_and_back(command: Callable, people: Path, tmp_path: Path) -> None:
    out = tmp_path / "towns.csv"
    said = command("group", people, "--columns", "age", "--by", "town", "--size", 2, "-o", out)
    assert said.status == 2
    assert "too small to publish anything" in said.err
    options = ("--at-least", 1, "-o", out)
    said = command("group", people, "--columns", "age", "--by", "town", "--size", 2, *options)
    assert said.status == 0
    assert "2 groups by κ" in said.out
    assert f"Written: {out}" in said.out
    lines = out.read_text().splitlines()
    assert (
        lines[0] == "group,outcomes,people,kappa,exact,size,discrepancy,protection,base,kappa_step"
    )
    assert lines[1].startswith("a,5,4,") or lines[1].startswith('"a",5,4,')
    back = command("group", out, "--size", 2, "--json").json
    assert [each["group"] for each in back["groups"]] == ["a", "b"]
    assert back["groups"][0]["exact"] == pytest.approx(0.625)
    assert "published approximations" in command("group", out, "--size", 3, "--verbose").out


def test_statistics_simulated(command: Callable, tmp_path: Path) -> None:
    club = tmp_path / "club.json"
    command("check", "--example", club)
    said = command("group", club, "--size", 3, "--simulate", 0.02, "--under", 0.2, "--json").json
    assert said["model"] == "tree"
    assert said["seed"] == 0
    assert said["smallest_under"] > 1
    assert said["intervals"]["simulated"][0] <= said["exact"]
    said = command("group", club, "--member", "age=22", "--member", "sex=Female", "--size", 3)
    assert "A member with the values given is unique" in said.out


@pytest.mark.parametrize(
    "options",
    [
        ("--sizes", "60-2"),
        ("--sizes", "x"),
        ("--size", 3, "--bands", "5"),
        ("--size", 3, "--bands", "age=5,age=10"),
        ("--size", 3, "--values", "age"),
        ("--size", 3, "--member", "age=20", "--member", "age=21"),
        ("--size", 3, "--by", "county"),
        (),
    ],
)
def test_what_is_refused(command: Callable, people: Path, options: tuple) -> None:
    said = command("group", people, "--columns", "age", *options, "--json")
    assert said.status == 2
    assert said.json["error"]["message"]


def test_files_that_do_not_go_together(command: Callable, people: Path, tmp_path: Path) -> None:
    command("check", "--example", tmp_path / "club.json")
    assert command("group", people, tmp_path / "club.json", "--size", 2).status == 2
    assert "would be lost" in command("group", people, "--size", 2, "-o", people).err


def test_a_plan(command: Callable, tmp_path: Path) -> None:
    club = tmp_path / "club.json"
    command("check", "--example", club)
    said = command("plan", club, "--asked", "age", "--could-ask", "sex", "--size", 10)
    assert said.status == 0
    assert "10 of 100 people asked age" in said.out
    assert "The question that adds most risk is sex" in said.out
    told = command(
        "plan", club, "--asked", "sex", "--size", 10, "--measure", "exact", "--json"
    ).json
    assert [each["kind"] for each in told["options"]] == ["as_asked", "one_more"]
    assert command("plan", club, "--asked", "hat", "--size", 10).status == 2


def test_a_file_of_kappa_is_rounded_with_the_key_of_publish(
    command: Callable, tmp_path: Path
) -> None:
    people, out = tmp_path / "people.csv", tmp_path / "kappa.csv"
    rows = (f"{'ab'[n % 3 == 0]},{n % 7},{'fm'[n % 2]}" for n in range(200))
    people.write_text("town,age,sex\n" + "\n".join(rows) + "\nc,1,f\n")
    said = command("publish", people, "--columns", "town,age,sex", "--rows-are-people",
                   "-o", tmp_path / "people.json")  # fmt: skip
    assert said.status == 0
    asked = ("group", people, "--columns", "age,sex", "--by", "town", "--size", 2,
             "--rows-are-people", "-o")  # fmt: skip
    said = command(*asked, out)
    assert said.status == 0
    assert "1 group of fewer than 10 people once rounded" in said.err
    stated = json.loads((tmp_path / "people.json").read_text())
    counts = next(each for each in stated["attributes"] if each["name"] == "town")["counts"]
    with out.open(newline="") as file:
        assert {row["group"]: int(row["people"]) for row in csv.DictReader(file)} == counts
    back = command("group", out, "--size", 4, "--json").json["groups"]
    assert all(low <= each["kappa"] <= high for each in back
               for low, high in [each["intervals"]["kappa"]])  # fmt: skip
    key = tmp_path / "people.reidrisk-key"
    assert "stays with you" in command(*asked, tmp_path / "x.csv", "--key-file",
                                       tmp_path / "x.csv").err  # fmt: skip
    key.chmod(0o644)
    assert "can be read or written by others" in command(*asked, out).err
    key.chmod(0o600)
    said = command(*asked, out, "--at-least", 3)
    assert "rounds to multiples of 5" in said.err
    said = command(*asked, out, "--at-least", 1, "--key-file", key)
    assert "--key-file belongs to rounding" in said.err
    said = command("report", people, "--columns", "age,sex", "--rows-are-people", "--publishable")
    assert said.status == 2
    assert "make the report from the statistics file" in said.err
    key.unlink()
    said = command("report", people, "--columns", "age,sex", "--rows-are-people", "--publishable")
    assert said.status == 0
    assert "make the report from" not in said.err
