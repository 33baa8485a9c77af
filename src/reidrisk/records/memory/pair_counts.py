"""Pairing: the codes engine's answers about pairs of columns, many pairs in one pass.

Narrow pairs come out of cubes (`cubes`), several of them from each pass over the records. A pair
with more cells than there are records is packed and sorted by itself. Pairs are answered in the
order asked, batch by batch: no more cells are held than a batch has.

Cubes: the pair tables of many columns from a few dense tallies of several columns each.

A cube of columns A, B, C … counts people per tuple in one pass over the records; the table of any
two of them is its sum over the other axes. Passes are what costs, so a cube takes in columns as
long as each brings pairs not yet counted and the cells stay few.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Ints
from reidrisk.crowds import CrowdSizes
from reidrisk.machine import Progress, each, no_progress
from reidrisk.records.contract import COUNTING, Pair, PairTable
from reidrisk.records.memory import packing
from reidrisk.records.memory.coding import CodedColumn
from reidrisk.records.memory.packing import NARROW, pack_block, packed

Axes = tuple[str, ...]
Unordered = frozenset[str]

# Records whose keys are packed at once.
BLOCK = 1 << 18


def covering(
    pairs: Iterable[Unordered], cardinality: Mapping[str, int], most_cells: int
) -> list[tuple[Axes, list[Unordered]]]:
    """Cubes that together hold every pair, each with the pairs to take from it.

    Greedy: start from the widest pair left, add the column that brings most pairs still left, the
    narrowest of several. A pair wider than `most_cells` is a cube of its own. Axes rise in
    cardinality, so that sums run along memory.
    """
    names = sorted({name for pair in pairs for name in pair}, key=lambda n: (cardinality[n], n))
    place = {name: i for i, name in enumerate(names)}
    sizes = np.array([cardinality[name] for name in names], dtype=np.float64)
    left = np.zeros((len(names), len(names)), dtype=bool)
    for pair in pairs:
        one, other = (place[name] for name in pair)
        left[one, other] = left[other, one] = True
    found = []
    cells = np.where(left, np.multiply.outer(sizes, sizes), 0.0)
    for widest in np.argsort(-cells, axis=None, kind="stable"):
        start = divmod(int(widest), len(names))
        if not cells[start]:
            break
        if left[start]:
            axes = _grown(start, sizes, left, most_cells)
            within = np.ix_(axes, axes)
            taken = np.argwhere(np.triu(left[within]))
            left[within] = False
            named = tuple(names[axis] for axis in axes)
            found.append((named, [frozenset((named[i], named[j])) for i, j in taken]))
    return found


def _grown(
    start: tuple[int, int], sizes: NDArray[np.float64], left: NDArray[np.bool_], most_cells: int
) -> list[int]:
    """The pair and the columns worth taking in with it, as places, rising."""
    axes, cells = list(start), float(sizes[list(start)].prod())
    brings = left[:, axes].sum(axis=1)
    brings[axes] = 0
    while True:
        gain = np.where(sizes * cells <= most_cells, brings, 0)
        best = int(np.argmax(gain))
        if not gain[best]:
            return sorted(axes)
        axes.append(best)
        cells *= sizes[best]
        brings += left[:, best]
        brings[axes] = 0


def tallied(columns: Sequence[CodedColumn], records: int, people: Ints | None) -> Ints:
    """The cube: people per tuple, one axis a column."""
    shape = [column.cardinality for column in columns]
    tally = np.zeros(math.prod(shape), dtype=np.int64)
    keys = np.empty(min(BLOCK, records), dtype=np.int32 if len(tally) < NARROW else np.int64)
    for start in range(0, records, BLOCK):
        block = slice(start, min(start + BLOCK, records))
        mine = keys[: block.stop - start]
        mine[:] = 0
        pack_block(mine, columns, block)
        _add(tally, mine.astype(np.int64), None if people is None else people[block])
    return tally.reshape(shape)


def _add(tally: Ints, keys: Ints, people: Ints | None) -> None:
    """Count a block's keys: bincount is the fastest, but a tally of its own for every block.

    Its weights are floating point and lose whole numbers, so people are added one by one.
    """
    if people is None and len(tally) <= len(keys):
        tally += np.bincount(keys, minlength=len(tally))
    else:
        np.add.at(tally, keys, 1 if people is None else people)


def margins(
    cube: Ints, axes: Axes, wanted: Sequence[Unordered]
) -> Iterator[tuple[tuple[str, str], Ints]]:
    """The tables of the wanted pairs, rows and columns in the order of the axes.

    The widest axis is summed away first for all pairs without it, then the next, so that the whole
    cube is gone through three times, however many pairs there are.
    """
    for place in (-1, -2) if len(axes) > 2 else ():
        without = [pair for pair in wanted if axes[place] not in pair]
        if without:
            rest = tuple(axis for axis in axes if axis != axes[place])
            yield from margins(cube.sum(axis=place), rest, without)
            wanted = [pair for pair in wanted if axes[place] in pair]
    if wanted:
        yield (axes[-2], axes[-1]), cube.sum(axis=tuple(range(len(axes) - 2)))


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
    people: Ints | None = None
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
        of_cells: Callable[[Pair, Ints], Answer],
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
        self, asked: set[Pair], of_cells: Callable[[Pair, Ints], Answer], done: int, total: int
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

    def _table_of_cells(self, pair: Pair, cells: Ints) -> PairTable:
        rows, columns = np.nonzero(cells)
        return self._table(pair, rows, columns, cells[rows, columns])

    def _table_of_keys(self, pair: Pair) -> PairTable:
        # In the order in which keys are packed.
        first, second = sorted(pair, key=lambda name: self.coded[name].cardinality)
        keys = packed([self.coded[first], self.coded[second]], self.records, self.threads)
        held, people = packing.people_per_key(keys, self.people, self.threads)
        upper, lower = np.divmod(held, self.coded[second].cardinality)
        rows, columns = (upper, lower) if (first, second) == pair else (lower, upper)
        return self._table(pair, rows, columns, people)

    def _table(
        self, pair: Pair, rows: NDArray[np.integer], columns: NDArray[np.integer], people: Ints
    ) -> PairTable:
        one, other = (self.coded[name] for name in pair)
        codes = (rows.astype(one.codes.dtype), columns.astype(other.codes.dtype))
        return PairTable(pair, (one.values, other.values), codes, people)

    def _histogram(self, pair: Pair) -> CrowdSizes:
        chosen = [self.coded[name] for name in pair]
        return packing.crowd_sizes(
            packed(chosen, self.records, self.threads), self.people, self.threads
        )
