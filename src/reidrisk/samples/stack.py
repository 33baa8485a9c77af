"""The stack: one density from several laws, weighted by how well each foretells the cells.

    p_k = Σ_l w_l p_lk,   w maximises Σ_k f_k ln p_k   (EM, from equal weights)

Each p_lk has the cell's own people left out, so weights don't favour the law that fits closest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reidrisk.arrays import Floats
from reidrisk.samples.sampled_cells import SampledCells

ROUNDS = 300
SETTLED = 1e-6


def independent_left_out(sample: SampledCells) -> Floats:
    """ln Π_j m_j of each cell, its own people left out."""
    total = np.zeros(sample.cells)
    n = sample.held.sum()
    for place, width in enumerate(sample.values):
        own = sample.codes[:, place]
        counts = np.bincount(own, sample.held, width)
        left = np.maximum(counts[own] - sample.held, 0.0) + 0.5
        total += np.log(left / np.maximum(n - sample.held + 0.5 * width, 0.5))
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
    return top[:, 0] + np.log(each @ weights), weights
