"""Rows drawn from a law, equal ones once.

Of M rows drawn many are equal: people who share a tuple are common, and whatever is worked out for
one is worked out for all of them. Weights are those of all equal rows together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.models.gibbs import resampled

Floats = NDArray[np.float64]
Rows = NDArray[np.int32]


class Drawn(NamedTuple):
    """Rows drawn, equal ones once: how many there are of each, and which each of all M was."""

    rows: Rows
    times: Floats
    order: NDArray[np.intp]

    @classmethod
    def of(cls, rows: Rows) -> Drawn:
        """Put equal rows together."""
        _, first, order, times = np.unique(
            _keys(rows), return_index=True, return_inverse=True, return_counts=True
        )
        return cls(rows[first], times.astype(np.float64), order)

    def chosen(self, weights: Floats, rows: int, rng: np.random.Generator) -> Rows:
        """Rows by weight, as evenly as can be over all M in the order in which they were drawn.

        Not over equal ones together: each tuple would then be held by its expected number of
        people, a whole one above or below, and hardly ever by two where less than one is expected.
        """
        each = (weights / self.times)[self.order]
        return self.rows[self.order[resampled(each, rows, rng)]]

    def effective(self, weights: Floats) -> float:
        """Kish's effective size over the number of rows, (Σw)²/(M·Σw²), equal ones one by one."""
        return float(weights.sum() ** 2 / (len(self.order) * np.dot(weights / self.times, weights)))

    def largest(self, weights: Floats) -> float:
        """The largest weight of one row."""
        return float((weights / self.times).max())


def _keys(rows: Rows) -> NDArray[np.int64]:
    """One number a row, the same for equal rows; renumbered where it outgrows 63 bits."""
    keys, span = np.zeros(len(rows), dtype=np.int64), 1
    for column in rows.T:
        width = int(column.max(initial=0)) + 1
        if span * width >= 1 << 63:
            used, keys = np.unique(keys, return_inverse=True)
            span = len(used)
        keys, span = keys * width + column, span * width
    return keys
