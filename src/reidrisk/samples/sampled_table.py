"""SampledTable: a table taken for a sample: its cells, and the cell of each record.

How many people the sample was drawn from is said in one of three ways: their number, the fraction
that was sampled, or survey weights, which add up to it (with the number as well, they are scaled to
it).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reidrisk.arrays import Codes, Floats, Ints, Places
from reidrisk.errors import ContradictoryOptions, ImpossibleCounts, InputError
from reidrisk.records import CodedRows, Table
from reidrisk.samples.sampled_cells import SampledCells, cells_of
from reidrisk.statistics import value_order

ASK = "say how many people it was drawn from: --population N, --fraction F or --weight COL"
WHAT = "estimating the population record by record"


@dataclass(frozen=True, eq=False)
class SampledTable:
    """Cells, and where each record belongs; `cell`, `count` and `household` by record, where the
    records are in memory and that was asked for.
    """

    cells: SampledCells
    cell: Places | None = None
    count: Ints | None = None
    weight: Floats | None = None
    household: Codes | None = None


def sampled_table(
    table: Table, population: int | None, fraction: float | None, by_record: bool
) -> SampledTable:
    """Its cells; refused where they can't be told, or the population can't be."""
    _refuse_unsuitable(table)
    options = table.engine.options
    if options.weight or options.household or by_record:
        rows = table.engine.coded_rows(table.columns, WHAT)
        return _by_record(table, rows, population, fraction)
    people = population_size(table.people, population, fraction, None)
    engine = table.engine.by_person() if options.person else table.engine
    tuples, held = engine.coded_tuples(table.columns).each_once()
    orders = [value_order([*values.to_pylist(), None]) for values in tuples.values]
    codes = np.stack(
        [order[codes] for (order, _), codes in zip(orders, tuples.codes, strict=True)], axis=1
    )
    ordered = [order for _, order in orders]
    return SampledTable(cells_of(table.columns, codes, held, people, ordered)[0])


def _refuse_unsuitable(table: Table) -> None:
    options = table.engine.options
    if options.missing == "wildcard":
        raise ContradictoryOptions(
            "--missing wildcard has no crowds, and a population is estimated from crowds"
        )
    if options.weight and options.count:
        raise ContradictoryOptions(
            "--weight and --count can't both hold: a weight says what one person stands for"
        )
    if options.person and (options.weight or options.household):
        raise ContradictoryOptions(
            "--person can't be used with --weight or --household: these need one row per person"
        )


def _by_record(
    table: Table, rows: CodedRows, population: int | None, fraction: float | None
) -> SampledTable:
    if table.engine.options.person:
        raise ContradictoryOptions(
            "with --person there is no file record by record: people have several rows"
        )
    count = np.ones(rows.records, dtype=np.int64) if rows.count is None else rows.count
    people = population_size(table.people, population, fraction, rows.weight)
    orders = [value_order([*column.values.to_pylist(), None]) for column in rows.columns]
    codes = np.stack(
        [order[column.codes] for (order, _), column in zip(orders, rows.columns, strict=True)],
        axis=1,
    )
    held = np.flatnonzero(count > 0)
    weight = None if rows.weight is None else rows.weight[held]
    ordered = [order for _, order in orders]
    cells, cell = cells_of(table.columns, codes[held], count[held], people, ordered, weight)
    of_each = np.full(rows.records, -1, dtype=np.intp)
    of_each[held] = cell
    return SampledTable(cells, of_each, rows.count, rows.weight, rows.household)


def population_size(
    n: int, population: int | None, fraction: float | None, weight: Floats | None
) -> int:
    """N, from what was said of it."""
    if population is not None and fraction is not None:
        raise ContradictoryOptions("--population and --fraction both say how large it is", ASK)
    if fraction is not None:
        return _by_fraction(n, fraction, weight)
    if population is not None:
        if population < n:
            raise ImpossibleCounts(
                f"--population {population}: the sample alone has {n:,} people",
                "a population has at least as many people as the sample",
            )
        return population
    if weight is None:
        raise InputError("a sample says nothing of the population's size", ASK)
    return _by_weight(n, weight)


def _by_fraction(n: int, fraction: float, weight: Floats | None) -> int:
    if weight is not None:
        raise ContradictoryOptions(
            "--fraction says that everybody was sampled alike, and --weight that they weren't",
            "give --weight alone, or with --population N",
        )
    if not 0.0 < fraction <= 1.0:
        raise InputError(
            f"--fraction {fraction:g}: it is above 0 and at most 1", "such as 0.01 for 1 %"
        )
    return max(round(n / fraction), n)


def _by_weight(n: int, weight: Floats) -> int:
    total = round(float(weight.sum()))
    if total < n:
        raise ImpossibleCounts(
            f"the weights add up to {total:,} people, and the sample alone has {n:,}",
            "a weight says how many people somebody stands for; of weights scaled otherwise, say "
            "the population too: --population N",
        )
    return total
