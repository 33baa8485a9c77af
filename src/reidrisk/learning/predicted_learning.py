"""Predicted learning: what would be learnt of an attribute, from statistics alone.

The sensitive attribute is one more attribute of the model. D tables of n people are drawn from it
and counted like records; every figure is the mean over them (`learning_prediction`). Numbers that a
protection changed are read back anew in each of `FITS` models, between which the draws are shared.

Right guesses are a matter of the joint counts of crowd and value, which two-way tables tell nearly:
on twenty sets of columns of four public tables they were within 0.02 of what was counted
(docs/accuracy.md). Of people with several rows that holds for what sets of values tell.

Where it fails: which crowds are all of one value is told by cells that nobody holds, and rounded
counts don't tell nobody from a few: the share of people whose value is certain comes out too low.
Unpublished cells of two-way tables are expectations in every draw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from reidrisk.crowds import Assumption, assumed
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.hierarchies import Given, given_hierarchies, level_codes
from reidrisk.learning.learning_error import farther_out, learned, with_learning_error
from reidrisk.learning.learning_prediction import (
    DrawnLearning,
    LearningPrediction,
    SensitivePrediction,
    mean_by_value,
    mean_figures,
)
from reidrisk.learning.sensitive_counts import sensitive_counts
from reidrisk.learning.sensitive_risk import Distances, SensitiveRisk, usual_distances
from reidrisk.machine import Progress, no_progress
from reidrisk.models import Chosen, checked_model, chosen_model
from reidrisk.prediction import (
    SIMPLER,
    LoadedStatistics,
    Signs,
    checked_seed,
    complete_counts,
    fit_warnings,
    of_each_drawn,
    required_statistics,
    signs_of,
    with_dependence_of,
)
from reidrisk.records import CodedTuples
from reidrisk.statistics import CompleteCounts, Filling, Statistics

DRAWS, MOST_DRAWS = 20, 1000
# Models of counts that were read back, and tables of the next simpler model.
FITS, SIMPLER_DRAWS = 3, 3
# What values without a name are called together.
MERGED = "(merged into other)"
SEVERAL_ROWS = (
    "People have several rows: how many somebody has isn't in the statistics, and can tell much of "
    "a value that is a set. Whoever knows it guesses better than said here.",
)
WORST_CROWD = Assumption(
    "extremes-expected",
    "model",
    "Measures of the worst crowd are expectations of an extreme: they are those of the smallest "
    "crowds of a drawn table, not of a crowd that is known.",
)


class Asked(NamedTuple):
    """What is asked: of which attributes, how they are seen, by which model, how many draws."""

    columns: tuple[str, ...]
    sensitive: tuple[str, ...]
    bands: Mapping[str, str]
    levels: Mapping[str, str]
    model: str
    draws: int
    seed: int
    recursive_l: int | None
    at_crowds: tuple[int, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """All attributes of the model."""
        return (*self.columns, *self.sensitive)


class DrawnAnswer(NamedTuple):
    """What was drawn by each sensitive attribute, and the first model with its counts."""

    drawn: Mapping[str, list[DrawnLearning]]
    known: CompleteCounts
    chosen: Chosen


def learn_from_statistics(
    source: Any,
    columns: Sequence[str] | None,
    sensitive: Sequence[str],
    at_crowds: tuple[int, ...],
    bands: Mapping[str, str] | None = None,
    levels: Mapping[str, str] | None = None,
    model: str = "auto",
    background: Any = None,
    draws: int | None = None,
    seed: int = 0,
    recursive_l: int | None = None,
    hierarchies: Given = None,
    progress: Progress = no_progress,
) -> LearningPrediction:
    """The expected answer of `learn`, over tables drawn from a model of the statistics."""
    loaded = required_statistics(source)
    number = DRAWS if draws is None else draws
    if not 1 <= number <= MOST_DRAWS:
        raise InputError(
            f"--draws {number}: it is a whole number from 1 to {MOST_DRAWS:,}",
            f"{DRAWS} tables show most of the variation",
        )
    chosen_columns = _columns(loaded.statistics, columns, sensitive)
    asked = Asked(
        chosen_columns, tuple(sensitive), bands or {}, levels or {}, checked_model(model), number,
        checked_seed(seed), recursive_l, at_crowds,
    )  # fmt: skip
    behind = None if background is None else required_statistics(background).statistics
    found = drawn_learning(loaded.statistics, asked, behind, hierarchies, progress)
    signs = signs_with_simpler(found, asked, hierarchies)
    return _answer(loaded, asked, found, signs)


def _columns(
    statistics: Statistics, columns: Sequence[str] | None, sensitive: Sequence[str]
) -> tuple[str, ...]:
    """The quasi-identifiers: those named, or all that aren't sensitive."""
    if not sensitive:
        raise InputError(
            "no sensitive attribute is named: what may be learnt about people?",
            f"as in --sensitive diagnosis; there are: {', '.join(statistics.names)}",
        )
    names = [statistics.attribute(name).name for name in sensitive]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ContradictoryOptions(f"{twice[0]!r} is named twice as sensitive")
    both = [name for name in columns or () if name in names]
    if both:
        raise ContradictoryOptions(
            f"{both[0]!r} can't be both a quasi-identifier and sensitive: what an attacker knows "
            "already isn't learnt",
            "leave it out of --columns or of --sensitive",
        )
    found = tuple(columns) if columns is not None else tuple(
        name for name in statistics.names if name not in names
    )  # fmt: skip
    if not found:
        raise InputError(
            "the statistics have no other attribute: without any all people are one crowd, and "
            "nothing is learnt beyond the counts themselves",
            "name attributes that an attacker may know with --columns",
        )
    return found


def drawn_learning(
    statistics: Statistics,
    asked: Asked,
    behind: Statistics | None = None,
    hierarchies: Given = None,
    progress: Progress = no_progress,
) -> DrawnAnswer:
    """Fit the model, or one of each reading back, and count the tables drawn."""
    known = _completed(statistics, asked, behind)
    fits = min(FITS, asked.draws) if known.read_back else 1
    drawn: dict[str, list[DrawnLearning]] = {name: [] for name in asked.sensitive}
    for part in range(fits):
        rng = np.random.default_rng([asked.seed, fits, part])
        filled = _completed(statistics, asked, behind, rng) if known.read_back else known
        chosen = chosen_model(filled.knowledge, asked.model, rng, progress)
        if not part:
            first = DrawnAnswer(drawn, filled, chosen)
        seeds = [(asked.seed, draw) for draw in range(part, asked.draws, fits)]
        count = partial(_counted, filled, asked, hierarchies)
        for table in of_each_drawn(chosen.model, filled, seeds, count, progress):
            for name, learning in table.items():
                drawn[name].append(learning)
    return first


def _completed(
    statistics: Statistics, asked: Asked, behind: Statistics | None, filling: Filling | None = None
) -> CompleteCounts:
    known = complete_counts(statistics, asked.names, asked.bands, asked.levels, filling)
    return with_dependence_of(known, behind)


def _counted(
    known: CompleteCounts, asked: Asked, hierarchies: Given, table: CodedTuples
) -> dict[str, DrawnLearning]:
    """What would be learnt of each sensitive attribute in one table."""
    places = [table.columns.index(name) for name in asked.columns]
    found = {}
    for name in asked.sensitive:
        place = table.columns.index(name)
        attribute = known.attributes[known.names.index(name)]
        labels = (*attribute.values, *[MERGED] * attribute.in_other)
        counts = replace(sensitive_counts(table, places, place), labels=labels)
        distances = usual_distances(counts)
        if hierarchies is not None:
            distances = _by_hierarchy(hierarchies, name, labels, known.names) or distances
        risk = SensitiveRisk(counts, distances, asked.recursive_l, asked.at_crowds)
        found[name] = DrawnLearning.of(risk, asked.recursive_l)
    return found


def _by_hierarchy(
    given: Given, name: str, labels: Sequence[str | None], there: Sequence[str]
) -> Distances | None:
    """By a hierarchy, where one was given for the attribute."""
    texts = [label for label in labels if label is not None and label != MERGED]
    found = given_hierarchies(given, {name: texts}, there)
    if name not in found:
        return None
    return Distances("hierarchy", levels=level_codes(found[name], texts, len(labels)).codes)


def signs_with_simpler(
    found: DrawnAnswer, asked: Asked, hierarchies: Given = None
) -> dict[str, Signs]:
    """What is seen of how far off figures may be, by sensitive attribute: those of the next simpler
    model among it.
    """
    model, known = found.chosen.model.name, found.known
    signs = signs_of(known, model, ())._replace(simpler={})
    simpler = SIMPLER.get(model)
    if simpler is None or not known.knowledge.pairs or signs.attributes <= 2:
        return dict.fromkeys(asked.sensitive, signs)
    other = chosen_model(known.knowledge, simpler, np.random.default_rng(asked.seed)).model
    seeds = [(asked.seed, 1, draw) for draw in range(SIMPLER_DRAWS)]
    tables = of_each_drawn(other, known, seeds, partial(_counted, known, asked, hierarchies))
    each = {}
    for name in asked.sensitive:
        figures = [table[name].figures for table in tables]
        means = {key: float(np.mean([one[key] for one in figures])) for key in figures[0]}
        each[name] = signs._replace(simpler=means)
    return each


def _answer(
    loaded: LoadedStatistics, asked: Asked, found: DrawnAnswer, signs: Mapping[str, Signs]
) -> LearningPrediction:
    model, known = found.chosen.model, found.known
    told = (
        f"Figures are means over {asked.draws} tables of {known.records:,} people drawn from a "
        f"model of all {len(asked.names)} attributes.",
        *(["In each table hidden counts are shared out another way."] if known.hidden else []),
        *([f"Published numbers are read back anew for each of {min(FITS, asked.draws)} models."]
          if known.read_back else []),
    )  # fmt: skip
    assumptions = (
        *model.assumptions,
        *assumed("drawn-tables", "model", told),
        with_learning_error(),
        WORST_CROWD,
        *known.assumptions,
    )
    seen = next(iter(signs.values()))
    rows = SEVERAL_ROWS if loaded.statistics.of_persons else ()
    warnings = (
        *known.warnings,
        *rows,
        *fit_warnings(model.fit, known),
        *farther_out(model.name, seen),
    )
    about = loaded.envelope(
        "learn", asked.columns, model.name, assumptions, warnings, seed=asked.seed
    )
    each = {
        name: _predicted(name, known.records, drawn, model.name, signs[name], asked.at_crowds)
        for name, drawn in found.drawn.items()
    }
    return LearningPrediction(about, each, asked.draws, model.fit, found.chosen.why)


def _predicted(
    name: str,
    people: int,
    drawn: Sequence[DrawnLearning],
    model: str,
    signs: Signs,
    at_crowds: tuple[int, ...],
) -> SensitivePrediction:
    means, ends = mean_figures(drawn)
    error = learned(model)
    limits = {each: error.interval(each, p, ends[each], signs) for each, p in means.items()}
    # What is guessed without the table is counted: the gain is as unsure as what is guessed with.
    without = means["guess_without"]
    low, high = limits["guess_with"]
    limits["guess_gain"] = low - without, high - without
    return SensitivePrediction(
        name,
        people,
        means,
        limits,
        at_crowds,
        float(np.mean([each.values for each in drawn])),
        float(np.mean([each.without_value for each in drawn])),
        float(np.exp(np.mean([np.log(each.strength) for each in drawn]))),
        drawn[0].distance,
        min(max(each.recursive) for each in drawn),
        mean_by_value(drawn),
    )
