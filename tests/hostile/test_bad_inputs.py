"""Hundreds of inputs that are wrong. Each ends with exit status 2, or 3 where an engine gave up,
and with words for whoever gave it, never with a fault of ours.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

PEOPLE = "age,sex,n\n" + "".join(f"{30 + place % 4},{'fm'[place % 2]},1\n" for place in range(40))
STATISTICS: dict[str, Any] = {
    "format": "reidrisk-statistics/1",
    "records": 40,
    "attributes": [
        {"name": "age", "counts": {"30": 10, "31": 10, "32": 10, "33": 10}},
        {"name": "sex", "counts": {"f": 20, "m": 20}},
    ],
    "pairs": [{"of": ["age", "sex"], "counts": [["30", "f", 10], ["31", "m", 10]]}],
}
RANDOM = bytes((place * 7919 + place // 251) % 256 for place in range(5000))

# What stands in a file, whatever its name says that it is.
CONTENTS = {
    "empty": b"",
    "noughts": b"\0" * 3000,
    "random": RANDOM,
    "zip": b"PK\x03\x04" + RANDOM,
    "parquet": b"PAR1" + RANDOM + b"PAR1",
    "gzip": b"\x1f\x8b\x08" + RANDOM,
    "cut": gzip.compress(PEOPLE.encode() * 50)[:60],
}
SUFFIXES = (
    ".csv", ".tsv", ".txt", ".parquet", ".arrow", ".feather", ".arrows", ".jsonl", ".ndjson",
    ".xlsx", ".xls", ".ods", ".sav", ".por", ".sas7bdat", ".xpt", ".dta", ".csv.gz", ".csv.zst",
    ".jsonl.gz", ".parquet.gz", "",
)  # fmt: skip
NUMBERS = ("nan", "-1", "x", "", "1e999", "-inf", "0x10", "1,2", "²")

# Options that take numbers, behind the command and what else it needs.
NUMERIC = {
    "measure --threads": ["measure", "TABLE"],
    "measure --memory-limit": ["measure", "TABLE"],
    "measure --crowds": ["measure", "TABLE"],
    "attack --up-to": ["attack", "TABLE"],
    "attack --share": ["attack", "TABLE"],
    "attack --errors": ["attack", "TABLE", "--knows", "age,sex"],
    "attack --play": ["attack", "TABLE", "--knows", "age,sex"],
    "attack --above": ["attack", "TABLE", "--knows", "age,sex"],
    "attack --seed": ["attack", "TABLE", "--knows", "age,sex"],
    "attack --view-limit": ["attack", "TABLE", "--up-to", "2"],
    "search --allowable-risk": ["search", "TABLE"],
    "search --ratio": ["search", "TABLE"],
    "search --up-to": ["search", "TABLE", "--allowable-risk", "0.1"],
    "search --time-limit": ["search", "TABLE", "--allowable-risk", "0.1"],
    "search --view-limit": ["search", "TABLE", "--allowable-risk", "0.1"],
    "search --unique-up-to": ["search", "TABLE"],
    "generalise -k": ["generalise", "TABLE"],
    "generalise --suppress": ["generalise", "TABLE", "-k", "2"],
    "generalise --time-limit": ["generalise", "TABLE", "-k", "2"],
    "generalise --view-limit": ["generalise", "TABLE", "-k", "2"],
    "publish --at-least": ["publish", "TABLE", "-o", "out.json"],
    "publish --round": ["publish", "TABLE", "-o", "out.json"],
    "publish --population": ["publish", "TABLE", "-o", "out.json"],
    "publish --strong": ["publish", "TABLE", "-o", "out.json"],
    "predict --seed": ["predict", "STATISTICS"],
    "group --size": ["group", "STATISTICS"],
    "group --under": ["group", "STATISTICS"],
    "group --simulate": ["group", "STATISTICS", "--size", "5"],
    "plan --size": ["plan", "STATISTICS", "--asked", "age", "--could-ask", "sex"],
    "report --up-to": ["report", "TABLE", "-o", "out.html"],
    "serve --port": ["serve", "TABLE"],
    "serve --upload-limit": ["serve", "TABLE"],
}

# Two sizes, and no limit.
MEANT = {
    ("measure --crowds", "1,2"),
    ("search --time-limit", "1e999"),
    ("generalise --time-limit", "1e999"),
}


def _statistics(**other: Any) -> str:
    return json.dumps(STATISTICS | other)


def _attribute(**other: Any) -> str:
    first = STATISTICS["attributes"][0] | other
    return _statistics(attributes=[first, STATISTICS["attributes"][1]])


def _pair(*cells: Any, of: Any = ("age", "sex")) -> str:
    return _statistics(pairs=[{"of": list(of), "counts": list(cells)}])


BROKEN = {
    "no json": "{",
    "a list": "[]",
    "no format": "{}",
    "another format": '{"format": "reidrisk-statistics/9"}',
    "only a format": '{"format": "reidrisk-statistics/1"}',
    "no records": _statistics(records=0),
    "records below": _statistics(records=-5),
    "records in part": _statistics(records=40.5),
    "records as text": _statistics(records="40"),
    "records as true": _statistics(records=True),
    "records beyond": _statistics(records=10**30),
    "records without end": _statistics().replace('"records": 40', '"records": 1e400'),
    "records not a number": _statistics().replace('"records": 40', '"records": NaN'),
    "other records": _statistics(records=41),
    "sample of fewer": _statistics(sample_of=4),
    "rounded below": _statistics(rounded_to=-5),
    "rounded without end": _statistics(rounded_to=1e300),
    "no attributes": _statistics(attributes=[]),
    "attributes as text": _statistics(attributes="age"),
    "one twice": _statistics(attributes=[STATISTICS["attributes"][0]] * 2),
    "a key of its own": _statistics(more=1),
    "no name": _attribute(name=""),
    "name as number": _attribute(name=5),
    "no counts": _attribute(counts=None),
    "counts as list": _attribute(counts=[1, 2]),
    "a count below": _attribute(counts={"30": -1}),
    "a count in part": _attribute(counts={"30": 0.5}),
    "a count as text": _attribute(counts={"30": "many"}),
    "a count beyond": _attribute(counts={"30": 10**30}),
    "below without end": _attribute(counts={"30": "<" + "9" * 5000}),
    "many wrong": _attribute(counts={str(place): -1 for place in range(1000)}),
    "missing below": _attribute(missing=-1),
    "an empty label": _attribute(counts={"": 40}),
    "one value twice": _attribute(counts={"30": 20, "30.0": 20}),
    "other without values": _attribute(other={"count": 5}),
    "other of too many": _attribute(counts={"30": 30}, other={"count": 10, "values": 11}),
    "other beyond": _attribute(counts={"30": 30}, other={"count": 10, "values": 3 * 10**8}),
    "other below": _attribute(counts={"30": 30}, other={"count": 10, "values": -1}),
    "pair of one": _pair(of=("age", "age")),
    "pair of three": _pair(of=("age", "sex", "age")),
    "pair of nobody": _pair(of=("age", "town")),
    "a cell of two": _pair(["30", "f"]),
    "a cell below": _pair(["30", "f", -1]),
    "a cell of too many": _pair(["30", "f", 11]),
    "a cell twice": _pair(["30", "f", 1], ["30", "f", 1]),
    "a cell of no value": _pair(["99", "f", 1]),
    "a key twice": '{"format": "reidrisk-statistics/1", "records": 1, "records": 2}',
    "nested": '{"format": "reidrisk-statistics/1", "attributes": ' + "[" * 100_000,
}

OTHERS: dict[str, list[str]] = {
    "bands of nothing": ["measure", "TABLE", "--bands", "age=0"],
    "bands below": ["measure", "TABLE", "--bands", "age=-5"],
    "bands without end": ["measure", "TABLE", "--bands", "age=inf"],
    "bands not a number": ["measure", "TABLE", "--bands", "age=nan"],
    "bands of a billion digits": ["measure", "TABLE", "--bands", "age=1e999999999"],
    "bands at a billion digits": ["measure", "TABLE", "--bands", "age=0|1e999999999"],
    "bands hardly any": ["measure", "TABLE", "--bands", "age=1e-999999999"],
    "bands of another column": ["measure", "TABLE", "--bands", "town=5"],
    "levels below": ["measure", "TABLE", "--levels", "age=-1"],
    "levels in part": ["measure", "TABLE", "--levels", "age=1.5"],
    "levels beyond": ["measure", "TABLE", "--levels", "age=" + "9" * 5000],
    "decimals beyond": ["measure", "TABLE", "--decimals", "age=" + "9" * 5000],
    "decimals of many digits": ["measure", "TABLE", "--decimals", "age=9999"],
    "decimals as text": ["measure", "TABLE", "--decimals", "age=x"],
    "threshold beyond": ["measure", "TABLE", "--fail-above", "overall_risk=1e999"],
    "crowds beyond": ["measure", "TABLE", "--crowds", "9" * 5000],
    "a level beyond": ["generalise", "TABLE", "-k", "2", "--at-least", "age=" + "9" * 5000],
    "a sheet of no book": ["measure", "TABLE", "--engine", "codes", "--count", "sex"],
    "weight as text": ["measure", "TABLE", "--weight", "sex", "--columns", "age"],
    "count of nobody": ["measure", "TABLE", "--count", "people"],
    "an encoding of bytes": ["measure", "TABLE", "--encoding", "base64"],
    "a delimiter of two": ["measure", "TABLE", "--delimiter", ";;"],
    "a folder": ["measure", "."],
    "no file": ["measure", "nowhere.csv"],
    "no match": ["measure", "nowhere*.csv"],
    "statistics as table": ["measure", "STATISTICS"],
    "table as statistics": ["predict", "TABLE"],
    "table to check": ["check", "TABLE"],
    "no such command": ["measur", "TABLE"],
    "columns of nobody": ["measure", "TABLE", "--columns", "town"],
    "a column twice": ["measure", "TABLE", "--columns", "age,age"],
    "hierarchies of nowhere": ["generalise", "TABLE", "-k", "2", "--hierarchies", "nowhere"],
    "hierarchies of a table": ["generalise", "TABLE", "-k", "2", "--hierarchies", "TABLE"],
    "costs of a table": ["search", "TABLE", "--costs", "TABLE", "--budget", "1"],
    "costs of nowhere": ["search", "TABLE", "--costs", "nowhere.toml", "--budget", "1"],
    "background of a table": ["predict", "STATISTICS", "--background", "TABLE"],
    "background of nowhere": ["predict", "STATISTICS", "--background", "nowhere.json"],
    "a model of nobody": ["predict", "STATISTICS", "--model", "crystal"],
    "a person of no value": ["person", "STATISTICS", "age="],
    "a person of another column": ["person", "STATISTICS", "town=x"],
    "a person twice": ["person", "STATISTICS", "age=30", "age=31"],
    "people of nowhere": ["people", "STATISTICS", "nowhere.csv", "-o", "out.csv"],
    "people into a picture": ["people", "STATISTICS", "TABLE", "-o", "out.png"],
    "a plan of nothing": ["plan", "STATISTICS", "--asked", "", "--could-ask", "sex"],
    "a plan of others": ["plan", "STATISTICS", "--asked", "town", "--could-ask", "sex"],
    "a report as a film": ["report", "TABLE", "-o", "out.mp4"],
    "compile statistics": ["compile", "STATISTICS", "-o", "out.json"],
    "compile nothing": ["compile", "EMPTY", "-o", "out.json"],
    "a page of nowhere": ["serve", "nowhere.csv"],
    "a page at no address": ["serve", "--host", "999.1.1.1"],
    "a paper of nobody": ["reproduce", "nobody"],
    "a database of nowhere": ["measure", "postgresql://nobody@127.0.0.1:1/x", "--table", "t"],
}


def inputs() -> Iterator[tuple[str, list[str], dict[str, bytes]]]:
    """What it is, the arguments, and the files that have to be there."""
    for suffix in SUFFIXES:
        for kind, content in CONTENTS.items():
            name = f"given{suffix}"
            yield f"{kind} as {suffix or 'nothing'}", ["measure", name], {name: content}
    for kind, text in BROKEN.items():
        yield f"statistics: {kind}", ["check", "bad.json"], {"bad.json": text.encode()}
        yield f"predicted: {kind}", ["predict", "bad.json"], {"bad.json": text.encode()}
    for option, asked in NUMERIC.items():
        for number in NUMBERS:
            if (option, number) in MEANT:
                continue
            yield f"{option} {number!r}", [*asked, option.split()[1], number], {}
    for kind, asked in OTHERS.items():
        yield kind, asked, {}


INPUTS = {name: (asked, files) for name, asked, files in inputs()}


def test_there_are_enough() -> None:
    assert len(INPUTS) >= 208


@pytest.mark.parametrize("name", INPUTS)
def test_bad_input(
    name: str,
    command: Callable,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, files = INPUTS[name]
    there = {"TABLE": "people.csv", "STATISTICS": "statistics.json", "EMPTY": "empty.csv"}
    held = {"people.csv": PEOPLE.encode(), "statistics.json": _statistics().encode()}
    for place, content in (held | {"empty.csv": b""} | files).items():
        (tmp_path / place).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    before = {path.name for path in tmp_path.iterdir()}
    arguments = [there.get(argument, argument) for argument in asked]
    said = command(*arguments)
    told = said.out + said.err
    assert said.status in (2, 3), (said.status, told[-300:])
    assert "Traceback" not in told
    assert "fault in reidrisk" not in told, told
    assert said.err.startswith("Error: "), told[:300]
    assert said.out == ""
    # Nothing is written where nothing came of it.
    assert {path.name for path in tmp_path.iterdir()} == before
    if asked[0] != "serve":
        error = command(*arguments, "--json")
        assert error.status == said.status
        assert set(error.json) == {"error"}


def test_a_pair_table_of_nobody_is_left_out(command: Callable, tmp_path: Path) -> None:
    cells = [[age, sex, 0] for age in ("30", "31", "32", "33") for sex in "fm"]
    path = tmp_path / "noughts.json"
    path.write_text(_pair(*cells))
    said = command("predict", path)
    assert said.status == 0, said.err
    assert "age with sex: its cells leave no room for anybody" in said.out + said.err
