"""Passwords: none is printed, whatever the address, the command and what goes wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.cli import process
from reidrisk.errors import InputError, OutOfRoom
from reidrisk.printable import printable_text, without_password, without_passwords
from tests.places.postgres import PASSWORD, Postgres

HEAD, TAIL = "Zq7x", "xQ8z"
# As somebody may type it, and where else a secret stands: {} is the password, {q} quoted for a URL.
ADDRESSES = {
    "nobody there": "postgresql+psycopg://me:{q}@127.0.0.1:1/db",
    "as it is": "postgresql://me:{}@127.0.0.1:1/db",
    "no port": "postgresql://me:{q}@127.0.0.1:port/db",
    "no driver": "postgresql+nix://me:{q}@h/db",
    "another database": "mysql+pymysql://me:{}@127.0.0.1:1/db",
    "one slash": "postgres:/me:{}@h/db",
    "no scheme": "me:{q}@host/db",
    "a parameter": "postgresql://h:1/db?user=me&password={q}",
    "another parameter": "postgresql://h:1/db?sslpassword={q}&sslmode=require",
    "ODBC": "mssql+pyodbc:///?odbc_connect=Driver%3Dx%3BServer%3Dh%3BPWD%3D{q}",
    "a store": "s3a://KEY:{}@bucket/people.parquet",
    "a page": "https://h/people.parquet?X-Amz-Signature={q}&token={q}",
    "key and value": "host=h user=me password={q}",
    "ODBC's own": "Driver=x;Server=h;UID=me;PWD={{{q}}}",
    "a file": "sqlite:///none.db?password={q}",
}
COMMANDS: dict[str, list[str]] = {
    "columns": ["columns", "@"],
    "columns of a table": ["columns", "@", "--table", "people"],
    "measure": ["measure", "@", "--table", "people", "--columns", "age", "--verbose"],
    "two tables": ["measure", "people.csv", "@"],
    "risk file": ["measure", "people.csv", "--columns", "age", "--risk-file", "@"],
    "engine": ["measure", "people.csv", "--columns", "age", "--engine", "@"],
    "wrong option": ["measure", "@", "--colums", "@"],
    "attack": ["attack", "@", "--table", "people", "--columns", "age", "--up-to", "1"],
    "search": ["search", "@", "--columns", "age", "--allowable-risk", "0.1"],
    "generalise": ["generalise", "people.csv", "--columns", "age", "-k", "2", "-o", "@"],
    "publish": ["publish", "@", "--columns", "age", "-o", "@"],
    "compile": ["compile", "@", "-o", "s.json"],
    "check": ["check", "@"],
    "predict": ["predict", "@"],
    "person": ["person", "@", "age=1"],
    "people": ["people", "@", "@", "-o", "scores.csv"],
    "people of a file": ["people", "statistics.json", "@", "-o", "scores.csv"],
    "group": ["group", "@", "--columns", "age", "--size", "2"],
    "plan": ["plan", "@", "--asked", "age", "--could-ask", "sex", "--size", "2"],
    "report": ["report", "@", "--columns", "age"],
    "report of a file": ["report", "people.csv", "--columns", "age", "--hierarchies", "@"],
    "serve": ["serve", "@"],
}  # fmt: skip


def secret(noise: str) -> str:
    return f"{HEAD}{noise}{TAIL}"


def address(kind: str, noise: str) -> str:
    told = secret(noise)
    return ADDRESSES[kind].format(told, q=quote(told, safe=""))


def shows_none(text: str) -> bool:
    return HEAD not in text and TAIL not in text


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("age,sex\n39,f\n39,f\n40,m\n")
    rr.save_statistics(rr.publish("people.csv", unprotected=True), "statistics.json")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_prints_one(command: Callable, here: Path, name: str) -> None:
    for kind in ADDRESSES:
        for noise in ("word", "p@ss/w:rd?&# %41", 'it\'s "quoted" {} \\'):
            given = address(kind, noise)
            for more in ([], ["--json"]):
                arguments = [given if each == "@" else each for each in COMMANDS[name]]
                said = command(*arguments, *more)
                assert shows_none(said.out + said.err), (kind, said)
                assert said.status, kind


def test_the_way_out_when_memory_runs_out(
    command: Callable, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults = [MemoryError(), OutOfRoom("it outgrew the memory", "give it more")]

    def outgrown(*_: object, **__: object) -> None:
        raise faults[-1]

    monkeypatch.setattr("reidrisk.records.read", outgrown)
    while faults:
        for kind in ADDRESSES:
            given = address(kind, "p@ss '/ :")
            for asked in ([given, "--table", "people"], ["people.csv", f"--query={given}"]):
                for more in ([], ["--json"]):
                    said = command("measure", *asked, *more)
                    assert said.status == 3
                    assert "--engine spark" in said.out + said.err
                    assert shows_none(said.out + said.err), kind
        faults.pop()


def test_what_is_to_be_copied_or_published_has_none(
    command: Callable, postgres: Postgres, here: Path
) -> None:
    import pyarrow as pa

    postgres.write("people", pa.table({"age": ["39", "39", "40"], "sex": ["f", "f", "m"]}))
    table = [postgres.address, "--table", "people"]
    quoted = quote(PASSWORD, safe="")
    for arguments in (
        ["columns", *table], ["columns", *table, "--json"], ["columns", *table, "--verbose"],
        ["report", *table, "--columns", "age,sex"],
        ["report", *table, "--columns", "age,sex", "--json"],
        ["report", *table, "--columns", "age,sex", "-o", "report.html"],
        ["report", *table, "--columns", "age,sex", "-o", "report.md"],
        ["measure", *table, "--columns", "age", "--risk-file", "r.csv"],
        ["publish", *table, "--columns", "age,sex", "-o", "s.json"],
    ):  # fmt: skip
        said = command(*arguments)
        for told in (said.out, said.err, *(p.read_text() for p in here.glob("*.[hmj]*"))):
            assert PASSWORD not in told
            assert quoted not in told
    assert "postgresql+psycopg://tester:***@127.0.0.1" in command("columns", *table).out


@given(st.sampled_from(sorted(ADDRESSES)), st.text(st.characters(exclude_categories=["Cs"])))
@example("as it is", "@ 'x' \n")
@settings(max_examples=300)
def test_any_password(kind: str, noise: str) -> None:
    given = address(kind, noise)
    hidden = without_password(given)
    assert shows_none(hidden)
    assert without_password(hidden) == hidden
    told = str(InputError(f"there is no file {given}", f"is it there? see {given!r}"))
    assert shows_none(told)
    assert shows_none(process.cluster_command(["measure", given, f"--query={given}"]))
    url_safe = address(kind, quote(noise, safe=""))
    for text in (f"see {url_safe}, or not", f"<a href='{url_safe}'>", json.dumps([url_safe])):
        assert shows_none(without_passwords(printable_text(text)))


@pytest.mark.parametrize(
    "harmless",
    [
        "postgresql+psycopg://me@db.example/clinic", "spark://host:7077", "sc://host:15002",
        "sqlite:////data/people.db", "data/2024:10@home.csv", "C:/data/people.csv", "age=5",
        "abfss://container@account.dfs.core.windows.net/people", "s3a://bucket/people/*.parquet",
        "postgresql://h/db?sslmode=require&connect_timeout=5", "--bands token=5", "pass=1",
        "hdfs://name:8020/people.parquet", "postgresql+psycopg://user@host:5432/db or sqlite:///p",
    ],
)  # fmt: skip
def test_what_holds_no_password_stays(harmless: str) -> None:
    assert without_password(harmless) == without_passwords(harmless) == harmless
    assert InputError(harmless).message == harmless
