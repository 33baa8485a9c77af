"""Public tables as codes: counted answers, and the statistics a model is given of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from reidrisk.crowds.crowd_sizes import CrowdSizes
from reidrisk.models.knowledge import Knowledge
from reidrisk.statistics.statistics import Attribute, PairCounts, Statistics

FILES = {
    "adult": "adult/adult_arx.parquet",
    "us_fertility1980": "us_fertility1980/us_fertility1980.parquet",
    "us_military": "us_military/us_military.parquet",
    "belgium_2015": "belgium_2015/belgium_2015.parquet",
    "census_kdd": "census_kdd/census_kdd.parquet",
    "nist_national2019": "nist_national2019/national2019.parquet",
    "be_motor97": "be_motor97/be_motor97.parquet",
    "diabetes130": "diabetes130/diabetes130.parquet",
    "natality2014": "natality2014/natality2014.parquet",
}
# Counts, weights and identifiers; amounts to the cent, which have more values than MOST_VALUES.
NO_ATTRIBUTES = (
    "count", "instance_weight", "split", "PWGTP", "WGTP", "encounter_id", "patient_nbr",
)  # fmt: skip
MOST_VALUES = 2_000


@dataclass(frozen=True, eq=False)
class RealTable:
    """Codes of a table's rows, how many people each row stands for, and the values' names."""

    name: str
    columns: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    codes: NDArray[np.int64]
    people: NDArray[np.int64]

    @property
    def n(self) -> int:
        """People."""
        return int(self.people.sum())

    def of(self, columns: Sequence[str]) -> RealTable:
        """Some of its columns; equal rows become one, with their people."""
        places = [self.columns.index(column) for column in columns]
        part = RealTable(
            self.name,
            tuple(columns),
            tuple(self.values[place] for place in places),
            self.codes[:, places],
            self.people,
        )
        _, first, place = part.tuples()
        return part.rows(first, np.bincount(place, self.people).astype(np.int64))

    def rows(self, chosen: NDArray[np.intp], people: NDArray[np.int64]) -> RealTable:
        """Some rows, with other numbers of people."""
        return RealTable(self.name, self.columns, self.values, self.codes[chosen], people)

    def tuples(self) -> tuple[int, NDArray[np.intp], NDArray[np.intp]]:
        """How many tuples there are, a row of each, and the tuple of each row."""
        key = np.zeros(len(self.codes), dtype=np.int64)
        first = np.zeros(1, dtype=np.intp)
        for column, values in zip(self.codes.T, self.values, strict=True):
            found = np.unique(key * len(values) + column, return_index=True, return_inverse=True)
            _, first, key = found
        return len(first), first, key

    def crowds(self) -> CrowdSizes:
        """Counted; rows have to be tuples (`of`)."""
        return CrowdSizes.of(self.people)

    def knowledge(self) -> Knowledge:
        """Its counts and all its pair tables."""
        counts = tuple(
            np.bincount(column, self.people, len(values)).astype(np.int64)
            for column, values in zip(self.codes.T, self.values, strict=True)
        )
        pairs = {(i, j): self._cells(i, j) for i, j in combinations(range(len(counts)), 2)}
        return Knowledge(self.n, self.columns, counts, pairs)

    def _cells(self, i: int, j: int) -> NDArray[np.float64]:
        shape = len(self.values[i]), len(self.values[j])
        key = self.codes[:, i] * shape[1] + self.codes[:, j]
        return np.bincount(key, self.people, shape[0] * shape[1]).reshape(shape).astype(float)

    def statistics(self, pairs: bool = True) -> Statistics:
        """The same as a statistics file holds it."""
        known = self.knowledge()
        attributes = tuple(
            Attribute(name, {v: int(c) for v, c in zip(values, counts, strict=True) if c})
            for name, values, counts in zip(self.columns, self.values, known.counts, strict=True)
        )
        tables = []
        for (i, j), cells in known.pairs.items() if pairs else ():
            held = {
                (self.values[i][a], self.values[j][b]): int(cells[a, b])
                for a, b in zip(*np.nonzero(cells), strict=True)
            }
            tables.append(PairCounts((self.columns[i], self.columns[j]), held))
        return Statistics(self.n, attributes, tuple(tables))


def load(name: str, data: Path) -> RealTable:
    """Read one of the tables; every cell as text, an empty one a value of its own."""
    table = pq.read_table(data / FILES[name])
    found = {
        column: coded(pc.cast(table[column].combine_chunks(), "string"))
        for column in table.column_names
        if column not in NO_ATTRIBUTES
    }
    kept = [column for column, (_, values) in found.items() if len(values) <= MOST_VALUES]
    people = np.ones(len(table), dtype=np.int64)
    if "count" in table.column_names:
        people = table["count"].to_numpy().astype(np.int64)
    codes = np.stack([found[column][0] for column in kept], axis=1)
    return RealTable(name, tuple(kept), tuple(found[column][1] for column in kept), codes, people)


def coded(texts: Any) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """A column's codes and the values they stand for."""
    held = pc.dictionary_encode(pc.fill_null(texts, "(empty)"))
    return held.indices.to_numpy().astype(np.int64), tuple(held.dictionary.to_pylist())
