"""The engine for records that stay where they are: the questions of `SqlEngine`, asked there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from reidrisk.errors import InputError, UnusableColumn
from reidrisk.machine import Progress, no_progress
from reidrisk.records.memory.coding import Labelling
from reidrisk.records.memory.reading import (
    corrections_left_out,
    people_per_row,
    total_weight,
    unclaimed_rows,
)
from reidrisk.records.read_options import ReadOptions
from reidrisk.records.sql import queries
from reidrisk.records.sql.engine import SeenColumn, SqlEngine
from reidrisk.records.sql.queries import KEY, PEOPLE, PERSON
from reidrisk.records.sql.remote_columns import (
    Distinct,
    ListingSession,
    Stored,
    seen_column,
)

# Labels written down in a query; beyond that it would be longer than its answer.
MOST_LABELS = 100_000


class ElsewhereEngine(SqlEngine):
    """Every question is a query there; columns are expressions of `remote_columns`."""

    stays = True
    _session: ListingSession
    most_labels = MOST_LABELS

    def __init__(
        self,
        place: Place,
        distinct: Distinct,
        options: ReadOptions,
        progress: Progress = no_progress,
    ) -> None:
        self.name = place.stored.dialect.name
        self.dialect = place.stored.dialect
        self.options = options
        self.threads = options.cores
        self.progress = progress
        self._session, self._stored, self._distinct = place.session, place.stored, distinct
        rows = f"SELECT count(*) FROM {self._stored.source} AS stored"
        self.records = int(self._session.one(rows))
        self.weight_total = self._weights()
        self._look_at_columns()

    @property
    def session(self) -> ListingSession:
        """Where questions are asked."""
        return self._session

    def close(self) -> None:
        """End what the session holds there."""
        self._session.close()

    def _look_at_columns(self) -> None:
        """Choose each column's expression, and refuse what can't be counted."""
        named = [name for name in (self.options.count, self.options.person) if name is not None]
        counted = [*self.options.counted, *named]
        self._distinct.look_at(counted)
        self._columns = {name: self._seen_column(name) for name in counted}
        self._looked_up = {
            name: self._labels(f"labels_{place}", column.labels)
            for place, (name, column) in enumerate(self._columns.items())
            if column.labels
        }
        self._check([self._columns[name] for name in self.options.counted])
        self._check_unit_columns()

    def _seen_column(self, name: str) -> SeenColumn:
        return seen_column(
            self._session, self._stored, self._distinct, name, self.options, self.most_labels
        )

    def _check_unit_columns(self) -> None:
        if self.options.count:
            column = self._distinct.column(self.options.count, Labelling())
            if column is None:
                raise UnusableColumn(
                    f"--count {self.options.count}: it has too many different numbers to be people"
                )
            people_per_row(column, self.options.corrections)
            self.warnings = (*self.warnings, *corrections_left_out(column))
        if self.options.person:
            gaps = f"SELECT count(*) FROM {self._records(())} WHERE {PERSON} IS NULL"
            unclaimed_rows(self.options.person, int(self._session.one(gaps)))

    def _weights(self) -> float | None:
        if self.options.weight is None:
            return None
        column = self._distinct.column(self.options.weight, Labelling())
        if column is not None:
            return total_weight(column)
        weight = self._stored.column(self.options.weight)
        number = weight if self._stored.kind(self.options.weight) != "text" else "NULL"
        (found,) = self._session.rows(
            f"SELECT sum({number}), sum(CASE WHEN {number} > 0 THEN 0 ELSE 1 END) "
            f"FROM {self._stored.source} AS stored"
        )
        if found[1]:
            raise UnusableColumn(
                f"--weight {self.options.weight}: some rows have no positive number",
                "a survey weight is a positive number in every row",
            )
        return float(found[0])

    def _seen(self, columns: Sequence[str] | None) -> str:
        return self._records(columns)

    def _records(self, columns: Sequence[str] | None) -> str:
        """(SELECT …) AS seen: only what is asked about, so that no label is looked up in vain."""
        chosen = list(self.options.columns if columns is None else columns)
        taken = [f"{self._expression(name)} AS {self._alias(name)}" for name in chosen]
        unit = {PEOPLE: self.options.count, PERSON: self.options.person}
        for role, name in unit.items():
            if name is not None:
                told = self._expression(name)
                told = self._people_of(told) if role == PEOPLE else told
                taken.append(f"{told} AS {role}")
                chosen.append(name)
        if self.options.key is not None:
            taken.append(f"{self._stored.column(self.options.key)} AS {KEY}")
        # SELECT wants something, also where only rows are counted.
        taken = taken or ["1 AS anything"]
        joins = " ".join(self._join(name) for name in chosen if name in self._looked_up)
        return f"(SELECT {', '.join(taken)} FROM {self._stored.source} AS stored {joins}) AS seen"

    def _people_of(self, number: str) -> str:
        whole = self.dialect.cast_to_whole(number)
        return (
            f"CASE WHEN {whole} < 0 THEN 0 ELSE {whole} END" if self.options.corrections else whole
        )

    def _expression(self, name: str) -> str:
        expression = self._columns[name].expression
        if name not in self._looked_up:
            return expression
        labels = self._place(name)
        return f"CASE WHEN {labels}.value IS NULL THEN {expression} ELSE {labels}.label END"

    def _join(self, name: str) -> str:
        labels = self._place(name)
        shown = self._columns[name].expression
        return f"LEFT JOIN {self._looked_up[name]} AS {labels} ON {shown} = {labels}.value"

    def _place(self, name: str) -> str:
        return f"labels_{list(self._columns).index(name)}"

    def _alias(self, name: str) -> str:
        return f"c{self.options.counted.index(name)}"

    def _labels(self, name: str, pairs: Sequence[tuple[str, str | None]]) -> str:
        if self.dialect.labels is None or len(pairs) > self.most_labels:
            raise InputError(
                f"{len(pairs):,} different tuples have empty cells to be matched: too many to be "
                "looked up where the records are",
                "use --missing own, or fewer columns",
            )
        return self.dialect.labels(pairs)

    def crowd_of_each(self, columns: Sequence[str] | None = None) -> pa.RecordBatchReader:
        """Each record's crowd under its key, or each person's, in no order."""
        named, asked = self.crowds_question(columns)
        reader = self._session.stream(asked)
        schema = pa.schema([(named, reader.schema.types[0]), (queries.CROWD, pa.int64())])
        batches = (pa.record_batch(batch.columns, schema=schema) for batch in reader)
        return pa.RecordBatchReader.from_batches(schema, batches)

    def crowds_question(self, columns: Sequence[str] | None) -> tuple[str, str]:
        """What names the records, and the query (its values, crowd)."""
        chosen, seen = self._chosen(columns), self._records(columns)
        if self.options.person:
            return "person", queries.crowd_of_each_person(seen, chosen, self.dialect)
        if self.options.key is None:
            raise InputError(
                "records there have no row numbers, and no column names them",
                "give one that tells them apart: --key COL, key= in Python",
            )
        if self.options.missing == "wildcard":
            return self.options.key, self._matched_crowd_of_each(seen, KEY, columns)
        sums = self._record_sum
        return self.options.key, queries.crowd_of_each(seen, KEY, chosen, sums, self.dialect)

    def texts_of_each(self, columns: Sequence[str]) -> pa.RecordBatchReader:
        """Refused: records stay where they are."""
        raise InputError(
            f"this needs each record's values here, and with {self.name} records stay where "
            "they are",
            "export the columns to a file first, if they may leave",
        )


@dataclass(frozen=True)
class Place:
    """Where records are: a session, the relation in it, what it is called, what to mind."""

    session: ListingSession
    stored: Stored
    called: str
    warnings: tuple[str, ...] = ()
    engine: type[ElsewhereEngine] = ElsewhereEngine
