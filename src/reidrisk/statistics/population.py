"""A sample's statistics, as those of the population it was drawn from.

Symbols: m people sampled of N, n_v of them with value v, x_ab with a pair of values; f_1 cells of a
pair table hold one person. Counts of values are scaled by N/m. Cells can't be: a cell that nobody
of the sample sits in may hold many, and scaling leaves nobody of the population alone. By Good and
Turing, the people in cells the sample missed are about

    ε = f_1/m   of all;   seen cells get (1 − ε)·x_ab/m, unseen ones share ε as n_a·n_b does,

then the table is raked to the values' counts and scaled to N. The cells are expectations, and no
model takes them for counted.

Where it fails: values that the sample missed altogether stay unknown. Where a sample has all its
people in cells of one (ε = 1), its pairs say nothing and independence is left.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Floats
from reidrisk.crowds import assumed
from reidrisk.models import Knowledge, raked
from reidrisk.statistics.imputation import CompleteCounts, scaled


def population_of(sample: CompleteCounts, people: int) -> CompleteCounts:
    """What is to be expected of all `people` the sample was drawn from."""
    if people < sample.records:
        raise ValueError(f"a sample of {sample.records} can't be of {people} people")
    if people == sample.records:
        return sample
    attributes = tuple(
        replace(each, counts=scaled(each.counts, people)) for each in sample.attributes
    )
    counts = tuple(each.counts for each in attributes)
    pairs, missed = {}, []
    for (i, j), cells in sample.knowledge.pairs.items():
        pairs[i, j], share = population_cells(cells, counts[i], counts[j])
        missed.append(share)
    sentences = [
        f"The {sample.records:,} people are a sample of {people:,}: the counts are scaled up."
    ]
    if missed:
        sentences.append(
            f"Up to {max(missed):.1%} of the people have pairs of values that the sample missed "
            "(Good–Turing estimate)."
        )
    knowledge = Knowledge(people, sample.names, counts, pairs)
    warnings = (*sample.warnings, *_suppressed_ones(sample, missed))
    return CompleteCounts(
        people,
        attributes,
        knowledge,
        (*sample.assumptions, *assumed("sample-scaled", "statistics", sentences)),
        warnings,
    )


def _suppressed_ones(sample: CompleteCounts, missed: list[float]) -> list[str]:
    """Good–Turing asks how many cells hold one person; folding hides just those."""
    worked_out = any(
        np.any(np.abs(c - np.round(c)) > 1e-6) for c in sample.knowledge.pairs.values()
    )
    if not worked_out or any(missed):
        return []
    return [
        "Small counts of the sample's two-way tables were suppressed, so the number of people in "
        "pairs of values that the sample missed can't be estimated: publish them with --at-least 1 "
        "if you may."
    ]


def population_cells(
    cells: Floats, rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> tuple[Floats, float]:
    """The population's pair table, and ε, the share of people in cells the sample missed.

    `rows` and `columns` are the population's counts. Cells that were worked out for lack of a count
    (`pair_imputation`) are no sign of what was missed: only whole ones count in f_1.
    """
    m = float(cells.sum())
    unseen = (cells <= 0.0) & (rows[:, None] > 0) & (columns[None, :] > 0)
    ones = np.count_nonzero(np.abs(cells - 1.0) < 1e-6)
    share = ones / m if m and unseen.any() else 0.0
    product = np.where(unseen, np.outer(rows.astype(float), columns.astype(float)), 0.0)
    total = product.sum()
    start = (1.0 - share) * cells / max(m, 1e-300)
    if total > 0.0:
        start = start + share * product / total
    people = float(rows.sum())
    fit = raked(start * people, rows.astype(float), columns.astype(float))
    return fit.cells, share
