"""The fast engine: every column as codes in memory, one packed key per record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reidrisk.crowds.crowd_sizes import CrowdSizes
from reidrisk.engines import tallying
from reidrisk.engines.coded_persons import CodedPeople, CodedPersons
from reidrisk.engines.coded_tuples import CodedTuples
from reidrisk.engines.coding import CodedColumn
from reidrisk.engines.contract import Marginal, Progress, no_progress
from reidrisk.engines.described_persons import described_column
from reidrisk.engines.lots import drawn
from reidrisk.engines.packing import Keys, packed
from reidrisk.engines.pair_table import Pair, PairTable
from reidrisk.engines.pairing import Pairing
from reidrisk.engines.persons import crowd_of_each_person
from reidrisk.engines.seeing import Seeing
from reidrisk.engines.wildcard import matches_of_each

Whole = NDArray[np.int64]
BATCH = 1 << 16


@dataclass(frozen=True, eq=False)
class CodesEngine:
    """Records as codes; `count` is people per row, `person` and `key` are coded columns."""

    coded: dict[str, CodedColumn]
    seeing: Seeing
    records: int
    count: Whole | None = None
    person: CodedColumn | None = None
    key: CodedColumn | None = None
    weight_total: float | None = None
    warnings: tuple[str, ...] = ()
    threads: int = 1
    progress: Progress = no_progress
    name: str = "embedded"
    _marginals: dict[str, Marginal] = field(default_factory=dict, repr=False)

    @property
    def people(self) -> int:
        """Rows, or what they stand for."""
        if self.person is not None:
            return len(self.person.values)
        return self.records if self.count is None else int(self.count.sum())

    def crowd_sizes(self, columns: Sequence[str] | None = None) -> CrowdSizes:
        """The histogram of crowd sizes."""
        if self.seeing.missing == "wildcard":
            chosen = self._chosen(columns)
            if any(self.marginal(column.name).missing for column in chosen):
                return CrowdSizes.matching(self._matches(chosen), self.count)
        if self.person is not None:
            return CrowdSizes.of_people(self._persons(columns))
        return tallying.crowd_sizes(self._keys(columns), self.count, self.threads)

    def marginal(self, column: str) -> Marginal:
        """People per value; with persons, rows per value."""
        if column not in self._marginals:
            coded = self.coded[column]
            counts = coded.counts(self.count)
            held, labels = counts[:-1] > 0, coded.values
            if not held.all():
                labels = labels.filter(pa.array(held))
            self._marginals[column] = Marginal(labels, counts[:-1][held], int(counts[-1]))
        return self._marginals[column]

    def value_counts(self, column: str) -> Whole:
        """People per value, the missing one last."""
        return self.marginal(column).all_counts()

    def pair_tables(self, pairs: Sequence[Pair]) -> Iterator[PairTable]:
        """People per pair of values, pair after pair; with persons, rows."""
        return self._pairing.tables(pairs)

    def pair_crowd_sizes(self, pairs: Sequence[Pair]) -> Iterator[CrowdSizes]:
        """The histograms of the pair tables' cells."""
        return self._pairing.crowd_sizes(pairs)

    def crowd_of_each(self, columns: Sequence[str] | None = None) -> pa.RecordBatchReader:
        """Each record's crowd in input order, or each person's in order of first appearance."""
        if self.person is not None:
            ids = self.person.values
            crowd = self._persons(columns)
            return pa.table({"person": ids, "crowd": crowd}).to_reader(BATCH)
        if self.seeing.missing == "wildcard":
            crowd = self._matches(self._chosen(columns))
        else:
            crowd = tallying.crowd_of_each(self._keys(columns), self.count)
        if self.key is not None:
            named = {self.key.name: self.key.text_of_each()}
        else:
            named = {"row": pa.array(np.arange(1, self.records + 1))}
        return pa.table({**named, "crowd": crowd}).to_reader(BATCH)

    def texts_of_each(self, columns: Sequence[str]) -> pa.RecordBatchReader:
        """Each record's texts in input order; a column's dictionary is the same in every batch."""
        chosen = [self._of_each(name) for name in columns]
        schema = pa.schema([(c.name, c.texts_between(slice(0, 0)).type) for c in chosen])
        batches = (
            pa.record_batch(
                [c.texts_between(slice(start, start + BATCH)) for c in chosen], schema=schema
            )
            for start in range(0, self.records, BATCH)
        )
        return pa.RecordBatchReader.from_batches(schema, batches)

    def coded_tuples(self, columns: Sequence[str]) -> CodedTuples:
        """The records' own codes, row by row."""
        chosen = [self.coded[name] for name in columns]
        codes = tuple(column.codes for column in chosen)
        held = tuple(column.counts(self.count)[: column.cardinality] for column in chosen)
        values = tuple(column.values for column in chosen)
        return CodedTuples(tuple(columns), codes, held, self.count, values)

    def coded_people(self, columns: Sequence[str]) -> CodedPeople:
        """The records' own codes; of persons, those of each multiset of rows once."""
        tuples = self.coded_tuples(columns)
        if self.person is None:
            return tuples
        people = np.ones(len(self.person.values), dtype=np.int64)
        return CodedPersons.of_rows(tuples, self.person.codes, people)

    def by_person(self) -> CodesEngine:
        """Codes of the sets of values, a row a person."""
        if self.person is None:
            return self
        person_of, persons = self.person.codes, len(self.person.values)
        coded = {
            name: described_column(column, person_of, persons)
            for name, column in self.coded.items()
        }
        seen = replace(self.seeing, person=None)
        return replace(self, coded=coded, seeing=seen, records=persons, person=None, _marginals={})

    def people_with(self, values: Mapping[str, str | None]) -> int:
        """How many people agree with these values."""
        agree = np.ones(self.records, dtype=bool)
        for name, value in values.items():
            agree &= self.coded[name].holds(value, wild=self.seeing.missing == "wildcard")
        return int(agree.sum() if self.count is None else self.count[agree].sum())

    def sample(self, size: int, seed: int) -> pa.Table:
        """The records of the lowest lots, by their lots."""
        return drawn(self._chosen(None), self._keys(None), size, seed)

    def _of_each(self, name: str) -> CodedColumn:
        """A column looked at, or the one that tells persons apart."""
        return self.person if self.person and name == self.person.name else self.coded[name]

    @property
    def _pairing(self) -> Pairing:
        return Pairing(self.coded, self.records, self.count, self.threads, self.progress)

    def _chosen(self, columns: Sequence[str] | None) -> list[CodedColumn]:
        return [self.coded[name] for name in columns or self.seeing.columns]

    def _keys(self, columns: Sequence[str] | None) -> Keys:
        return packed(self._chosen(columns), self.records, self.threads)

    def _matches(self, chosen: list[CodedColumn]) -> Whole:
        return matches_of_each(chosen, self.count, self.records, self.threads, self.progress)

    def _persons(self, columns: Sequence[str] | None) -> Whole:
        assert self.person is not None
        keys = self._keys(columns)
        return crowd_of_each_person(keys, self.person.codes, len(self.person.values))
