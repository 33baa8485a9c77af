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
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Floats, Ints
from reidrisk.errors import InputError
from reidrisk.laws import GIVENS, CrowdsOfTuples, Given, crowds_of_tuples
from reidrisk.models import (
    Forest,
    Model,
    Pairwise,
    TupleLaws,
    chosen_model,
    narrowing,
    spanning_forest,
)
from reidrisk.prediction.grouping import grouped_counts, plain_counts
from reidrisk.prediction.hidden_cells import (
    Limits,
    Parts,
    Ways,
    mixed,
    tree_parts,
    ways_of,
    with_hidden,
)
from reidrisk.prediction.tree_counts import tree_crowds
from reidrisk.statistics import CompleteCounts

PersonModel = Literal["tree", "pairwise", "groups", "pair", "paper", "independent"]
PERSON_MODELS: tuple[str, ...] = get_args(PersonModel)
Joined = Mapping[tuple[int, int], NDArray[np.bool_]]


@dataclass(frozen=True, eq=False)
class Scored:
    """The crowds, and for which tuples which pairs of attributes (by place) were used.

    `limits` are those of tuples with hidden counts; None where no tuple has any.
    """

    crowds: CrowdsOfTuples
    used: Joined = field(default_factory=dict)
    limits: Limits | None = None


def scored(
    complete: CompleteCounts,
    codes: Ints,
    ks: Sequence[int],
    given: Given = "member",
    model: PersonModel = "tree",
    fitted: Forest | Model | None = None,
) -> Scored:
    """Score tuples: a row of value places for each, a column for each attribute.

    `fitted` spares looking for the tree or fitting the pairwise law again where that was done.
    """
    checked(given, model)
    fitted = fitted or (fitted_once(complete, model) if complete.knowledge.pairs else None)
    hidden = with_hidden(complete, codes)
    if not hidden.any():
        return _scored(complete, codes, ks, given, model, fitted)
    if not hidden.all():
        plain = _scored(complete, codes[~hidden], ks, given, model, fitted)
        return _together(plain, _imputed(complete, codes[hidden], ks, given, model, fitted), hidden)
    return _imputed(complete, codes, ks, given, model, fitted)


def _scored(
    complete: CompleteCounts,
    codes: Ints,
    ks: Sequence[int],
    given: Given,
    model: PersonModel,
    fitted: Forest | Model | None,
) -> Scored:
    """Tuples whose counts are all known."""
    n, held = complete.records, [each.expected_counts for each in complete.attributes]
    known = bool(complete.knowledge.pairs)
    if known and model in ("tree", "pairwise"):
        everyone = np.ones(len(codes), dtype=bool)
        if isinstance(fitted, Forest):
            crowds = tree_crowds(complete, fitted, codes, ks, given)
            return Scored(crowds, dict.fromkeys(fitted.edges, everyone))
        # SciPy's incomplete beta function: imported where it is needed only.
        from reidrisk.prediction.tree_counts import model_crowds

        assert fitted is not None
        crowds = model_crowds(fitted.laws(codes), ks, given)
        return Scored(crowds, dict.fromkeys(complete.knowledge.pairs, everyone))
    if not known or model == "independent":
        counts = _of_members(plain_counts(held, codes), given)
        return Scored(crowds_of_tuples(n, counts, ks, given))
    most = None if model == "groups" else 1
    grouped = grouped_counts(complete.knowledge, held, codes, most)
    if model == "paper":
        from reidrisk.prediction.tree_counts import paper_crowds

        plain = plain_counts(held, codes)
        return Scored(paper_crowds(n, plain, grouped, ks, given), grouped.joined)
    counts = _of_members(grouped.counts, given)
    return Scored(crowds_of_tuples(n, counts, ks, given), grouped.joined)


def _imputed(
    complete: CompleteCounts,
    codes: Ints,
    ks: Sequence[int],
    given: Given,
    model: PersonModel,
    fitted: Forest | Model | None,
) -> Scored:
    """Tuples with hidden counts, each different one once: mixtures over what these may be."""
    different, which = np.unique(codes, axis=0, return_inverse=True)
    held = [each.expected_counts for each in complete.attributes]
    ways = ways_of(complete, different, plain_counts(held, different))
    asked = (*ks, *(() if 2 in ks else (2,)))
    law: Given = "unknown" if given == "paper" else given
    parts, used = _parts(complete, different, ways, asked, law, model, fitted)
    crowds, limits = mixed(parts, len(different), given)
    at = which.ravel()
    found = CrowdsOfTuples(
        given,
        tuple(ks),
        crowds.at_least[at][:, : len(ks)],
        *(each[at] for each in (crowds.expected, crowds.risk, crowds.nobody)),
    )
    masks = {edge: mask[at] for edge, mask in used.items()}
    return Scored(found, masks, Limits(*(each[at] for each in limits)))


def _parts(
    complete: CompleteCounts,
    different: Ints,
    ways: Ways,
    ks: Sequence[int],
    given: Given,
    model: PersonModel,
    fitted: Forest | Model | None,
) -> tuple[Parts, Joined]:
    """The crowds of each way, and which pairs were used for a tuple in any of them."""
    n, codes, pairs = complete.records, different[ways.rows], complete.knowledge.pairs
    if isinstance(fitted, Forest):
        everyone = np.ones(len(different), dtype=bool)
        parts = tree_parts(complete, fitted, codes, ways, ks, given)
        return parts, dict.fromkeys(fitted.edges, everyone)
    if pairs and isinstance(fitted, Pairwise):
        from reidrisk.prediction.tree_counts import model_crowds

        laws = _pairwise_laws(complete, fitted, codes, ways.counts)
        crowds = model_crowds(laws, ks, given)
        everyone = np.ones(len(different), dtype=bool)
        parts = Parts(ways.rows, ways.weights, crowds, laws.expected)
        return parts, dict.fromkeys(pairs, everyone)
    counts, used = ways.counts, dict[tuple[int, int], NDArray[np.bool_]]()
    if pairs and model != "independent":
        most = None if model == "groups" else 1
        grouped = grouped_counts(complete.knowledge, counts, codes, most, complete.hidden_cells)
        for edge, mask in grouped.joined.items():
            used[edge] = np.bincount(ways.rows, mask, len(different)) > 0
        if model == "paper":
            from reidrisk.prediction.tree_counts import paper_crowds

            crowds = paper_crowds(n, counts, grouped, ks, given)
            mean = n * np.prod(grouped.counts / n, axis=1)
            return Parts(ways.rows, ways.weights, crowds, mean), used
        counts = grouped.counts
    mean = n * np.prod(counts / n, axis=1)
    crowds = crowds_of_tuples(n, _of_members(counts, given), ks, given)
    return Parts(ways.rows, ways.weights, crowds, mean), used


def _pairwise_laws(
    complete: CompleteCounts, law: Pairwise, codes: Ints, counts: Floats
) -> TupleLaws:
    """λ in proportion to the counts, ε by them: hidden cells narrow nothing."""
    laws, free = law.laws(codes), law.free
    held = plain_counts([each.astype(np.float64) for each in complete.knowledge.counts], codes)
    times = np.prod(counts / np.maximum(held, 1.0), axis=1)
    known = free.knowledge
    own = counts[:, list(free.places)]
    narrow = narrowing(known, free.of(codes), tuple(known.pairs), law.forest.edges, own)
    return TupleLaws(np.minimum(laws.expected * times, counts.min(axis=1)), narrow)


def _together(plain: Scored, imputed: Scored, hidden: NDArray[np.bool_]) -> Scored:
    """Tuples without and with hidden counts, in their own order."""

    def both(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
        found = np.empty((len(hidden), *one.shape[1:]), dtype=one.dtype)
        found[~hidden], found[hidden] = one, other
        return found

    a, b = plain.crowds, imputed.crowds
    names = ("at_least", "expected", "risk", "nobody")
    crowds = CrowdsOfTuples(
        a.given, a.ks, *(both(getattr(a, name), getattr(b, name)) for name in names)
    )
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


def fitted_once(complete: CompleteCounts, model: PersonModel) -> Forest | Model | None:
    """What is the same for everybody: the tree, or the pairwise law."""
    if not complete.knowledge.pairs:
        return None
    if model == "pairwise":
        return chosen_model(complete.knowledge, "pairwise").model
    return spanning_forest(complete.knowledge) if model == "tree" else None


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
