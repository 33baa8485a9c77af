"""Cubes of views: many views of a long table from a few dense tallies.

A cube counts people per tuple of four or five columns in one pass; each view of some of them is a
sum over its other axes (`engines.cubes` does so for pairs). Passes over the rows are what costs, so
a cube takes in columns while they bring views not yet counted and the cells stay few.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reidrisk.cores import each
from reidrisk.engines.coding import IN_CACHE
from reidrisk.views.capped_crowds import crowds_of_tally
from reidrisk.views.sheet import Column, Sheet
from reidrisk.views.view import Bits, Lattice, Step

Whole = NDArray[np.int64]
Axes = frozenset[Step]

# Shorter tables are counted as fast one view at a time, and more views take long to plan.
LONG, MANY = 1_000_000, 400
MOST_CELLS = 8_000_000


def counted_by_cubes(
    sheet: Sheet, lattice: Lattice, views: Sequence[Bits], cap: int, threads: int
) -> dict[Bits, tuple[int, ...]]:
    """Capped crowds of the views that fit into cubes; the others are left to be counted."""
    if sheet.rows < LONG or len(views) > MANY:
        return {}
    widths = {s: sheet.column(*s).width for s in lattice.steps.values()}
    wanted = {_axes(lattice, bits): bits for bits in views}
    most = min(MOST_CELLS, sheet.rows)
    narrow = [axes for axes in wanted if math.prod(widths[s] for s in axes) <= most]
    found: dict[Bits, tuple[int, ...]] = {}

    def count(cube: tuple[Axes, list[Axes]]) -> None:
        axes, mine = cube
        ordered = sorted(axes, key=lambda step: widths[step])
        tally = _tally([sheet.column(*step) for step in ordered], sheet.rows)
        for view, cells in _margins(tally, ordered, mine):
            found[wanted[view]] = crowds_of_tally(cells.ravel(), cap)

    each(count, _plan(narrow, widths, most), threads)
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


def _tally(columns: Sequence[Column], rows: int) -> Whole:
    """People per tuple, one axis a column."""
    shape = [column.width for column in columns]
    keys = np.zeros(rows, dtype=np.int32)
    for start in range(0, rows, IN_CACHE):
        block = keys[start : start + IN_CACHE]
        for codes, width in columns:
            np.multiply(block, width, out=block)
            np.add(block, codes[start : start + IN_CACHE], out=block, casting="unsafe")
    return np.bincount(keys, minlength=math.prod(shape)).reshape(shape)


def _margins(
    cube: Whole, ordered: Sequence[Step], views: Sequence[Axes]
) -> list[tuple[Axes, Whole]]:
    """Each view's table, from the smallest one already summed that has all its axes."""
    summed: dict[Axes, tuple[Whole, list[Step]]] = {frozenset(ordered): (cube, list(ordered))}
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
