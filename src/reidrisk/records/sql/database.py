"""Opening a table of a database: its columns, their kinds, and what is told when it isn't there.

A session with a database: one connection, one read-only transaction, one snapshot.

Nothing is written there, not even a temporary table. An interrupt cancels the server's query.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import pyarrow as pa

from reidrisk.errors import InputError, ReidriskError, UnreadableInput
from reidrisk.machine import Progress, asked, no_progress
from reidrisk.records.files.opening import refuse_repeated
from reidrisk.records.read_options import ReadOptions
from reidrisk.records.sql.database_connection import (
    connected,
    described,
    explained,
    give_back_role,
    takes_reading_role,
)
from reidrisk.records.sql.database_query import one_query
from reidrisk.records.sql.dialects import Dialect, of_database
from reidrisk.records.sql.engine import Account
from reidrisk.records.sql.remote_columns import (
    DURATION,
    NESTED,
    Held,
    ListingSession,
    Stored,
)
from reidrisk.records.sql.remote_engine import Place
from reidrisk.records.text_forms import value_form

BATCH = 1 << 16
# Rows of an answer that come here at most, unless they are streamed into a file.
MOST_ROWS = 2_000_000


class DatabaseSession(ListingSession):
    """Runs SQL on a connection of SQLAlchemy's."""

    def __init__(self, connection: Any, progress: Progress = no_progress) -> None:
        self.account = Account()
        self._connection = connection
        self._progress = progress
        quoted = connection.dialect.identifier_preparer.quote_identifier
        if "%%" in quoted("%"):
            # A driver's mark for parameters, and nothing is asked with them here.
            doubling, quoted = quoted, lambda name: doubling(name).replace("%%", "%")
        self.dialect: Dialect = of_database(connection.dialect.name, quoted)

    def rows(self, sql: str) -> list[Any]:
        """All rows of a small answer."""
        return self._few(sql, None)[1]

    def table(self, sql: str, first: int | None = None) -> pa.Table:
        """An answer, or the first rows of it, as an Arrow table."""
        names, rows = self._few(sql, first)
        columns = zip(*rows, strict=True) if rows else [[] for _ in names]
        return pa.Table.from_arrays([_array(list(column)) for column in columns], names=names)

    def stream(self, sql: str) -> pa.RecordBatchReader:
        """(key, crowd) of every record, batch by batch through a cursor of the server."""
        with self.account.query():
            result = self._asked(lambda: self._execute(sql, streamed=True))
        names = list(result.keys())

        def fetched() -> Iterator[pa.RecordBatch]:
            while rows := self._more(result):
                self.account.rows += len(rows)
                keys, crowds = zip(*rows, strict=True)
                texts = pa.array(map(value_form, keys), pa.large_string())
                yield pa.record_batch([texts, pa.array(crowds, pa.int64())], schema=schema)

        schema = pa.schema([(names[0], pa.large_string()), (names[1], pa.int64())])
        return pa.RecordBatchReader.from_batches(schema, fetched())

    def distinct(self, stored: Stored, names: Sequence[str], most: int) -> dict[str, Held | None]:
        """One query a column."""
        found: dict[str, Held | None] = {}
        for done, name in enumerate(names):
            self._progress("looking at columns", done, len(names))
            value = stored.grouped(name)
            source = f"FROM {stored.source} AS stored GROUP BY {value}"
            rows = self._few(f"SELECT {value} AS value, count(*) AS held {source}", most + 1)[1]
            found[name] = None if len(rows) > most else [tuple(row) for row in rows]
        return found

    def _execute(self, sql: str, streamed: bool = False) -> Any:
        # Without parameters, so that no driver looks for their marks in the text.
        how = {"no_parameters": True, "stream_results": streamed}
        return self._connection.execution_options(**how).exec_driver_sql(sql)

    def _few(self, sql: str, first: int | None) -> tuple[list[str], list[Any]]:
        """Names and rows, the first ones, or all where they are few enough to be counts."""
        limited = self.dialect.limited(sql, MOST_ROWS + 1 if first is None else first)

        def answer() -> tuple[list[str], list[Any]]:
            result = self._execute(limited)
            return list(result.keys()), list(result.fetchall())

        with self.account.query():
            names, rows = self._asked(answer)
        self.account.rows += len(rows)
        if first is None:
            refuse_long(len(rows), MOST_ROWS)
        return names, rows

    def _more(self, result: Any) -> Any:
        with self.account.query(asked_anew=False):
            return self._asked(lambda: result.fetchmany(BATCH))

    def _asked(self, question: Callable[[], Any]) -> Any:
        from sqlalchemy.exc import SQLAlchemyError

        try:
            return asked(question, self._cancel)
        except SQLAlchemyError as error:
            raise explained(error) from None

    def _cancel(self) -> None:
        """Stop the server's query: it would go on counting for nobody."""
        held = self._connection.connection.driver_connection
        for way in ("cancel_safe", "cancel", "interrupt"):
            stop = getattr(held, way, None)
            if stop is not None:
                stop()
                return
        with suppress(Exception):
            held.close()

    def close(self) -> None:
        """End the transaction and the connection."""
        with suppress(Exception):
            self._connection.close()


def refuse_long(rows: int, most: int) -> None:
    """Counts travel, records don't: an answer nearly as long as the table is refused."""
    if rows > most:
        raise InputError(
            f"the answer has more than {most:,} rows: that is no longer a count",
            "use fewer columns, or recode them: --bands, --levels",
        )


def _array(values: list[Any]) -> pa.Array:
    """In Arrow's own types; what it doesn't know in text form."""
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        return pa.array([value_form(value) for value in values], pa.string())


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


def opened_by_database(
    address: str, options: ReadOptions, progress: Progress = no_progress
) -> Place:
    """Connect, and look at the columns of the table or query."""
    of, query = options.table_name, options.query
    connection, warnings = connected(address, options.password)
    session = DatabaseSession(connection, progress)
    database = connection.dialect.name
    if of is None and query is None:
        raise InputError(
            "a database holds many tables: say which one to count",
            f"--table SCHEMA.NAME, or --query 'SELECT …'; {_there(connection)}",
        )
    source = _quoted(session, of or "") if query is None else one_query(query, database)
    try:
        columns = _columns(connection, source, query is not None)
    except ReidriskError as fault:
        raise _with_tables(fault, address, options) from None
    refuse_repeated([name for name, _ in columns])
    kinds = {name: _kind(session, source, name, kind) for name, kind in columns}
    stored = Stored(source, kinds, session.dialect)
    called = f"{CALLED.get(database, database)}, {of or 'a query'}"
    return Place(session, stored, called, warnings)


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


def _with_tables(fault: ReidriskError, address: str, options: ReadOptions) -> ReidriskError:
    """The same fault; where a table isn't there, with those that are."""
    of = options.table_name
    if of is None or not isinstance(fault, UnreadableInput) or "no such" not in fault.message:
        return fault
    # Its transaction has failed, so those that are there are asked for in another one.
    connection, _ = connected(address, options.password)
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
