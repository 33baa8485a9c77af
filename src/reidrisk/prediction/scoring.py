"""Scoring: the crowds of tuples given as codes, under the model asked for.

| model | law of a tuple |
|---|---|
| tree | each attribute drawn from the holders of its parent in the tree of greatest information |
| pairwise | the law that keeps every pair table (`models.pairwise`), to second order |
| groups | RH with every group of strongly dependent values as one value (`grouping`) |
| pair | RH with the surest strong pair as one value: TFRR's eqs. 10 and 11 made exact |
| paper | eqs. 10 and 11 as printed, the binomial B(n', p') (`paper_form`) |
| independent | RH, all values independent |

With two values of known joint count m the first three say that the crowd is m.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from reidrisk.errors import InputError
from reidrisk.laws.conditioned import GIVENS, CrowdsOfTuples, Given, crowds_of_tuples
from reidrisk.models.choosing import chosen_model
from reidrisk.models.contract import Model
from reidrisk.models.spanning_forest import Forest, spanning_forest
from reidrisk.prediction.grouping import grouped_counts, plain_counts
from reidrisk.prediction.tree_counts import tree_crowds
from reidrisk.statistics.settling import Settled

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
PersonModel = Literal["tree", "pairwise", "groups", "pair", "paper", "independent"]
PERSON_MODELS: tuple[str, ...] = get_args(PersonModel)
Joined = Mapping[tuple[int, int], NDArray[np.bool_]]


@dataclass(frozen=True, eq=False)
class Scored:
    """The crowds, and for which tuples which pairs of attributes (by place) were used."""

    crowds: CrowdsOfTuples
    used: Joined = field(default_factory=dict)


def scored(
    settled: Settled,
    codes: Codes,
    ks: Sequence[int],
    given: Given = "member",
    model: PersonModel = "tree",
    fitted: Forest | Model | None = None,
) -> Scored:
    """Score tuples: a row of value places for each, a column for each attribute.

    `fitted` spares looking for the tree or fitting the pairwise law again where that was done.
    """
    checked(given, model)
    n, held = settled.records, [each.expected_counts for each in settled.attributes]
    known = bool(settled.knowledge.pairs)
    if known and model in ("tree", "pairwise"):
        law = fitted or fitted_once(settled, model)
        everyone = np.ones(len(codes), dtype=bool)
        if isinstance(law, Forest):
            crowds = tree_crowds(settled, law, codes, ks, given)
            return Scored(crowds, dict.fromkeys(law.edges, everyone))
        # SciPy's incomplete beta function: imported where it is needed only.
        from reidrisk.prediction.binomial_crowds import model_crowds

        assert law is not None
        crowds = model_crowds(law.laws(codes), ks, given)
        return Scored(crowds, dict.fromkeys(settled.knowledge.pairs, everyone))
    if not known or model == "independent":
        counts = _of_members(plain_counts(held, codes), given)
        return Scored(crowds_of_tuples(n, counts, ks, given))
    most = None if model == "groups" else 1
    grouped = grouped_counts(settled.knowledge, held, codes, most)
    if model == "paper":
        from reidrisk.prediction.paper_form import paper_crowds

        plain = plain_counts(held, codes)
        return Scored(paper_crowds(n, plain, grouped, ks, given), grouped.joined)
    counts = _of_members(grouped.counts, given)
    return Scored(crowds_of_tuples(n, counts, ks, given), grouped.joined)


def fitted_once(settled: Settled, model: PersonModel) -> Forest | Model | None:
    """What is the same for everybody: the tree, or the pairwise law."""
    if not settled.knowledge.pairs:
        return None
    if model == "pairwise":
        return chosen_model(settled.knowledge, "pairwise").model
    return spanning_forest(settled.knowledge) if model == "tree" else None


def checked(given: str, model: str) -> None:
    """Refuse words that mean nothing here."""
    if given not in GIVENS:
        raise InputError(f"--given {given}: it is {', '.join(GIVENS[:-1])} or {GIVENS[-1]}")
    if model not in PERSON_MODELS:
        listed = f"{', '.join(PERSON_MODELS[:-1])} or {PERSON_MODELS[-1]}"
        raise InputError(f"--model {model}: it is {listed}")


def _of_members(counts: Floats, given: Given) -> Floats | NDArray[np.int64]:
    """Whoever is in the table holds the tuple, so at least one person does.

    Whole numbers as such, which spares looking for fractions.
    """
    counts = np.maximum(counts, 1.0) if given == "member" else counts
    whole = np.rint(counts)
    return whole.astype(np.int64) if np.array_equal(whole, counts) else counts
