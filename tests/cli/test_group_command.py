"""group and plan, as people use them."""

from __future__ import annotations

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
    assert "no group has 5 people" in said.err
    options = ("--at-least", 1, "-o", out)
    said = command("group", people, "--columns", "age", "--by", "town", "--size", 2, *options)
    assert said.status == 0
    assert "2 groups by κ" in said.out
    assert f"Written: {out}" in said.out
    lines = out.read_text().splitlines()
    assert lines[0] == "group,outcomes,people,kappa,exact,size,discrepancy"
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
