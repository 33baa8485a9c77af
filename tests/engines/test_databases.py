"""Databases: types, snapshots, who may ask, and what is told when something goes wrong."""

from __future__ import annotations

import datetime
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import reidrisk as rr
from reidrisk.engines.elsewhere import engine as elsewhere_engine
from reidrisk.errors import EngineFailure, InputError, UnreadableInput, UnusableColumn
from tests.places import sqlite
from tests.places.postgres import PASSWORD, USER, Postgres

PEOPLE = pa.table({"id": [1, 2, 3, 4], "age": ["39", "39", "40", "41"], "sex": list("ffmm")})


@pytest.fixture
def people(postgres: Postgres) -> Postgres:
    postgres.write("people", PEOPLE)
    return postgres


def read(postgres: Postgres, **options: object) -> rr.Table:
    usual = {"columns": ["age", "sex"], "table_name": "people"}
    return rr.read(postgres.address, **usual | options)


def test_types_have_one_text_form(postgres: Postgres) -> None:
    """Whatever a database stores, its text form is the one a file's value has."""
    moment = datetime.datetime(1984, 3, 1, 7, 5, 1, 200)
    told = {
        "smallint": [39, -1, None],
        "bigint": [2**63 - 1, 0, None],
        "numeric": [Decimal("39.00"), Decimal("1e3"), None],
        "double precision": [39.0, 1e22, float("nan")],
        "real": [39.0, -0.0, None],
        "boolean": [True, False, None],
        "date": [datetime.date(1984, 3, 1), None, datetime.date(2, 1, 1)],
        "timestamp": [datetime.datetime(1984, 3, 1), moment, None],
        "timestamptz": [moment.replace(tzinfo=datetime.UTC), None, None],
        "time": [datetime.time(7, 5), datetime.time(7, 5, 1, 500000), None],
        "bytea": [b"abc", b"\xff\x00", None],
        "uuid": [uuid.UUID(int=7), uuid.UUID(int=8), None],
        "char(5)": ["a", "b  ", None],
        "text": [" 39", "039", "39.0"],
    }
    wanted = {
        "uuid": [str(uuid.UUID(int=7)), str(uuid.UUID(int=8)), None],
        "char(5)": ["a", "b", None],
    }
    table = pa.table({kind: pa.array([None] * 3, pa.string()) for kind in told})
    postgres.write("typed", table.slice(0, 0), {kind: kind for kind in told})
    with postgres.connect() as connection:
        marks = ", ".join(["%s"] * len(told))
        for row in zip(*told.values(), strict=True):
            connection.execute(f"INSERT INTO typed VALUES ({marks})", row)
    for kind, values in told.items():
        fraction = {"decimals": {kind: 3}} if kind in ("real", "double precision") else {}
        options = {"columns": [kind], **fraction}
        found = rr.read(postgres.address, table_name="typed", **options).engine.marginal(kind)
        known = {kind: pa.array(wanted.get(kind, values))}
        if kind == "real":
            known = {kind: pa.array(values, pa.float32())}
        here = rr.read(pa.table(known), **options).engine.marginal(kind)
        assert sorted(found.values) == sorted(here.values), kind
        assert found.missing == here.missing, kind


def test_upper_and_lower_case_are_two_values(postgres: Postgres, tmp_path: Path) -> None:
    """Also where the database's own collation takes them for one."""
    postgres.run(
        "DROP TABLE IF EXISTS folded",
        "CREATE COLLATION IF NOT EXISTS nobody_cares "
        "(provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
        "CREATE TABLE folded (x text COLLATE nobody_cares)",
        "INSERT INTO folded VALUES ('A'), ('a'), ('a')",
    )
    found = rr.read(postgres.address, columns=["x"], table_name="folded").engine
    assert found.crowd_sizes() == rr.CrowdSizes.of([1, 2])
    import sqlite3

    with sqlite3.connect(tmp_path / "folded.db") as file:
        file.execute("CREATE TABLE folded (x TEXT COLLATE NOCASE)")
        file.executemany("INSERT INTO folded VALUES (?)", [("A",), ("a",), ("a",)])
    file.close()
    here = rr.read(f"sqlite:///{tmp_path / 'folded.db'}", columns=["x"], table_name="folded")
    assert here.engine.crowd_sizes() == rr.CrowdSizes.of([1, 2])


def test_numbers_of_sqlite(tmp_path: Path) -> None:
    """Its columns have no types: one text form all the same."""
    table = pa.table(
        {"whole": [39, 0, None], "mixed": ["39", "39.0", "x"], "half": [1.5, 2.0, 1e22]}
    )
    address = sqlite.write(tmp_path / "numbers.db", "t", table)
    read = rr.read(address, columns=["whole", "mixed", "half"], table_name="t", bands={"half": 1})
    assert sorted(read.engine.marginal("whole").values) == ["0", "39"]
    assert sorted(read.engine.marginal("mixed").values) == ["39", "x"]
    assert sorted(read.engine.marginal("half").values) == ["1", "1" + "0" * 22, "2"]
    with pytest.raises(UnusableColumn, match="numbers with fractions"):
        rr.read(address, columns=["half"], table_name="t")


@pytest.mark.parametrize("kind", ["int[]", "jsonb", "int4range"])
def test_lists_are_refused(postgres: Postgres, kind: str) -> None:
    postgres.run("DROP TABLE IF EXISTS listed", f"CREATE TABLE listed (x {kind}, y text)")
    postgres.run("INSERT INTO listed VALUES (NULL, 'a')")
    with pytest.raises(UnusableColumn, match="'x' holds lists or structures"):
        rr.read(postgres.address, columns=["x"], table_name="listed")
    assert rr.read(postgres.address, columns=["y"], table_name="listed").people == 1
    profile = rr.columns(postgres.address, table_name="listed")
    assert [column.role for column in profile.columns] == ["free text", "constant"]


def test_bands_empties_counts_and_weights_there(postgres: Postgres) -> None:
    table = {"age": ["31", "34", "36", None, "?"], "n": [1, 2, 0, 4, 5], "w": [1.5, 2.5, 1, 1, 1]}
    postgres.write("seen", pa.table(table), {"n": "text", "w": "numeric"})
    options = {"columns": ["age"], "bands": {"age": 5}, "count": "n", "weight": "w",
               "empty": ["?"]}  # fmt: skip
    there = rr.read(postgres.address, table_name="seen", **options)
    here = rr.read(table, **options)
    assert there.engine.crowd_sizes() == here.engine.crowd_sizes()
    assert there.engine.weight_total == here.engine.weight_total == 7
    assert (there.people, here.people) == (12, 12)
    assert there.engine.marginal("age").missing == here.engine.marginal("age").missing == 9
    with pytest.raises(UnusableColumn, match="--count age: "):
        rr.read(postgres.address, table_name="seen", columns=["n"], count="age")


def test_too_many_labels_are_refused(people: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elsewhere_engine.ElsewhereEngine, "most_labels", 1)
    with pytest.raises(UnusableColumn, match="too many different values to see in bands of 5"):
        read(people, bands={"age": 5})
    assert read(people).people == 4


def test_one_snapshot_in_a_read_only_transaction(people: Postgres) -> None:
    table = read(people)
    session = table.engine.session
    assert session.one("SELECT current_setting('transaction_read_only')") == "on"
    assert session.one("SELECT current_setting('transaction_isolation')") == "repeatable read"
    before = table.engine.crowd_sizes()
    with people.connect() as other:
        other.execute("INSERT INTO people VALUES (5, '99', 'f')")
        other.execute("UPDATE people SET age = '1'")
    assert table.engine.crowd_sizes() == before == rr.CrowdSizes.of([2, 1, 1])
    assert read(people).people == 5


def test_the_sqlite_snapshot_holds_and_nothing_is_written(tmp_path: Path) -> None:
    address = sqlite.write(tmp_path / "people.db", "people", PEOPLE)
    with pytest.raises(InputError, match=r"may only read|understands"):
        rr.read(address, query="DELETE FROM people RETURNING *", columns=["age"])
    assert rr.read(address, table_name="people", columns=["age"]).people == 4
    with pytest.raises(UnreadableInput, match=r"there is no file peple\.db"):
        rr.read(f"sqlite:///{tmp_path / 'peple.db'}", table_name="people")
    assert not (tmp_path / "peple.db").exists()


def test_queries_that_write_are_refused(people: Postgres) -> None:
    people.run(
        "CREATE OR REPLACE FUNCTION sneaky() RETURNS int LANGUAGE sql AS "
        "$$ INSERT INTO people VALUES (9, '9', 'x') RETURNING 1 $$"
    )
    with pytest.raises(InputError, match="may only read"):
        rr.read(people.address, query="SELECT sneaky() AS x", columns=["x"])
    assert read(people).people == 4


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"table_name": "peopel"}, "there is no table 'peopel'\ndid you mean people"),
        ({"table_name": "nowhere.people"}, "there is no table 'nowhere.people'"),
        ({}, "say which one to count\n--table NAME"),
        ({"query": "SELECT nix FROM people"}, "names a column that isn't there"),
        ({"query": "SELEC"}, "isn't a query"),
        ({"table_name": "people", "query": "SELECT 1"}, "can't both hold"),
        ({"table_name": "people", "engine": "duckdb"}, "a database counts its own records"),
        ({"table_name": "people", "columns": ["agee"]}, "did you mean 'age'"),
        ({"query": "SELECT age, sex AS age FROM people"}, "more than once: 'age'"),
    ],
)
def test_what_is_asked_wrongly(people: Postgres, asked: dict, words: str) -> None:
    with pytest.raises(InputError, match=words):
        rr.read(people.address, **{"columns": ["age"]} | asked)


def test_names_are_quoted(postgres: Postgres) -> None:
    postgres.run(
        'CREATE SCHEMA IF NOT EXISTS "Odd.One"', 'DROP TABLE IF EXISTS "Odd.One"."t""; --"'
    )
    postgres.run('CREATE TABLE "Odd.One"."t""; --" (x text)',
                 'INSERT INTO "Odd.One"."t""; --" VALUES (\'a\')')  # fmt: skip
    named = '"Odd.One"."t""; --"'
    assert rr.read(postgres.address, columns=["x"], table_name=named).people == 1


def test_who_may_ask(people: Postgres, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    refused = "refuses this user or password"
    options = {"columns": ["age"], "table_name": "people"}
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "none"))
    with pytest.raises(UnreadableInput, match=refused):
        rr.read(people.bare_address, **options)
    with pytest.raises(UnreadableInput, match=refused):
        rr.read(people.bare_address, password="wrong", **options)
    assert rr.read(people.bare_address, password=PASSWORD, **options).people == 4
    kept = tmp_path / "pgpass"
    kept.write_text(f"127.0.0.1:{people.port}:*:{USER}:{PASSWORD.replace(':', chr(92) + ':')}\n")
    kept.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(kept))
    assert rr.read(people.bare_address, **options).people == 4
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "none"))
    for name, value in {"PGHOST": "127.0.0.1", "PGPORT": str(people.port), "PGUSER": USER,
                        "PGDATABASE": "postgres", "PGPASSWORD": PASSWORD}.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    assert rr.read("postgresql://", **options).people == 4
    monkeypatch.setenv("PGPORT", "1")
    with pytest.raises(UnreadableInput, match="can't be reached"):
        rr.read("postgresql://", **options)
    with pytest.raises(UnreadableInput, match="no such database"):
        rr.read(people.address.replace("/postgres", "/nowhere"), **options)


def test_no_permission(people: Postgres) -> None:
    people.run(
        "DROP ROLE IF EXISTS guest", "CREATE ROLE guest LOGIN PASSWORD 'guest'",
        "GRANT SELECT (age) ON people TO guest",
    )  # fmt: skip
    address = f"postgresql+psycopg://guest:guest@127.0.0.1:{people.port}/postgres"
    with pytest.raises(UnreadableInput, match="may not read the table"):
        rr.read(address, columns=["age"], table_name="people")
    assert rr.read(address, columns=["age"], query="SELECT age FROM people").people == 4
    people.run("REVOKE ALL ON people FROM guest", "DROP ROLE guest")


def test_passwords_are_never_shown(people: Postgres, command: Callable) -> None:
    told = ["--table", "people", "--columns", "age,sex"]
    for arguments in (
        ["measure", people.address, *told, "--verbose"],
        ["measure", people.address, *told, "--json"],
        ["columns", people.address, "--table", "people"],
        ["measure", people.address, "--table", "nix"],
        ["measure", people.address.replace(f":{people.port}", ":1"), *told],
        ["measure", people.address.replace("+psycopg", "+nix"), *told],
        ["measure", people.address.replace(f":{people.port}", ":port"), *told],
    ):
        said = command(*arguments)
        quoted = people.address.split(":")[2].split("@")[0]
        for secret in (PASSWORD, quoted):
            assert secret not in said.out + said.err


def test_the_password_is_asked_for(people: Postgres, tmp_path: Path) -> None:
    script = "from reidrisk.cli.main import run; run()"
    done = subprocess.run(
        [sys.executable, "-c", script, "measure", people.bare_address, "--table", "people",
         "--columns", "age", "--password-prompt", "--quiet"],
        input=PASSWORD + "\n", capture_output=True, text=True, start_new_session=True,
        env=os.environ | {"PGPASSFILE": str(tmp_path / "none")},
    )  # fmt: skip
    assert (done.returncode, "4 people" in done.stdout) == (0, True), done.stderr
    assert PASSWORD not in done.stdout + done.stderr


def test_the_risk_file_holds_key_crowd_and_risk(
    people: Postgres, command: Callable, tmp_path: Path
) -> None:
    told = ["measure", people.address, "--table", "people", "--columns", "age,sex"]
    out = tmp_path / "risk.parquet"
    refused = command(*told, "--risk-file", out)
    assert (refused.status, "--risk-file needs --key COL" in refused.err) == (2, True)
    assert not out.exists()
    assert command(*told, "--risk-file", out, "--key", "id", "--crowds", "2").status == 0
    found = pq.read_table(out).sort_by("id").to_pydict()
    assert found == {"id": list("1234"), "crowd": [2, 2, 1, 1], "risk": [0.5, 0.5, 1, 1],
                     "k2": [1, 1, 0, 0]}  # fmt: skip


def test_a_connection_that_is_cut(people: Postgres, tmp_path: Path) -> None:
    """A clear error, and nothing half-written."""
    people.run("DROP TABLE IF EXISTS long", "CREATE TABLE long AS SELECT g AS id, g % 7 AS x "
               "FROM generate_series(1, 300000) AS g")  # fmt: skip
    table = rr.read(people.address, columns=["x"], table_name="long", key="id")
    held = table.engine.session
    me = held.one("SELECT pg_backend_pid()")
    batches = table.engine.crowd_of_each()
    next(batches)
    people.run(f"SELECT pg_terminate_backend({me})")
    with pytest.raises(EngineFailure, match=r"ended the connection|was cut"):
        rr.write_risk_file(table, tmp_path / "risk.csv")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(EngineFailure):
        table.engine.crowd_sizes()


def test_an_interrupt_cancels_the_query_there(people: Postgres) -> None:
    script = "from reidrisk.cli.main import run; run()"
    slow = "SELECT pg_sleep(600)::text AS x"
    asking = subprocess.Popen(
        [sys.executable, "-c", script, "measure", people.address, "--query", slow,
         "--columns", "x"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    mine = (
        "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' "
        "AND query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()"
    )
    with people.connect() as watching:
        _wait(lambda: watching.execute(mine).fetchone()[0] == 1, asking)
        asking.send_signal(signal.SIGINT)
        out, err = asking.communicate(timeout=60)
        assert (asking.returncode, out) == (130, "")
        assert "Interrupted" in err
        _wait(lambda: watching.execute(mine).fetchone()[0] == 0)


def _wait(reached: Callable[[], bool], process: subprocess.Popen | None = None) -> None:
    for _ in range(600):
        if reached():
            return
        assert process is None or process.poll() is None, process.communicate()
        time.sleep(0.1)
    raise AssertionError("it never came to it")


def test_a_fault_of_ours_isnt_called_the_users(people: Postgres) -> None:
    table = read(people)
    with pytest.raises(EngineFailure, match=r"gave up \(UndefinedColumn, SQLSTATE 42703\)"):
        table.engine.session.rows("SELECT nix FROM people")


def test_everybody_is_counted_where_nothing_is_known(people: Postgres, tmp_path: Path) -> None:
    address = sqlite.write(tmp_path / "people.db", "people", PEOPLE)
    there = rr.read(address, columns=["age"], table_name="people").engine
    assert there.people_with({}) == read(people).engine.people_with({}) == 4
