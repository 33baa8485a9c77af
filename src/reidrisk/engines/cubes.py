"""Cubes: the pair tables of many columns from a few dense tallies of several columns each.

A cube of columns A, B, C … counts people per tuple in one pass over the records; the table of any
two of them is its sum over the other axes. Passes are what costs, so a cube takes in columns as
long as each brings pairs not yet counted and the cells stay few.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from reidrisk.engines.coding import CodedColumn
from reidrisk.engines.packing import NARROW, pack_block

Whole = NDArray[np.int64]
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


def tallied(columns: Sequence[CodedColumn], records: int, people: Whole | None) -> Whole:
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


def _add(tally: Whole, keys: Whole, people: Whole | None) -> None:
    """Count a block's keys: bincount is the fastest, but a tally of its own for every block.

    Its weights are floating point and lose whole numbers, so people are added one by one.
    """
    if people is None and len(tally) <= len(keys):
        tally += np.bincount(keys, minlength=len(tally))
    else:
        np.add.at(tally, keys, 1 if people is None else people)


def margins(
    cube: Whole, axes: Axes, wanted: Sequence[Unordered]
) -> Iterator[tuple[tuple[str, str], Whole]]:
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
