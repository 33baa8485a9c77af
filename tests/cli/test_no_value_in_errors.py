"""Errors say no value of a record: tables of marks alone, through every command, asked wrongly."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import reidrisk as rr
from reidrisk.cli.main import GROUPS
from tests.places import sqlite

# Every value has one of these in it, and nothing else of the tables or the commands does.
WORD, NUMBER = "Vq7", "7341"
PEOPLE = {
    "name": [f"{WORD}n{i:04d}" for i in range(80)],
    "town": [f"{WORD}t{i % 5}" for i in range(80)],
    "age": [f"{NUMBER}{i % 9}" for i in range(80)],
    "income": [f"{NUMBER}{i:03d}.5" for i in range(80)],
    "born": [f"{NUMBER}-0{1 + i % 9}-11" for i in range(80)],
}
WITHOUT = {"serve", "reproduce", "demo", "compile"}
TABLES = ("people.csv", "people.parquet", "people.jsonl", "headless.csv", "ragged.csv", "text.txt")
WRONG: list[tuple[str, ...]] = [
    ("--columns", "nix"),
    ("--columns", "income"),
    ("--columns", "town,age", "--bands", "town=5"),
    ("--columns", "town,age", "--bands", "age=zero"),
    ("--columns", "town,age", "--levels", "age=x"),
    ("--columns", "town,age", "--decimals", "town=1"),
    ("--columns", "town,age", "--count", "name"),
    ("--columns", "town,age", "--count", "income"),
    ("--columns", "town,age", "--weight", "name"),
    ("--columns", "town,age", "--person", "nix"),
    ("--columns", "town,born", "--bands", "born=5"),
    ("--columns", "town,age", "--delimiter", ";"),
    ("--columns", "town,age", "--encoding", "utf-16"),
    ("--columns", "town,age", "--encoding", "ascii"),
    ("--columns", "town,age", "--decimal", ","),
    ("--columns", "town,age", "--no-header"),
    ("--columns", "column1,nix", "--no-header"),
    ("--columns", "town,age", "--empty", "nix", "--missing", "wildcard", "--engine", "duckdb"),
    ("--columns", "town,age", "--engine", "duckdb", "--count", "born"),
    ("--columns", "town,age", "--memory-limit", "1MB"),
    (),
]
# Each command's own, with what it is asked wrongly besides.
COMMANDS: dict[str, tuple[list[str], list[tuple[str, ...]]]] = {
    "columns": (["@"], []),
    "measure": (["@", "--risk-file", "risk.csv", "--key", "nix"], []),
    "population": (
        ["@", "--population", "900", "--risk-file", "chances.csv"],
        [("--household", "born"), ("--household", "nix"), ("--fraction", "0.5")],
    ),
    "learn": (
        ["@", "--sensitive", "income"],
        [("--sensitive", "nix"), ("--sensitive", "town"), ("--hierarchies", "hierarchies")],
    ),
    "link": (
        ["@", "people.csv", "--on", "town,age"],
        [
            ("--errors", "2"),
            ("--truth", "nix"),
            ("--tolerance", "town=1"),
            ("--compare", "age=nix"),
            ("--show-matches", "m.csv"),
        ],
    ),
    "releases": (["@", "people.csv"], [("--person", "name"), ("--person", "nix")]),
    "attack": (["@", "--knows", "town"], [("--knows", "nix"), ("--unique-up-to", "9")]),
    "search": (["@", "--allowable-risk", "0.01"], [("--budget", "x")]),
    "generalise": (["@", "-k", "50", "-o", "safer.csv"], [("--hierarchies", "hierarchies")]),
    "publish": (["@", "-o", "published.json"], []),
    "check": (["@"], []),
    "predict": (["@"], []),
    "person": (["@", "town=nix"], [("nix=1",), ("age=1", "town=2")]),
    "people": (["statistics.json", "@", "-o", "scores.csv"], [("--key", "nix")]),
    "group": (["@", "--size", "3"], [("--by", "nix")]),
    "plan": (["@", "--asked", "town", "--could-ask", "age", "--size", "5"], []),
    "report": (["@"], [("--statistics", "statistics.json"), ("--hierarchies", "hierarchies")]),
}
# Options that only commands with a view of records have.
READING = {"columns", "check", "predict", "plan"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("marks")
    rows = list(zip(*PEOPLE.values(), strict=True))
    lines = [",".join(row) for row in rows]
    head = ",".join(PEOPLE)
    (place / "people.csv").write_text("\n".join([head, *lines]) + "\n")
    (place / "headless.csv").write_text("\n".join(lines) + "\n")
    ragged = [*lines[:40], lines[40] + ",x", *lines[41:]]
    (place / "ragged.csv").write_text("\n".join([head, *ragged]) + "\n")
    (place / "text.txt").write_bytes("\n".join([head, *lines, f"{WORD}\udc81"]).encode(
        "utf-8", "surrogateescape"))  # fmt: skip
    (place / "people.jsonl").write_text(
        "\n".join(json.dumps(dict(zip(PEOPLE, row, strict=True))) for row in rows)
        + f'\n{{"name": "{WORD}'
    )
    pq.write_table(pa.table(PEOPLE), place / "people.parquet")
    sqlite.write(place / "people.db", "people", pa.table(PEOPLE))
    table = rr.read(pa.table(PEOPLE), columns=["town", "age"])
    rr.save_statistics(rr.publish(table, unprotected=True), place / "statistics.json")
    hierarchies = place / "hierarchies"
    hierarchies.mkdir()
    (hierarchies / "town.csv").write_text(f"{WORD}t0,some\n{WORD}t1,some\n")
    return place


def test_every_command_is_here() -> None:
    assert set(COMMANDS) == {name for group in GROUPS.values() for name in group} - WITHOUT


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("name", COMMANDS)
def test_no_value_is_said(
    command: Callable, folder: Path, name: str, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    usual, own = COMMANDS[name]
    asked = [*((each if name not in READING else each[2:]) for each in WRONG), *own]
    without_header = table == "headless.csv"
    for wrong in dict.fromkeys(asked):
        arguments = [table if each == "@" else each for each in usual]
        # That its first record is taken for names is what nobody can notice for sure.
        headless = ["--no-header"] if without_header and "--no-header" not in wrong else []
        said = command(name, *arguments, *wrong, *headless, "--json", "--quiet")
        told = said.err + (said.out if '"error"' in said.out[:12] else "")
        assert WORD not in told, (wrong, told)
        assert NUMBER not in told, (wrong, told)
        assert "reidrisk failed" not in told, (wrong, told)


@pytest.mark.parametrize("wrong", [each for each in WRONG if "header" not in str(each)])
def test_no_value_of_a_database_is_said(
    command: Callable, folder: Path, wrong: tuple[str, ...]
) -> None:
    place = f"sqlite:///{folder / 'people.db'}"
    for name in ("measure", "columns", "search"):
        options = wrong if name != "columns" else ()
        for asked in (["--table", "people"], ["--query", "SELECT name, town, age FROM people"],
                      ["--query", "SELECT nix FROM people"], ["--table", "peple"]):  # fmt: skip
            told = command(name, place, *asked, *options, "--verbose").err
            assert WORD not in told, told
            assert NUMBER not in told, told


def test_people_are_read_as_they_are_written(command: Callable, folder: Path) -> None:
    """The options that say how RECORDS are written hold for each time they are read."""
    scores = folder / "headless_scores.csv"
    records = folder / "headless.csv"
    told = ["people", folder / "statistics.json", records, "-o", scores, "--no-header"]
    said = command(*told)
    assert (said.status, WORD in said.err) == (2, False), said
    renamed = json.loads((folder / "statistics.json").read_text().replace('"town"', '"column2"')
                         .replace('"age"', '"column3"'))  # fmt: skip
    (folder / "numbered.json").write_text(json.dumps(renamed))
    told[1] = folder / "numbered.json"
    assert command(*told).status == 0
    assert len(scores.read_text().splitlines()) == 81
    # A table in place of statistics isn't read at all.
    told[1] = records
    said = command(*told)
    assert "people are scored against statistics" in said.err
    assert (said.status, WORD in said.err) == (2, False)


def test_the_line_to_copy_reads_the_table_in_the_same_way(command: Callable, folder: Path) -> None:
    odd = folder / "odd.csv"
    odd.write_bytes("é;1\nü;2\nü;2\n".encode("latin-1"))
    how = ["--no-header", "--delimiter", ";", "--encoding", "latin-1", "--empty", "nix"]
    (line,) = [line for line in command("columns", odd, *how).out.splitlines() if "To copy" in line]
    words = line.partition("measure ")[2].split()
    for option in how:
        assert option in words or f"'{option}'" in words, line
