"""The spanning forest of greatest information (Chow and Liu).

Of all trees over the attributes, the one whose edges' mutual informations add up to most gives the
law closest to the table's among those that know one pair table for each edge. Pairs are taken by
falling corrected information (`pair_information`) unless they would close a circle. Attributes that
no pair table connects stay in separate trees, independent of each other. Each tree is rooted at its
attribute with most values.

An edge whose corrected information is nil or less is taken all the same: the cells of its table are
known counts, and known counts only help.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reidrisk.models.knowledge import Knowledge
from reidrisk.models.pair_information import corrected_information

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
    found = {edge: corrected_information(knowledge, *edge) for edge in knowledge.pairs}
    tree_of = list(range(len(knowledge.names)))
    chosen: list[Edge] = []
    for i, j in sorted(found, key=lambda edge: (-found[edge], edge)):
        if tree_of[i] != tree_of[j]:
            old, new = tree_of[j], tree_of[i]
            tree_of = [new if each == old else each for each in tree_of]
            chosen.append((i, j))
    return rooted(knowledge, chosen)


def rooted(knowledge: Knowledge, edges: list[Edge]) -> Forest:
    """Give the edges their direction, away from the attribute with most values in each tree."""
    values = [int(np.count_nonzero(counts)) for counts in knowledge.counts]
    waiting = sorted(range(len(values)), key=lambda place: (-values[place], place))
    parent: list[int | None] = [None] * len(values)
    order: list[int] = []
    for root in waiting:
        queue = [] if root in order else [root]
        while queue:
            place = queue.pop(0)
            order.append(place)
            for i, j in edges:
                other = j if i == place else i if j == place else None
                if other is not None and other not in order and other not in queue:
                    parent[other] = place
                    queue.append(other)
    return Forest(tuple(order), tuple(parent))
