"""A throw-away PostgreSQL: its own cluster in a temporary folder, on a free loopback port."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest

INSTALL = "apt-get install postgresql"
USER, PASSWORD = "tester", "p@ss/w:rd%41"


@dataclass(frozen=True)
class Postgres:
    """A running server, and how to reach it."""

    folder: Path
    port: int

    @property
    def address(self) -> str:
        from urllib.parse import quote

        secret = quote(PASSWORD, safe="")
        return f"postgresql+psycopg://{USER}:{secret}@127.0.0.1:{self.port}/postgres"

    @property
    def bare_address(self) -> str:
        return f"postgresql+psycopg://{USER}@127.0.0.1:{self.port}/postgres"

    def connect(self, **given: str):
        import psycopg

        usual = {"user": USER, "password": PASSWORD, "dbname": "postgres"}
        usual["options"] = "-c lock_timeout=20s"
        return psycopg.connect(host="127.0.0.1", port=self.port, autocommit=True, **usual | given)

    def run(self, *statements: str) -> None:
        with self.connect() as connection:
            self._let_go(connection)
            for statement in statements:
                connection.execute(statement)

    @staticmethod
    def _let_go(connection) -> None:
        """Snapshots that earlier tests left open would keep tables from being dropped."""
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE pid <> pg_backend_pid() AND state LIKE 'idle in transaction%'"
        )

    def write(self, name: str, table: pa.Table, types: dict[str, str] | None = None) -> str:
        """Put a table there, columns of text or whole numbers unless `types` says otherwise."""
        from psycopg import sql

        kinds = {
            each.name: (types or {}).get(
                each.name, "bigint" if pa.types.is_integer(each.type) else "text"
            )
            for each in table.schema
        }
        columns = [sql.SQL("{} " + kind).format(sql.Identifier(n)) for n, kind in kinds.items()]
        called = sql.Identifier(name)
        with self.connect() as connection:
            self._let_go(connection)
            connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(called))
            made = sql.SQL("CREATE TABLE {} ({})")
            connection.execute(made.format(called, sql.SQL(", ").join(columns)))
            copying = sql.SQL("COPY {} FROM STDIN").format(called)
            with connection.cursor() as cursor, cursor.copy(copying) as copy:
                for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
                    copy.write_row(row)
        return name


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    pytest.importorskip("sqlalchemy", reason="pip install 'reidrisk[database]'")
    pytest.importorskip("psycopg", reason="pip install 'reidrisk[database]'")
    programs = _programs()
    if programs is None:
        pytest.skip(f"PostgreSQL isn't installed: {INSTALL}")
    folder = Path(tempfile.mkdtemp(prefix="reidrisk-postgres-"))
    user = None
    if os.geteuid() == 0:
        # It refuses to run as root.
        user = "postgres"
        shutil.chown(folder, user)
    else:
        folder.chmod(0o700)
    try:
        yield from _started(programs, folder, user)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _started(programs: Path, folder: Path, user: str | None) -> Iterator[Postgres]:
    data, secret = folder / "data", folder / "secret"
    secret.write_text(PASSWORD)
    secret.chmod(0o644)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def run(program: str, *arguments: object) -> None:
        command = [str(programs / program), *map(str, arguments)]
        told = folder / f"{program}.log"
        with told.open("w") as log:
            done = subprocess.run(
                command, user=user, cwd=folder, stdout=log, stderr=log, timeout=120
            )
        if done.returncode:
            pytest.skip(f"PostgreSQL doesn't start here: {told.read_text()[-300:]}")

    run("initdb", "-D", data, "-U", USER, "-A", "scram-sha-256", f"--pwfile={secret}",
        "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")  # fmt: skip
    settings = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
    run("pg_ctl", "-D", data, "-w", "-o", settings, "-l", folder / "server.log", "start")
    try:
        yield Postgres(folder, port)
    finally:
        run("pg_ctl", "-D", data, "-m", "immediate", "stop")


def _programs() -> Path | None:
    on_path = shutil.which("initdb")
    found = [Path(on_path).parent] if on_path else []
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((each for each in found if (each / "pg_ctl").exists()), None)
