"""The engine of described persons, where records are asked in SQL: a row a person, counts alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NoReturn

import pyarrow as pa

from reidrisk.engines.coded_tuples import CodedTuples
from reidrisk.engines.contract import Marginal
from reidrisk.engines.described_persons import described_sets
from reidrisk.engines.pair_table import Pair, PairTable
from reidrisk.engines.sql_engine import SqlEngine
from reidrisk.errors import InputError


class DescribedPersons(SqlEngine):
    """Another engine's people, each value the set of values that somebody's rows hold.

    Sets are grouped there as texts of keys, and told here.
    """

    def __init__(self, engine: SqlEngine) -> None:
        self._engine = engine
        self.name, self.dialect = engine.name, engine.dialect
        self.threads, self.progress = engine.threads, engine.progress
        self.warnings, self.weight_total = engine.warnings, engine.weight_total
        self.records = engine.people
        self.seeing = replace(engine.seeing, person=None, key=None)
        self._session = engine._session
        self._marginals: dict[str, Marginal] = {}

    def marginal(self, column: str) -> Marginal:
        """People per set of values."""
        if column not in self._marginals:
            told = super().marginal(column)
            self._marginals[column] = told._replace(labels=described_sets(told.labels))
        return self._marginals[column]

    def pair_tables(self, pairs: Sequence[Pair]) -> Iterator[PairTable]:
        """People per pair of sets, each person once."""
        for found in super().pair_tables(pairs):
            one, other = map(described_sets, found.values)
            yield replace(found, values=(one, other))

    def coded_tuples(self, columns: Sequence[str]) -> CodedTuples:
        """Tuples of sets."""
        found = super().coded_tuples(columns)
        return found._replace(values=tuple(map(described_sets, found.values)))

    def crowd_of_each(self, columns: Sequence[str] | None = None) -> NoReturn:
        """Refused."""
        raise _of_nobody()

    def texts_of_each(self, columns: Sequence[str]) -> pa.RecordBatchReader:
        """Refused."""
        raise _of_nobody()

    def _seen(self, columns: Sequence[str] | None) -> str:
        return self._engine._described(self.seeing.columns if columns is None else columns)

    def _alias(self, name: str) -> str:
        return self._engine._alias(name)


def _of_nobody() -> InputError:
    return InputError(
        "people described by the values of their rows are counted, not listed",
        "ask for the rows, or the crowds of rows",
    )
