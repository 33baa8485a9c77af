"""Counts that are no whole numbers: the law between those of the whole numbers around them.

A count that was worked out, such as n_i·conf(i ⇒ j) (TFRR eq. 10), needn't be whole. With f its
fraction,

    law(n_1, …, c + f, …) = (1 − f)·law(…, c, …) + f·law(…, c + 1, …),

for several such counts one after the other, which multiplies the weights. Nothing is rounded; mean
and probabilities are continuous in the count, and the mean is n·Π n_j/n as for whole counts.

Where it fails: t fractions need 2^t laws; more than eight are refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reidrisk.arrays import Floats, Ints
from reidrisk.errors import ImpossibleCounts
from reidrisk.laws.recursive_hypergeometric import RecursiveHypergeometric

MOST_FRACTIONS = 8


@dataclass(frozen=True)
class MixedLaw:
    """Laws of whole counts and their weights, which add up to 1."""

    weights: tuple[float, ...]
    laws: tuple[RecursiveHypergeometric, ...]

    def pmf(self, k: ArrayLike) -> Any:
        """P(X = k)."""
        return self._mixed("pmf", k)

    def logpmf(self, k: ArrayLike) -> Any:
        """log P(X = k)."""
        with np.errstate(divide="ignore"):
            return np.log(self.pmf(k))

    def cdf(self, k: ArrayLike) -> Any:
        """P(X ≤ k)."""
        return self._mixed("cdf", k)

    def sf(self, k: ArrayLike) -> Any:
        """P(X > k)."""
        return self._mixed("sf", k)

    def tail(self, k: ArrayLike) -> Any:
        """P(X ≥ k)."""
        return self._mixed("tail", k)

    def reciprocal(self) -> float:
        """E[1/X; X ≥ 1]."""
        return float(self._mixed("reciprocal"))

    def mean(self) -> float:
        """E[X]."""
        return float(self._mixed("mean"))

    def var(self) -> float:
        """Mean of the variances and variance of the means."""
        mean = self.mean()
        spread = [(law.mean() - mean) ** 2 for law in self.laws]
        return float(self._mixed("var")) + float(np.dot(self.weights, spread))

    def std(self) -> float:
        """√Var X."""
        return math.sqrt(self.var())

    def support(self) -> tuple[int, int]:
        """The smallest and the largest X of all laws."""
        ends = [law.support() for law in self.laws]
        return min(low for low, _ in ends), max(high for _, high in ends)

    def rvs(
        self,
        size: int | tuple[int, ...] | None = None,
        rng: np.random.Generator | int | None = None,
    ) -> Any:
        """Draws of X: a law by its weight, then from that law."""
        generator = np.random.default_rng(rng)
        which = np.asarray(generator.choice(len(self.laws), size=size, p=self.weights))
        drawn = np.empty(which.shape, dtype=np.int64)
        for place, law in enumerate(self.laws):
            here = which == place
            drawn[here] = law.rvs(int(here.sum()), generator)
        return int(drawn) if size is None else drawn

    def _mixed(self, question: str, *arguments: ArrayLike) -> Any:
        answers = [getattr(law, question)(*arguments) for law in self.laws]
        return sum(weight * answer for weight, answer in zip(self.weights, answers, strict=True))


def between_whole_counts(n: float, counts: Iterable[float]) -> MixedLaw:
    """The law for counts of which some may have fractions; one law of weight 1 if none has."""
    row = np.array([list(counts)], dtype=np.float64)
    corners = list(whole_corners(row))
    laws = tuple(RecursiveHypergeometric(n, corner[0]) for _, corner, _ in corners)
    return MixedLaw(tuple(float(weight[0]) for weight, _, _ in corners), laws)


def whole_corners(counts: Floats) -> Iterator[tuple[Floats, Ints, NDArray[np.intp]]]:
    """(weights, rows of whole counts, their places) that together stand for rows with fractions.

    A row without fractions comes once, one with t fractions 2^t times.
    """
    if not np.isfinite(counts).all():
        raise ImpossibleCounts("a count is no number")
    floor = np.floor(counts)
    fractions = counts - floor
    columns = np.flatnonzero((fractions > 0.0).any(axis=0))
    if len(columns) > MOST_FRACTIONS:
        raise ImpossibleCounts(
            f"{len(columns)} attributes have counts that are no whole numbers, "
            f"more than {MOST_FRACTIONS}"
        )
    for ups in product((0, 1), repeat=len(columns)):
        weights, rows = np.ones(len(counts)), floor.copy()
        for column, up in zip(columns, ups, strict=True):
            weights *= fractions[:, column] if up else 1.0 - fractions[:, column]
            rows[:, column] += up
        places = np.flatnonzero(weights > 0.0)
        yield weights[places], rows[places].astype(np.int64), places
