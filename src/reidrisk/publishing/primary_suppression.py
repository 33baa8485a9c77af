"""Primary suppression: the cells of pair tables that are left out before anything is proven.

- Cells below m people, and those of values that no pair table lists (`never`: values lumped
  together as `other`).
- By chance any other cell, with probability `VEIL`·m/x for its x people: in the files of two tables
  of records of which one needs a cell hidden for others' sake, and one doesn't, it may be hidden in
  both.
- What a row or column leaves out is nobody or at least m people: else its cell of least x·U, U in 1
  to 2, is left out too, again and again.

Where it stops: several tables together, against which `swap_certificates` are proofs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reidrisk.arrays import Counts, Mask
from reidrisk.publishing.pair_cells import PairCells

VEIL = 0.25


def listed_at_first(
    cells: PairCells, at_least: int, never: Sequence[Mask] | None, rng: np.random.Generator
) -> Mask:
    """The cells listed before any is hidden for a certificate's sake."""
    people = cells.people
    listed = people >= max(at_least, 1)
    if at_least > 1:
        listed &= rng.random(len(people)) >= VEIL * at_least / np.maximum(people, 1)
    for at, (i, j) in enumerate(cells.pairs):
        shown, counts = cells.table(at, listed), cells.table(at, people)
        if never is not None:
            shown[never[i]] = False
            shown[:, never[j]] = False
        while _hide_in_lines(counts, shown, at_least, rng) + _hide_in_lines(
            counts.T, shown.T, at_least, rng
        ):
            pass
    return listed


def _hide_in_lines(people: Counts, shown: Mask, at_least: int, rng: np.random.Generator) -> int:
    """Hide one cell more in each row that leaves out somebody, yet fewer than m; how many rows."""
    left = np.where(shown, 0, people).sum(axis=1)
    lines = np.flatnonzero((left > 0) & (left < at_least) & shown.any(axis=1))
    luck = rng.uniform(1.0, 2.0, (len(lines), people.shape[1]))
    price = np.where(shown[lines], people[lines] * luck, np.inf)
    shown[lines, price.argmin(axis=1)] = False
    return len(lines)
