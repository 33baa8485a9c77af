"""Predicting: a set of columns counted, and predicted by every predictor from its counts alone."""

from __future__ import annotations

import time

import numpy as np

from reidrisk.models.as_published.semi_random import frequent_tuples
from reidrisk.models.as_published.shuffle import Shuffle
from reidrisk.models.contract import Model
from reidrisk.models.forest import gain_ratio
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.registry import chosen_model
from reidrisk.models.spread import intervals

from .cases import Case, Whole
from .people_ways import Bins, settled_of, told_apart
from .real_tables import RealTable

MODELS = ("independent", "pair", "tree", "pairwise", "shuffle")
# R3A shuffles 5,000 tables; ORR of a table of 30,000 people scatters by 0.001 or less.
SHUFFLES, SAMPLES = 20, 4
MOST_SHUFFLED = 300_000
SPARSE = 3


def predicted(table: RealTable, columns: tuple[str, ...], seed: int = 0) -> tuple[Case, Bins]:
    """Count one set of columns, and predict it and its people."""
    part = table.of(columns)
    settled = settled_of(part)
    known = settled.knowledge
    truth = part.crowds()
    counted = (truth.overall_risk, truth.alone_share)
    whole: dict[str, Whole] = {}
    for name in MODELS if part.n <= MOST_SHUFFLED else MODELS[:-1]:
        begin = time.perf_counter()
        model = made(known, name, seed)
        whole[name] = judged(model, counted, begin)
        if name == "pairwise":
            pairwise = model
    told, bins = told_apart(settled, part, pairwise, np.random.default_rng([seed, part.n]))
    facts = (part.n, largest_dependence(known), sparse_share(part, known), counted)
    return Case(table.name, columns, *facts, whole, told), bins


def made(known: Knowledge, name: str, seed: int) -> Model:
    """The model; shuffles are fewer than the published ones."""
    if name == "shuffle":
        frequent = frequent_tuples(known)
        return Shuffle.of(known, frequent, seed, SAMPLES, SHUFFLES // SAMPLES)
    return chosen_model(known, name, np.random.default_rng(seed)).model


def judged(model: Model, counted: tuple[float, float], begin: float) -> Whole:
    """Errors, whether the intervals hold what was counted, seconds of fit and crowd sizes."""
    found = model.crowd_sizes()
    seconds = time.perf_counter() - begin
    held = intervals(found, model.spread())
    inside = [
        bool(low - 1e-12 <= value <= high + 1e-12)
        for (low, high), value in zip(
            (held["overall_risk"], held["alone_share"]), counted, strict=True
        )
    ]
    overall, alone = found.overall_risk - counted[0], found.alone_share - counted[1]
    return Whole(overall, alone, inside[0], inside[1], seconds)


def largest_dependence(known: Knowledge) -> float:
    """MAD: the largest gain ratio of an ordered pair."""
    ratios = (gain_ratio(known, of, on) for i, j in known.pairs for of, on in ((i, j), (j, i)))
    return max(ratios, default=0.0)


def sparse_share(part: RealTable, known: Knowledge) -> float:
    """People with a pair of values that at most three people hold."""
    least = np.full(len(part.codes), np.inf)
    for (i, j), cells in known.pairs.items():
        np.minimum(least, cells[part.codes[:, i], part.codes[:, j]], out=least)
    return float(part.people[least <= SPARSE].sum() / part.n)
