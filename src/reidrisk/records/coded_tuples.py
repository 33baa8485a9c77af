"""CodedTuples: the tuples of some columns as small whole numbers, and how many people hold each.

For questions about very many views of the same columns, where one query a view would read the
records again each time: searches, generalisation, groups.

Hash sampling: records drawn so that every engine draws the same ones.

A record's hash is the MD5 of the seed, its place among the records of its tuple, and its tuple
(`queries.hash_of`); the records of the lowest hashes are drawn. The order in which records lie
doesn't matter, so a file, a database and a cluster agree.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reidrisk.arrays import Ints
from reidrisk.crowds import CrowdSizes
from reidrisk.errors import UnusableColumn
from reidrisk.records.memory import packing
from reidrisk.records.memory.coding import CodedColumn, summed, text_array
from reidrisk.records.memory.packing import FEW, SPARE, Keys, dense, packed_in_order, renumbered
from reidrisk.records.recoding import Recoding, fitted
from reidrisk.records.sql.queries import hash_of, key_of


class _Column(NamedTuple):
    """To be packed."""

    codes: NDArray[Any]
    cardinality: int


class CodedTuples(NamedTuple):
    """Row i: `people[i]` people (one without `people`) hold the codes ``codes[j][i]``.

    ``held[j]`` says how many people hold each code of column j, and ``values[j]`` which text it
    stands for; the empty cell is the code after the last text, and in tables drawn from statistics
    values without a name come after it. A tuple may be listed several times, in no order, and a
    row may stand for nobody.
    """

    columns: tuple[str, ...]
    codes: tuple[NDArray[Any], ...]
    held: tuple[Ints, ...]
    people: Ints | None = None
    values: tuple[pa.Array, ...] = ()

    @classmethod
    def of_codes(
        cls,
        columns: Sequence[str],
        codes: Sequence[NDArray[Any]],
        cardinalities: Sequence[int],
        people: Ints | None = None,
        values: Sequence[pa.Array] = (),
    ) -> CodedTuples:
        """Count who holds each code."""
        coded = zip(codes, cardinalities, strict=True)
        held = tuple(summed(each, width, people) for each, width in coded)
        return cls(tuple(columns), tuple(codes), held, people, tuple(values))

    @property
    def cardinalities(self) -> tuple[int, ...]:
        """How many codes each column has."""
        return tuple(map(len, self.held))

    @property
    def rows(self) -> int:
        """How many rows are listed."""
        return len(self.codes[0]) if self.codes else 0

    @property
    def total(self) -> int:
        """How many people they stand for."""
        return self.rows if self.people is None else int(self.people.sum())

    @property
    def counts(self) -> dict[tuple[str | None, ...], int]:
        """{tuple: people}, in texts; None stands for the missing value."""
        once, people = self.each_once()
        texts = [
            [[*values.to_pylist(), None][code] for code in codes.tolist()]
            for values, codes in zip(once.values, once.codes, strict=True)
        ]
        return dict(zip(zip(*texts, strict=True), people.tolist(), strict=True))

    def of(self, places: Sequence[int]) -> CodedTuples:
        """Some of the columns, in the order given."""
        return CodedTuples(
            tuple(self.columns[place] for place in places),
            tuple(self.codes[place] for place in places),
            tuple(self.held[place] for place in places),
            self.people,
            tuple(self.values[place] for place in places) if self.values else (),
        )

    def keys(self, places: Sequence[int]) -> Keys:
        """One key a row for the tuple of some columns; renumbered where it outgrows 63 bits."""
        columns = [_Column(self.codes[place], len(self.held[place])) for place in places]
        return packed_in_order(columns, self.rows)

    def crowds(self, places: Sequence[int]) -> tuple[Ints, Ints]:
        """The crowds of some columns: a row that belongs to each, and its people, at least one."""
        keys = self.keys(places)
        if keys.span > max(SPARE * len(keys.keys), FEW):
            keys = Keys(*dense(*keys))
        people = summed(keys.keys, keys.span, self.people)
        row = np.zeros(keys.span, dtype=np.int64)
        # Whichever row of a tuple is written last: they all have the same codes.
        row[keys.keys] = np.arange(len(keys.keys))
        held = people > 0
        return row[held], people[held]

    def crowd_sizes(self, places: Sequence[int], threads: int = 1) -> CrowdSizes:
        """The histogram of the crowds of some columns."""
        return packing.crowd_sizes(self.keys(places), self.people, threads)

    def crowds_beside_single(self, places: Sequence[int]) -> tuple[Ints, Ints, Ints]:
        """Of each crowd of these columns: its people, the smallest crowd on one column alone, and
        its people once more, who are all told by it.
        """
        rows, crowd = self.crowds(places)
        single = np.minimum.reduce([self.held[j][self.codes[j][rows]] for j in places])
        return crowd, single, crowd

    def each_once(self) -> tuple[CodedTuples, Ints]:
        """Every tuple that somebody holds, listed once; and its people."""
        rows, people = self.crowds(range(len(self.columns)))
        codes = tuple(each[rows] for each in self.codes)
        return self._replace(codes=codes, people=people), people

    def recoded(self, ways: Mapping[str, Recoding]) -> CodedTuples:
        """The same people with some columns recoded."""
        values, codes, held = list(self.values), list(self.codes), list(self.held)
        for name, how in ways.items():
            place = self.columns.index(name)
            texts = values[place].to_pylist()
            found = list(map(fitted(how, name, texts)[0].label, texts))
            labels = [label for label in found if label is not None]
            if len(labels) < len(found):
                raise UnusableColumn(
                    f"column {name!r} has values that can't be recoded ({how.describe()})",
                    "bands are of numbers and dates",
                )
            number = {label: at for at, label in enumerate(dict.fromkeys(labels))}
            # The missing value stays the last.
            code_of = np.array([*(number[label] for label in labels), len(number)])
            width = len(number) + (len(held[place]) > len(labels))
            held[place] = summed(code_of[: len(held[place])], width, held[place])
            values[place], codes[place] = text_array(number), code_of[codes[place]]
        return self._replace(values=tuple(values), codes=tuple(codes), held=tuple(held))


def hash_sample(columns: Sequence[CodedColumn], keys: Keys, size: int, seed: int) -> pa.Table:
    """The texts of `size` records, by their hashes; all records where there are fewer."""
    tuples = renumbered(keys)
    first = np.zeros(tuples.span, dtype=np.int64)
    first[tuples.keys] = np.arange(len(tuples.keys))
    held = summed(tuples.keys, tuples.span, None)
    once = [replace(column, codes=column.codes[first]).text_of_each() for column in columns]
    texts = list(zip(*(column.to_pylist() for column in once), strict=True))

    def hashes() -> Iterator[tuple[str, int]]:
        for place, (values, rows) in enumerate(zip(texts, held.tolist(), strict=True)):
            key = key_of(values)
            yield from ((hash_of(seed, copy, key), place) for copy in range(1, rows + 1))

    places = pa.array([place for _, place in heapq.nsmallest(size, hashes())], pa.int64())
    return pa.table(
        {column.name: text.take(places) for column, text in zip(columns, once, strict=True)}
    )
