"""The contract: what every model answers about a table it knows only by its counts.

A model is a law of tuples that agrees with the counts it was given, and says what crowds to expect
in a table of n people that has these counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Codes, Floats
from reidrisk.crowds import Assumption, CrowdSizes
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.tuple_law import TupleLaws

# What is being done, how much of it is done, how much there is to do.


# 90 of 100 normal numbers lie within so many standard deviations.
NINETY_PERCENT = 1.6448536269514722


class Spread(NamedTuple):
    """Standard deviations of ORR and of the share alone, over tables that have the counts given."""

    overall_risk: float
    alone_share: float


class Model(Protocol):
    """A law of tuples, fitted to counts. `codes` has a row a tuple, a column an attribute: the
    places of its values in ``knowledge.counts``.
    """

    @property
    def name(self) -> str:
        """As in --model."""

    @property
    def knowledge(self) -> Knowledge:
        """What it was fitted to."""

    @property
    def fit(self) -> Mapping[str, Any]:
        """How the fit ended; `ended` is always there."""

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """What it assumes."""

    @property
    def entropy(self) -> float:
        """Entropy of a tuple under the law, in bits."""

    def crowd_sizes(self) -> CrowdSizes:
        """E[N_s] over tables that have the counts given; people add up to n."""

    def log_probability(self, codes: Codes) -> Floats:
        """log p of each tuple, natural; −inf for one the counts rule out."""

    def laws(self, codes: Codes) -> TupleLaws:
        """The law of each tuple's crowd (`tuple_law.at_least` for P(crowd ≥ k))."""

    def sample(self, rows: int, rng: np.random.Generator) -> NDArray[np.int32]:
        """Rows drawn from the law; n rows keep the known counts where the model says it can."""

    def spread(self) -> Spread:
        """How far tables that have the counts given scatter; model error is no part of it."""


def intervals(crowds: CrowdSizes, spread: Spread) -> dict[str, tuple[float, float]]:
    """90 % intervals by measure's name: where a table drawn from the model falls, 9 times in 10."""
    middle = {"overall_risk": crowds.overall_risk, "alone_share": crowds.alone_share}
    found = {}
    for name, deviation in spread._asdict().items():
        reach = NINETY_PERCENT * deviation
        found[name] = (max(middle[name] - reach, 0.0), min(middle[name] + reach, 1.0))
    return found
