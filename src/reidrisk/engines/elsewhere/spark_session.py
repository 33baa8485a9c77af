"""A session with Spark: queries as SQL, answers that stay small, views of our own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count, islice
from typing import Any

import pyarrow as pa

from reidrisk.engines.account import Account
from reidrisk.engines.contract import Progress, no_progress
from reidrisk.engines.elsewhere.database_session import BATCH, MOST_ROWS, refuse_long
from reidrisk.engines.elsewhere.distinct import Held
from reidrisk.engines.elsewhere.spark_faults import is_of_spark, told
from reidrisk.engines.elsewhere.stored import Stored
from reidrisk.engines.interruptible import asked
from reidrisk.engines.text_form import value_form

_numbers = count()


class SparkSession:
    """Runs SQL on a SparkSession; the driver only ever holds counts."""

    def __init__(self, spark: Any, progress: Progress = no_progress) -> None:
        self.account = Account()
        self.spark = spark
        self._progress = progress

    def rows(self, sql: str) -> list[Any]:
        """All rows of a small answer."""
        return [tuple(row.values()) for row in self.table(sql).to_pylist()]

    def one(self, sql: str) -> Any:
        """The one value of an answer."""
        return self.rows(sql)[0][0]

    def table(self, sql: str, first: int | None = None) -> pa.Table:
        """An answer, or the first rows of it, as an Arrow table."""
        limit = MOST_ROWS + 1 if first is None else first
        found = self._counted(lambda: self.spark.sql(f"{sql} LIMIT {limit}").toArrow())
        if first is None:
            refuse_long(len(found), MOST_ROWS)
        return found

    def stream(self, sql: str) -> pa.RecordBatchReader:
        """(key, crowd) of every record, partition by partition."""
        rows = self.run(lambda: self.spark.sql(sql).toLocalIterator())
        schema = pa.schema([("key", pa.large_string()), ("crowd", pa.int64())])

        def batches() -> Iterator[pa.RecordBatch]:
            while some := self._more(rows):
                keys, crowds = zip(*some, strict=True)
                texts = pa.array(map(value_form, keys), pa.large_string())
                yield pa.record_batch([texts, pa.array(crowds, pa.int64())], schema=schema)

        return pa.RecordBatchReader.from_batches(schema, batches())

    def _more(self, rows: Any) -> list[Any]:
        return list(self.run(lambda: list(islice(rows, BATCH)), asked_anew=False))

    def distinct(self, stored: Stored, names: Sequence[str], most: int) -> dict[str, Held | None]:
        """All columns in one job: each record gives a (column, value) for each of them."""
        found = self._listed(stored, names, most)
        if found is not None:
            return found
        many = self._with_many(stored, names, most)
        few = [name for name in names if name not in many]
        listed = self._listed(stored, few, len(few) * 2 * most) or {}
        return {name: listed.get(name) for name in names}

    def _listed(
        self, stored: Stored, names: Sequence[str], most: int
    ) -> dict[str, Held | None] | None:
        """Every column's values; None where they are more than `most` together."""
        if not names:
            return {}
        told = ", ".join(f"{place}, {stored.shown(name)}" for place, name in enumerate(names))
        values = (
            f"SELECT stack({len(names)}, {told}) AS (place, value) FROM {stored.source} AS stored"
        )
        sql = f"SELECT place, value, count(*) AS held FROM ({values}) GROUP BY place, value"
        rows = self.table(sql, first=most + 1)
        if len(rows) > most:
            return None
        found: dict[str, Held | None] = {name: [] for name in names}
        for place, value, held in zip(*(rows.column(i).to_pylist() for i in range(3)), strict=True):
            mine = found[names[place]]
            assert mine is not None
            mine.append((value, held))
        return found

    def _with_many(self, stored: Stored, names: Sequence[str], most: int) -> set[str]:
        """Columns of more values than that, about: an estimate decides how they are seen."""
        told = ", ".join(f"approx_count_distinct({stored.column(name)})" for name in names)
        (found,) = self.rows(f"SELECT {told} FROM {stored.source} AS stored")
        return {name for name, values in zip(names, found, strict=True) if values > most}

    def view(self, what: str, frame: Any) -> str:
        """Let queries see a frame, under a name nobody else has."""
        name = f"reidrisk_{what}_{next(_numbers)}"
        frame.createOrReplaceTempView(name)
        return name

    def handed_over(self, what: str, table: pa.Table) -> str:
        """A small table of ours, for the cluster to join with."""
        return self.view(what, self.run(lambda: self.spark.createDataFrame(table)))

    def run(self, question: Callable[[], Any], asked_anew: bool = True) -> Any:
        """Ask Spark something; what it says of a failure may quote a row."""
        try:
            with self.account.query(asked_anew):
                return asked(question, self._cancel)
        except Exception as error:
            if is_of_spark(error):
                raise told(error) from None
            raise

    def _counted(self, question: Callable[[], pa.Table]) -> pa.Table:
        found = self.run(question)
        self.account.rows += len(found)
        return found

    def _cancel(self) -> None:
        with suppress(Exception):
            self.spark.interruptAll()
        with suppress(Exception):
            self.spark.sparkContext.cancelAllJobs()

    def close(self) -> None:
        """Nothing to close: the session is the process's."""
