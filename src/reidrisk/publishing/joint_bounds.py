"""Joint bounds: what all published tables together say about each count (interval propagation).

Every count of a statistics file lies between two numbers. Sums make them closer, again and again:

- within a table, Σ_b x_ab = n_a, and Σ_a n_a = n: a cell is at most what its row leaves over once
  every other cell has its least, and at least what is left once they all have their most;
- across three tables, by the three-way cells z_abc ≥ 0 that nobody published:
  Σ_c z_abc = x_ab, Σ_b z_abc = x_ac, Σ_a z_abc = x_bc. A zero in one table is a plane of zeros in
  z, and so a county minus its other postcodes is the postcode that was left out;
- across a triple table that was published the same way, from what it says of z (`narrowed_triple`).

Symbols: x_ab people with value a of one attribute and b of another, n_a people with value a.

Each step is sound: the true counts lie within the bounds. An exact count stays one number, a
rounded one starts as the interval that its rounding allows.

- where somebody is known to have one of the values and not the other (`apart`), x_ab < n_a: and if
  only one more cell of the row can hold anybody, it holds somebody.

A triple of attributes narrows nothing, and is passed over, where for every cell x_ab (x_ac, x_bc)
the most of its z_abc add up to its least and most together: then each z_abc may be 0.

Where it stops: bounds by propagation are wider than those of a linear program over all cells at
once, and a linear program's are wider than those of whole numbers. Triples with more than
`MOST_CELLS` three-way cells are left out, and a search that runs out of time says how far it came.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Ints, Mask

Pair = tuple[int, int]
Triple = tuple[int, int, int]

# Three-way cells of one triple of attributes: more take seconds.
MOST_CELLS = 100_000_000
# Those held at once: as many as a processor's cache takes.
AT_ONCE = 200_000
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
    # {attribute without numbers: the one whose sums its counts are}: beside others it says nothing.
    sums_of: Mapping[int, int] = field(default_factory=dict)
    # {pair: cells that don't hold everybody of their row, and those of their column}.
    apart: Mapping[Pair, tuple[Mask, Mask]] = field(default_factory=dict)
    # Bounds on the cells of triples of attributes that were published.
    listed: Mapping[Triple, Interval] = field(default_factory=dict)
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
                for side, of_rows, apart in self._both_ways((i, j)):
                    cells, sums = _narrow_rows(of_rows, self.margins[side])
                    if apart is not None and apart.any():
                        more = _narrow_apart(of_rows, self.margins[side], apart)
                        cells, sums = cells | more[0], sums | more[1]
                    moved |= {side} if sums else set()
                    self._changed |= {(i, j)} if cells else set()
            waiting = {pair for pair in self.tables if not moved.isdisjoint(pair)}

    def _both_ways(self, pair: Pair) -> Iterator[tuple[int, Interval, Mask | None]]:
        """A table by rows and by columns: the side, its cells, which don't hold everybody of it."""
        table, (of_rows, of_columns) = self.tables[pair], self.apart.get(pair, (None, None))
        yield pair[0], table, of_rows
        yield pair[1], table.turned(), None if of_columns is None else of_columns.T

    def _triples(self, changed: set[Pair]) -> Iterator[Triple]:
        for triple in combinations(range(len(self.margins)), 3):
            if any(self.sums_of.get(side, side) not in triple for side in triple):
                continue
            pairs = tuple(combinations(triple, 2))
            if all(pair in self.tables for pair in pairs) and not changed.isdisjoint(pairs):
                yield triple

    def _across(self, triple: Triple) -> None:
        i, j, k = triple
        pairs = ((i, j), (i, k), (j, k))
        tables = tuple(self.tables[pair] for pair in pairs)
        if triple in self.listed:
            for place, third in narrowed_triple(self.listed[triple], tables):
                self._changed.add(pairs[place])
                self.narrowed_by[pairs[place], triple[third]] += 1
            return
        if tables[0].most.size * tables[1].most.shape[1] > MOST_CELLS:
            self.triples_left_out += 1
            return
        bounds = ThreeWayCells(*tables).sums()
        if bounds is None:
            return
        for pair, third, table, sums in zip(pairs, (k, j, i), tables, bounds, strict=True):
            if table.narrow(sums.least, sums.most):
                self._changed.add(pair)
                self.narrowed_by[pair, third] += 1

    def contradicts(self) -> bool:
        """Whether no table has these numbers: some count would have to be more than its most."""
        return any(
            held.contradicts()
            for held in (
                self.people,
                *self.margins,
                *self.tables.values(),
                *self.listed.values(),
            )
        )


def narrowed_triple(cells: Interval, tables: Sequence[Interval]) -> Iterator[tuple[int, int]]:
    """Narrow a published triple table's cells and its pair tables by each other: which of these
    (ab, ac, bc) became closer, and the side that it doesn't have.

    Each table's cells are sums over one side: z_abc ≥ least x_ab − Σ_{c' ≠ c} most z_abc', and so
    on, until none says anything new.
    """
    closer = set()
    for _ in range(MOST_SWEEPS):
        moved = False
        for place, axis in enumerate((2, 1, 0)):
            table = tables[place]
            least, most = cells.least.sum(axis=axis), cells.most.sum(axis=axis)
            if table.narrow(least, most):
                closer.add((place, axis))
                moved = True
            spare = np.expand_dims(table.least - most, axis)
            room = np.expand_dims(table.most - least, axis)
            moved |= cells.narrow(cells.most + spare, cells.least + room)
        if not moved:
            break
    yield from sorted(closer)


class ThreeWayCells:
    """The cells z_abc of three attributes between the bounds of their pair tables.

    They are looked at in slices of the first attribute, and only as far as they narrow anything.
    """

    def __init__(self, ab: Interval, ac: Interval, bc: Interval) -> None:
        self.tables = (ab, ac, bc)
        (self.rows, columns), (_, depth) = ab.most.shape, ac.most.shape
        self.step = max(AT_ONCE // max(columns * depth, 1), 1)
        largest = max(int(table.most.max(initial=0)) for table in self.tables)
        # Sums of them have to fit too.
        fits = largest * max(self.rows, columns, depth) < 2**30
        self.kind = np.int32 if fits else np.int64
        self._most = tuple(table.most.astype(self.kind) for table in self.tables)

    def sums(self) -> tuple[Interval, Interval, Interval] | None:
        """Closer bounds of the three tables, or None where there are none.

        z_abc ≤ min(x_ab, x_ac, x_bc); z_abc ≥ least x_ab − Σ_{c' ≠ c} most z_abc', and from these
        z_abc ≤ most x_ab − Σ_{c' ≠ c} least z_abc'; each table's cells are sums of them.
        """
        most = self._added(self._slices_of_most())
        if not any(
            (table.least + table.most > added).any()
            for added, table in zip(most, self.tables, strict=True)
        ):
            return None
        spare = [table.least - added for table, added in zip(self.tables, most, strict=True)]
        least = self._added(self._slices_of_least(spare))
        room = [table.most - added for table, added in zip(self.tables, least, strict=True)]
        most = self._added(self._slices_of_closer_most(spare, room))
        ab, ac, bc = (Interval(low, high) for low, high in zip(least, most, strict=True))
        return ab, ac, bc

    def _added(self, slices: Iterator[NDArray[Any]]) -> tuple[Ints, Ints, Ints]:
        """Σ_c z_abc, Σ_b z_abc and Σ_a z_abc."""
        rows, columns = [], []
        over_rows = np.zeros(self._most[2].shape, dtype=self.kind)
        for cells in slices:
            rows.append(cells.sum(axis=2, dtype=self.kind))
            columns.append(cells.sum(axis=1, dtype=self.kind))
            over_rows += cells.sum(axis=0, dtype=self.kind)
        found = (np.concatenate(rows), np.concatenate(columns), over_rows)
        ab, ac, bc = (each.astype(np.int64) for each in found)
        return ab, ac, bc

    def _parts(self) -> Iterator[slice]:
        for start in range(0, self.rows, self.step):
            yield slice(start, start + self.step)

    def _most_of(self, part: slice) -> NDArray[Any]:
        ab, ac, bc = self._most
        most: NDArray[Any] = np.minimum(ab[part, :, None], ac[part, None, :])
        np.minimum(most, bc[None, :, :], out=most)
        return most

    def _slices_of_most(self) -> Iterator[NDArray[Any]]:
        return map(self._most_of, self._parts())

    def _least_of(self, part: slice, most: NDArray[Any], spare: Sequence[Ints]) -> NDArray[Any]:
        ab, ac, bc = (each.astype(self.kind) for each in spare)
        closest: NDArray[Any] = np.maximum(ab[part, :, None], ac[part, None, :])
        np.maximum(closest, bc[None, :, :], out=closest)
        closest += most
        np.maximum(closest, 0, out=closest)
        return closest

    def _slices_of_least(self, spare: Sequence[Ints]) -> Iterator[NDArray[Any]]:
        for part in self._parts():
            yield self._least_of(part, self._most_of(part), spare)

    def _slices_of_closer_most(
        self, spare: Sequence[Ints], room: Sequence[Ints]
    ) -> Iterator[NDArray[Any]]:
        ab, ac, bc = (each.astype(self.kind) for each in room)
        for part in self._parts():
            most = self._most_of(part)
            closest = np.minimum(ab[part, :, None], ac[part, None, :])
            np.minimum(closest, bc[None, :, :], out=closest)
            closest += self._least_of(part, most, spare)
            yield np.minimum(most, closest, out=most)


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


def _narrow_apart(table: Interval, sums: Interval, apart: Mask) -> tuple[bool, bool]:
    """x_ab < n_a where cells are `apart`, and where only one other cell of the row can hold
    anybody, that one holds somebody.
    """
    possible = table.most > 0
    apart = apart & possible
    of_sums = sums.narrow(np.where(apart, table.least + 1, 0).max(axis=1, initial=0))
    of_two = (possible.sum(axis=1) == 2) & apart.any(axis=1)
    # The one apart may itself be the other one of a second that is.
    is_other = possible & of_two[:, None] & (~apart | (apart.sum(axis=1) == 2)[:, None])
    most = np.where(apart, sums.most[:, None] - 1, table.most)
    return table.narrow(is_other.astype(np.int64), most), of_sums
