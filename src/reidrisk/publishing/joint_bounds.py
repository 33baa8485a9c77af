"""Joint bounds: what all published tables together say about each count (interval propagation).

Every count of a statistics file lies between two numbers. Sums make them closer, again and again:

- within a table, Σ_b x_ab = n_a, and Σ_a n_a = n: a cell is at most what its row leaves over once
  every other cell has its least, and at least what is left once they all have their most;
- across three tables, by the three-way cells z_abc ≥ 0 that nobody published:
  Σ_c z_abc = x_ab, Σ_b z_abc = x_ac, Σ_a z_abc = x_bc. A zero in one table is a plane of zeros in
  z, and so a county minus its other postcodes is the postcode that was left out.

Symbols: x_ab people with value a of one attribute and b of another, n_a people with value a.

Each step is sound: the true counts lie within the bounds. An exact count stays one number, a
rounded one starts as the interval that its rounding allows.

Where it stops: bounds by propagation are wider than those of a linear program over all cells at
once, and a linear program's are wider than those of whole numbers. Tables with more than
`MOST_CELLS` three-way cells are left out, and a search that runs out of time says how far it came.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from reidrisk.arrays import Ints

Pair = tuple[int, int]
Triple = tuple[int, int, int]

# Three-way cells of one triple of attributes held at once: eight arrays of 64-bit numbers.
MOST_CELLS = 8_000_000
MOST_SWEEPS = 20


@dataclass
class Interval:
    """The least and the most of each count of one array; narrowed in place."""

    least: Ints
    most: Ints

    @classmethod
    def between(cls, least: Ints, most: Ints) -> Interval:
        """Copies, with the least not below nought."""
        low = np.maximum(np.asarray(least, dtype=np.int64), 0)
        return cls(low, np.asarray(most, dtype=np.int64).copy())

    def narrow(self, least: Ints | None = None, most: Ints | None = None) -> bool:
        """Take closer bounds; whether any is."""
        closer = False
        if least is not None and (least > self.least).any():
            np.maximum(self.least, least, out=self.least)
            closer = True
        if most is not None and (most < self.most).any():
            np.minimum(self.most, most, out=self.most)
            closer = True
        return closer

    def contradicts(self) -> bool:
        """Whether some count would have to be more than its most."""
        return bool((self.least > self.most).any())

    def turned(self) -> Interval:
        """The same counts with rows and columns exchanged; narrowing it narrows this one."""
        return Interval(self.least.T, self.most.T)


@dataclass
class JointBounds:
    """Bounds on everybody, on each attribute's counts, and on the cells of each pair of them."""

    people: Interval
    margins: tuple[Interval, ...]
    tables: Mapping[Pair, Interval]
    # Filled in by `propagate`.
    sweeps: int = 0
    triples_done: int = 0
    triples_left_out: int = 0
    out_of_time: bool = False
    # {(pair, the attribute that a triple adds to it): how often that narrowed the pair's cells}.
    narrowed_by: Counter[tuple[Pair, int]] = field(default_factory=Counter)
    _changed: set[Pair] = field(default_factory=set, repr=False)

    def propagate(self, seconds: float = 60.0) -> JointBounds:
        """Narrow until nothing changes, or for so many seconds."""
        end = time.monotonic() + seconds
        self._changed = set(self.tables)
        self._within_tables()
        self._changed = set(self.tables)
        for self.sweeps in range(1, MOST_SWEEPS + 1):
            before, self._changed = self._changed, set()
            for triple in self._triples(before):
                if time.monotonic() > end:
                    self.out_of_time = True
                    return self
                self._across(triple)
                self.triples_done += 1
            self._within_tables()
            if not self._changed:
                break
        return self

    def _within_tables(self) -> None:
        """Rows, columns and totals until nothing changes."""
        waiting, moved = set(self._changed), set(range(len(self.margins)))
        while waiting or moved:
            moved = {
                side
                for side, margin in enumerate(self.margins)
                if _narrow_parts(self.people, margin)
            }
            for i, j in sorted(waiting):
                table = self.tables[i, j]
                for side, of_rows in ((i, table), (j, table.turned())):
                    cells, sums = _narrow_rows(of_rows, self.margins[side])
                    moved |= {side} if sums else set()
                    self._changed |= {(i, j)} if cells else set()
            waiting = {pair for pair in self.tables if not moved.isdisjoint(pair)}

    def _triples(self, changed: set[Pair]) -> Iterator[Triple]:
        for i, j, k in combinations(range(len(self.margins)), 3):
            pairs = ((i, j), (i, k), (j, k))
            if all(pair in self.tables for pair in pairs) and any(p in changed for p in pairs):
                yield i, j, k

    def _across(self, triple: Triple) -> None:
        i, j, k = triple
        ab, ac, bc = (self.tables[pair] for pair in ((i, j), (i, k), (j, k)))
        if ab.most.size * ac.most.shape[1] > MOST_CELLS:
            self.triples_left_out += 1
            return
        most = np.minimum(np.minimum(ab.most[:, :, None], ac.most[:, None, :]), bc.most[None, :, :])
        least = np.zeros_like(most)
        sums = ((2, ab, (i, j)), (1, ac, (i, k)), (0, bc, (j, k)))
        for axis, table, _ in sums:
            spare = table.least - most.sum(axis=axis)
            np.maximum(least, most + np.expand_dims(spare, axis), out=least)
        for axis, table, _ in sums:
            spare = table.most - least.sum(axis=axis)
            np.minimum(most, least + np.expand_dims(spare, axis), out=most)
        for axis, table, pair in sums:
            if table.narrow(least.sum(axis=axis), most.sum(axis=axis)):
                self._changed.add(pair)
                self.narrowed_by[pair, triple[2 - axis]] += 1


def _narrow_parts(total: Interval, parts: Interval) -> bool:
    """Parts add up to a total; whether the parts' bounds changed."""
    total.narrow(parts.least.sum(keepdims=True), parts.most.sum(keepdims=True))
    return parts.narrow(
        parts.most + (total.least - parts.most.sum()),
        parts.least + (total.most - parts.least.sum()),
    )


def _narrow_rows(table: Interval, sums: Interval) -> tuple[bool, bool]:
    """Each row adds up to its sum; whether the cells' and the sums' bounds changed."""
    least, most = table.least.sum(axis=1), table.most.sum(axis=1)
    of_sums = sums.narrow(least, most)
    of_cells = table.narrow(
        table.most + (sums.least - most)[:, None], table.least + (sums.most - least)[:, None]
    )
    return of_cells, of_sums
