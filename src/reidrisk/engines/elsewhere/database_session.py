"""A session with a database: one connection, one read-only transaction, one snapshot.

Nothing is written there, not even a temporary table. An interrupt cancels the server's query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import pyarrow as pa

from reidrisk.engines.account import Account
from reidrisk.engines.contract import Progress, no_progress
from reidrisk.engines.dialects import Dialect, of_database
from reidrisk.engines.elsewhere.database_faults import told
from reidrisk.engines.elsewhere.distinct import Held
from reidrisk.engines.elsewhere.stored import Stored
from reidrisk.engines.interruptible import asked
from reidrisk.engines.text_form import value_form
from reidrisk.errors import InputError

BATCH = 1 << 16
# Rows of an answer that come here at most, unless they are streamed into a file.
MOST_ROWS = 2_000_000


class DatabaseSession:
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

    def one(self, sql: str) -> Any:
        """The one value of an answer."""
        return self.rows(sql)[0][0]

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
            raise told(error) from None

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
            "look at fewer columns, or coarser: --bands, --levels",
        )


def _array(values: list[Any]) -> pa.Array:
    """In Arrow's own types; what it doesn't know in text form."""
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        return pa.array([value_form(value) for value in values], pa.string())
