"""ListedLaw: P at every whole number of a window, and its sums from both ends.

Sums are taken from the end where the law is small, so that P(X ≤ k) keeps its digits below the
mean and P(X ≥ k) above it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reidrisk.laws.log_table import LogTable

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class ListedLaw:
    """The law of one tuple's crowd on low … high; what lies outside is left out."""

    table: LogTable

    @cached_property
    def probabilities(self) -> Floats:
        """P(X = low), …, P(X = high)."""
        return np.exp(self.table.every())

    def at_most(self, k: Ints) -> Floats:
        """P(X ≤ k)."""
        return self._upward[np.clip(k - self.table.low + 1, 0, len(self._upward) - 1)]

    def at_least(self, k: Ints) -> Floats:
        """P(X ≥ k)."""
        return self._downward[np.clip(self.table.high - k + 1, 0, len(self._downward) - 1)]

    def drawn(self, uniform: Floats) -> Ints:
        """The smallest k with P(X ≤ k) above each uniform number."""
        place = np.searchsorted(self._upward[1:], uniform * self._upward[-1], side="right")
        return np.asarray(self.table.low + np.minimum(place, len(self._upward) - 2))

    @cached_property
    def _upward(self) -> Floats:
        return running_sums(self.probabilities)

    @cached_property
    def _downward(self) -> Floats:
        return running_sums(self.probabilities[::-1])


def running_sums(values: Floats) -> Floats:
    """0, v_1, v_1 + v_2, …; in blocks, so that rounding grows with the root of their number."""
    width = max(1, int(np.sqrt(len(values))))
    rows = -(-len(values) // width)
    blocks = np.zeros(rows * width)
    blocks[: len(values)] = values
    within = np.cumsum(blocks.reshape(rows, width), axis=1)
    before = np.concatenate([[0.0], np.cumsum(within[:-1, -1])])
    return np.concatenate([[0.0], (within + before[:, None]).ravel()[: len(values)]])
