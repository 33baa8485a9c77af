"""The pair model: strongly dependent pairs as one attribute each, the rest independent.

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

from reidrisk.arrays import Codes, Floats, Rows
from reidrisk.crowds import Assumption, CrowdSizes
from reidrisk.laws import Given, TupleSpace
from reidrisk.models.contract import Combinations, PersonCrowds, Spread
from reidrisk.models.forest import STRONG, gain_ratio
from reidrisk.models.independent import Independent
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.tuple_law import TupleLaws
from reidrisk.models.value_groups import ValueGroups

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
