"""Opening a table of a database: its columns, their kinds, and what is told when it isn't there."""

from __future__ import annotations

import difflib
import re
from typing import Any

from reidrisk.engines.contract import Progress, no_progress
from reidrisk.engines.elsewhere.database_connecting import (
    connected,
    described,
    give_back_role,
    takes_reading_role,
)
from reidrisk.engines.elsewhere.database_query import one_query
from reidrisk.engines.elsewhere.database_session import DatabaseSession
from reidrisk.engines.elsewhere.stored import DURATION, NESTED, Stored
from reidrisk.engines.sources.opening import refuse_repeated
from reidrisk.errors import InputError, ReidriskError, UnreadableInput

CALLED = {"postgresql": "PostgreSQL", "sqlite": "SQLite", "mysql": "MySQL", "mariadb": "MariaDB"}
_KINDS = {
    **dict.fromkeys(("int2", "int4", "int8", "oid"), "whole"),
    **dict.fromkeys(("float4", "float8"), "fraction"),
    **dict.fromkeys(("json", "jsonb", "record", "xml", "point", "polygon", "hstore"), NESTED),
    "numeric": "decimal",
    "bool": "boolean",
    "date": "date",
    "timestamptz": "zoned",
    "bytea": "bytes",
    "interval": DURATION,
}
_QUOTED_PART = re.compile(r'"((?:[^"]|"")+)"|([^."]+)')


def opened(
    address: str,
    of: str | None,
    query: str | None,
    password: str | None = None,
    progress: Progress = no_progress,
) -> tuple[DatabaseSession, Stored, str, tuple[str, ...]]:
    """A session, the table in it, what it is called, and what to mind."""
    connection, warnings = connected(address, password)
    session = DatabaseSession(connection, progress)
    database = connection.dialect.name
    if of is None and query is None:
        raise InputError(
            "a database holds many tables: say which one to count",
            f"--table NAME, or --query 'SELECT …'; {_there(connection)}",
        )
    source = _quoted(session, of or "") if query is None else one_query(query, database)
    try:
        columns = _columns(connection, source, query is not None)
    except ReidriskError as fault:
        raise _with_tables(fault, address, password, of) from None
    refuse_repeated([name for name, _ in columns])
    kinds = {name: _kind(session, source, name, kind) for name, kind in columns}
    called = CALLED.get(database, database)
    named = f"{called}, {of}" if of else f"{called}, a query"
    return session, Stored(source, kinds, session.dialect), named, warnings


def _columns(connection: Any, source: str, asked: bool) -> list[tuple[str, Any]]:
    """Of a table, or of a query, in a role that may only read where the server has one for us."""
    selected = f"SELECT * FROM {source} AS stored"
    if asked and takes_reading_role(connection, source):
        try:
            # Unlike a condition that never holds, no rows still asks for every right.
            return described(connection, f"{selected} LIMIT 0")
        except ReidriskError:
            # That role may do less than the user, by a policy on rows or a right to a function.
            give_back_role(connection)
    return described(connection, f"{selected} WHERE 1 = 0")


def _quoted(session: DatabaseSession, of: str) -> str:
    """schema.name, each part quoted; a part with a dot in it stands in double quotes."""
    parts = [quoted or plain for quoted, plain in _QUOTED_PART.findall(of)]
    if not parts:
        raise InputError(f"--table {of}: it isn't the name of a table", "as in public.people")
    return ".".join(session.dialect.quoted(part.replace('""', '"')) for part in parts)


def _kind(session: DatabaseSession, source: str, name: str, kind: Any) -> str:
    if session.dialect.name == "postgresql":
        return _postgresql_kind(kind)
    if session.dialect.name == "sqlite":
        return _sqlite_kind(session, source, name)
    return "text"


def _postgresql_kind(oid: int) -> str:
    import psycopg

    known = psycopg.adapters.types.get(oid)
    if known is None:
        # A type of their own, such as an enumeration: its text is its value.
        return "text"
    if known.array_oid == oid or known.name.endswith("range"):
        return NESTED
    return _KINDS.get(known.name, "text")


def _sqlite_kind(session: DatabaseSession, source: str, name: str) -> str:
    """SQLite's columns have no types, only their values do."""
    column = f"stored.{session.dialect.quoted(name)}"
    sql = f"SELECT DISTINCT typeof({column}) FROM {source} AS stored"
    held = {kind for (kind,) in session.rows(sql)} - {"null"}
    if held <= {"integer"}:
        return "whole"
    if held <= {"integer", "real"}:
        return "fraction"
    return "bytes" if held == {"blob"} else "text"


def _with_tables(
    fault: ReidriskError, address: str, password: str | None, of: str | None
) -> ReidriskError:
    """The same fault; where a table isn't there, with those that are."""
    if of is None or not isinstance(fault, UnreadableInput) or "no such" not in fault.message:
        return fault
    # Its transaction has failed, so those that are there are asked for in another one.
    connection, _ = connected(address, password)
    near = difflib.get_close_matches(of, _tables(connection), n=1)
    meant = f"did you mean {near[0]}? " if near else ""
    return UnreadableInput(f"there is no table {of!r}", meant + _there(connection))


def _there(connection: Any) -> str:
    names = _tables(connection)
    if not names:
        return "it shows no table to this user"
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    return (
        f"there are: {', '.join(names[:20])}{more}" if names else "it shows no table to this user"
    )


def _tables(connection: Any) -> list[str]:
    """Tables and views that can be named, with their schema unless it is the usual one."""
    from sqlalchemy import inspect
    from sqlalchemy.exc import SQLAlchemyError

    try:
        looking = inspect(connection)
        usual = looking.default_schema_name
        found = [*looking.get_table_names(), *looking.get_view_names()]
        for schema in looking.get_schema_names():
            if schema not in (usual, "information_schema", "main"):
                found += [f"{schema}.{name}" for name in looking.get_table_names(schema)]
    except SQLAlchemyError:
        return []
    return sorted(found)
