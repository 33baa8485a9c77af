"""Raking: a table scaled to given row and column sums (iterative proportional fitting).

Cells keep their ratios: x_ab ← x_ab·r_a/Σ_b x_ab, then x_ab ← x_ab·c_b/Σ_a x_ab, in turn. The limit
is the table closest to the start (in Kullback–Leibler divergence) with those sums; a cell that is 0
stays 0, so sums that need it can't be reached, and the fit says how far it got.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
MOST_SWEEPS = 500
CLOSE = 1e-10


class Raked(NamedTuple):
    """The table, how many sweeps it took, and the largest row or column still off (in people)."""

    cells: Floats
    sweeps: int
    off_by: float


def raked(start: Floats, rows: Floats, columns: Floats, sweeps: int = MOST_SWEEPS) -> Raked:
    """Scale `start` to the sums; both sides' sums have to have one total."""
    cells = np.array(start, dtype=np.float64)
    total = max(float(rows.sum()), 1e-300)
    off = np.inf
    for done in range(1, sweeps + 1):
        cells *= _factors(rows, cells.sum(axis=1))[:, None]
        cells *= _factors(columns, cells.sum(axis=0))[None, :]
        before, off = off, float(np.abs(cells.sum(axis=1) - rows).max(initial=0.0))
        if off <= CLOSE * total or (done > 20 and off > before * 0.999):
            break
    return Raked(cells, done, off)


def _factors(wanted: Floats, held: Floats) -> Floats:
    """wanted/held; nothing can be made of a row that holds nothing."""
    return np.divide(wanted, held, out=np.zeros_like(wanted), where=held > 0)
