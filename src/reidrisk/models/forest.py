"""The spanning forest of greatest information (Chow and Liu).

Of all trees over the attributes, the one whose edges' mutual informations add up to most gives the
law closest to the table's among those that know one pair table for each edge. Pairs are taken by
falling corrected information (`pair_information`) unless they would close a circle. Attributes that
no pair table connects stay in separate trees, independent of each other. Each tree is rooted at its
attribute with most values.

An edge whose corrected information is nil or less is taken all the same: the cells of its table are
known counts, and known counts only help.

How much two attributes say of each other, from their pair table.

Symbols: H the entropy in bits, x_ab people in a cell of the pair table of A and B.

    I(A, B) = H(A) + H(B) − H(A, B)   (R3A eq. 8),   g(A, B) = I(A, B)/H(A)   (eq. 9).

Few people in each cell make any two columns look dependent. Shuffling keeps H(A) and H(B), so
corrected I = RDE(A, B) − H(A, B), the plug-in figure less its mean over shuffles (`independent`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from reidrisk.crowds import entropy
from reidrisk.models.independent import random_entropy
from reidrisk.models.knowledge import Knowledge

STRONG = 0.5


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


Edge = tuple[int, int]


@dataclass(frozen=True)
class Forest:
    """Attributes in an order in which parents come first; a root's parent is None."""

    order: tuple[int, ...]
    parent: tuple[int | None, ...]

    @property
    def edges(self) -> tuple[Edge, ...]:
        """The pairs of parent and child, smaller place first."""
        return tuple(
            (min(place, above), max(place, above))
            for place, above in enumerate(self.parent)
            if above is not None
        )

    @property
    def roots(self) -> tuple[int, ...]:
        """Where the trees begin."""
        return tuple(place for place in self.order if self.parent[place] is None)

    def children(self, place: int) -> tuple[int, ...]:
        """The attributes right below one."""
        return tuple(each for each in self.order if self.parent[each] == place)


def spanning_forest(knowledge: Knowledge) -> Forest:
    """The forest of greatest corrected information over the pair tables given."""
    information = {edge: corrected_information(knowledge, *edge) for edge in knowledge.pairs}
    by_information = sorted(information, key=lambda edge: (-information[edge], edge))
    return rooted(knowledge, joined_edges(len(knowledge.names), by_information))


def joined_edges(attributes: int, edges: Iterable[Edge]) -> list[Edge]:
    """The edges taken one after the other, those left out that would close a circle."""
    tree_of = list(range(attributes))
    chosen: list[Edge] = []
    for i, j in edges:
        if tree_of[i] != tree_of[j]:
            old, new = tree_of[j], tree_of[i]
            tree_of = [new if tree == old else tree for tree in tree_of]
            chosen.append((i, j))
    return chosen


def rooted(knowledge: Knowledge, edges: list[Edge]) -> Forest:
    """Give the edges their direction, away from the attribute with most values in each tree."""
    values = [int(np.count_nonzero(counts)) for counts in knowledge.counts]
    waiting = sorted(range(len(values)), key=lambda attribute: (-values[attribute], attribute))
    parent: list[int | None] = [None] * len(values)
    order: list[int] = []
    for root in waiting:
        queue = [] if root in order else [root]
        while queue:
            attribute = queue.pop(0)
            order.append(attribute)
            for i, j in edges:
                other = j if i == attribute else i if j == attribute else None
                if other is not None and other not in order and other not in queue:
                    parent[other] = attribute
                    queue.append(other)
    return Forest(tuple(order), tuple(parent))
