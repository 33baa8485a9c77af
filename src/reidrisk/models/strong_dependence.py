"""Value groups: strongly dependent values of a combination are treated as one (TFRR).

Symbols: of a tuple, value i is held by n_i of n people, values i and j by n_ij. A pair is strong
when the larger of its confidences, n_ij/min(n_i, n_j), is at least 0.5 (TFRR eq. 8). TFRR treats
one strong pair as a single value of joint count m = n_ij and the rest as independent of it:
RH(n; n_rest …, m) (eqs. 10, 11). Here every group of known joint count is used, the surest pair
first: two values that are in no group yet, of joint count n_ij; or a value that a member of a group
decides (n_ij = n_i: a municipality its district), which leaves the group's joint count as it is.

| model | law of a person's crowd |
|---|---|
| groups | RH with every group as one value |
| pair | RH with the surest strong pair as one value: eqs. 10 and 11 made exact |
| paper | eqs. 10 and 11 as printed, a binomial |

As printed, the tuple's frequency is B(n', p'), with p_ij = n_ij/n_i the larger confidence of the
surest strong pair and

    n' = n_i·p_ij,  p' = Π_{k≠i,j} n_k/N^{d−2}   for d > 2,
    n' = n_i,       p' = p_ij                    for d = 2,

and B(n_d, Π_{k<d} n_k/N^{d−1}) where no pair is strong. A fractional n' lies between two laws.

Where it fails: pairs that avoid each other (lift below 1) are no strong pairs, and a value can be
in one group only; the tree uses a pair table for every attribute. As printed, at d = 2 the joint
count n_ij is known and is spread out again; draws are without replacement, which a binomial isn't.

The pair model: strongly dependent pairs as one attribute each, the rest independent.

R3A's semi-random method knows dependence one pair of attributes at a time: tables are shuffled but
for the frequent values of strongly dependent pairs. In closed form, and with the pair's whole table
instead of its frequent values: (A, B) with gain ratio g(A, B) or g(B, A) of at least 0.5 (R3A
eq. 9) becomes one attribute whose values are the pairs of values, x_ab people each; these, and the
attributes left over, are independent. No shuffling is needed (`independent`), and for one pair the
law is exact.

Pairs are taken by falling gain ratio, each attribute at most once.

Where it fails: an attribute depends on one other only (a town's district follows from it, and then
its province can't), and weak dependence is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Codes, Floats, Ints, Mask, Rows
from reidrisk.crowds import Assumption, CrowdSizes
from reidrisk.laws import CrowdsOfTuples, Given, TupleSpace, crowds_of_tuples
from reidrisk.models.contract import Combinations, PersonCrowds
from reidrisk.models.forest import STRONG, gain_ratio
from reidrisk.models.independent import Independent, whole_or_mixed
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.spread import Spread
from reidrisk.models.tuple_law import TupleLaws, binomial_figures

STRONG_CONFIDENCE = 0.5


@dataclass(frozen=True, eq=False)
class ValueGroups(Independent):
    """The law of a person's crowd whose strongly dependent values are one value each.

    It knows no attribute's law but the independent one, so a table and a group are answered by
    that.
    """

    name: str = "groups"

    def crowds(self, combinations: Combinations, ks: Sequence[int], given: Given) -> PersonCrowds:
        """The crowds of combinations by the form called `name`."""
        n, counts = self.knowledge.n, combinations.counts
        most_pairs = None if self.name == "groups" else 1
        grouped = grouped_counts(self.knowledge, combinations, most_pairs)
        mean = n * np.prod(grouped.counts / n, axis=1)
        if self.name == "paper":
            crowds = printed_crowds(n, counts, grouped, ks, given)
        else:
            crowds = crowds_of_tuples(n, whole_or_mixed(grouped.counts, given), ks, given)
        return PersonCrowds(crowds, mean, grouped.joined)


@dataclass(frozen=True, eq=False)
class Grouped:
    """For each tuple the joint count of each group, in the place of its first attribute.

    The other places of a group hold n, which asks nothing more of anybody. `joined[i, j]` tells for
    which tuples the pair was used.
    """

    counts: Floats
    joined: Mapping[tuple[int, int], Mask]


def grouped_counts(
    knowledge: Knowledge, combinations: Combinations, most_pairs: int | None = None
) -> Grouped:
    """Group each tuple's strongly dependent values; `most_pairs` = 1 is TFRR's own form."""
    codes, counts, unstated = combinations.codes, combinations.counts, combinations.unstated
    edges = list(knowledge.pairs)
    if not edges:
        return Grouped(counts, {})
    exact = knowledge.counts_of(codes)
    # Values merged into "other" stand for their average, and so do its cells.
    average = np.divide(counts, exact, out=np.ones_like(counts), where=exact > 0)
    joint = np.stack(
        [
            knowledge.pairs[i, j][codes[:, i], codes[:, j]]
            * _scale(unstated, (i, j), codes, average[:, i] * average[:, j])
            for i, j in edges
        ],
        axis=1,
    )
    least = np.stack([np.minimum(counts[:, i], counts[:, j]) for i, j in edges], axis=1)
    joint = joint if unstated is None else np.minimum(joint, least)
    confidence = np.divide(joint, least, out=np.zeros_like(joint), where=least > 0)
    joining = _Joining(knowledge.n, counts, most_pairs)
    order = np.argsort(-confidence, axis=1, kind="stable")
    rows = np.arange(len(codes))
    for step in range(len(edges)):
        edge = order[:, step]
        strong = confidence[rows, edge] >= STRONG_CONFIDENCE
        if not strong.any():
            break
        joining.join(edges, edge, joint[rows, edge], strong)
    return Grouped(joining.joint_counts(), joining.joined)


def _scale(
    unstated: Mapping[tuple[int, int], Mask] | None,
    edge: tuple[int, int],
    codes: Codes,
    times: Floats,
) -> Floats:
    """How many times its size a cell is: where some are hidden, only cells nobody stated follow
    their values' counts.
    """
    if unstated is None:
        return times
    if edge not in unstated:
        return np.ones(len(codes))
    return np.where(unstated[edge][codes[:, edge[0]], codes[:, edge[1]]], times, 1.0)


class _Joining:
    """Which attributes of each tuple are joined so far, and the joint share of each group."""

    def __init__(self, n: int, counts: Floats, most_pairs: int | None) -> None:
        self.n, self.counts = n, counts
        tuples, d = counts.shape
        self.root = np.tile(np.arange(d), (tuples, 1))
        with np.errstate(divide="ignore"):
            self.log_share = np.log(counts / n)
        self.pairs_left = np.full(tuples, d if most_pairs is None else most_pairs)
        self.joined: dict[tuple[int, int], Mask] = {}

    def join(
        self, edges: Sequence[tuple[int, int]], edge: Ints, joint: Floats, strong: Mask
    ) -> None:
        """Join the two sides of each tuple's edge, where it is strong and the joint count known."""
        ends = np.array(edges)[edge]
        rows = np.arange(len(edge))
        one, other = self.root[rows, ends[:, 0]], self.root[rows, ends[:, 1]]
        use = np.flatnonzero(
            strong & (one != other) & (self.pairs_left > 0) & self._known(ends, joint, one, other)
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
        self.pairs_left[use] -= 1
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


def printed_crowds(
    n: int, counts: Floats, single: Grouped, ks: Sequence[int], given: Given
) -> CrowdsOfTuples:
    """The crowds of tuples by the printed law; `single` has the surest pair of each joined."""
    trials, chance = _printed(n, counts, single)
    low = np.floor(trials)
    part = trials - low
    mixed = [
        binomial_figures(m, chance, ks, given) * weight[:, None]
        for m, weight in ((low, 1.0 - part), (low + 1.0, part))
    ]
    return CrowdsOfTuples.of_figures(mixed[0] + mixed[1], ks, given)


def _printed(n: int, counts: Floats, single: Grouped) -> tuple[Floats, Floats]:
    """n' and p' of each tuple."""
    share = np.prod(counts / n, axis=1)
    trials = counts[:, -1].copy()
    chance = share * n / np.maximum(trials, 1e-300)
    for (i, j), used in single.joined.items():
        joint = single.counts[used, min(i, j)]
        if counts.shape[1] == 2:
            trials[used] = np.minimum(counts[used, i], counts[used, j])
            chance[used] = joint / trials[used]
        else:
            trials[used] = joint
            chance[used] = share[used] * n * n / (counts[used, i] * counts[used, j])
    return trials, np.clip(chance, 0.0, 1.0)


Edge = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Pair:
    """The law of some knowledge with `pairs` of attributes merged."""

    knowledge: Knowledge
    pairs: tuple[Edge, ...]
    name: str = "pair"

    @classmethod
    def of(cls, knowledge: Knowledge) -> Pair:
        """Choose the strong pairs."""
        return cls(knowledge, strong_pairs(knowledge))

    @property
    def fit(self) -> Mapping[str, Any]:
        """The merged pairs, by the attributes' names."""
        names = self.knowledge.names
        return {"ended": "exact", "pairs": [[names[i], names[j]] for i, j in self.pairs]}

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """What it assumes."""
        if not self.pairs:
            return (
                Assumption(
                    "pair",
                    "model",
                    "No pair is strongly dependent: all attributes are taken as independent.",
                ),
            )
        pairs = "one pair depends" if len(self.pairs) == 1 else f"{len(self.pairs)} pairs depend"
        return (
            Assumption(
                "pair",
                "model",
                f"Strongly, {pairs} on each other; all else is taken as independent.",
            ),
        )

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The merged attributes: pairs first, then those left over."""
        taken = {place for pair in self.pairs for place in pair}
        single = [(place,) for place in range(len(self.knowledge.names)) if place not in taken]
        return (*self.pairs, *single)

    @cached_property
    def merged(self) -> Independent:
        """The independent law of the merged attributes."""
        counts, names = [], []
        for group in self.groups:
            names.append(" and ".join(self.knowledge.names[place] for place in group))
            if len(group) == 1:
                counts.append(self.knowledge.counts[group[0]])
            else:
                cells = self.knowledge.pairs[group[0], group[1]]
                counts.append(whole_numbers(cells.ravel(), self.knowledge.n))
        return Independent(Knowledge(self.knowledge.n, tuple(names), tuple(counts)))

    @property
    def entropy(self) -> float:
        """Σ of the merged attributes' entropies, in bits."""
        return self.merged.entropy

    def crowd_sizes(self) -> CrowdSizes:
        """E[N_s] over shuffles that keep the pairs together."""
        return self.merged.crowd_sizes()

    def log_probability(self, codes: Codes) -> Floats:
        """Σ of the logs of the merged values' shares."""
        return self.merged.log_probability(self._joined(codes))

    def laws(self, codes: Codes) -> TupleLaws:
        """λ and ε of each tuple."""
        return self.merged.laws(self._joined(codes))

    def crowds(self, combinations: Combinations, ks: Sequence[int], given: Given) -> PersonCrowds:
        """With the surest strongly dependent pair of a person's values as one (TFRR), which need
        not be one of the merged attributes.
        """
        return ValueGroups(self.knowledge, self.name).crowds(combinations, ks, given)

    def space(self) -> TupleSpace:
        """That of the merged attributes."""
        return self.merged.space()

    def spread(self) -> Spread:
        """Standard deviations over shuffles that keep the pairs together."""
        return self.merged.spread()

    def sample(self, rows: int, rng: np.random.Generator) -> Rows:
        """n rows keep all counts and the merged pair tables; others are independent draws."""
        drawn = self.merged.sample(rows, rng)
        codes = np.empty((rows, len(self.knowledge.names)), dtype=np.int32)
        for column, group in enumerate(self.groups):
            width = len(self.knowledge.counts[group[-1]])
            if len(group) == 2:
                codes[:, group[0]] = drawn[:, column] // width
            codes[:, group[-1]] = drawn[:, column] % width
        return codes

    def _joined(self, codes: Codes) -> Codes:
        columns = []
        for group in self.groups:
            column = codes[:, group[0]].astype(np.int64)
            if len(group) == 2:
                column = column * len(self.knowledge.counts[group[1]]) + codes[:, group[1]]
            columns.append(column)
        return np.stack(columns, axis=1) if columns else codes


def strong_pairs(knowledge: Knowledge) -> tuple[Edge, ...]:
    """Pairs with a gain ratio of at least 0.5 one way or the other, strongest first, disjoint."""
    strength = {
        # Rounding must not decide between pairs that depend completely.
        (i, j): round(max(gain_ratio(knowledge, i, j), gain_ratio(knowledge, j, i)), 9)
        for i, j in knowledge.pairs
    }
    chosen: list[Edge] = []
    for edge in sorted(strength, key=lambda edge: (-strength[edge], edge)):
        if strength[edge] >= STRONG and not {*edge} & {place for one in chosen for place in one}:
            chosen.append(edge)
    return tuple(chosen)


def whole_numbers(cells: Floats, total: int) -> NDArray[np.int64]:
    """Cells as whole people that add up to `total`: the largest remainders are rounded up."""
    scaled = cells * (total / max(float(cells.sum()), 1e-300))
    whole = np.floor(scaled + 1e-9).astype(np.int64)
    rest = np.argsort(whole - scaled, kind="stable")
    whole[rest[: max(total - int(whole.sum()), 0)]] += 1
    return whole
