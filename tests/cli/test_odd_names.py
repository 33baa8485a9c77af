"""Columns whose names hold what shells, files, databases and pictures take for their own."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable
from pathlib import Path

import pytest

NAMES = ["share %", "a/b", "..", "x[0].y", 'say "it"', "k=v: z", "back\\slash", "-dash", "ü €",
         "it's", "%(x)s"]  # fmt: skip
LOOKED_AT = [word for name in NAMES[:6] for word in ("--column", name)]


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    chance, place = random.Random(1), tmp_path / "odd.csv"
    with place.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(NAMES)
        rows.writerows([chance.choice("pqr") if at != 1 else chance.randint(20, 60)
                        for at in range(len(NAMES))] for _ in range(200))  # fmt: skip
    return place


def test_every_command_reads_such_names(command: Callable, odd: Path, tmp_path: Path) -> None:
    statistics = tmp_path / "s.json"
    few = LOOKED_AT[:4]
    for asked in (
        ("columns", odd),
        ("measure", odd, *LOOKED_AT, "--bands", "a/b=5", "--levels", "k=v: z=1"),
        ("measure", odd, *LOOKED_AT, "--engine", "duckdb"),
        ("measure", odd, *LOOKED_AT, "--dependence", "share %,a/b:k=v: z"),
        ("attack", odd, *few, "--knows", "a/b", "--errors", "0.1", "--play", "10"),
        ("search", odd, *few, "--allowable-risk", "1/2"),
        ("publish", odd, *LOOKED_AT, "-o", statistics, "--unprotected"),
        ("check", statistics),
        ("predict", statistics),
        ("person", statistics, "a/b=39", "k=v: z=p"),
        ("people", statistics, odd, "-o", tmp_path / "people.csv"),
        ("group", odd, *few, "--by", "share %", "--size", "5"),
        ("plan", statistics, "--asked", "a/b", "--could-ask", "share %", "--size", "50"),
        ("report", odd, *few, "--up-to", "2", "-o", tmp_path / "r.html"),
    ):
        done = command(*asked)
        assert (done.status, done.err) == (0, ""), asked


def test_hierarchies_of_such_names_are_files_that_are_found_again(
    command: Callable, odd: Path, tmp_path: Path
) -> None:
    folder, looked_at = tmp_path / "h", [*LOOKED_AT[:6], "--column", "back\\slash"]
    asked = ("generalise", odd, *looked_at, "-k", "3", "--frontier", "none", "--json")
    first = command(*asked, "--save-hierarchies", folder)
    assert first.status == 0
    names = {path.name for path in folder.iterdir()}
    assert names == {"share %.csv", "a%2Fb.csv", "%2E..csv", "back%5Cslash.csv"}
    again = command(*asked, "--hierarchies", folder)
    assert again.json["levels"] == first.json["levels"]
    assert again.json["heights"] == first.json["heights"]
    assert not any("proposed" in said for said in again.json["assumptions"])
