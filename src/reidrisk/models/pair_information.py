"""How much two attributes say of each other, from their pair table.

Symbols: H the entropy in bits, x_ab people in a cell of the pair table of A and B.

    I(A, B) = H(A) + H(B) − H(A, B)   (R3A eq. 8),   g(A, B) = I(A, B)/H(A)   (eq. 9).

Few people in each cell make any two columns look dependent. Shuffling keeps H(A) and H(B), so
corrected I = RDE(A, B) − H(A, B), the plug-in figure less its mean over shuffles (`independent`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reidrisk.models.independent import random_entropy
from reidrisk.models.knowledge import Knowledge

STRONG = 0.5


def entropy(cells: NDArray[np.float64] | NDArray[np.int64]) -> float:
    """H = −Σ (x/n) log2(x/n) over cells that hold somebody, in bits (R3A eqs. 7 and 12)."""
    held = cells[cells > 0]
    share = held / max(float(held.sum()), 1e-300)
    return float(-np.dot(share, np.log2(share))) + 0.0


def corrected_information(knowledge: Knowledge, i: int, j: int) -> float:
    """I(A, B) less what shuffled columns would show, in bits; may come out below 0."""
    counts = [knowledge.counts[i], knowledge.counts[j]]
    return random_entropy(counts, knowledge.n) - entropy(knowledge.pairs[i, j])


def gain_ratio(knowledge: Knowledge, of: int, on: int) -> float:
    """g(of, on) = I/H(of), R3A eq. 9; 0 for a constant, which depends on nothing."""
    cells = knowledge.pair(of, on)
    own = entropy(knowledge.counts[of])
    if cells is None or own == 0.0:
        return 0.0
    shared = own + entropy(knowledge.counts[on]) - entropy(cells)
    return min(max(shared, 0.0) / own, 1.0)
