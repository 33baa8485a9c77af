"""People of a table, scored by every predictor and judged against their counted crowds.

Everybody where there are at most 20,000 tuples, 20,000 people drawn else; equal tuples together.
A k at which fewer than 30 of them are in crowds of k, or fewer than 30 aren't, is left out: there
is hardly anybody to tell apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.laws.conditioned import Given
from reidrisk.models.contract import Model
from reidrisk.prediction.scoring import person_model, scored
from reidrisk.statistics import CompleteAttribute, CompleteCounts
from reidrisk_papers.judging import BINS, auc, calibration_error

from .cases import Told
from .real_tables import RealTable

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
KS = (2, 3, 5)
MOST_TUPLES = 20_000
FEWEST = 30


class Way(NamedTuple):
    """A model of a person's crowd and what is known of the person."""

    model: str
    given: Given = "member"

    @property
    def name(self) -> str:
        """As in the tables; a known member is the rule."""
        return self.model if self.given == "member" else f"{self.model}, eq. 12"


WAYS = (
    Way("independent"), Way("independent", "paper"), Way("pair"), Way("paper", "paper"),
    Way("groups"), Way("tree"), Way("tree", "paper"), Way("pairwise"),
)  # fmt: skip
# TFRR's eqs. 10 and 11 come with its eq. 12; the name needn't say so.
NAMES = tuple(way.name if way.model != "paper" else "TFRR as printed" for way in WAYS)
Bins = dict[str, dict[int, list[list[float]]]]


def settled_of(table: RealTable) -> CompleteCounts:
    """What is published of everybody: all counts, all pair tables."""
    known = table.knowledge()
    attributes = tuple(
        CompleteAttribute(name, values, counts)
        for name, values, counts in zip(table.columns, table.values, known.counts, strict=True)
    )
    return CompleteCounts(table.n, attributes, known)


def drawn(table: RealTable, rng: np.random.Generator) -> RealTable:
    """The tuples to be scored, with the people to weigh them by: their crowds stay the table's."""
    if len(table.codes) <= MOST_TUPLES:
        return table
    chosen = rng.multivariate_hypergeometric(table.people, MOST_TUPLES, method="marginals")
    held = np.flatnonzero(chosen)
    return table.rows(held, chosen[held])


def told_apart(
    settled: CompleteCounts, table: RealTable, pairwise: Model, rng: np.random.Generator
) -> tuple[dict[str, dict[int, Told]], Bins]:
    """Every predictor's figures at every k with two classes, and its bins."""
    crowd = {row.tobytes(): people for row, people in zip(table.codes, table.people, strict=True)}
    some = drawn(table, rng)
    truly = np.array([crowd[row.tobytes()] for row in some.codes])
    told: dict[str, dict[int, Told]] = {}
    bins: Bins = {}
    for way, name in zip(WAYS, NAMES, strict=True):
        model = pairwise if way.model == "pairwise" else person_model(settled, way.model).model
        found = scored(settled, some.codes, KS, way.given, model).crowds.at_least
        told[name], bins[name] = judged_at(found, truly, some.people)
    return told, bins


def judged_at(
    scores: Floats, crowds: Counts, people: Counts, ks: Sequence[int] = KS, fewest: int = FEWEST
) -> tuple[dict[int, Told], dict[int, list[list[float]]]]:
    """Figures by k, people weighing as many as they are."""
    told, bins = {}, {}
    weight = people / people.sum()
    for place, k in enumerate(ks):
        score, truth = np.clip(scores[:, place], 0.0, 1.0), crowds >= k
        if min(people[truth].sum(), people[~truth].sum()) < fewest:
            continue
        brier = float(np.dot(weight, (score - truth) ** 2))
        area, error = auc(score, truth, weight), calibration_error(score, truth, weight)
        told[k] = Told(area, error, brier, float(np.dot(weight, truth)))
        at = np.clip((score * BINS).astype(int), 0, BINS - 1)
        sums = (weight, weight * score, weight * truth)
        bins[k] = np.stack([np.bincount(at, each, BINS) for each in sums], axis=1).tolist()
    return told, bins


def added(total: Bins, more: Bins) -> None:
    """Add one case's bins to those of all."""
    for way, by_k in more.items():
        for k, ten in by_k.items():
            held = total.setdefault(way, {}).setdefault(k, [[0.0] * 3 for _ in range(BINS)])
            for place, (own, other) in enumerate(zip(held, ten, strict=True)):
                held[place] = [a + b for a, b in zip(own, other, strict=True)]
