"""The engine for a cluster: one finest view is counted and kept there, the others roll up from it.

The finest view, every tuple of the quasi-identifiers with its people, is grouped once and cached in
the cluster. Crowds of fewer columns are sums over it, all pairs are one job, and each record's
crowd is written by the cluster itself. The driver holds histograms and counts.

A session with Spark: queries as SQL, answers that stay small, views of our own.

Opening a table that Spark reads: a path, a store's address, or a name of its catalogue.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import count, islice
from typing import Any

import numpy as np
import pyarrow as pa

from reidrisk.crowds import CrowdSizes
from reidrisk.errors import ContradictoryOptions, InputError, UnwritableOutput
from reidrisk.machine import Progress, asked, no_progress
from reidrisk.printable import without_password
from reidrisk.records.contract import COUNTING, Pair, PairTable, pair_table_of
from reidrisk.records.files.opening import refuse_repeated
from reidrisk.records.read_options import ReadOptions, scheme_of
from reidrisk.records.sql import queries
from reidrisk.records.sql.database import BATCH, MOST_ROWS, refuse_long
from reidrisk.records.sql.dialects import SPARK
from reidrisk.records.sql.engine import Account
from reidrisk.records.sql.queries import CROWD, KEY, PEOPLE, PERSON
from reidrisk.records.sql.remote_columns import (
    DURATION,
    NESTED,
    Held,
    ListingSession,
    Stored,
)
from reidrisk.records.sql.remote_engine import ElsewhereEngine, Place
from reidrisk.records.sql.spark_connection import connected, explained, is_of_spark
from reidrisk.records.text_forms import value_form

_numbers = count()


class SparkSession(ListingSession):
    """Runs SQL on a SparkSession; the driver only ever holds counts."""

    def __init__(self, spark: Any, progress: Progress = no_progress) -> None:
        self.account = Account()
        self.spark = spark
        self._progress = progress

    def rows(self, sql: str) -> list[Any]:
        """All rows of a small answer."""
        return [tuple(row.values()) for row in self.table(sql).to_pylist()]

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
                raise explained(error) from None
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


# Pairs counted in one job: each record of the finest view is passed on once for each.
PAIRS_AT_ONCE = 64


class SparkEngine(ElsewhereEngine):
    """Questions are jobs of a cluster."""

    _session: SparkSession
    most_labels = 1_000_000

    @cached_property
    def _finest(self) -> str:
        """The finest view, grouped by the first question that needs it and then kept."""
        counted = self.options.counted
        asked = queries.distinct_tuples(
            self._records(counted),
            self._chosen(counted),
            self.dialect.cast_to_whole(self._record_sum),
        )
        frame = self._session.run(lambda: self._session.spark.sql(asked).persist())
        return self._session.view("finest", frame)

    def _seen(self, columns: Sequence[str] | None) -> str:
        return self._records(columns) if self.options.person else self._finest

    @property
    def _people_sum(self) -> str:
        return self._record_sum if self.options.person else f"sum({PEOPLE})"

    @cached_property
    def _every_described(self) -> str:
        """A row a person, worked out by the first question and then kept."""
        counted = self.options.counted
        chosen = self._chosen(counted)
        asked = queries.described_persons(self._records(counted), chosen, self.dialect)
        frame = self._session.run(lambda: self._session.spark.sql(asked).persist())
        return self._session.view("described", frame)

    def _described(self, columns: Sequence[str]) -> str:
        return self._every_described

    def _labels(self, name: str, pairs: Sequence[tuple[str, str | None]]) -> str:
        columns = zip(*pairs, strict=True)
        values, labels = (pa.array(column, pa.string()) for column in columns)
        return self._session.handed_over(name, pa.table({"value": values, "label": labels}))

    def crowd_sizes(self, columns: Sequence[str] | None = None) -> CrowdSizes:
        """The histogram of crowd sizes; of all columns, the finest view has them already."""
        every = set(columns or self.options.columns) == set(self.options.counted)
        if every and not self.options.person and self.options.missing == "own":
            return self._sizes(queries.sizes_of(f"SELECT {PEOPLE} AS size FROM {self._finest}"))
        return super().crowd_sizes(columns)

    def pair_tables(self, pairs: Sequence[Pair]) -> Iterator[PairTable]:
        """People per pair of values, many pairs a job; one by one where they are long."""
        for batch in self._batches(pairs):
            found = self._session.table(self._cells(batch), first=MOST_ROWS + 1)
            if len(found) > MOST_ROWS:
                yield from super().pair_tables(batch)
                continue
            which = found.column("pair").to_numpy()
            cells = found.drop_columns("pair")
            for place, pair in enumerate(batch):
                yield pair_table_of(pair, cells.filter(pa.array(which == place)))

    def pair_crowd_sizes(self, pairs: Sequence[Pair]) -> Iterator[CrowdSizes]:
        """The histograms of the pair tables' cells, many pairs a job."""
        for batch in self._batches(pairs):
            sizes = f"SELECT pair, {PEOPLE} AS size FROM ({self._cells(batch)})"
            rows = self._session.rows(
                f"SELECT pair, size, count(*) AS crowds FROM ({sizes}) WHERE size > 0 "
                f"GROUP BY pair, size ORDER BY pair, size"
            )
            found = np.array(rows, dtype=np.int64).reshape(-1, 3)
            for place in range(len(batch)):
                mine = found[found[:, 0] == place]
                yield CrowdSizes(mine[:, 1].copy(), mine[:, 2].copy())

    def _batches(self, pairs: Sequence[Pair]) -> Iterator[Sequence[Pair]]:
        for start in range(0, len(pairs), PAIRS_AT_ONCE):
            self.progress(COUNTING, start, len(pairs))
            yield pairs[start : start + PAIRS_AT_ONCE]

    def _cells(self, pairs: Sequence[Pair]) -> str:
        """(pair, one value, the other, people): each tuple gives a cell to each pair."""
        told = ", ".join(
            f"{place}, {', '.join(map(self.dialect.cast_to_text, self._chosen(pair)))}"
            for place, pair in enumerate(pairs)
        )
        people = "1" if self.options.person else PEOPLE
        cells = (
            f"SELECT stack({len(pairs)}, {told}) AS (pair, one, other), {people} AS people "
            f"FROM {self._seen(None)}"
        )
        total = self.dialect.cast_to_whole("sum(people)")
        return (
            f"SELECT pair, one, other, {total} AS {PEOPLE} FROM ({cells}) GROUP BY pair, one, other"
        )

    def write_crowds(
        self, target: str, kind: str, crowds: Sequence[int], columns: Sequence[str] | None
    ) -> None:
        """Each record's crowd and risk as a folder of files, one a task, written by the cluster.

        It is whole when its _SUCCESS is there; keys keep the type they are stored in.
        """
        if kind not in ("parquet", "csv"):
            raise UnwritableOutput(
                "the cluster writes Parquet or CSV", "end the folder's name in .parquet or .csv"
            )
        named, asked = self.crowds_question(columns)
        held = PERSON if self.options.person else KEY
        reached = "".join(f", CAST({CROWD} >= {k} AS TINYINT) AS k{k}" for k in crowds)
        risk = f"CASE WHEN {CROWD} > 0 THEN CAST(1 AS DOUBLE) / {CROWD} END AS risk"
        sql = f"SELECT {held} AS {self.dialect.quoted(named)}, {CROWD}, {risk}{reached} "
        place = target if scheme_of(target) else f"file://{os.path.abspath(target)}"

        def write() -> None:
            writer = self._session.spark.sql(f"{sql} FROM ({asked})").write
            if kind == "csv":
                writer.option("header", "true").csv(place)
            else:
                writer.parquet(place)

        self._session.run(write)


_FORMATS = {
    **dict.fromkeys(("csv", "txt"), "CSV"),
    **dict.fromkeys(("tsv", "tab"), "TSV"),
    **dict.fromkeys(("json", "jsonl", "ndjson"), "JSON lines"),
    "parquet": "Parquet",
    "orc": "ORC",
}
_COMPRESSED = re.compile(r"\.(gz|bz2|zst|lz4|snappy|deflate)$", re.IGNORECASE)
_KINDS = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), "whole"),
    **dict.fromkeys(("float", "double"), "fraction"),
    "boolean": "boolean",
    "date": "date",
    "timestamp": "zoned",
    "binary": "bytes",
}
CHANGING = (
    "Spark reads the files anew for each query: if they change meanwhile, figures may be of "
    "different moments."
)


def opened_by_spark(table: Any, options: ReadOptions, progress: Progress = no_progress) -> Place:
    """Connect, and look at the columns of the files or of the catalogue's table."""
    if not isinstance(table, (str, os.PathLike)):
        raise InputError(
            "a table in memory is counted here", "leave the engine out, or write it to a file"
        )
    named = os.fspath(table)
    session = SparkSession(connected(options.engine), progress)
    kind = _format(named)
    frame = session.run(lambda: _frame(session.spark, named, kind, options))
    refuse_repeated(frame.columns)
    source = session.view("stored", frame)
    kinds = {name: _kind(told) for name, told in session.run(lambda: frame.dtypes)}
    shown = without_password(named)
    called = f"Spark, {os.path.basename(shown.rstrip('/')) or shown}"
    stored = Stored(source, kinds, SPARK, options.decimal == ",")
    return Place(session, stored, called, (CHANGING,), SparkEngine)


def _format(named: str) -> str | None:
    """What a path holds by its ending, a folder of no ending Parquet; None for a name."""
    ending = _COMPRESSED.sub("", named.rstrip("/")).rpartition(".")[2].lower()
    if ending in _FORMATS:
        return _FORMATS[ending]
    is_path = scheme_of(named) is not None or "/" in named or os.path.exists(named)
    return "Parquet" if is_path else None


def _frame(spark: Any, named: str, kind: str | None, options: ReadOptions) -> Any:
    if kind is None:
        return spark.table(named)
    path = named
    if scheme_of(named) is None:
        # Where a relative path begins is each machine's own affair.
        path = f"file://{os.path.abspath(named)}"
    reader = spark.read
    if kind == "Parquet":
        return reader.parquet(path)
    if kind == "ORC":
        return reader.orc(path)
    if kind == "JSON lines":
        return reader.option("primitivesAsString", "true").json(path)
    return reader.options(**_reader_options(kind, options)).csv(path)


def _reader_options(kind: str, options: ReadOptions) -> dict[str, Any]:
    """Texts as they stand: 01234 keeps its zero, quotes are doubled, values may have lines."""
    if options.sheet is not None:
        raise ContradictoryOptions("--sheet is about spreadsheets, and Spark doesn't read them")
    return {
        "header": options.header,
        "sep": options.delimiter or ("\t" if kind == "TSV" else ","),
        "encoding": options.encoding or "utf-8",
        "quote": '"',
        "escape": '"',
        "multiLine": True,
        "mode": "FAILFAST",
        "inferSchema": False,
    }


def _kind(told: str) -> str:
    if told.startswith(("array", "struct", "map", "variant")):
        return NESTED
    if told.startswith(("interval", "day", "year")):
        return DURATION
    if told.startswith("decimal"):
        return "whole" if told.endswith(",0)") else "decimal"
    return _KINDS.get(told, "text")
