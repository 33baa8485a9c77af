"""Grouping: values that go together are treated as one (TFRR's value dependence, made general).

Symbols: of a tuple, value i is held by n_i of n people, values i and j by n_ij. A pair is strong
when the larger of its confidences, n_ij/min(n_i, n_j), is at least 0.5 (TFRR eq. 8). TFRR treats
one strong pair as a single value of joint count m = n_ij and the rest as independent of it:
RH(n; n_rest …, m) (eqs. 10, 11). Here every strong pair is used: the surest first, each joining two
groups not joined yet, a forest. A group held together by pairs E has the joint count

    m = n · Π_i (n_i/n) · Π_(i,j)∈E n·n_ij/(n_i·n_j),

which is n_ij itself for a pair, exact for any group in which one value decides the others
(a municipality its district and province), and otherwise what follows if values joined only through
a third depend on each other only through it.

Where it fails: pairs that avoid each other (lift below 1) are no strong pairs; models do those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reidrisk.models.knowledge import Knowledge
from reidrisk.statistics.value_dependence import STRONG_CONFIDENCE

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Grouped:
    """For each tuple the joint count of each group, in the place of its first attribute.

    The other places of a group hold n, which asks nothing more of anybody. `joined[i, j]` tells for
    which tuples the pair was used.
    """

    counts: Floats
    joined: Mapping[tuple[int, int], NDArray[np.bool_]]


def plain_counts(knowledge: Knowledge, codes: Codes) -> Floats:
    """n_j of each tuple's values: one row a tuple, nothing grouped."""
    held = [counts[codes[:, place]] for place, counts in enumerate(knowledge.counts)]
    return np.stack(held, axis=1).astype(np.float64)


def grouped_counts(knowledge: Knowledge, codes: Codes, most_pairs: int | None = None) -> Grouped:
    """Group each tuple's strongly dependent values; `most_pairs` = 1 is TFRR's own form."""
    counts = plain_counts(knowledge, codes)
    edges = [pair for pair in knowledge.pairs if pair[1] < codes.shape[1]]
    if not edges:
        return Grouped(counts, {})
    joint = np.stack([knowledge.pairs[i, j][codes[:, i], codes[:, j]] for i, j in edges], axis=1)
    confidence = np.stack(
        [joint[:, e] / np.minimum(counts[:, i], counts[:, j]) for e, (i, j) in enumerate(edges)],
        axis=1,
    )
    forest = _Forest(knowledge.n, counts, most_pairs)
    order = np.argsort(-confidence, axis=1, kind="stable")
    rows = np.arange(len(codes))
    for step in range(len(edges)):
        edge = order[:, step]
        strong = confidence[rows, edge] >= STRONG_CONFIDENCE
        if not strong.any():
            break
        forest.join(edges, edge, joint[rows, edge], strong)
    return Grouped(forest.joint_counts(), forest.joined)


class _Forest:
    """Which attributes of each tuple are joined so far, and the joint share of each group."""

    def __init__(self, n: int, counts: Floats, most_pairs: int | None) -> None:
        self.n, self.counts = n, counts
        tuples, d = counts.shape
        self.root = np.tile(np.arange(d), (tuples, 1))
        with np.errstate(divide="ignore"):
            self.log_share = np.log(counts / n)
        self.room = np.full(tuples, d if most_pairs is None else most_pairs)
        self.joined: dict[tuple[int, int], NDArray[np.bool_]] = {}

    def join(
        self, edges: Sequence[tuple[int, int]], edge: Ints, joint: Floats, strong: NDArray[np.bool_]
    ) -> None:
        """Join the two sides of each tuple's edge where that is strong and they aren't joined."""
        ends = np.array(edges)[edge]
        rows = np.arange(len(edge))
        one, other = self.root[rows, ends[:, 0]], self.root[rows, ends[:, 1]]
        use = np.flatnonzero(strong & (one != other) & (self.room > 0) & (joint > 0))
        if not len(use):
            return
        kept, gone = np.minimum(one[use], other[use]), np.maximum(one[use], other[use])
        a, b = (self.counts[use, ends[use, side]] for side in (0, 1))
        lift = np.log(self.n * joint[use] / (a * b))
        self.log_share[use, kept] += self.log_share[use, gone] + lift
        self.log_share[use, gone] = 0.0
        moved = self.root[use] == gone[:, None]
        self.root[use] = np.where(moved, kept[:, None], self.root[use])
        self.room[use] -= 1
        for place in np.unique(edge[use]):
            mask = self.joined.setdefault(edges[place], np.zeros(len(edge), dtype=bool))
            mask[use[edge[use] == place]] = True

    def joint_counts(self) -> Floats:
        """n times each group's share; near a whole number it is that number."""
        found = self.n * np.exp(self.log_share)
        whole = np.rint(found)
        return np.where(np.abs(found - whole) <= 1e-9 * np.maximum(whole, 1.0), whole, found)
