"""What the laws of greatest entropy share: a law of the attributes that no other determines.

Symbols: t a tuple of all attributes, p(t) its probability under the law of the free ones, nil where
a determined value doesn't follow; n people, λ = n·p(t) the mean of the crowd on it and ε how much
narrower than binomial its law is (`tuple_law`); H = −Σ p·log2 p. Where counts are hidden λ is in
proportion to them, at most the least of them.

Where it fails: H is over the rows that stand for the law, where its tuples can't be listed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from reidrisk.arrays import Codes, Floats, Rows
from reidrisk.laws import Given
from reidrisk.models.contract import Combinations, PersonCrowds
from reidrisk.models.knowledge import Free, Knowledge
from reidrisk.models.tuple_law import TupleLaws


class Law(Protocol):
    """A law of tuples, known by rows that stand for it."""

    @property
    def rows(self) -> Rows:
        """Tuples that stand for the whole."""

    @property
    def mass(self) -> Floats:
        """What each stands for."""

    def log_probability(self, codes: Codes) -> Floats:
        """log p(t), natural."""


class LawOfTables(ABC):
    """A model whose law agrees with all tables given."""

    knowledge: Knowledge

    @property
    @abstractmethod
    def law(self) -> Law:
        """The probability of any tuple of some attributes."""

    @property
    @abstractmethod
    def of_law(self) -> Free:
        """Which attributes these are."""

    @abstractmethod
    def narrowing(self, codes: Codes, counts: Floats | None = None) -> Floats:
        """ε of tuples of the law's attributes; `counts` where their values' aren't known."""

    @property
    def entropy(self) -> float:
        """H, in bits; over the sample's rows where tuples aren't listed."""
        held = self.law.mass > 0.0
        logs = self.law.log_probability(self.law.rows[held])
        return float(-np.dot(self.law.mass[held], logs)) / float(np.log(2.0))

    def log_probability(self, codes: Codes) -> Floats:
        """log p(t), natural."""
        found = self.law.log_probability(self.of_law.of(codes))
        return np.where(self.of_law.possible(codes), found, -np.inf)

    def laws(self, codes: Codes) -> TupleLaws:
        """λ = n·p and ε."""
        laws = self.laws_of_free(self.of_law.of(codes))
        possible = self.of_law.possible(codes)
        return TupleLaws(np.where(possible, laws.expected, 0.0), laws.narrowing)

    def laws_of_free(self, codes: Codes) -> TupleLaws:
        """Those of tuples of the law's attributes."""
        expected = self.knowledge.n * np.exp(self.law.log_probability(codes))
        return TupleLaws(expected, self.narrowing(codes))

    def crowds(self, combinations: Combinations, ks: Sequence[int], given: Given) -> PersonCrowds:
        """To second order. Where counts are hidden λ is in proportion to them, ε follows them, and
        hidden cells narrow nothing.
        """
        codes, counts, _, unstated = combinations
        laws, free = self.laws(codes), self.of_law
        if unstated is not None:
            times = np.prod(counts / np.maximum(self.knowledge.counts_of(codes), 1.0), axis=1)
            expected = np.minimum(laws.expected * times, counts.min(axis=1))
            own = counts[:, list(free.places)]
            laws = TupleLaws(expected, self.narrowing(free.of(codes), own))
        used = dict.fromkeys(self.knowledge.pairs, np.ones(len(codes), dtype=bool))
        return PersonCrowds(laws.crowds(ks, given), laws.expected, used)
