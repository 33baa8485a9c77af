"""Scoring: the crowds of tuples given as codes, under a model that answers about persons.

The models and their laws: `models.registry`. With two values of known joint count m the tree,
pairwise and groups say that the crowd is m. Where counts are hidden, the answer is a mixture over
what they may be (`hidden_cells`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Ints
from reidrisk.crowds import Assumption, assumed
from reidrisk.errors import InputError
from reidrisk.laws import GIVENS, CrowdsOfTuples, Given
from reidrisk.models import ASKED_FOR, AUTO, Chosen, Model, Tree, checked_model, chosen_model
from reidrisk.prediction.hidden_cells import (
    Limits,
    PossibleCrowds,
    combinations_of,
    mixed,
    possible_counts,
    tree_parts,
    with_hidden,
)
from reidrisk.statistics import CompleteCounts

Joined = Mapping[tuple[int, int], NDArray[np.bool_]]


@dataclass(frozen=True, eq=False)
class Scored:
    """The crowds, and for which tuples which pairs of attributes (by place) were used.

    `limits` are those of tuples with hidden counts; None where no tuple has any.
    """

    crowds: CrowdsOfTuples
    used: Joined = field(default_factory=dict)
    limits: Limits | None = None


def model_chosen(chosen: Chosen) -> tuple[Assumption, ...]:
    """Which model answers, and why."""
    sentence = f"The model is {chosen.model.name}. {chosen.why}"
    return assumed("model-chosen", "model", [] if chosen.why == ASKED_FOR else [sentence])


def person_model(complete: CompleteCounts, name: str = AUTO) -> Chosen:
    """The model that answers about persons, fitted once for all of them, and why it is this one."""
    return chosen_model(complete.knowledge, name, question="person")


def scored(
    complete: CompleteCounts, codes: Ints, ks: Sequence[int], given: Given, model: Model
) -> Scored:
    """Score tuples: one row of value places for each, one column for each attribute."""
    hidden = with_hidden(complete, codes)
    if not hidden.any():
        return _scored(complete, codes, ks, given, model)
    if not hidden.all():
        plain = _scored(complete, codes[~hidden], ks, given, model)
        return _together(plain, _imputed(complete, codes[hidden], ks, given, model), hidden)
    return _imputed(complete, codes, ks, given, model)


def _scored(
    complete: CompleteCounts, codes: Ints, ks: Sequence[int], given: Given, model: Model
) -> Scored:
    """Tuples whose counts are all known."""
    answer = model.crowds(combinations_of(complete, codes), ks, given)
    return Scored(answer.crowds, answer.used)


def _imputed(
    complete: CompleteCounts, codes: Ints, ks: Sequence[int], given: Given, model: Model
) -> Scored:
    """Tuples with hidden counts, each different one once: mixtures over what these may be."""
    different, which = np.unique(codes, axis=0, return_inverse=True)
    ways = possible_counts(complete, different, combinations_of(complete, different).counts)
    with_two = (*ks, *(() if 2 in ks else (2,)))
    law: Given = "unknown" if given == "paper" else given
    if isinstance(model, Tree):
        parts = tree_parts(complete, model, different[ways.rows], ways, with_two, law)
        used = dict.fromkeys(model.forest.edges, np.ones(len(different), dtype=bool))
    else:
        combinations = combinations_of(complete, different[ways.rows], ways.counts)
        answer = model.crowds(combinations, with_two, law)
        parts = PossibleCrowds(ways.rows, ways.weights, answer.crowds, answer.mean)
        used = {
            edge: np.bincount(ways.rows, mask, len(different)) > 0
            for edge, mask in answer.used.items()
        }
    crowds, limits = mixed(parts, len(different), given)
    at = which.ravel()
    per_tuple = replace(crowds.each(lambda column: column[at]), ks=tuple(ks))
    per_tuple = replace(per_tuple, at_least=per_tuple.at_least[:, : len(ks)])
    masks = {edge: mask[at] for edge, mask in used.items()}
    return Scored(per_tuple, masks, Limits(*(limit[at] for limit in limits)))


def _together(plain: Scored, imputed: Scored, hidden: NDArray[np.bool_]) -> Scored:
    """Tuples without and with hidden counts, in their own order."""

    def both(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
        found = np.empty((len(hidden), *one.shape[1:]), dtype=one.dtype)
        found[~hidden], found[hidden] = one, other
        return found

    a, b = plain.crowds, imputed.crowds
    crowds = a.each(both, b)
    used = {}
    for edge in dict.fromkeys([*plain.used, *imputed.used]):
        one = plain.used.get(edge, np.zeros(len(a.risk), dtype=bool))
        used[edge] = both(one, imputed.used.get(edge, np.zeros(len(b.risk), dtype=bool)))
    assert imputed.limits is not None
    # Nothing is hidden of the others: their figures are both ends.
    alone = np.full(len(a.risk), np.nan)
    if 2 in a.ks:
        alone = 1.0 - a.at_least[:, a.ks.index(2)] - a.nobody
    own = (np.column_stack([each, each]) for each in (a.expected, a.risk, alone))
    limits = Limits(*(both(one, other) for one, other in zip(own, imputed.limits, strict=True)))
    return Scored(crowds, used, limits)


def checked(given: str, model: str) -> None:
    """Refuse words that mean nothing here."""
    if given not in GIVENS:
        raise InputError(f"--given {given}: it is {', '.join(GIVENS[:-1])} or {GIVENS[-1]}")
    checked_model(model, "person")
