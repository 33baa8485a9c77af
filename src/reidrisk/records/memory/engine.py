"""The fast engine: every column as codes in memory, one packed key per record.

Missing as wildcard: an empty cell matches anything.

Matching is not transitive, so there are no crowds. The number of records that record r matches is

    f_r = Σ over missing-patterns Q of the records of pattern Q that agree with r
          in the columns present in both

which takes one join per pair of patterns on distinct tuples, never one per pair of records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reidrisk.arrays import Floats, Ints
from reidrisk.crowds import CrowdSizes, Marginal
from reidrisk.machine import Progress, no_progress
from reidrisk.records.coded_tuples import CodedTuples, hash_sample
from reidrisk.records.contract import CodedRows, Engine, Pair, PairTable
from reidrisk.records.memory import packing
from reidrisk.records.memory.coding import CodedColumn, summed
from reidrisk.records.memory.packing import Keys, packed, renumbered
from reidrisk.records.memory.pair_counts import Pairing
from reidrisk.records.persons import (
    CodedPeople,
    CodedPersons,
    crowd_of_each_person,
    described_column,
)
from reidrisk.records.read_options import ReadOptions


def matches_of_each(
    columns: Sequence[CodedColumn],
    people: Ints | None,
    records: int,
    threads: int = 1,
    progress: Progress = no_progress,
) -> Ints:
    """f_r for each record, in the order of the records; itself included."""
    keys = renumbered(packed(columns, records, threads))
    first = np.empty(keys.span, dtype=np.int64)
    first[keys.keys[::-1]] = np.arange(records)[::-1]
    held = summed(keys.keys, keys.span, people)
    tuples = [replace(column, codes=column.codes[first]) for column in columns]
    return np.asarray(_matches(tuples, held, progress)[keys.keys])


def _matches(tuples: Sequence[CodedColumn], held: Ints, progress: Progress) -> Ints:
    """f for each distinct tuple: those alike in every cell, then one join per pair of patterns."""
    found = held.copy()
    patterns = _patterns(tuples)
    total = len(patterns) * (len(patterns) - 1) // 2
    done = 0
    for i, (missing, rows) in enumerate(patterns):
        for other_missing, other_rows in patterns[:i]:
            hidden = missing | other_missing
            common = [column for column, gone in zip(tuples, hidden, strict=True) if not gone]
            _join(common, held, found, rows, other_rows)
            done += 1
        progress("matching patterns of empty cells", done, total)
    return found


def _patterns(tuples: Sequence[CodedColumn]) -> list[tuple[NDArray[np.bool_], Ints]]:
    """The missing-patterns that occur, each with its distinct tuples."""
    gaps = np.stack([column.gaps for column in tuples], axis=1)
    kinds, kind_of = np.unique(gaps, axis=0, return_inverse=True)
    order = np.argsort(kind_of.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(kind_of.ravel(), minlength=len(kinds)))
    return list(zip(kinds, np.split(order, ends[:-1]), strict=True))


def _join(common: Sequence[CodedColumn], held: Ints, found: Ints, rows: Ints, others: Ints) -> None:
    """Add to each side the people on the other side who agree in the common columns."""
    both = np.concatenate([rows, others])
    shared = [replace(column, codes=column.codes[both]) for column in common]
    keys = renumbered(packed(shared, len(both)))
    mine, theirs = keys.keys[: len(rows)], keys.keys[len(rows) :]
    found[rows] += summed(theirs, keys.span, held[others])[mine]
    found[others] += summed(mine, keys.span, held[rows])[theirs]


BATCH = 1 << 16


@dataclass(frozen=True, eq=False)
class CodesEngine(Engine):
    """Records as codes; `count` is people per row, `person` and `key` are coded columns."""

    coded: dict[str, CodedColumn]
    options: ReadOptions
    records: int
    count: Ints | None = None
    person: CodedColumn | None = None
    key: CodedColumn | None = None
    weight: Floats | None = None
    household: CodedColumn | None = None
    warnings: tuple[str, ...] = ()
    threads: int = 1
    progress: Progress = no_progress
    name: str = "embedded"
    _marginals: dict[str, Marginal] = field(default_factory=dict, repr=False)

    @property
    def weight_total(self) -> float | None:  # type: ignore[override]
        """What the survey weights add up to; None without weights."""
        return None if self.weight is None else float(self.weight.sum())

    @property
    def people(self) -> int:
        """Rows, or what they stand for."""
        if self.person is not None:
            return len(self.person.values)
        return self.records if self.count is None else int(self.count.sum())

    def crowd_sizes(self, columns: Sequence[str] | None = None) -> CrowdSizes:
        """The histogram of crowd sizes."""
        if self.options.missing == "wildcard":
            chosen = self._chosen(columns)
            if any(self.marginal(column.name).missing for column in chosen):
                return CrowdSizes.matching(self._matches(chosen), self.count)
        if self.person is not None:
            return CrowdSizes.of_people(self._persons(columns))
        return packing.crowd_sizes(self._keys(columns), self.count, self.threads)

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

    def value_counts(self, column: str) -> Ints:
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
        if self.options.missing == "wildcard":
            crowd = self._matches(self._chosen(columns))
        else:
            crowd = packing.crowd_of_each(self._keys(columns), self.count)
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
        seen = replace(self.options, person=None)
        return replace(self, coded=coded, options=seen, records=persons, person=None, _marginals={})

    def coded_rows(self, columns: Sequence[str], purpose: str) -> CodedRows:
        """The codes themselves."""
        household = None if self.household is None else self.household.codes
        chosen = tuple(self._chosen(columns))
        return CodedRows(chosen, self.records, self.count, self.weight, household, self.person)

    def people_with(self, values: Mapping[str, str | None]) -> int:
        """How many people agree with these values."""
        agree = np.ones(self.records, dtype=bool)
        for name, value in values.items():
            agree &= self.coded[name].holds(value, wild=self.options.missing == "wildcard")
        return int(agree.sum() if self.count is None else self.count[agree].sum())

    def sample(self, size: int, seed: int) -> pa.Table:
        """The records of the lowest hashes, by their hashes."""
        return hash_sample(self._chosen(None), self._keys(None), size, seed)

    def _of_each(self, name: str) -> CodedColumn:
        """A quasi-identifier, or the column that tells persons apart."""
        return self.person if self.person and name == self.person.name else self.coded[name]

    @property
    def _pairing(self) -> Pairing:
        return Pairing(self.coded, self.records, self.count, self.threads, self.progress)

    def _chosen(self, columns: Sequence[str] | None) -> list[CodedColumn]:
        return [self.coded[name] for name in columns or self.options.columns]

    def _keys(self, columns: Sequence[str] | None) -> Keys:
        return packed(self._chosen(columns), self.records, self.threads)

    def _matches(self, chosen: list[CodedColumn]) -> Ints:
        return matches_of_each(chosen, self.count, self.records, self.threads, self.progress)

    def _persons(self, columns: Sequence[str] | None) -> Ints:
        assert self.person is not None
        keys = self._keys(columns)
        return crowd_of_each_person(keys, self.person.codes, len(self.person.values))


def engine_of_codes(columns: Mapping[str, CodedColumn], threads: int) -> Engine:
    """An engine for a table that was made here, a row a person."""
    records = len(next(iter(columns.values())).codes)
    return CodesEngine(dict(columns), ReadOptions(tuple(columns)), records, threads=threads)
