"""`predict`: the crowd-size histogram of a whole table, from its statistics alone."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

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
from reidrisk.prediction.households import groups_of_triples, groups_stated, with_groups
from reidrisk.prediction.model_error import (
    farther_out,
    said_of_moving,
    signs_of,
    table_figures,
    with_model_error,
)
from reidrisk.prediction.multiple_imputation import (
    CONTRADICTORY,
    PooledFigures,
    first_fit,
    pooled_figures,
)
from reidrisk.prediction.questions import (
    LoadedStatistics,
    background_counts,
    checked_seed,
    completion,
    required_statistics,
)
from reidrisk.statistics import (
    CompleteCounts,
    Filling,
    background_tuples,
    dependences_known,
    with_background,
)

# Models whose answer depends on chance.
BY_CHANCE = ("pairwise", "triples", "shuffle")
# Pair cells within half a person of those stated: how the fit ended needs no minding.
CLOSE_ENOUGH = 0.5
# Share of the people in other cells of a pair table than stated, likewise.
FEW_OFF = 0.002
REFERENCE = Assumption(
    "independence-is-no-bound",
    "model",
    "The figures as if independent are given for reference; they are no bound.",
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
            ``pair``, ``tree``, ``pairwise``, ``triples``, ``shuffle``.
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
    completed = completion(loaded.statistics, columns, bands or {}, levels or {})
    behind = None
    if background is not None:
        behind = background_counts(completed(), required_statistics(background).statistics)

    def complete(filling: Filling | None = None) -> CompleteCounts:
        known = completed(filling)
        return known if behind is None else with_background(known, behind)

    def fit(known: CompleteCounts) -> Chosen:
        if model == "shuffle":
            frequent = background_tuples(known, behind) if behind is not None else None
            return _shuffled(known.knowledge, frequent, seed, samples, capacity, progress)
        return chosen_model(known.knowledge, model, np.random.default_rng(seed), progress)

    rng = np.random.default_rng(seed)
    known, chosen = first_fit(complete, fit, rng)
    pooled = pooled_figures(known, chosen.model, complete, lambda other: fit(other).model, rng)
    recoded = {*(bands or {}), *(levels or {})}
    return _answer(loaded, known, chosen, pooled, at_crowds, seed, recoded)


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
    recoded: Collection[str],
) -> TableRisk:
    model, knowledge = chosen.model, known.knowledge
    signs = signs_of(known, model.name, at_crowds)
    figures = table_figures(pooled.crowds, pooled.intervals, model.name, signs, at_crowds)
    stated = groups_stated(loaded.statistics, known, recoded, model, seed)
    groups = (
        *([] if stated is None else [stated]),
        *groups_of_triples(loaded.statistics, known, seed),
    )
    assumptions = (
        *model.assumptions,
        REFERENCE,
        with_model_error(),
        *said_of_moving(figures),
        *known.assumptions,
        *pooled.assumptions,
    )
    figures = with_groups(figures, stated, at_crowds)
    return TableRisk(
        envelope=loaded.envelope(
            "predict",
            known.names,
            model.name,
            assumptions,
            warnings=(
                *known.warnings,
                *fit_warnings(model.fit, known),
                *farther_out(model.name, signs),
                *(each.sentence for each in groups),
            ),
            seed=seed if model.name in BY_CHANCE or pooled.drawn else None,
        ),
        crowd_sizes=figures.crowds,
        entropy=_entropy(knowledge, figures.crowds),
        at_crowds=tuple(at_crowds),
        dependence=dependences_known(knowledge),
        reference=pooled.reference,
        fit=model.fit,
        why=chosen.why,
        intervals=figures.intervals,
        as_fitted=figures.as_fitted,
        groups=groups,
    )


def _entropy(knowledge: Knowledge, crowds: CrowdSizes) -> Entropy:
    return Entropy(
        math.log2(knowledge.n),
        experience_entropy(knowledge.counts),
        random_entropy(knowledge.counts, knowledge.n),
        crowds.table_entropy,
    )


def fit_warnings(fit: Mapping[str, Any], known: CompleteCounts) -> list[str]:
    """What to mind about how the fit ended; tables that were read back never quite agree."""
    people, off = known.records, fit.get("people_off", math.inf)
    few = CONTRADICTORY if known.read_back else FEW_OFF
    ended = str(fit.get("ended", "exact"))
    deviation = fit.get("largest_pair_deviation", math.inf)
    if ended in ("exact", "converged", "all reached") or off <= few * people:
        return []
    if deviation < max(CLOSE_ENOUGH, known.disagreement):
        return []
    if "unreached_people" in fit:
        return [f"{fit['unreached_people']:,.3g} of {people:,} people could not be placed."]
    within = f" within {fit['sweeps']:,} sweeps" if ended == "sweeps ran out" else ""
    size = f"{deviation:,.0f}" if deviation >= 10 else f"{deviation:.2g}"
    moves = "" if off > people else (
        f" In the two-way table farthest off {off:,.0f} people stand in other cells than published,"
        f" which can move the overall risk by about {off / people:.1%}."
    )  # fmt: skip
    return [
        f"The fit did not converge{within}: the largest deviation is {size} people "
        f"(of {people:,}).{moves}"
    ]
