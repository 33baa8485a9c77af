"""Cells of three attributes, as their pair tables let them be.

Symbols: x_ab, x_ac, x_bc people in the cells of three pair tables, n all of them. A cell (a, b, c)
is possible where all three hold somebody. Without a word about all three at once, the law of
greatest entropy that has the pair tables says how many people to expect in each: from
x_ab·x_ac·x_bc/(n_a·n_b·n_c), scaled to each table in turn (`raked_cells`).

Where it fails: possible cells may be too many. Those of pairs that hardly anybody has are left out
first; who has such a pair is then in no cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Codes, Floats, Ints, Places
from reidrisk.models import TripleTable

SIDES = tuple(combinations(range(3), 2))
# Possible cells of one triple of attributes, and rows of them worked on at once.
MOST_CELLS, AT_ONCE = 2_000_000, 4_000_000
# People in a pair's cell below which its triples are left out, tried in turn.
FEW = (0.0, 0.02, 0.1, 0.3, 1.0)
SWEEPS = 60
CLOSE = 1e-7


class Pairs(NamedTuple):
    """The pair tables of the first and second, first and third, second and third attribute."""

    ab: Floats
    ac: Floats
    bc: Floats

    @property
    def shape(self) -> tuple[int, int, int]:
        """How many values the attributes have."""
        return self.ab.shape[0], self.ab.shape[1], self.ac.shape[1]


def possible_cells(pairs: Pairs, also: Codes, most: int = MOST_CELLS) -> Ints | None:
    """The cells' values, a row each, and those of `also`; None where they are too many."""
    for few in FEW:
        found = _above(pairs, few, most)
        if found is not None:
            keys = np.unique(np.concatenate([_keys(pairs.shape, found), _keys(pairs.shape, also)]))
            return TripleTable(pairs.shape, keys, np.empty(0)).codes
    return None


def _keys(shape: tuple[int, int, int], codes: Codes) -> Ints:
    first, second, third = codes.astype(np.int64).T
    return np.asarray((first * shape[1] + second) * shape[2] + third)


def _above(pairs: Pairs, few: float, most: int) -> Ints | None:
    """The cells of pairs with more people than a few each."""
    first, second = np.nonzero(pairs.ab > few)
    of_first, of_second = pairs.ac > few, pairs.bc > few
    step, total, parts = max(AT_ONCE // pairs.shape[2], 1), 0, [np.empty((0, 3), np.int64)]
    for begin in range(0, len(first), step):
        a, b = first[begin : begin + step], second[begin : begin + step]
        row, third = np.nonzero(of_first[a] & of_second[b])
        total += len(row)
        if total > most:
            return None
        parts.append(np.stack([a[row], b[row], third], axis=1))
    return np.concatenate(parts)


def expected_cells(pairs: Pairs, codes: Codes) -> Floats:
    """How many people to expect in each cell by the pair tables alone."""
    start = np.ones(len(codes))
    for (one, other), cells in zip(SIDES, pairs, strict=True):
        start *= cells[codes[:, one], codes[:, other]]
    sums = pairs.ab.sum(axis=1), pairs.ab.sum(axis=0), pairs.ac.sum(axis=0)
    for side, people in enumerate(sums):
        start /= np.maximum(people[codes[:, side]], 1e-300)
    return raked_cells(start, codes, pairs)


def raked_cells(
    start: Floats, codes: Codes, pairs: Sequence[Floats], sweeps: int = SWEEPS
) -> Floats:
    """Cells scaled to the pair tables in turn; one that starts at 0 stays there."""
    cells = start.copy()
    places = [place for place, _ in _places(codes, pairs)]
    total = max(float(pairs[0].sum()), 1e-300)
    for _ in range(sweeps):
        off = 0.0
        for place, wanted in zip(places, pairs, strict=True):
            held = np.bincount(place, cells, wanted.size)
            reached = np.where(held > 0.0, wanted.ravel(), 0.0)
            off = max(off, float(np.abs(held - reached).max(initial=0.0)))
            cells *= np.divide(reached, held, out=np.zeros_like(held), where=held > 0.0)[place]
        if off <= CLOSE * total:
            break
    return cells


def _places(codes: Codes, pairs: Sequence[Floats]) -> Iterator[tuple[Places, Floats]]:
    for (one, other), cells in zip(SIDES, pairs, strict=True):
        yield codes[:, one].astype(np.intp) * cells.shape[1] + codes[:, other], cells
