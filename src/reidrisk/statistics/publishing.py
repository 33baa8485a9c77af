"""`publish`: counts that may be shared, from records on any engine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

from reidrisk.engines import Table, read
from reidrisk.engines.text_form import number_of
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.statistics.folding import Folded, folded_attribute, folded_pair
from reidrisk.statistics.statistics import Attribute, Count, PairCounts, Statistics, Value
from reidrisk.statistics.table_dependence import all_dependences

PAIRS = ("all", "strong", "none")
USUAL_LEAST = 5


def publish(
    table: Table | Any,
    *,
    pairs: str = "all",
    strong: float = 0.5,
    at_least: int = USUAL_LEAST,
    round_to: int | None = None,
    population: int | None = None,
    title: str = "",
) -> Statistics:
    """Counts of the columns looked at, and pair tables of all, strongly dependent or no columns.

    Counts below `at_least` are folded so that they can't be worked out (`folding`); 1 folds none.
    `round_to` rounds every count to its multiples. `population` says that the table is a sample.
    """
    table = table if isinstance(table, Table) else read(table)
    table.unit.refuse_unanswered("publish writes counts of people, and")
    _refuse(table, pairs, at_least, round_to, population)
    folded = {name: _folded(table, name, at_least) for name in table.columns}
    chosen = _chosen_pairs(table, pairs, strong)
    tables = [
        folded_pair(counted, folded[counted.of[0]], folded[counted.of[1]], at_least)
        for counted in table.engine.pair_tables(chosen)
    ]
    statistics = Statistics(
        records=table.people,
        attributes=tuple(each.attribute for each in folded.values()),
        pairs=tuple(each for each in tables if each.counts),
        title=title or _title(table),
        sample_of=population,
    )
    return statistics if round_to is None else _rounded(statistics, round_to)


def _refuse(
    table: Table, pairs: str, at_least: int, round_to: int | None, population: int | None
) -> None:
    seeing = table.engine.seeing
    if seeing.person is not None:
        raise ContradictoryOptions(
            "counts of persons who have several rows can't be published",
            "a person with two values would be counted under both; make one row a person first",
        )
    if seeing.missing == "wildcard":
        raise ContradictoryOptions("--missing wildcard concerns matching, not counting")
    if pairs not in PAIRS:
        raise InputError(f"--pairs {pairs}: it is all, strong or none")
    if at_least < 1:
        raise InputError("--at-least is a whole number from 1; 1 folds nothing")
    if round_to is not None and round_to < 1:
        raise InputError("--round is a whole number from 1")
    if population is not None and population < table.people:
        raise InputError(
            f"the table has {table.people:,} people, more than a population of {population:,}"
        )


def _folded(table: Table, name: str, at_least: int) -> Folded:
    marginal = table.engine.marginal(name)
    listed = sorted(zip(marginal.values, marginal.counts.tolist(), strict=True), key=_in_order)
    counts: dict[Value, int] = dict(listed)
    if marginal.missing:
        counts[None] = marginal.missing
    return folded_attribute(name, counts, at_least)


def _in_order(held: tuple[str, int]) -> tuple[float, str]:
    """Numbers by size, then texts: one order whatever engine counted, so that ties fall alike."""
    number = number_of(held[0])
    return (math.inf if number is None else number), held[0]


def _chosen_pairs(table: Table, pairs: str, strong: float) -> list[tuple[str, str]]:
    every = list(combinations(table.columns, 2))
    if pairs == "none":
        return []
    if pairs == "all":
        return every
    found = all_dependences(table)
    strongly = {frozenset(each.of + each.on) for each in found if each.gain_ratio >= strong}
    return [pair for pair in every if frozenset(pair) in strongly]


def _title(table: Table) -> str:
    names: Sequence[Path] = table.paths
    return names[0].stem if names else ""


def _rounded(statistics: Statistics, step: int) -> Statistics:
    """Every count to the nearest multiple of `step`."""

    def near(count: Count) -> Count:
        return (count + step // 2) // step * step if isinstance(count, int) else count

    attributes = tuple(
        Attribute(
            each.name,
            {value: near(count) for value, count in each.counts.items()},
            near(each.missing),
            None if each.other is None else replace(each.other, count=int(near(each.other.count))),  # type: ignore[arg-type]
        )
        for each in statistics.attributes
    )
    pairs = tuple(
        PairCounts(each.of, {values: near(count) for values, count in each.counts.items()})
        for each in statistics.pairs
    )
    return replace(statistics, attributes=attributes, pairs=pairs, rounded_to=step)
