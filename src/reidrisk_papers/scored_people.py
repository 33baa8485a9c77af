"""People drawn from a table, their true crowds, and what statistics alone say of each."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

import reidrisk as rr


@dataclass(frozen=True)
class DrawnPeople:
    """What is published of a table, nothing folded, and some of its people with their crowds."""

    statistics: rr.Statistics
    people: pa.Table
    crowds: NDArray[np.int64]

    @classmethod
    def of(
        cls, records: pa.Table, many: int, rng: np.random.Generator, pairs: str = "all"
    ) -> DrawnPeople:
        """Draw people without replacement; the statistics are of everybody."""
        table = rr.read(records, columns=records.column_names)
        crowds = crowds_of(table)
        rows = np.sort(rng.choice(len(crowds), min(many, len(crowds)), replace=False))
        statistics = rr.publish(table, pairs=pairs, unprotected=True)
        return cls(statistics, records.take(rows), crowds[rows])

    def scores(
        self, ks: Sequence[int], model: str = "independent", given: str = "member"
    ) -> dict[int, NDArray[np.float64]]:
        """P(crowd ≥ k) of each, for each k."""
        found = self._scored(tuple(ks), model, given)
        return {k: found.column(f"k{k}").to_numpy() for k in ks}

    def _scored(self, ks: tuple[int, ...], model: Any, given: Any) -> pa.Table:
        # Named, because of few people a column may look like an identifier and be left out.
        people = rr.read(self.people, columns=self.people.column_names)
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "scores.parquet"
            rr.people(self.statistics, people, place, given=given, crowds=ks, model=model)
            return pq.read_table(place)


def crowds_of(table: rr.Table) -> NDArray[np.int64]:
    """How many share each record's tuple, in the order of the table."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "risk.parquet"
        rr.write_risk_file(table, place)
        crowds: NDArray[np.int64] = pq.read_table(place, columns=["crowd"]).column(0).to_numpy()
    return crowds
