"""The space of tuples that some knowledge describes, to draw groups from.

Independent attributes, or the tree law (`tree`): p(t) = Π_roots n_r/n · Π_edges x_uc/n_u along the
spanning forest of greatest information. Both are product forms, so that power sums over all tuples
are message passing (`laws.tuple_space`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reidrisk.laws.tuple_space import TupleSpace
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.spanning_forest import Forest, spanning_forest

Floats = NDArray[np.float64]


def independent_space(knowledge: Knowledge) -> TupleSpace:
    """All attributes independent."""
    return TupleSpace.independent(knowledge.shares)


def tree_space(knowledge: Knowledge) -> tuple[TupleSpace, Forest]:
    """Attributes along the forest of greatest information, and that forest."""
    forest = spanning_forest(knowledge)
    shares = []
    for place, parent in enumerate(forest.parent):
        cells = None if parent is None else knowledge.pair(parent, place)
        shares.append(
            knowledge.shares[place][None, :] if cells is None else _rows(np.asarray(cells))
        )
    return TupleSpace(forest.parent, tuple(shares)), forest


def _rows(cells: Floats) -> Floats:
    """x_uc/n_u; a parent's value that nobody holds has no row."""
    total = cells.sum(axis=1, keepdims=True)
    return np.asarray(cells / np.where(total > 0.0, total, 1.0))
