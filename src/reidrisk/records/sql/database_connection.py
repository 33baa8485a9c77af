"""Connecting to a database: the address, who asks, a read-only snapshot.

What a database's failure means, in our own words: its own may quote a record or a password.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
from pathlib import Path
from typing import Any

from reidrisk.errors import EngineFailure, InputError, MissingExtra, UnknownColumn, UnreadableInput

_PASSWORD = (
    "the password stands in ~/.pgpass or PGPASSWORD, or is asked for with --password-prompt; "
    "PGUSER or the address says who"
)
# SQLSTATE, or the beginning of one, and what it means.
_STATES: dict[str, tuple[type[InputError | EngineFailure], str, str]] = {
    "28": (UnreadableInput, "the database refuses this user or password", _PASSWORD),
    "3D": (UnreadableInput, "there is no such database on that server", "check the address"),
    "42P01": (UnreadableInput, "there is no such table", "name it: --table schema.name"),
    "3F": (UnreadableInput, "there is no such schema", "name it: --table schema.name"),
    "42703": (UnknownColumn, "--query names a column that isn't there", "check the query"),
    "42501": (
        UnreadableInput,
        "this user may not read the table",
        "ask for: GRANT SELECT ON the table (or the columns that are read) TO the user",
    ),
    "42601": (InputError, "--query isn't a query that the database understands", "try it there"),
    "0A000": (InputError, "--query asks for what its place doesn't allow", "give a SELECT"),
    "25006": (InputError, "--query would change something, and may only read", "give a SELECT"),
    "57014": (EngineFailure, "the database cancelled the query", "is there a statement_timeout?"),
    "53100": (EngineFailure, "the database's disk is full", "look at its temporary files"),
    "53": (EngineFailure, "the database ran out of resources", "ask for less: fewer columns"),
    "54": (EngineFailure, "the query is too large for the database", "look at fewer columns"),
    "57P": (EngineFailure, "the database ended the connection", "nothing was written; try again"),
    "08": (EngineFailure, "the connection was cut", "nothing was written; try again"),
}
_OF_QUERIES = ("0A000", "42601", "42703")
_WORDS = {
    "password": "28",
    "authentication failed": "28",
    'role "': "28",
    "no such table": "42P01",
    "no such column": "42703",
    "syntax error": "42601",
    "readonly database": "25006",
    "read-only": "25006",
    "not authorized": "25006",
    "may not be modified": "25006",
    "interrupted": "57014",
}


def explained(error: Any, of_users_query: bool = False) -> InputError | EngineFailure:
    """Our words for an error of SQLAlchemy's or of a driver.

    What a query gets wrong is the user's affair only where it is the user's own.
    """
    driver = getattr(error, "orig", None) or error
    state = getattr(driver, "sqlstate", None) or getattr(driver, "pgcode", None) or ""
    if not state:
        words = str(driver).lower()
        state = next((found for word, found in _WORDS.items() if word in words), "")
        if not state and 'database "' in words and "does not exist" in words:
            state = "3D"
    if getattr(error, "connection_invalidated", False) and not state.startswith("57P"):
        state = "08"
    for known in (state, state[:3], state[:2]):
        if known in _STATES and (of_users_query or known not in _OF_QUERIES):
            kind, message, hint = _STATES[known]
            return kind(message, hint)
    return EngineFailure(
        f"the database gave up ({type(driver).__name__}{f', SQLSTATE {state}' if state else ''})",
        "its own log says more",
    )


def unreached(error: Any) -> InputError | EngineFailure:
    """For an error on the way to the database."""
    known = explained(error)
    if isinstance(known, EngineFailure):
        return UnreadableInput(
            "the database can't be reached",
            "check host and port in the address, or PGHOST and PGPORT; is it running?",
        )
    return known


SNAPSHOT = "REPEATABLE READ"
# Texts of dates, moments and numbers that don't depend on the server's settings.
_POSTGRESQL = (
    "SET LOCAL TimeZone = 'UTC'",
    "SET LOCAL DateStyle = 'ISO, YMD'",
    "SET LOCAL extra_float_digits = 1",
    # Every answer is read to its end, also one that comes through a cursor.
    "SET LOCAL cursor_tuple_fraction = 1",
    # A backslash in a text is a backslash: no literal ends otherwise than its quotes say.
    "SET LOCAL standard_conforming_strings = on",
)
# Whether the role that may only read would answer alike: it is there, the user may take it, and no
# view or function looks at who asks.
_HAS_READER = """
SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = 'pg_read_all_data'
               AND pg_has_role(oid, 'MEMBER'))
    AND NOT EXISTS (SELECT FROM pg_views WHERE definition ~* '\\m{who}\\M'
                    AND schemaname NOT IN ('pg_catalog', 'information_schema'))
    AND NOT EXISTS (SELECT FROM pg_proc
                    WHERE concat(prosrc, pg_get_function_sqlbody(oid)) ~* '\\m{who}\\M'
                    AND pronamespace <> ALL ('{{pg_catalog,information_schema}}'::regnamespace[]))
"""
_WHO_ASKS = r"(current_user|current_role|user|has_\w+_privilege|pg_has_role)"
_TAKE_ROLE = (
    # "$user" in it would be another schema.
    "SELECT set_config('search_path', (SELECT coalesce(string_agg(quote_ident(name), "
    "', '), '') FROM unnest(current_schemas(false)) AS name), true)",
    # Where a policy would hide rows from that role, the query fails instead.
    "SET LOCAL row_security = off",
    "SET LOCAL ROLE pg_read_all_data",
)
# What reading needs; attaching, writing and settings are refused when a query is prepared.
_SQLITE_READS = ("SQLITE_SELECT", "SQLITE_READ", "SQLITE_FUNCTION", "SQLITE_RECURSIVE")


def connected(address: str, password: str | None = None) -> tuple[Any, tuple[str, ...]]:
    """A connection in a read-only transaction, and what to mind about it.

    libpq reads PG* variables and .pgpass for what the address leaves out.
    """
    sqlalchemy = _sqlalchemy()
    url = _url(address)
    if password is not None:
        url = url.set(password=password)
    local = url.get_backend_name() == "sqlite"
    if local:
        _refuse_absent_file(url)
    try:
        engine = sqlalchemy.create_engine(
            url,
            poolclass=sqlalchemy.pool.NullPool,
            connect_args={"check_same_thread": False} if local else {},
        )
    except ModuleNotFoundError as error:
        raise _missing_driver(url, error) from None
    except sqlalchemy.exc.SQLAlchemyError:
        raise InputError(
            f"there is no database of the kind {url.drivername!r}", _examples()
        ) from None
    if url.get_backend_name() == "postgresql":
        sqlalchemy.event.listen(engine, "connect", _refuse_writing)
    try:
        return _read_only(engine)
    except sqlalchemy.exc.SQLAlchemyError as error:
        raise unreached(error) from None


def _read_only(engine: Any) -> tuple[Any, tuple[str, ...]]:
    connection = engine.connect()
    name = connection.dialect.name
    if name == "postgresql":
        connection = connection.execution_options(
            isolation_level=SNAPSHOT, postgresql_readonly=True
        )
        for setting in _POSTGRESQL:
            connection.exec_driver_sql(setting)
        return connection, ()
    if name == "sqlite":
        _teach_sqlite(connection.connection.driver_connection)
        connection.exec_driver_sql("PRAGMA query_only = ON")
        connection.exec_driver_sql("BEGIN")
        connection.connection.driver_connection.set_authorizer(_reading_only)
        return connection, ()
    levels = connection.dialect.get_isolation_level_values(None)
    if SNAPSHOT in levels:
        return connection.execution_options(isolation_level=SNAPSHOT), ()
    return connection, (
        "This database was asked without one snapshot: if the table changes meanwhile, figures "
        "may be of different moments.",
    )


def _refuse_writing(held: Any, _: Any) -> None:
    """Each statement is prepared, and such a one is a single one; no transaction writes."""
    if hasattr(held, "prepare_threshold"):
        held.prepare_threshold = 0
    if hasattr(held, "autocommit"):
        held.autocommit = True
        held.execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY")
        held.autocommit = False


def takes_reading_role(connection: Any, sql: str) -> bool:
    """Go on as pg_read_all_data, where the user may and figures can't depend on who asks."""
    from sqlalchemy.exc import SQLAlchemyError

    looks_at_user = re.search(rf"\b{_WHO_ASKS}\b", sql, re.IGNORECASE)
    if connection.dialect.name != "postgresql" or looks_at_user:
        return False
    if connection.dialect.server_version_info < (14,):
        return False
    if not connection.exec_driver_sql(_HAS_READER.format(who=_WHO_ASKS)).scalar():
        return False
    connection.exec_driver_sql("SAVEPOINT reidrisk")
    try:
        for statement in _TAKE_ROLE:
            connection.exec_driver_sql(statement)
    except SQLAlchemyError:
        give_back_role(connection)
        return False
    return True


def give_back_role(connection: Any) -> None:
    """The user's own again, and the transaction as it was."""
    connection.exec_driver_sql("ROLLBACK TO SAVEPOINT reidrisk")


def _reading_only(action: int, what: str | None, function: str | None, *_: Any) -> int:
    import sqlite3

    reads = action in (getattr(sqlite3, name) for name in _SQLITE_READS)
    if action == sqlite3.SQLITE_FUNCTION:
        reads = (function or "").lower() not in ("load_extension", "fts3_tokenizer")
    if action == sqlite3.SQLITE_PRAGMA:
        reads = what in ("database_list", "data_version") and function is None
    if action == sqlite3.SQLITE_UPDATE:
        # What declaring a table-valued function asks for; query_only keeps everybody from it.
        reads = what == "sqlite_master"
    if action == sqlite3.SQLITE_TRANSACTION:
        reads = what == "ROLLBACK"
    return sqlite3.SQLITE_OK if reads else sqlite3.SQLITE_DENY


def _teach_sqlite(held: Any) -> None:
    """The functions that other databases have: expressions of text, MD5, texts joined in order."""

    class Sorted:
        def __init__(self) -> None:
            self.texts: list[str] = []

        def step(self, text: str) -> None:
            self.texts.append(text)

        def finalize(self) -> str:
            return "".join(sorted(self.texts))

    def matches(text: str | None, pattern: str) -> bool | None:
        return None if text is None else re.search(pattern, text) is not None

    def replaced(text: str | None, pattern: str, groups: str) -> str | None:
        return None if text is None else re.sub(pattern, groups, text)

    def md5(text: str) -> str:
        return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()

    held.create_function("reidrisk_matches", 2, matches, deterministic=True)
    held.create_function("reidrisk_replaced", 3, replaced, deterministic=True)
    held.create_function("md5", 1, md5, deterministic=True)
    held.create_aggregate("reidrisk_sorted", 1, Sorted)


def _sqlalchemy() -> Any:
    try:
        import sqlalchemy
        import sqlalchemy.exc
        import sqlalchemy.pool
    except ModuleNotFoundError:
        raise MissingExtra("a database", "database") from None
    # It would tell of a connection that was cut in a traceback of its own.
    logging.getLogger("sqlalchemy.pool").setLevel(logging.CRITICAL + 1)
    return sqlalchemy


def _url(address: str) -> Any:
    from sqlalchemy.engine import make_url

    # Our own driver where none is named, since SQLAlchemy would look for an older one.
    plain = re.sub(r"^postgres(ql)?://", "postgresql+psycopg://", address)
    try:
        return make_url(plain)
    except Exception:
        # Its own words would quote the address, password and all.
        raise InputError("the address of the database can't be read", _examples()) from None


def _examples() -> str:
    return "as in postgresql+psycopg://user@host:5432/db or sqlite:///people.db"


def _missing_driver(url: Any, error: ModuleNotFoundError) -> InputError:
    if url.get_backend_name() == "postgresql":
        return MissingExtra("a PostgreSQL database", "database")
    return InputError(
        f"{url.drivername} needs a driver that isn't installed", f"pip install {error.name}"
    )


def _refuse_absent_file(url: Any) -> None:
    """SQLite would make an empty database of a misspelt name."""
    named = url.database or ""
    if named in ("", ":memory:") or named.startswith("file:"):
        raise InputError("a database in memory holds nothing yet", _examples())
    if not Path(named).is_file():
        raise UnreadableInput(f"there is no file {os.path.basename(named)}", "check the address")


def described(connection: Any, sql: str) -> list[tuple[str, Any]]:
    """(name, the driver's type) of each column of a query, which isn't run to its end."""
    from sqlalchemy.exc import SQLAlchemyError

    try:
        found = connection.execution_options(no_parameters=True).exec_driver_sql(sql)
        return [(each[0], each[1]) for each in found.cursor.description]
    except SQLAlchemyError as error:
        raise explained(error, of_users_query=True) from None
