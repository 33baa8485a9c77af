"""The stack: one density from several laws, weighted by how well each foretells the cells.

    p_k = Σ_l w_l p_lk,   w maximises Σ_k f_k ln p_k   (EM, from equal weights)

Each p_lk has the cell's own people left out, so weights don't favour the law that fits closest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reidrisk.arrays import Floats
from reidrisk.samples.sampled_cells import SampledCells, summed_up

ROUNDS = 300
SETTLED = 1e-6


@dataclass(frozen=True, eq=False)
class Independence:
    """The law of independent attributes: how many people hold each value."""

    counts: tuple[Floats, ...]

    @classmethod
    def of(cls, sample: SampledCells) -> Independence:
        """Of a sample."""
        return cls(
            tuple(
                summed_up(sample.codes[:, place], sample.held, width)
                for place, width in enumerate(sample.values)
            )
        )

    def log_left_out(self, cells: SampledCells) -> Floats:
        """ln Π_j m_j of each cell, its own people left out."""
        total = np.zeros(cells.cells)
        for place, counts in enumerate(self.counts):
            left = np.maximum(counts[cells.codes[:, place]] - cells.held, 0.0) + 0.5
            whole = counts.sum() - cells.held + 0.5 * len(counts)
            total += np.log(left / np.maximum(whole, 0.5))
        return total


def stacked(logs: Sequence[Floats], held: Floats) -> tuple[Floats, Floats]:
    """ln p of the stack, and the weights of the laws."""
    listed = np.stack(logs, axis=1)
    top = listed.max(axis=1, keepdims=True)
    each = np.exp(listed - top)
    weights = np.full(len(logs), 1.0 / len(logs))
    for _ in range(ROUNDS):
        shares = each * weights
        shares /= shares.sum(axis=1, keepdims=True)
        before, weights = weights, held @ shares / held.sum()
        if np.abs(weights - before).max() < SETTLED:
            break
    return stacked_with(logs, weights), weights


def stacked_with(logs: Sequence[Floats], weights: Floats) -> Floats:
    """ln p of the stack whose weights are known."""
    listed = np.stack(logs, axis=1)
    top = listed.max(axis=1, keepdims=True)
    return np.asarray(top[:, 0] + np.log(np.exp(listed - top) @ weights))
