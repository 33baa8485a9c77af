"""Cubes of views: many views of a long table from a few dense tallies.

A cube counts people per tuple of four or five columns in one pass; each view of some of them is a
sum over its other axes (`engines.cubes` does so for pairs). Passes over the rows are what costs, so
a cube takes in columns while they bring views not yet counted and the cells stay few.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reidrisk.cores import each
from reidrisk.views.capped_crowds import crowds_of_keys, crowds_of_tally
from reidrisk.views.sheet import Column, Sheet
from reidrisk.views.view import Bits, Lattice, Step

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
