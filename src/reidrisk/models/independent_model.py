"""The independent model: the law of `independent` under the contract all models share.

Symbols: p(t) = Π_j n_j/n. Tables that have the attributes' counts are the shuffles of their
columns, all equally likely; E[N_s] over them is exact or nearly so (`independent`). One tuple's
crowd is recursive hypergeometric (TFRR), here to second order: λ = n·p and

    1 − ε = Π_j (1 − 1/n_j)/(1 − 1/n)^{d−1}

(`known_counts` without pairs). The standard deviation of ORR is that of `spread`, the projection
being on functions of one attribute each.

Where it fails: wherever attributes depend on each other. It is a reference, not a bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reidrisk.crowds import CrowdSizes
from reidrisk.models.contract import Codes, Spread
from reidrisk.models.independent import expected_crowd_sizes, experience_entropy
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.known_counts import narrowing
from reidrisk.models.listing import possible_tuples
from reidrisk.models.spread import MOST_ROWS, spread_over
from reidrisk.models.tuple_law import TupleLaws

Floats = NDArray[np.float64]
Rows = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Independent:
    """The independent law of some knowledge; pair tables are left out of it."""

    knowledge: Knowledge
    name: str = "independent"

    @classmethod
    def of(cls, knowledge: Knowledge) -> Independent:
        """Keep the attributes' counts alone."""
        return cls(Knowledge(knowledge.n, knowledge.names, knowledge.counts))

    @property
    def fit(self) -> Mapping[str, Any]:
        """There is nothing to fit."""
        return {"ended": "exact"}

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What it takes for granted."""
        return ("The attributes are taken as independent of each other.",)

    @property
    def entropy(self) -> float:
        """EE = Σ_j H(A_j), in bits (R3A eq. 15)."""
        return experience_entropy(self.knowledge.counts)

    def crowd_sizes(self) -> CrowdSizes:
        """E[N_s] over all shuffles of the columns."""
        return expected_crowd_sizes(self.knowledge.counts, self.knowledge.n)

    def log_probability(self, codes: Codes) -> Floats:
        """Σ_j log n_j/n."""
        total = np.zeros(len(codes))
        with np.errstate(divide="ignore"):
            for place, shares in enumerate(self.knowledge.shares):
                total += np.log(shares)[codes[:, place]]
        return total

    def laws(self, codes: Codes) -> TupleLaws:
        """λ = n·p and ε of each tuple."""
        expected = self.knowledge.n * np.exp(self.log_probability(codes))
        return TupleLaws(expected, narrowing(self.knowledge, codes, ()))

    def spread(self) -> Spread:
        """Standard deviations over all shuffles of the columns."""
        listed = possible_tuples(self.knowledge, 2 * MOST_ROWS)
        if listed is None:
            rows = self.drawn(MOST_ROWS, np.random.default_rng(0))
            mass = np.full(len(rows), 1.0 / len(rows))
            return spread_over(self.knowledge, rows, self.laws(rows), mass, (), sampled=True)
        laws = self.laws(listed)
        mass = laws.expected / max(self.knowledge.n, 1)
        return spread_over(self.knowledge, listed, laws, mass, (), sampled=False)

    def sample(self, rows: int, rng: np.random.Generator) -> Rows:
        """n rows are shuffled columns, with the very counts given; others independent draws."""
        if rows != self.knowledge.n:
            return self.drawn(rows, rng)
        columns = [
            rng.permutation(np.repeat(np.arange(len(counts), dtype=np.int32), counts))
            for counts in self.knowledge.counts
        ]
        return np.stack(columns, axis=1) if columns else np.empty((rows, 0), np.int32)

    def drawn(self, rows: int, rng: np.random.Generator) -> Rows:
        """Independent draws from the law."""
        codes = np.empty((rows, len(self.knowledge.names)), dtype=np.int32)
        for place, counts in enumerate(self.knowledge.counts):
            # Whole numbers: a value nobody holds is never hit.
            hit = rng.integers(0, self.knowledge.n, rows)
            codes[:, place] = np.searchsorted(np.cumsum(counts), hit, side="right")
        return codes
