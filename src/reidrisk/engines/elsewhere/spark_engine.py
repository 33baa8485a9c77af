"""The engine for a cluster: one finest view is counted and kept there, the others roll up from it.

The finest view, every tuple of all columns looked at with its people, is grouped once and cached in
the cluster. Crowds of fewer columns are sums over it, all pairs are one job, and each record's
crowd is written by the cluster itself. The driver holds histograms and counts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
import pyarrow as pa

from reidrisk.crowds.crowd_sizes import CrowdSizes
from reidrisk.engines import questions
from reidrisk.engines.elsewhere.addresses import scheme_of
from reidrisk.engines.elsewhere.database_session import MOST_ROWS
from reidrisk.engines.elsewhere.engine import ElsewhereEngine
from reidrisk.engines.elsewhere.spark_session import SparkSession
from reidrisk.engines.pair_table import COUNTING, Pair, PairTable, pair_table_of
from reidrisk.engines.questions import CROWD, KEY, PEOPLE, PERSON
from reidrisk.errors import UnwritableOutput

# Pairs counted in one job: each record of the finest view is passed on once for each.
PAIRS_AT_ONCE = 64


class SparkEngine(ElsewhereEngine):
    """Questions are jobs of a cluster."""

    _session: SparkSession
    most_labels = 1_000_000

    @cached_property
    def _finest(self) -> str:
        """The finest view, grouped by the first question that needs it and then kept."""
        asked = questions.distinct_tuples(
            self._records(None), self._chosen(None), self.dialect.cast_to_whole(self._record_sum)
        )
        frame = self._session.run(lambda: self._session.spark.sql(asked).persist())
        return self._session.view("finest", frame)

    def _seen(self, columns: Sequence[str] | None) -> str:
        return self._records(columns) if self.seeing.person else self._finest

    @property
    def _people_sum(self) -> str:
        return self._record_sum if self.seeing.person else f"sum({PEOPLE})"

    @cached_property
    def _every_described(self) -> str:
        """A row a person, worked out by the first question and then kept."""
        chosen = self._chosen(None)
        asked = questions.described_persons(self._records(None), chosen, self.dialect)
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
        every = columns is None or set(columns) == set(self.seeing.columns)
        if every and not self.seeing.person and self.seeing.missing == "own":
            return self._sizes(questions.sizes_of(f"SELECT {PEOPLE} AS size FROM {self._finest}"))
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
        people = "1" if self.seeing.person else PEOPLE
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
        held = PERSON if self.seeing.person else KEY
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
