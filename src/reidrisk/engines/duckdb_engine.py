"""The spilling engine: DuckDB answers the questions in SQL, on disk where memory ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reidrisk.crowds.crowd_sizes import CrowdSizes
from reidrisk.engines import questions
from reidrisk.engines.coded_tuples import CodedTuples
from reidrisk.engines.coding import CodedColumn, code_column
from reidrisk.engines.contract import Marginal, Progress, no_progress
from reidrisk.engines.duckdb_aside import checked_rows
from reidrisk.engines.duckdb_columns import SeenColumn, seen_column
from reidrisk.engines.duckdb_pairs import pair_table_of
from reidrisk.engines.duckdb_relation import SeenTable
from reidrisk.engines.duckdb_session import Session
from reidrisk.engines.labelling import Labelling, text_array
from reidrisk.engines.pair_table import COUNTING, Pair, PairTable
from reidrisk.engines.questions import MATCHES, PEOPLE, PERSON, ROW
from reidrisk.engines.reading import refuse_faults
from reidrisk.engines.seeing import Seeing
from reidrisk.engines.sources.source import Source
from reidrisk.engines.text_form import sql_name
from reidrisk.engines.wildcard import matches_of_each


class DuckDBEngine:
    """Records stay in their files; every question is one query."""

    name = "duckdb"

    def __init__(
        self,
        source: Source,
        seeing: Seeing,
        memory_limit: int | None = None,
        threads: int = 1,
        progress: Progress = no_progress,
    ) -> None:
        self.seeing = seeing
        self.threads = threads
        self.progress = progress
        self.warnings: tuple[str, ...] = ()
        self._session = Session(memory_limit, threads, source.paths, progress)
        self._stored = self._session.stored(source, (*seeing.columns, *seeing.aside))
        self.weight_total = checked_rows(self._session, self._stored, seeing)
        self._look_at_columns()

    def _look_at_columns(self) -> None:
        """Settle how each column is seen, refuse what can't be, and define the relation."""
        seen: list[SeenColumn] = []
        for done, name in enumerate(self.seeing.columns):
            self.progress("looking at columns", done, len(self.seeing.columns))
            seen.append(seen_column(self._session, self._stored, name, self.seeing))
        self.records = int(self._session.one(f"SELECT count(*) FROM {self._stored.source}"))
        refuse_faults({column.name: column.faults for column in seen}, self.seeing, self.records)
        self.warnings = tuple(sorted(said for column in seen for said in column.said))
        # Rows per value are people per value unless a row stands for several.
        known = {c.name: c.marginal for c in seen if c.marginal is not None}
        self._marginals = {} if self.seeing.count else known
        self._define(seen)

    def _define(self, seen: Sequence[SeenColumn]) -> None:
        labels = {}
        for place, column in enumerate(seen):
            if column.labels is not None:
                labels[column.name] = f"labels_{place}"
                self._session.register(f"labels_{place}", column.labels)
        expressions = {column.name: column.expression for column in seen}
        self._seen = SeenTable(self._stored, self.seeing, expressions, labels)
        for name, numbered in (("seen", False), ("seen_numbered", True)):
            self._session.run(f"CREATE VIEW {name} AS {self._seen.rows(numbered)}")

    @property
    def people(self) -> int:
        """Rows, or what they stand for."""
        if self.seeing.person:
            return int(self._session.one(f"SELECT count(DISTINCT {PERSON}) FROM seen"))
        if self.seeing.count:
            return int(self._session.one(f"SELECT sum({PEOPLE}) FROM seen"))
        return self.records

    def crowd_sizes(self, columns: Sequence[str] | None = None) -> CrowdSizes:
        """The histogram of crowd sizes."""
        chosen = self._chosen(columns)
        if self.seeing.missing == "wildcard" and self._has_gaps(columns or self.seeing.columns):
            matches, people = self._matches(chosen)[1:]
            return CrowdSizes.matching(matches, people)
        if self.seeing.person:
            asked = questions.crowd_sizes_of_persons("seen", chosen)
        else:
            asked = questions.crowd_sizes("seen", chosen, self._people_sum)
        return self._sizes(asked)

    def marginal(self, column: str) -> Marginal:
        """People per value; with persons, rows per value."""
        if column in self._marginals:
            return self._marginals[column]
        alias = self._stored.alias[column]
        found = dict(self._session.rows(questions.marginal("seen", alias, self._people_sum)))
        missing = int(found.pop(None, 0))
        held = {value: int(people) for value, people in found.items() if people}
        counts = np.array(list(held.values()), dtype=np.int64)
        self._marginals[column] = Marginal(text_array(held), counts, missing)
        return self._marginals[column]

    def pair_tables(self, pairs: Sequence[Pair]) -> Iterator[PairTable]:
        """People per pair of values, one query a pair.

        GROUPING SETS took longer from Parquet, by 10 to 40 %, and hold all answers at once.
        """
        for pair in self._counting(pairs):
            yield pair_table_of(pair, self._session.table(self._seen.tuples(pair)))

    def pair_crowd_sizes(self, pairs: Sequence[Pair]) -> Iterator[CrowdSizes]:
        """The histograms of the pair tables' cells; only sizes leave DuckDB."""
        for pair in self._counting(pairs):
            yield self._sizes(questions.sizes_of_tuples(self._seen.tuples(pair)))

    def crowd_of_each(self, columns: Sequence[str] | None = None) -> pa.RecordBatchReader:
        """Each record's crowd in input order, or each person's."""
        chosen = self._chosen(columns)
        if self.seeing.person:
            named = f"{PERSON} AS person, crowd"
            asked = questions.crowd_of_each_person("seen", chosen)
            first = f"SELECT {PERSON} AS p, min({ROW}) AS first FROM seen_numbered GROUP BY p"
            return self._session.stream(
                f"SELECT {named} FROM ({asked}) AS each_person JOIN ({first}) AS appeared "
                f"ON {PERSON} = p ORDER BY first"
            )
        if self.seeing.missing == "wildcard":
            return self._matches_of_each(chosen)
        return self._session.stream(
            questions.crowd_of_each("seen_numbered", chosen, self._people_sum)
        )

    def texts_of_each(self, columns: Sequence[str]) -> pa.RecordBatchReader:
        """Each record's texts in input order, under the columns' own names."""
        named = ", ".join(f"{self._stored.alias[n]} AS {sql_name(n)}" for n in columns)
        return self._session.stream(f"SELECT {named} FROM seen_numbered ORDER BY {ROW}")

    def coded_tuples(self, columns: Sequence[str]) -> CodedTuples:
        """One grouping query, then each tuple's codes; only different tuples leave DuckDB."""
        coded, people = self._tuples(self._chosen(columns))[1:]
        return CodedTuples.of_codes(
            columns,
            [column.codes for column in coded],
            [column.cardinality for column in coded],
            people,
            [column.values for column in coded],
        )

    def people_with(self, values: Mapping[str, str | None]) -> int:
        """How many people agree with these values."""
        held = {self._stored.alias[name]: value for name, value in values.items()}
        wild = self.seeing.missing == "wildcard"
        asked = questions.people_with("seen", held, self._people_sum, wild)
        return int(self._session.one(asked) or 0)

    def sample(self, size: int, seed: int) -> pa.Table:
        """Records drawn without replacement, in the order of the records."""
        chosen = questions.listed(self._chosen(None))
        rng = np.random.default_rng(seed)
        rows = np.sort(rng.choice(self.records, min(size, self.records), replace=False)) + 1
        self._session.register("drawn", pa.table({"drawn": rows}))
        table = self._session.table(
            f"SELECT {chosen} FROM seen_numbered JOIN drawn ON {ROW} = drawn ORDER BY {ROW}"
        )
        return table.rename_columns(list(self.seeing.columns))

    def value_counts(self, column: str) -> NDArray[np.int64]:
        """People per value, the missing one last; of very many values only the counts come here."""
        if column in self._marginals:
            return self._marginals[column].all_counts()
        alias = self._stored.alias[column]
        inner = questions.marginal("seen", alias, self._people_sum)
        found = self._session.rows(
            f"SELECT people, count(*) FROM ({inner}) WHERE people > 0 GROUP BY people"
        )
        people, values = (np.array(column, dtype=np.int64) for column in zip(*found, strict=True))
        return np.repeat(people, values)

    def _sizes(self, asked: str) -> CrowdSizes:
        found = self._session.rows(asked)
        sizes = np.array([size for size, _ in found], dtype=np.int64)
        return CrowdSizes(sizes, np.array([crowds for _, crowds in found], dtype=np.int64))

    def _counting(self, pairs: Sequence[Pair]) -> Iterator[Pair]:
        for done, pair in enumerate(pairs):
            self.progress(COUNTING, done, len(pairs))
            yield pair

    def _has_gaps(self, columns: Sequence[str]) -> bool:
        empty = " OR ".join(f"{self._stored.alias[name]} IS NULL" for name in columns)
        held = f" AND {PEOPLE} > 0" if self.seeing.count else ""
        return bool(self._session.rows(f"SELECT 1 FROM seen WHERE ({empty}){held} LIMIT 1"))

    @property
    def _people_sum(self) -> str:
        return f"sum({PEOPLE})" if self.seeing.count else "count(*)"

    def _chosen(self, columns: Sequence[str] | None) -> list[str]:
        """The columns as they are called in DuckDB."""
        return [self._stored.alias[name] for name in columns or self.seeing.columns]

    def _matches(self, chosen: Sequence[str]) -> tuple[pa.Table, Any, Any]:
        """The distinct tuples, how many people each matches, and how many hold it."""
        tuples, coded, people = self._tuples(chosen)
        matches = matches_of_each(coded, people, len(tuples), self.threads, self.progress)
        return tuples, matches, people

    def _tuples(self, chosen: Sequence[str]) -> tuple[pa.Table, list[CodedColumn], Any]:
        """The distinct tuples, as texts and as codes, and how many people hold each."""
        tuples = self._session.table(
            questions.distinct_tuples("seen", chosen, f"CAST({self._people_sum} AS BIGINT)")
        )
        people = tuples.column(PEOPLE).to_numpy()
        coded = [code_column(n, tuples.column(n).chunks, Labelling()) for n in chosen]
        return tuples, coded, people

    def _matches_of_each(self, chosen: Sequence[str]) -> pa.RecordBatchReader:
        tuples, matches, _ = self._matches(chosen)
        self._session.register("matched", tuples.append_column(MATCHES, pa.array(matches)))
        same = " AND ".join(
            f"seen_numbered.{name} IS NOT DISTINCT FROM matched.{name}" for name in chosen
        )
        return self._session.stream(
            f"SELECT {ROW} AS row, matched.{MATCHES} AS crowd "
            f"FROM seen_numbered JOIN matched ON {same} ORDER BY {ROW}"
        )
