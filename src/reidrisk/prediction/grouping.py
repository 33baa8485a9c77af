"""Grouping: strongly dependent values are treated as one (TFRR's value dependence, made general).

Symbols: of a tuple, value i is held by n_i of n people, values i and j by n_ij. A pair is strong
when the larger of its confidences, n_ij/min(n_i, n_j), is at least 0.5 (TFRR eq. 8). TFRR treats
one strong pair as a single value of joint count m = n_ij and the rest as independent of it:
RH(n; n_rest …, m) (eqs. 10, 11). Here every group of known joint count is used, the surest pair
first: two values that are in no group yet, of joint count n_ij; or a value that a member of a group
decides (n_ij = n_i: a municipality its district), which leaves the group's joint count as it is.

Where it fails: pairs that avoid each other (lift below 1) are no strong pairs, and a value can be
in one group only; the `tree` form uses a pair table for every attribute.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from reidrisk.arrays import Floats, Ints, Mask
from reidrisk.models import Knowledge
from reidrisk.statistics import STRONG_CONFIDENCE, HiddenCells


@dataclass(frozen=True, eq=False)
class Grouped:
    """For each tuple the joint count of each group, in the place of its first attribute.

    The other places of a group hold n, which asks nothing more of anybody. `joined[i, j]` tells for
    which tuples the pair was used.
    """

    counts: Floats
    joined: Mapping[tuple[int, int], Mask]


def plain_counts(held: Sequence[Floats], codes: Ints) -> Floats:
    """n_j of each tuple's values, a row per tuple, nothing grouped; `held` as in "
    "`CompleteCounts`."""
    return np.stack([counts[codes[:, place]] for place, counts in enumerate(held)], axis=1)


def grouped_counts(
    knowledge: Knowledge,
    held: Sequence[Floats] | Floats,
    codes: Ints,
    most_pairs: int | None = None,
    hidden: Mapping[tuple[int, int], HiddenCells] | None = None,
) -> Grouped:
    """Group each tuple's strongly dependent values; `most_pairs` = 1 is TFRR's own form.

    `held` are the attributes' counts, or a row of counts for each tuple. Where some are hidden,
    only cells that are too follow them.
    """
    counts = held if isinstance(held, np.ndarray) else plain_counts(held, codes)
    edges = list(knowledge.pairs)
    if not edges:
        return Grouped(counts, {})
    exact = plain_counts([each.astype(np.float64) for each in knowledge.counts], codes)
    # A value lumped together stands for their average, and so do its cells.
    average = np.divide(counts, exact, out=np.ones_like(counts), where=exact > 0)
    joint = np.stack(
        [
            knowledge.pairs[i, j][codes[:, i], codes[:, j]]
            * _following(hidden, (i, j), codes, average[:, i] * average[:, j])
            for i, j in edges
        ],
        axis=1,
    )
    least = np.stack([np.minimum(counts[:, i], counts[:, j]) for i, j in edges], axis=1)
    joint = joint if hidden is None else np.minimum(joint, least)
    confidence = np.divide(joint, least, out=np.zeros_like(joint), where=least > 0)
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


def _following(
    hidden: Mapping[tuple[int, int], HiddenCells] | None,
    edge: tuple[int, int],
    codes: Ints,
    times: Floats,
) -> Floats:
    """How many times its size a cell is, its values' counts being what they are."""
    if hidden is None:
        return times
    if edge not in hidden:
        return np.ones(len(codes))
    return np.where(hidden[edge].unstated[codes[:, edge[0]], codes[:, edge[1]]], times, 1.0)


class _Forest:
    """Which attributes of each tuple are joined so far, and the joint share of each group."""

    def __init__(self, n: int, counts: Floats, most_pairs: int | None) -> None:
        self.n, self.counts = n, counts
        tuples, d = counts.shape
        self.root = np.tile(np.arange(d), (tuples, 1))
        with np.errstate(divide="ignore"):
            self.log_share = np.log(counts / n)
        self.room = np.full(tuples, d if most_pairs is None else most_pairs)
        self.joined: dict[tuple[int, int], Mask] = {}

    def join(
        self, edges: Sequence[tuple[int, int]], edge: Ints, joint: Floats, strong: Mask
    ) -> None:
        """Join the two sides of each tuple's edge, where it is strong and the joint count known."""
        ends = np.array(edges)[edge]
        rows = np.arange(len(edge))
        one, other = self.root[rows, ends[:, 0]], self.root[rows, ends[:, 1]]
        use = np.flatnonzero(
            strong & (one != other) & (self.room > 0) & self._known(ends, joint, one, other)
        )
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

    def _known(self, ends: Ints, joint: Floats, one: Ints, other: Ints) -> Mask:
        """Both alone so far, or a value alone that the other one decides."""
        rows = np.arange(len(ends))
        first, second = (self.counts[rows, ends[:, side]] for side in (0, 1))
        alone_one = (self.root == one[:, None]).sum(axis=1) == 1
        alone_other = (self.root == other[:, None]).sum(axis=1) == 1
        decided = (alone_other & (joint == first)) | (alone_one & (joint == second))
        return np.asarray((joint > 0) & ((alone_one & alone_other) | decided))

    def joint_counts(self) -> Floats:
        """n times each group's share; near a whole number it is that number."""
        found = self.n * np.exp(self.log_share)
        whole = np.rint(found)
        return np.where(np.abs(found - whole) <= 1e-9 * np.maximum(whole, 1.0), whole, found)
