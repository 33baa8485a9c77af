"""TFRR's figure 1: how dependent independent columns look, by N, d and λ.

Of each random table: the mean gain ratio over its ordered pairs of attributes, and the same
corrected for few people. The paper reports that the gain ratio falls as N, d or λ rises.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

import reidrisk as rr

from .random_sets import ATTRIBUTES, LAMBDAS, RECORDS, SETS, ParameterSet, random_tables

# The largest tables take most of the time and scatter least.
FEWER_FROM = 750_000
NAMED = {"attributes": "d", "lambda_": "λ", "records": "N"}


class Looked(NamedTuple):
    """One set: mean gain ratio, its range over the tables, and the mean once corrected."""

    chosen: ParameterSet
    tables: int
    mean: float
    least: float
    most: float
    corrected: float


def looked_at(chosen: ParameterSet, tables: int, seed: int) -> Looked:
    """Measure the tables of one set."""
    means, corrected = [], []
    for table in random_tables(chosen, tables, seed):
        found = (
            rr.measure(rr.read(table, columns=table.column_names), dependence=True).dependence or ()
        )
        means.append(np.mean([each.gain_ratio for each in found]))
        corrected.append(np.mean([each.corrected for each in found]))
    spread = (float(np.mean(means)), float(min(means)), float(max(means)))
    return Looked(chosen, tables, *spread, float(np.mean(corrected)))


def lines(tables: int, seed: int, most_records: int) -> Iterator[str]:
    """The report, line by line."""
    yield "| N | d | λ | tables | gain ratio, mean | least - most | corrected |"
    yield "|---|---|---|---|---|---|---|"
    found: dict[ParameterSet, Looked] = {}
    for chosen in SETS:
        if chosen.records > most_records:
            continue
        count = tables if chosen.records < FEWER_FROM else max(tables // 10, 2)
        done = found[chosen] = looked_at(chosen, count, seed)
        yield (
            f"| {chosen.records:,} | {chosen.attributes} | {chosen.lambda_:g} | {count} "
            f"| {done.mean:.5f} | {done.least:.5f} - {done.most:.5f} | {done.corrected:+.5f} |"
        )
    yield ""
    yield from trends({chosen: done.mean for chosen, done in found.items()})


def trends(means: dict[ParameterSet, float]) -> Iterator[str]:
    """With two parameters fixed: in how many steps of the third the dependence falls."""
    for field, values in (("attributes", ATTRIBUTES), ("lambda_", LAMBDAS), ("records", RECORDS)):
        steps = [
            (means[low], means[high])
            for low in means
            for a, b in pairwise(values)
            if getattr(low, field) == a and (high := _with(low, field, b)) in means
        ]
        falling = sum(high < low for low, high in steps)
        factor = np.median([low / high for low, high in steps]) if steps else 1.0
        yield f"- {NAMED[field]}: falls in {falling} of {len(steps)} steps, median {factor:.1f}x"


def _with(chosen: ParameterSet, field: str, value: float) -> ParameterSet:
    return ParameterSet(**{**chosen._asdict(), field: value})
