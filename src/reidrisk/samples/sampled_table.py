"""SampledTable: a table taken for a sample: its cells, and the cell of each record.

How many people the sample was drawn from is said in one of three ways: their number, the fraction
that was sampled, or survey weights, which add up to it (with the number as well, they are scaled to
it).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

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
    records are in memory and that was asked for. `places` are the codes of each column's values.
    """

    cells: SampledCells
    places: tuple[Mapping[str | None, int], ...]
    cell: Places | None = None
    count: Ints | None = None
    weight: Floats | None = None
    household: Codes | None = None


def sampled_table(
    table: Table,
    population: int | None,
    fraction: float | None,
    by_record: bool,
    columns: Sequence[str] | None = None,
) -> SampledTable:
    """Its cells by some of the columns, all by default; refused where they can't be told, or the
    population can't be.
    """
    _refuse_unsuitable(table)
    options, names = table.engine.options, tuple(columns or table.columns)
    if options.weight or options.household or by_record:
        rows = table.engine.coded_rows(names, WHAT)
        return _by_record(table, rows, population, fraction)
    people = population_size(table.people, population, fraction, None)
    engine = table.engine.by_person() if options.person else table.engine
    tuples, held = engine.coded_tuples(names).each_once()
    values = _Values.of([each.to_pylist() for each in tuples.values], tuples.codes)
    cells, _ = cells_of(names, values.codes, held, people, values.ordered)
    return SampledTable(cells, values.places())


class _Values(NamedTuple):
    """Values in their order: what is in each place, the codes of rows, whether it is an order."""

    values: tuple[Sequence[str | None], ...]
    ranks: tuple[Places, ...]
    codes: Places
    ordered: tuple[bool, ...]

    @classmethod
    def of(cls, values: Sequence[Sequence[str | None]], codes: Sequence[Any]) -> _Values:
        """From columns' values, an empty cell being one more, and the rows' codes of them."""
        listed = tuple([*each, None] for each in values)
        orders = [value_order(each) for each in listed]
        ranks = tuple(order for order, _ in orders)
        ranked = [rank[code] for rank, code in zip(ranks, codes, strict=True)]
        return cls(listed, ranks, np.stack(ranked, axis=1), tuple(flag for _, flag in orders))

    def places(self, held: Places | slice = slice(None)) -> tuple[Mapping[str | None, int], ...]:
        """The codes that `cells_of` gives the values of the rows held."""
        found = []
        for at, (values, ranks) in enumerate(zip(self.values, self.ranks, strict=True)):
            there = np.unique(self.codes[held, at])
            code = dict(zip(there.tolist(), range(len(there)), strict=True))
            pairs = zip(values, ranks.tolist(), strict=True)
            found.append({value: code[rank] for value, rank in pairs if rank in code})
        return tuple(found)


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
    columns = rows.columns
    values = _Values.of(
        [each.values.to_pylist() for each in columns], [each.codes for each in columns]
    )
    held = np.flatnonzero(count > 0)
    weight = None if rows.weight is None else rows.weight[held]
    names = [each.name for each in columns]
    cells, cell = cells_of(names, values.codes[held], count[held], people, values.ordered, weight)
    of_each = np.full(rows.records, -1, dtype=np.intp)
    of_each[held] = cell
    places = values.places(held)
    return SampledTable(cells, places, of_each, rows.count, rows.weight, rows.household)


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
