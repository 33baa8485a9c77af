"""Databases: types, snapshots, who may ask, and what is told when something goes wrong."""

from __future__ import annotations

import contextlib
import datetime
import os
import signal
import sqlite3
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
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.errors import EngineFailure, InputError, UnreadableInput, UnusableColumn
from reidrisk.records.sql import remote_engine as elsewhere_engine
from reidrisk.records.sql.database_query import one_query
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
    with pytest.raises(UnusableColumn, match="count='age': "):
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


HOSTILE = {
    "SELECT x FROM victim; COMMIT; DELETE FROM victim": "more than one statement",
    "SELECT x FROM victim) AS stored; COMMIT; DELETE FROM victim; SELECT * FROM (SELECT '1' AS x":
        "closes a parenthesis",
    "SELECT x FROM victim) AS stored WHERE 1 = 0; COMMIT; DELETE FROM victim; --":
        "closes a parenthesis",
    "SELECT (x FROM victim": "opens a parenthesis",
    "SELECT $q$ ; $q$; COMMIT; DELETE FROM victim --$q$": "more than one statement",
    "SELECT E'\\'; COMMIT; DELETE FROM victim; --'": None,
    "SELECT '\\'; COMMIT; DELETE FROM victim; --'": "more than one statement",
    "SELECT /* /* */ ; */ 1 AS x; DELETE FROM victim": "more than one statement",
    "SELECT x\u00a0$q$ ; COMMIT; DELETE FROM victim; --$q$ FROM victim": "more than one statement",
    "SELECT 'x": "isn't closed",
    "SELECT U&\"\\0073et_config\"('a', 'b', true) AS x": "isn't closed",
    "COMMIT; DELETE FROM victim": "doesn't begin with SELECT",
    "DELETE FROM victim RETURNING x": "doesn't begin with SELECT",
    "WITH gone AS (DELETE FROM victim RETURNING x) SELECT x FROM gone": "may only|doesn't allow",
    "SELECT x FROM victim FOR UPDATE": "may only read",
    "SELECT set_config('transaction_read_only', 'off', true) AS x": "calls set_config",
    "SELECT pg_catalog . \"set_config\" ('role', 'none', true) AS x": "calls set_config",
    "SELECT query_to_xml('SELECT 1', true, true, '')::text AS x": "calls query_to_xml",
    "SELECT pg_terminate_backend(1)::text AS x": "calls pg_terminate_backend",
    "SELECT lo_unlink(4242)::text AS x": "calls lo_unlink",
    "": "is empty",
    " ; -- nothing": "is empty",
}  # fmt: skip


@pytest.fixture
def victim(postgres: Postgres) -> Postgres:
    """A table that somebody's query is after."""
    postgres.write("victim", pa.table({"x": ["a", "b", "b"]}))
    return postgres


@pytest.mark.parametrize("query", HOSTILE)
def test_a_query_is_one_statement_that_reads(victim: Postgres, query: str) -> None:
    with pytest.raises((InputError, EngineFailure), match=HOSTILE[query]):
        rr.read(victim.address, query=query, columns=["x"])
    assert rr.read(victim.address, table_name="victim", columns=["x"]).people == 3


@pytest.mark.parametrize(
    "query",
    [
        "SELECT x FROM victim ;",
        "  select x from victim -- the ; of a comment",
        "/* a /* nested; */ one ( */ WITH v AS (SELECT x FROM victim) (SELECT x FROM v);",
        "TABLE victim",
        "VALUES ('a'), ('b;'), (')')",
        "SELECT E'a\\';(' AS x UNION ALL SELECT $$;($$ UNION ALL SELECT $a$ $$; $a$",
        "SELECT x AS \"a;)%\" FROM victim WHERE x LIKE '%b%' OR true",
        "SELECT x FROM victim WHERE pg_typeof(x)::text = 'text'",
    ],
)
def test_queries_as_people_write_them(victim: Postgres, query: str) -> None:
    assert rr.read(victim.address, query=query).people == 3


def test_the_server_refuses_a_second_statement_too(victim: Postgres) -> None:
    """Whatever our reading of a query misses, a prepared statement is one statement."""
    for sql in ("SELECT 1; COMMIT; DELETE FROM victim; SELECT 1", "COMMIT; DELETE FROM victim; --"):
        table = rr.read(victim.address, table_name="victim", columns=["x"])
        session = table.engine.session
        assert session.one("SELECT current_setting('default_transaction_read_only')") == "on"
        with pytest.raises(EngineFailure, match="42601"):
            session.rows(sql)
        assert rr.read(victim.address, table_name="victim", columns=["x"]).people == 3


def test_nothing_a_query_did_is_kept(victim: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL 15 lets a read-only transaction remove a large object; ours is never committed."""
    monkeypatch.setattr("reidrisk.records.sql.database_query._refuse_acting", lambda _: None)
    with victim.connect() as other:
        (large,) = other.execute("SELECT lo_create(0)").fetchone()
        with pytest.raises((InputError, EngineFailure)):
            rr.read(victim.address, query=f"SELECT lo_unlink({large}) AS x", columns=["x"])
        victim.run("SELECT 1")
        told = other.execute(f"SELECT count(*) FROM pg_largeobject_metadata WHERE oid = {large}")
        assert told.fetchone() == (1,)
        other.execute(f"SELECT lo_unlink({large})")


def test_a_query_is_asked_as_a_role_that_may_only_read(victim: Postgres) -> None:
    def role(**asked: object) -> list[str]:
        query = "SELECT current_setting('role') AS x"
        return list(rr.read(victim.address, query=query, columns=["x"]).engine.marginal("x").values)

    assert role() == ["pg_read_all_data"]
    # Somebody's view that looks at who asks would answer that role otherwise.
    victim.run("CREATE VIEW mine AS SELECT x FROM victim WHERE current_user = 'tester'")
    try:
        assert role() == ["none"]
        assert rr.read(victim.address, query="SELECT x FROM mine", columns=["x"]).people == 3
    finally:
        victim.run("DROP VIEW mine")
    victim.run("CREATE SCHEMA tester", "CREATE TABLE tester.own AS SELECT 'a' AS x")
    try:
        assert rr.read(victim.address, query="SELECT x FROM own", columns=["x"]).people == 1
    finally:
        victim.run("DROP SCHEMA tester CASCADE")


def test_a_policy_on_rows_counts_for_the_user_who_asks(victim: Postgres) -> None:
    victim.run(
        "DROP ROLE IF EXISTS clerk", "CREATE ROLE clerk LOGIN PASSWORD 'clerk'",
        "GRANT SELECT ON victim TO clerk", "GRANT pg_read_all_data TO clerk",
        "ALTER TABLE victim ENABLE ROW LEVEL SECURITY",
        "CREATE POLICY part ON victim TO clerk USING (x = 'b')",
    )  # fmt: skip
    address = f"postgresql+psycopg://clerk:clerk@127.0.0.1:{victim.port}/postgres"
    for asked in ({"query": "SELECT x FROM victim"}, {"table_name": "victim"}):
        assert rr.read(address, columns=["x"], **asked).people == 2
    victim.run(
        "ALTER TABLE victim DISABLE ROW LEVEL SECURITY",
        "CREATE FUNCTION one() RETURNS text LANGUAGE sql AS 'SELECT 1::text'",
        "REVOKE ALL ON FUNCTION one() FROM PUBLIC", "GRANT EXECUTE ON FUNCTION one() TO clerk",
    )  # fmt: skip
    assert rr.read(address, query="SELECT x, one() AS y FROM victim").people == 3
    victim.run("DROP TABLE victim", "DROP FUNCTION one", "DROP ROLE clerk")


def test_literals_end_where_their_quotes_say(victim: Postgres) -> None:
    """Also on a server that reads a backslash as an escape: its values are no statements."""
    evil = ["\\", "\\'; COMMIT; DELETE FROM victim; --", " 039", "039 "]
    victim.write("evil", pa.table({"x": evil}))
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PGOPTIONS", "-c standard_conforming_strings=off")
        held = rr.read(victim.address, table_name="evil", columns=["x"], empty=[evil[1]])
        assert held.engine.crowd_sizes() == rr.CrowdSizes.of([1, 1, 2])
    assert rr.read(victim.address, table_name="victim", columns=["x"]).people == 3


@pytest.mark.parametrize(
    "query",
    [
        "SELECT x FROM victim; DELETE FROM victim",
        "SELECT x FROM victim) AS stored; DELETE FROM victim; SELECT * FROM (SELECT 1 AS x",
        "DELETE FROM victim RETURNING x",
        "PRAGMA query_only = OFF",
        "SELECT load_extension('nix') AS x",
        "SELECT [x;' FROM victim",
    ],
)
def test_sqlite_only_reads(tmp_path: Path, query: str) -> None:
    address = sqlite.write(tmp_path / "v.db", "victim", pa.table({"x": ["a", "b"]}))
    with pytest.raises(InputError):
        rr.read(address, query=query, columns=["x"])
    held = rr.read(address, query="SELECT x FROM victim -- ;", columns=["x"])
    assert held.people == 2
    for sql in ("DELETE FROM victim", "PRAGMA query_only = OFF", "ATTACH 'a.db' AS a", "COMMIT",
                "UPDATE sqlite_master SET sql = ''", "CREATE TEMP TABLE t (x)"):  # fmt: skip
        with pytest.raises(InputError, match="may only read"):
            held.engine.session._asked(lambda sql=sql: held.engine.session._execute(sql))
    listed = "SELECT value AS x FROM json_each('[1, 1]') UNION ALL SELECT x FROM [victim]"
    assert rr.read(address, query=listed, columns=["x"]).people == 4


@pytest.mark.parametrize("query", ["SELECT 1 --", "SELECT '\\'", "SELECT 1 INTO x", "EXEC x",
                                   "SELECT 1 FROM a FOR UPDATE"])  # fmt: skip
def test_other_databases_have_no_second_guard(query: str) -> None:
    with pytest.raises(InputError):
        one_query(query, "mysql")
    assert one_query("SELECT `into` FROM a;", "mysql") == "(SELECT `into` FROM a)"


@given(st.text("';\"()/*-aE\\\n`[]#", max_size=24))
def test_what_is_let_through_stays_in_its_parentheses(noise: str) -> None:
    """SQLite itself says where a statement ends; a query that passes is one to it."""
    try:
        source = one_query(f"SELECT {noise}", "sqlite")
    except InputError:
        return
    with contextlib.closing(sqlite3.connect(":memory:")) as held:
        held.execute("CREATE TABLE victim (x)")
        with contextlib.suppress(sqlite3.OperationalError):
            held.execute(f"SELECT 1 FROM {source} AS stored WHERE 1 = 0")


def test_names_with_marks_of_parameters(postgres: Postgres, tmp_path: Path) -> None:
    table = pa.table({"a%b": ["x", "y"], "%s": ["1", "1"], "%(a)s": ["1", "2"]})
    postgres.write("marks%d", table)
    for address in (postgres.address, sqlite.write(tmp_path / "m.db", "marks%d", table)):
        found = rr.read(address, table_name="marks%d", columns=table.column_names)
        assert (found.people, found.columns) == (2, tuple(table.column_names))
        assert len(rr.columns(address, table_name="marks%d").columns) == 3


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"table_name": "peopel"}, "there is no table 'peopel'\ndid you mean people"),
        ({"table_name": "nowhere.people"}, "there is no table 'nowhere.people'"),
        ({}, "say which one to count\ntable_name='SCHEMA.NAME'"),
        ({"query": "SELECT nix FROM people"}, "names a column that isn't there"),
        ({"query": "SELEC"}, "doesn't begin with SELECT"),
        ({"query": "SELECT FROM WHERE"}, "isn't a query"),
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
