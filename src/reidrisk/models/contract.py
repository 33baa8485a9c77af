"""The contract: one model answers about a table, a person and a group it knows only by counts.

A model is a law of combinations of values that agrees with the counts it was given. `registry`
chooses and fits it, for the question it is to answer, under one default name, ``auto``:

    chosen = chosen_model(knowledge, "auto", question="person")
    chosen.model.name, chosen.why      # which model answers, and why this one

    model.crowd_sizes(), model.spread()        # a table: what crowds n such people form
    model.crowds(combinations, ks, "member")   # a person: the crowd of somebody with these values
    model.space()                              # a group: what its members' combinations are drawn from

Which models answer which question is said by `registry.MODELS`.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Codes, Floats, Mask
from reidrisk.crowds import Assumption, CrowdSizes
from reidrisk.laws import CrowdsOfTuples, Given, TupleSpace
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.spread import Spread
from reidrisk.models.tuple_law import TupleLaws

Question = Literal["table", "person", "group"]
Edge = tuple[int, int]


class Combinations(NamedTuple):
    """Combinations of values asked about, one per row, one column per attribute.

    `codes` are the values' places in ``knowledge.counts``, `counts` how many people hold each
    value: as known, or as hidden counts are taken to be. The last `in_other[j]` values of attribute
    j are merged into "other" and stand for their average. `unstated` are the cells of pair tables
    that nobody stated, so that they follow the counts; None where no count is hidden.
    """

    codes: Codes
    counts: Floats
    in_other: Sequence[int] = ()
    unstated: Mapping[Edge, Mask] | None = None


class PersonCrowds(NamedTuple):
    """The crowds of combinations; E[X], by which members meet them; for which combinations a pair
    table was used.
    """

    crowds: CrowdsOfTuples
    mean: Floats
    used: Mapping[Edge, Mask] = {}


class Model(Protocol):
    """A law of tuples, fitted to counts. `codes` has one row per tuple, one column per attribute:
    the places of its values in ``knowledge.counts``.
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

    def spread(self) -> Spread:
        """How far tables that have the counts given scatter; model error is no part of it."""

    def sample(self, rows: int, rng: np.random.Generator) -> NDArray[np.int32]:
        """Rows drawn from the law; n rows keep the known counts where the model says it can."""

    def log_probability(self, codes: Codes) -> Floats:
        """log p of each tuple, natural; −inf for one the counts rule out."""

    def laws(self, codes: Codes) -> TupleLaws:
        """The law of each tuple's crowd (`tuple_law.at_least` for P(crowd ≥ k))."""

    def crowds(self, combinations: Combinations, ks: Sequence[int], given: Given) -> PersonCrowds:
        """The crowds of people with these combinations, P(crowd ≥ k) for each of `ks`; `given`
        says what is known of them (`laws.conditioned`).
        """

    def space(self) -> TupleSpace:
        """The tuples that a group's members are drawn from, independently of each other."""
