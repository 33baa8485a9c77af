"""A sample's statistics, as those of the population it was drawn from.

Symbols: m people sampled of N, n_v of them with value v, x_ab with a pair of values; f_1 cells of a
pair table hold one person. Counts of values are scaled by N/m. Cells can't be: a cell that nobody
of the sample sits in may hold many, and scaling leaves nobody of the population alone. By Good and
Turing, the people in cells the sample missed are about

    ε = f_1/m   of all;   seen cells get (1 − ε)·x_ab/m, unseen ones share ε as n_a·n_b does,

then the table is raked to the values' counts and scaled to N. The cells are expectations, and no
model takes them for counted. Triple tables are scaled alike, and raked to the pair tables: unseen
cells share ε as the pair tables alone would have it (`triple_cells`).

Where it fails: values that the sample missed altogether stay unknown. Where a sample has all its
people in cells of one (ε = 1), its pairs say nothing and independence is left.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reidrisk.arrays import Counts, Floats, Mask
from reidrisk.crowds import assumed
from reidrisk.models import WHOLE, Knowledge, TripleTable, raked
from reidrisk.statistics.complete_counts import CompleteCounts
from reidrisk.statistics.imputation import scaled
from reidrisk.statistics.triple_cells import Pairs, expected_cells, possible_cells, raked_cells


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
    triples = {}
    for (i, j, k), table in sample.knowledge.triples.items():
        known = Pairs(pairs[i, j], pairs[i, k], pairs[j, k])
        scaled_up = population_triple(table, known)
        if scaled_up is not None:
            triples[i, j, k] = scaled_up
    knowledge = Knowledge(people, sample.names, counts, pairs, triples=triples)
    warnings = (*sample.warnings, *_suppressed_ones(sample, missed))
    return CompleteCounts(
        people,
        attributes,
        knowledge,
        (*sample.assumptions, *assumed("sample-scaled", "statistics", sentences)),
        warnings,
        read_back=sample.read_back,
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
        "pairs of values that the sample missed can't be estimated: publish them with "
        "--unprotected if you may."
    ]


def population_triple(table: TripleTable, pairs: Pairs) -> TripleTable | None:
    """The population's triple table; None where too many cells are possible."""
    codes = possible_cells(pairs, table.codes)
    if codes is None:
        return None
    seen, expected = table.at(codes.T), expected_cells(pairs, codes)
    m, n = float(table.people.sum()), float(pairs.ab.sum())
    missed = expected * (seen <= 0.0)
    ones = np.count_nonzero(np.abs(table.people - 1.0) < WHOLE)
    share = ones / m if missed.sum() > 0.0 else 0.0
    start = (1.0 - share) * seen / m + share * missed / max(float(missed.sum()), 1e-300)
    return TripleTable.of(table.shape, codes, raked_cells(start * n, codes, pairs))


def population_cells(
    cells: Floats,
    rows: Counts | Floats,
    columns: Counts | Floats,
    of_one: Mask | None = None,
    likely: Floats | None = None,
) -> tuple[Floats, float]:
    """The population's pair table, and ε, the share of people in cells the sample missed.

    `of_one` says which cells one person of the sample holds, where `cells` are weighted counts;
    `likely` in which proportion unseen cells share ε, where something is known of that.

    `rows` and `columns` are the population's counts. Cells that were worked out for lack of a count
    (`pair_imputation`) are no sign of what was missed: only whole ones count in f_1.
    """
    m = float(cells.sum())
    unseen = (cells <= 0.0) & (rows[:, None] > 0) & (columns[None, :] > 0)
    single = np.abs(cells - 1.0) < 1e-6 if of_one is None else of_one
    ones = float(cells[single].sum())
    share = ones / m if m and unseen.any() else 0.0
    if likely is None:
        likely = np.outer(rows.astype(float), columns.astype(float))
    product = np.where(unseen, likely, 0.0)
    total = product.sum()
    start = (1.0 - share) * cells / max(m, 1e-300)
    if total > 0.0:
        start = start + share * product / total
    people = float(rows.sum())
    fit = raked(start * people, rows.astype(float), columns.astype(float))
    return fit.cells, share
