"""A sample's statistics, as those of the population it was drawn from.

Symbols: m people sampled of N, n_v of them with value v, x_ab with a pair of values. Counts of
values are scaled by N/m. Cells can't be: a cell that nobody of the sample sits in may hold many,
and scaling leaves nobody of the population alone. Row a of a pair table, the attribute with more
values standing in the rows, has chances that resemble the other's counts as strongly as the rows
of the table say (`laws.row_chances`):

    N·(n_a/m)·E[chance of b | row a],

then the table is raked to the values' counts. The cells are expectations, and no model takes them
for counted. Triple tables alike: a row for each pair of two of the values, expected to look as the
three pair tables would have it (`triple_cells`), and raked to the pair tables.

Where it fails: values that the sample missed altogether stay unknown. Where hardly anybody shares a
pair of values the rows say nothing, and independence is left. Pairs of values that exclude each
other, where other rows hold both, get a few people: crowds of one come out too many.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reidrisk.arrays import Counts, Floats
from reidrisk.crowds import assumed
from reidrisk.laws import row_chances
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
            f"Up to {max(missed):.1%} of the people are expected in pairs of values that the "
            "sample missed (Dirichlet–multinomial rows of two-way tables)."
        )
    triples = {}
    for (i, j, k), table in sample.knowledge.triples.items():
        known = Pairs(pairs[i, j], pairs[i, k], pairs[j, k])
        scaled_up = population_triple(table, known)
        if scaled_up is not None:
            triples[i, j, k] = scaled_up
    knowledge = Knowledge(people, sample.names, counts, pairs, triples=triples)
    warnings = (*sample.warnings, *_suppressed_ones(sample))
    return CompleteCounts(
        people,
        attributes,
        knowledge,
        (*sample.assumptions, *assumed("sample-scaled", "statistics", sentences)),
        warnings,
        read_back=sample.read_back,
    )


def _suppressed_ones(sample: CompleteCounts) -> list[str]:
    """Cells of one person say most of what was missed; folding hides just those."""
    tables = sample.knowledge.pairs.values()
    worked_out = any(np.any(np.abs(cells - np.round(cells)) > WHOLE) for cells in tables)
    if not worked_out or any(np.any(np.abs(cells - 1.0) < WHOLE) for cells in tables):
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
    expected = expected_cells(pairs, codes)
    # A row for each pair of the first two: these have the most values.
    row = np.unique(codes[:, :2], axis=0, return_inverse=True)[1].ravel()
    of_row = np.bincount(row, expected)[row]
    means = np.divide(expected, of_row, out=np.zeros_like(expected), where=of_row > 0.0)
    start = of_row * row_chances(row, table.at(codes.T), means)
    return TripleTable.of(table.shape, codes, raked_cells(start, codes, pairs))


def population_cells(
    cells: Floats, rows: Counts | Floats, columns: Counts | Floats
) -> tuple[Floats, float]:
    """The population's pair table, and the share of people in cells that the sample missed.

    `rows` and `columns` are the population's counts. Cells that were worked out for lack of a count
    (`pair_imputation`) are taken as if they had been seen.
    """
    if cells.shape[0] < cells.shape[1]:
        turned, share = population_cells(cells.T, columns, rows)
        return turned.T, share
    people = max(float(rows.sum()), 1e-300)
    margin = columns.astype(np.float64) / people
    row = np.repeat(np.arange(cells.shape[0]), cells.shape[1])
    chances = row_chances(row, cells.ravel(), np.tile(margin, cells.shape[0]))
    start = chances.reshape(cells.shape) * rows.astype(np.float64)[:, None]
    found = raked(start, rows.astype(np.float64), columns.astype(np.float64)).cells
    return found, float(found[cells <= 0.0].sum()) / people
