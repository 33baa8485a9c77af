"""Sheet: rows of codes to count views of, as few of them as the views asked for need.

Attribute j has one column of codes for each level, coarser to finer. A sheet that was thinned knows
which rows of the whole one it kept. The tail of j numbers the tuples of attributes j, j+1, … as
recorded: what can still be seen when everything before j is settled.

Capped crowds: how many crowds there are of 1, 2, … people, the last for c or more.

One key a row, as in `engines.packing`. While keys are few a dense tally is fastest, else sorting
and comparing neighbours; sorting lets go of the interpreter, so other cores can count meanwhile.

Cubes of views: many views of a long table from a few dense tallies.

A cube counts people per tuple of four or five columns in one pass; each view of some of them is a
sum over its other axes (`engines.cubes` does so for pairs). Passes over the rows are what costs, so
a cube takes in columns while they bring views not yet counted and the cells stay few.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Ints
from reidrisk.machine import each
from reidrisk.records import FEW, SPARE, Keys, crowd_sizes, dense, numbered, runs
from reidrisk.searches.lattice import Bits, Lattice, Step


class Column(NamedTuple):
    """One attribute at one level: each row's code, all below `width`."""

    codes: NDArray[Any]
    width: int


class Tail(NamedTuple):
    """Each row's number among the tuples of all later attributes."""

    numbers: NDArray[np.int32]
    width: int


class Sheet:
    """Columns by attribute and level; attributes before `first` may be left out (empty)."""

    def __init__(
        self,
        columns: Sequence[tuple[Column, ...]],
        rows: int,
        whole: Sheet | None = None,
        kept: Ints | None = None,
    ) -> None:
        self.columns = columns
        self.rows = rows
        self._whole = whole
        self._kept = kept
        self._tails: dict[int, Tail] = {}

    def column(self, attribute: int, level: int) -> Column:
        """The codes of an attribute at a level."""
        return self.columns[attribute][level - 1]

    def taken(self, rows: Ints, first: int) -> Sheet:
        """Some rows, with the attributes from `first` on."""
        columns = [
            tuple(Column(codes[rows], width) for codes, width in levels) if j >= first else ()
            for j, levels in enumerate(self.columns)
        ]
        if self._whole is None:
            return Sheet(columns, len(rows), self, rows)
        assert self._kept is not None
        return Sheet(columns, len(rows), self._whole, self._kept[rows])

    def by_itself(self) -> Sheet:
        """The same rows as a whole sheet, so that those left out can be forgotten."""
        return Sheet(self.columns, self.rows)

    def tail(self, first: int) -> Tail:
        """The tuples of the attributes from `first` on, numbered in the whole sheet."""
        if self._whole is not None:
            numbers, width = self._whole.tail(first)
            return Tail(numbers[self._kept], width)
        if first not in self._tails:
            self._number_tails(first)
        return self._tails[first]

    def _number_tails(self, first: int) -> None:
        """From the last attribute to `first`, each from the one after it."""
        at = min(self._tails, default=len(self.columns))
        last = self._tails.get(at, self._nothing())
        for j in range(at - 1, first - 1, -1):
            last = self._before(j, last)
            self._tails[j] = last
        self._tails.setdefault(first, last)

    def whole_tuples(self) -> Tail:
        """The tail of everything; no other tail is kept, since rows may soon be fewer."""
        last = self._nothing()
        for j in range(len(self.columns) - 1, -1, -1):
            last = self._before(j, last)
        return last

    def _nothing(self) -> Tail:
        return Tail(np.zeros(self.rows, dtype=np.int32), 1)

    def _before(self, attribute: int, after: Tail) -> Tail:
        codes, width = self.columns[attribute][-1]
        if after.width == 1:
            return Tail(codes.astype(np.int32), width)
        packed = codes.astype(np.int64) * after.width + after.numbers
        return Tail(*dense(packed, width * after.width))


# From here on one count is worth several cores.
LONG_TALLY = 2_000_000


def capped_crowds(keys: NDArray[Any], span: int, cap: int, threads: int = 1) -> tuple[int, ...]:
    """Crowds by size 0 (none), 1, … cap; the keys come out in another order."""
    if not len(keys):
        return (0,) * (cap + 1)
    if span <= max(SPARE * len(keys), FEW):
        return crowds_of_tally(np.bincount(keys, minlength=1), cap)
    if len(keys) >= LONG_TALLY and threads > 1:
        found = crowd_sizes(Keys(keys, span), None, threads)
        sizes = np.minimum(found.sizes, cap)
        return tuple(int(found.crowds[sizes == size].sum()) for size in range(cap + 1))
    return crowds_of_keys(keys, cap)


def crowds_of_keys(keys: NDArray[Any], cap: int) -> tuple[int, ...]:
    """By sorting them in place."""
    keys.sort()
    return _of_sorted(keys, cap)


def crowds_of_tally(tally: NDArray[Any], cap: int) -> tuple[int, ...]:
    """The same from people per key."""
    if cap == 2:
        held, alone = int(np.count_nonzero(tally)), int(np.count_nonzero(tally == 1))
        return 0, alone, held - alone
    crowds = np.bincount(np.minimum(tally, cap), minlength=cap + 1)
    return 0, *crowds[1:].tolist()


def _of_sorted(ordered: NDArray[Any], cap: int) -> tuple[int, ...]:
    other = ordered[1:] != ordered[:-1]
    if cap == 2:
        held = int(np.count_nonzero(other)) + 1
        if held == 1:
            return (0, 1, 0) if len(ordered) == 1 else (0, 0, 1)
        between = int(np.count_nonzero(other[1:] & other[:-1]))
        alone = between + int(other[0]) + int(other[-1])
        return 0, alone, held - alone
    ends = np.append(np.flatnonzero(other) + 1, len(ordered))
    lengths = np.minimum(np.diff(ends, prepend=0), cap)
    return 0, *np.bincount(lengths, minlength=cap + 1)[1:].tolist()


class Kept(NamedTuple):
    """What is left of rows for counting views between one (`keys`) and a finer one (`classes`)."""

    rows: Ints
    # The coarser view's keys of these rows, 0, 1, 2 …, and how many crowds they are.
    keys: NDArray[np.int32]
    span: int
    # Rows alone in the coarser view, and so in all: taken out, to be added again.
    alone: int
    # The finer view's crowds.
    capped: tuple[int, ...]


def kept(keys: NDArray[Any], span: int, tails: NDArray[Any], width: int, cap: int) -> Kept:
    """Each class of (key, tail) at most `cap` times, nobody who is alone by their key already."""
    if span * width >= 1 << 63:
        keys, span = dense(keys, span)
    rows, classes = runs(keys.astype(np.int64) * width + tails, span * width)
    capped = _of_sorted(classes, cap)
    stay = np.ones(len(rows), dtype=bool)
    # Classes in order: the one `cap` places before is the same where there are more.
    np.not_equal(classes[cap:], classes[:-cap], out=stay[cap:])
    rows, numbers = rows[stay], numbered(classes[stay] // width)
    changes = np.flatnonzero(numbers[1:] != numbers[:-1]) + 1
    ends = np.append(changes, len(rows))
    single = np.diff(ends, prepend=0) == 1
    alone = int(np.count_nonzero(single))
    if alone:
        several = ~single[numbers]
        rows, numbers = rows[several], numbers[several]
        numbers = numbered(numbers) if len(numbers) else numbers
    return Kept(rows, numbers, int(numbers[-1]) + 1 if len(numbers) else 1, alone, capped)


Cells = NDArray[Any]
Axes = frozenset[Step]

# Shorter tables are counted as fast one view at a time, and more views take long to plan.
LONG, MANY = 1_000_000, 400
# Larger cubes save passes, but leave the processor's cache: 2 million cells at four bytes each.
MOST_CELLS = 2_000_000
# Rows whose keys are packed at once.
BLOCK = 1 << 18


def counted_by_cubes(
    sheet: Sheet, lattice: Lattice, views: Sequence[Bits], cap: int, threads: int
) -> dict[Bits, tuple[int, ...]]:
    """Capped crowds of the views; those too wide for a cube are sorted, each by itself.

    Counting cubes holds the interpreter and sorting doesn't, so the two take turns on several
    cores.
    """
    if sheet.rows < LONG or len(views) > MANY:
        return {}
    widths = {s: sheet.column(*s).width for s in lattice.steps.values()}
    wanted = {_axes(lattice, bits): bits for bits in views}
    cells = {axes: math.prod(widths[s] for s in axes) for axes in wanted}
    narrow = [axes for axes in wanted if cells[axes] <= MOST_CELLS]
    found: dict[Bits, tuple[int, ...]] = {}

    def count(cube: tuple[Axes, list[Axes]]) -> None:
        axes, mine = cube
        ordered = sorted(axes, key=lambda step: widths[step])
        columns = [sheet.column(*step) for step in ordered]
        if not mine:
            kind = np.int32 if cells[axes] < 1 << 31 else np.int64
            keys = np.empty(sheet.rows, dtype=kind)
            for start in range(0, sheet.rows, BLOCK):
                keys[start : start + BLOCK] = _packed(columns, start, kind, sheet.rows)
            found[wanted[axes]] = crowds_of_keys(keys, cap)
            return
        for view, tally in _margins(_tally(columns, sheet.rows), ordered, mine):
            found[wanted[view]] = crowds_of_tally(tally.ravel(), cap)

    cubes = _plan(narrow, widths, MOST_CELLS)
    wide: list[tuple[Axes, list[Axes]]] = [
        (axes, []) for axes in wanted if MOST_CELLS < cells[axes] < 1 << 63
    ]
    each(count, [job for both in zip_longest(cubes, wide) for job in both if job], threads)
    return found


def _axes(lattice: Lattice, bits: Bits) -> Axes:
    return frozenset(Step(j, level) for j, level in enumerate(lattice.view(bits)) if level)


def _plan(
    views: Sequence[Axes], widths: dict[Step, int], most: int
) -> list[tuple[Axes, list[Axes]]]:
    """Greedy: from the widest view left, add the column that brings most views still left."""
    left = sorted(views, key=lambda axes: -math.prod(widths[s] for s in axes))
    cubes = []
    while left:
        axes = left[0]
        while True:
            cells = math.prod(widths[s] for s in axes)
            fit = [s for s in widths if s not in axes and cells * widths[s] <= most]
            gain = {s: sum(axes | {s} >= view for view in left) for s in fit}
            now = sum(axes >= view for view in left)
            best = max(fit, key=lambda s: (gain[s], -widths[s]), default=None)
            if best is None or gain[best] == now:
                break
            axes = axes | {best}
        mine = [view for view in left if view <= axes]
        left = [view for view in left if not view <= axes]
        cubes.append((axes, mine))
    return cubes


def _packed(columns: Sequence[Column], start: int, kind: type, rows: int) -> NDArray[Any]:
    """The keys of one block of rows."""
    keys: NDArray[Any] = np.zeros(min(BLOCK, rows - start), dtype=kind)
    for codes, width in columns:
        np.multiply(keys, width, out=keys)
        np.add(keys, codes[start : start + BLOCK], out=keys, casting="unsafe")
    return keys


def _tally(columns: Sequence[Column], rows: int) -> NDArray[np.int32]:
    """People per tuple, one axis a column."""
    shape = [column.width for column in columns]
    tally = np.zeros(math.prod(shape), dtype=np.int32)
    one = np.int32(1)
    for start in range(0, rows, BLOCK):
        # add.at takes whole indices as they are, and needs no tally of its own for each block.
        np.add.at(tally, _packed(columns, start, np.int64, rows), one)
    return tally.reshape(shape)


def _margins(
    cube: Cells, ordered: Sequence[Step], views: Sequence[Axes]
) -> list[tuple[Axes, Cells]]:
    """Each view's table, from the smallest one already summed that has all its axes."""
    summed: dict[Axes, tuple[Cells, list[Step]]] = {frozenset(ordered): (cube, list(ordered))}
    if len(ordered) > 4:
        for place, step in enumerate(ordered):
            rest = [other for other in ordered if other != step]
            summed[frozenset(rest)] = (cube.sum(axis=place), rest)
    found = []
    for view in sorted(views, key=len, reverse=True):
        if view not in summed:
            source = min((a for a in summed if a > view), key=lambda a: summed[a][0].size)
            cells, axes = summed[source]
            gone = tuple(i for i, step in enumerate(axes) if step not in view)
            summed[view] = (cells.sum(axis=gone), [s for s in axes if s in view])
        found.append((view, summed[view][0]))
    return found
