"""Quick: do predictions of generated tables keep what `BOUNDS` says? `--quick`, a minute.

Tables of known structure (`generated`) are published in three ways, predicted with the constants in
the package, and held against their counts. Where everything is in the two-way tables, pairs are off
by little; where three columns depend or people come in households, triples are, and what the file
says of households (`publish --household`) brings pairs closer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

import reidrisk as rr
from benchmarks.accuracy.real_tables import RealTable
from benchmarks.marked_page import rows
from benchmarks.protections import as_records
from reidrisk.crowds import CrowdSizes
from reidrisk.prediction.model_error import figures_of

from .cases import KS, NAMES
from .generated import SHARED, STRUCTURES
from .measuring import WAYS

TABLES = 3


class Bound(NamedTuple):
    """At least so much coverage of all figures, at most so large a mean error of overall risks."""

    coverage: float
    error: float


# By structure, and by what is published beside two-way tables.
PAIRS, TRIPLES, HOUSEHOLD = "pairs", "triples", "household"
BOUNDS: Mapping[tuple[str, str], Bound] = {
    ("pairs only", PAIRS): Bound(0.9, 0.006),
    ("pairs only", TRIPLES): Bound(0.75, 0.008),
    ("triples", PAIRS): Bound(0.75, 0.025),
    ("triples", TRIPLES): Bound(0.75, 0.005),
    # Two-way tables don't show households, and a count of the people in them says not enough.
    ("households", PAIRS): Bound(0.0, 0.03),
    ("households", TRIPLES): Bound(0.75, 0.01),
    ("households", HOUSEHOLD): Bound(0.0, 0.015),
}


class Held(NamedTuple):
    """One prediction: its error of the overall risk, and which figures its intervals held."""

    error: float
    inside: Sequence[bool]


def found() -> dict[tuple[str, str], list[Held]]:
    """By structure and by what is published, what was predicted."""
    every: dict[tuple[str, str], list[Held]] = {}
    for structure, make in STRUCTURES.items():
        for seed in range(TABLES):
            table = make(np.random.default_rng(seed))
            for published, held in _predicted(table, structure, seed):
                every.setdefault((structure, published), []).append(held)
    return every


def _predicted(table: RealTable, structure: str, seed: int) -> Iterator[tuple[str, Held]]:
    records = as_records(table)
    counted = rr.measure(records).crowd_sizes
    for publish in WAYS.values():
        yield PAIRS, _held(publish(records), counted, seed)
    with_triples = rr.publish(records, unprotected=True, triples=True)
    yield TRIPLES, _held(with_triples, counted, seed)
    if (structure, HOUSEHOLD) in BOUNDS:
        shared = rr.publish(records, unprotected=True, shared_by_households=SHARED)
        yield HOUSEHOLD, _held(shared, counted, seed)


def _held(statistics: rr.Statistics, counted: CrowdSizes, seed: int) -> Held:
    risk = rr.predict(statistics, crowds=KS, seed=seed)
    truth = figures_of(counted, KS)
    ends = [risk.intervals[name] for name in NAMES]
    inside = [low <= truth[name] <= high for name, (low, high) in zip(NAMES, ends, strict=True)]
    return Held(abs(risk.overall_risk - counted.overall_risk), inside)


def judged(every: Mapping[tuple[str, str], Sequence[Held]]) -> tuple[list[str], bool]:
    """A table of coverage and mean error, and whether all bounds are kept."""
    body, kept = [], True
    for key, bound in BOUNDS.items():
        coverage = float(np.mean([each.inside for each in every[key]]))
        error = float(np.mean([each.error for each in every[key]]))
        is_kept = coverage >= bound.coverage and error <= bound.error
        kept &= is_kept
        least = f"≥ {bound.coverage:.0%}" if bound.coverage else "no bound"
        asked = (f"{coverage:.0%} ({least})", f"{error:.4f} (≤ {bound.error})")
        body.append((*key, *asked, "kept" if is_kept else "broken"))
    head = ("structure", "published", "90 % interval held", "ORR off by", "bounds")
    return rows(head, body), kept
