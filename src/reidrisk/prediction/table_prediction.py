"""`predict`: the crowd-size histogram of a whole table, from its statistics alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from reidrisk.arrays import Counts
from reidrisk.crowds import Assumption, CrowdSizes
from reidrisk.errors import InputError
from reidrisk.machine import Progress, no_progress
from reidrisk.measurement import Entropy, TableRisk, chosen_crowds
from reidrisk.models import (
    CAPACITY,
    SAMPLES,
    Chosen,
    Knowledge,
    Shuffle,
    checked_model,
    chosen_model,
    experience_entropy,
    random_entropy,
)
from reidrisk.prediction.multiple_imputation import PooledFigures, pooled_figures
from reidrisk.prediction.questions import (
    LoadedStatistics,
    background_counts,
    checked_seed,
    complete_counts,
    required_statistics,
)
from reidrisk.statistics import (
    CompleteCounts,
    background_tuples,
    dependences_known,
    with_background,
)

# Models whose answer depends on chance.
BY_CHANCE = ("pairwise", "shuffle")
# Pair cells within half a person of those stated: how the fit ended needs no minding.
CLOSE_ENOUGH = 0.5
REFERENCE = Assumption(
    "independence-is-no-bound",
    "model",
    "The figures as if independent are given for reference; they are no bound.",
)
INTERVALS = Assumption(
    "intervals-without-model-error",
    "model",
    "Intervals hold tables that have these counts; the model's own error isn't in them.",
)


def predict(
    statistics: Any,
    *,
    columns: Sequence[str] | None = None,
    bands: Mapping[str, str] | None = None,
    levels: Mapping[str, str] | None = None,
    model: str = "auto",
    background: Any = None,
    crowds: Sequence[int] | None = None,
    seed: int = 0,
    samples: int = SAMPLES,
    capacity: int = CAPACITY,
    progress: Progress = no_progress,
) -> TableRisk:
    """The measures of a table that has these statistics, expected under a model.

    Parameters:
        statistics: an object, a file, or several files.
        columns: the quasi-identifiers; by default all attributes.
        bands: {column: width} recodes them into bands.
        levels: {column: digits} recodes to the first characters of codes.
        model: ``auto`` chooses by what is known of dependence; or ``independent``,
            ``pair``, ``tree``, ``pairwise``, ``shuffle``.
        background: other statistics, whose dependence is used where these have no pair table.
        crowds: the k at which "in crowds of at least k" is reported.
        seed: of whatever is drawn at random; the answer repeats it.
        samples: of the model ``shuffle``.
        capacity: tables in each of its samples.
        progress: called with what is being done, how much of it is done, and of how much.
    """
    checked_model(model)
    checked_seed(seed)
    if samples < 1 or capacity < 1:
        raise InputError("--samples and --capacity are whole numbers from 1")
    at_crowds = chosen_crowds(crowds)
    loaded = required_statistics(statistics)
    behind = None
    if background is not None:
        seen = complete_counts(loaded.statistics, columns, bands or {}, levels or {})
        behind = background_counts(seen, required_statistics(background).statistics)

    def complete(shares: Mapping[str, Counts] | None = None) -> CompleteCounts:
        known = complete_counts(loaded.statistics, columns, bands or {}, levels or {}, shares)
        return known if behind is None else with_background(known, behind)

    def fit(known: CompleteCounts) -> Chosen:
        if model == "shuffle":
            frequent = background_tuples(known, behind) if behind is not None else None
            return _shuffled(known.knowledge, frequent, seed, samples, capacity, progress)
        return chosen_model(known.knowledge, model, np.random.default_rng(seed), progress)

    known = complete()
    chosen = fit(known)
    rng = np.random.default_rng(seed)
    pooled = pooled_figures(known, chosen.model, complete, lambda other: fit(other).model, rng)
    return _answer(loaded, known, chosen, pooled, at_crowds, seed)


def _shuffled(
    knowledge: Knowledge,
    frequent: Any,
    seed: int,
    samples: int,
    capacity: int,
    progress: Progress,
) -> Chosen:
    from reidrisk.models import frequent_tuples

    tuples = frequent_tuples(knowledge) if frequent is None else frequent
    model = Shuffle.of(knowledge, tuples, seed, samples, capacity, progress)
    return Chosen(model, "It was asked for.")


def _answer(
    loaded: LoadedStatistics,
    known: CompleteCounts,
    chosen: Chosen,
    pooled: PooledFigures,
    at_crowds: Sequence[int],
    seed: int,
) -> TableRisk:
    model, knowledge = chosen.model, known.knowledge
    assumptions = (
        *model.assumptions,
        REFERENCE,
        INTERVALS,
        *known.assumptions,
        *pooled.assumptions,
    )
    return TableRisk(
        envelope=loaded.envelope(
            "predict",
            known.names,
            model.name,
            assumptions,
            warnings=(*known.warnings, *_warnings(model.fit, known.records)),
            seed=seed if model.name in BY_CHANCE or pooled.drawn else None,
        ),
        crowd_sizes=pooled.crowds,
        entropy=_entropy(knowledge, pooled.crowds),
        at_crowds=tuple(at_crowds),
        dependence=dependences_known(knowledge),
        reference=pooled.reference,
        fit=model.fit,
        why=chosen.why,
        intervals=pooled.intervals,
    )


def _entropy(knowledge: Knowledge, crowds: CrowdSizes) -> Entropy:
    return Entropy(
        math.log2(knowledge.n),
        experience_entropy(knowledge.counts),
        random_entropy(knowledge.counts, knowledge.n),
        crowds.table_entropy,
    )


def _warnings(fit: Mapping[str, Any], people: int) -> list[str]:
    """What to mind about how the fit ended."""
    ended = str(fit.get("ended", "exact"))
    deviation = fit.get("largest_pair_deviation", math.inf)
    if ended in ("exact", "converged", "all reached") or deviation < CLOSE_ENOUGH:
        return []
    if "unreached_people" in fit:
        return [f"{fit['unreached_people']:,.3g} of {people:,} people could not be placed."]
    within = f" within {fit['sweeps']:,} sweeps" if ended == "sweeps ran out" else ""
    size = f"{deviation:,.0f}" if deviation >= 10 else f"{deviation:.2g}"
    return [
        f"The fit did not converge{within}: the largest deviation is {size} people (of {people:,})."
    ]
