"""The tree form of a tuple's law: one pair table for every attribute but the first.

Symbols: n_i people hold value i of the tuple, n_ij values i and j. The forest of greatest
information (`models.spanning_forest`) gives each attribute j a parent p. People who hold the values
up to p are among the n_p holders of p, of whom n_pj hold j as well: each further attribute thins
them out by a hypergeometric draw from n_p, where the independent law draws from all n. The
factorial moments of the crowd X are

    E[X(X−1)…(X−r+1)] = Π_edges (n_pj)_r / Π_j (n_j)_r^{degree of j − 1},   (m)_r = m(m−1)…(m−r+1),

with n for a tree's root that hangs on nothing. They don't depend on where a tree is rooted. Without
pair tables this is the recursive hypergeometric law; with two attributes it is the joint count.

Where it fails: values that depend on each other other than through the tree's edges.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.models.knowledge import Knowledge
from reidrisk.models.spanning_forest import Forest
from reidrisk.statistics.settling import SettledAttribute

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]


class Chains(NamedTuple):
    """A law a row: start with `holders[0]` people; stage j keeps `holders[j]` of `among[j]`."""

    holders: Floats
    among: Floats


def tree_counts(
    knowledge: Knowledge, attributes: Sequence[SettledAttribute], forest: Forest, codes: Codes
) -> Chains:
    """The chains of tuples given as codes, attributes in the forest's order.

    A value lumped together has no pair cells of its own: it is independent of the others, and so
    are the attributes below it from it.
    """
    n = float(knowledge.n)
    holders, among = np.empty(codes.shape), np.empty(codes.shape)
    lumped = [codes[:, j] >= len(each.values) for j, each in enumerate(attributes)]
    for stage, j in enumerate(forest.order):
        alone = attributes[j].expected_counts[codes[:, j]]
        parent = forest.parent[j]
        if parent is None:
            holders[:, stage], among[:, stage] = alone, n
            continue
        cells = knowledge.pair(parent, j)
        assert cells is not None
        own = lumped[j] | lumped[parent]
        holders[:, stage] = np.where(own, alone, cells[codes[:, parent], codes[:, j]])
        above = knowledge.counts[parent][codes[:, parent]]
        among[:, stage] = np.where(own, n, above)
    return Chains(holders, among)
