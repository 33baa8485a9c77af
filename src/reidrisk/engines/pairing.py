"""Pairing: the codes engine's answers about pairs of columns, many pairs in one pass.

Narrow pairs come out of cubes (`cubes`), several of them from each pass over the records. A pair
with more cells than there are records is packed and sorted by itself. Pairs are answered in the
order asked, batch by batch: no more cells are held than a batch has.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from reidrisk.cores import each
from reidrisk.crowds.crowd_sizes import CrowdSizes
from reidrisk.engines import tallying
from reidrisk.engines.coding import CodedColumn
from reidrisk.engines.contract import Progress, no_progress
from reidrisk.engines.cubes import BLOCK, covering, margins, tallied
from reidrisk.engines.packing import packed
from reidrisk.engines.pair_table import COUNTING, Pair, PairTable

Whole = NDArray[np.int64]
Answer = TypeVar("Answer")

# A larger cube saves passes, but its cells leave a core's own cache.
MOST_CELLS = 1 << 17
FEW_CELLS = 1 << 16
# Packing lets go of the interpreter, counting doesn't: on shorter tables threads only wait.
SEVERAL_BLOCKS = 2 * BLOCK
# Cells of one batch, at sixteen bytes each.
BATCH_CELLS = 1 << 24


@dataclass(frozen=True)
class Pairing:
    """Coded columns, and how many people each record stands for."""

    coded: Mapping[str, CodedColumn]
    records: int
    people: Whole | None = None
    threads: int = 1
    progress: Progress = no_progress

    def tables(self, pairs: Sequence[Pair]) -> Iterator[PairTable]:
        """People per pair of values."""
        return self._each(pairs, self._table_of_cells, self._table_of_keys)

    def crowd_sizes(self, pairs: Sequence[Pair]) -> Iterator[CrowdSizes]:
        """The histogram of each pair's crowds; no table is made of a wide pair."""
        return self._each(pairs, lambda _, cells: CrowdSizes.of(cells.ravel()), self._histogram)

    def _each(
        self,
        pairs: Sequence[Pair],
        of_cells: Callable[[Pair, Whole], Answer],
        of_records: Callable[[Pair], Answer],
    ) -> Iterator[Answer]:
        done = 0
        for batch in self._batches(pairs):
            narrow = {pair for pair in batch if self._is_narrow(pair)}
            answers = self._from_cubes(narrow, of_cells, done, len(pairs))
            done += len(answers)
            for pair in batch:
                if pair in answers:
                    yield answers[pair]
                else:
                    yield of_records(pair)
                    done += 1
                    self.progress(COUNTING, done, len(pairs))

    def _from_cubes(
        self, asked: set[Pair], of_cells: Callable[[Pair, Whole], Answer], done: int, total: int
    ) -> dict[Pair, Answer]:
        """All pairs, cube by cube, on all cores."""
        answers: dict[Pair, Answer] = {}
        cardinality = {name: self.coded[name].cardinality for pair in asked for name in pair}
        most = min(MOST_CELLS, max(self.records, FEW_CELLS))
        plan = covering({frozenset(pair) for pair in asked}, cardinality, most)

        def count(cube: tuple[tuple[str, ...], list[frozenset[str]]]) -> None:
            axes, wanted = cube
            counted = tallied([self.coded[name] for name in axes], self.records, self.people)
            for (one, other), cells in margins(counted, axes, wanted):
                for pair, table in (((one, other), cells), ((other, one), cells.T)):
                    if pair in asked:
                        answers[pair] = of_cells(pair, table)
            self.progress(COUNTING, done + len(answers), total)

        each(count, plan, self.threads if self.records >= SEVERAL_BLOCKS else 1)
        return answers

    def _batches(self, pairs: Sequence[Pair]) -> Iterator[list[Pair]]:
        batch: list[Pair] = []
        cells = 0
        for pair in pairs:
            mine = min(self._cells(pair), self.records)
            if batch and cells + mine > BATCH_CELLS:
                yield batch
                batch, cells = [], 0
            batch.append(pair)
            cells += mine
        if batch:
            yield batch

    def _cells(self, pair: Pair) -> int:
        return math.prod(self.coded[name].cardinality for name in pair)

    def _is_narrow(self, pair: Pair) -> bool:
        return self._cells(pair) <= max(self.records, FEW_CELLS)

    def _table_of_cells(self, pair: Pair, cells: Whole) -> PairTable:
        rows, columns = np.nonzero(cells)
        return self._table(pair, rows, columns, cells[rows, columns])

    def _table_of_keys(self, pair: Pair) -> PairTable:
        # In the order in which keys are packed.
        first, second = sorted(pair, key=lambda name: self.coded[name].cardinality)
        keys = packed([self.coded[first], self.coded[second]], self.records, self.threads)
        held, people = tallying.people_per_key(keys, self.people, self.threads)
        upper, lower = np.divmod(held, self.coded[second].cardinality)
        rows, columns = (upper, lower) if (first, second) == pair else (lower, upper)
        return self._table(pair, rows, columns, people)

    def _table(
        self, pair: Pair, rows: NDArray[np.integer], columns: NDArray[np.integer], people: Whole
    ) -> PairTable:
        one, other = (self.coded[name] for name in pair)
        codes = (rows.astype(one.codes.dtype), columns.astype(other.codes.dtype))
        return PairTable(pair, (one.values, other.values), codes, people)

    def _histogram(self, pair: Pair) -> CrowdSizes:
        chosen = [self.coded[name] for name in pair]
        return tallying.crowd_sizes(
            packed(chosen, self.records, self.threads), self.people, self.threads
        )
