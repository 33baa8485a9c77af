"""`publish`: counts instead of records, from any engine.

A small statistics file to start from: made up, consistent, with one of everything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any, Unpack

from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.records import Reading, Table, as_table, in_order
from reidrisk.statistics.dependence import all_dependences
from reidrisk.statistics.statistics import (
    OF_PERSONS,
    Attribute,
    Count,
    Other,
    PairCounts,
    Statistics,
    Value,
)
from reidrisk.statistics.suppression import PublishedAttribute, published_attribute, published_pair

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
    **reading: Unpack[Reading],
) -> Statistics:
    """Counts of the quasi-identifiers, and two-way tables of all, strongly dependent or no pairs.

    Where a person has several rows, counts are of people: a person's value of a column is the one
    value of their rows, or all of them joined (``heart + eye``), whatever their order and number.
    Further arguments are options of `read`, for records that aren't a `Table` yet.

    Parameters:
        table: a `Table`, or anything `read` takes.
        pairs: which two-way tables: ``all``, ``strong`` or ``none``.
        strong: the gain ratio, in either direction, from which a pair is strong.
        at_least: counts of fewer people are suppressed (`suppression`); 1 suppresses none.
        round_to: round every count to its multiples.
        population: the table is a sample from so many people.
        title: what the counts are about; by default the file's name.
    """
    table = as_table(table, reading)
    table.unit.refuse_unanswered("publish writes counts of people, and")
    _refuse(table, pairs, at_least, round_to, population)
    if not 0.0 <= strong <= 1.0:
        raise InputError(f"--strong {strong}: a gain ratio lies between 0 and 1")
    title, table = titled(table, title), replace(table, engine=table.engine.by_person())
    published = {name: _published(table, name, at_least) for name in table.columns}
    chosen = _chosen_pairs(table, pairs, strong)
    tables = [
        published_pair(counted, published[counted.of[0]], published[counted.of[1]], at_least)
        for counted in table.engine.pair_tables(chosen)
    ]
    statistics = Statistics(
        records=table.people,
        attributes=tuple(each.attribute for each in published.values()),
        pairs=tuple(each for each in tables if each.counts),
        title=title,
        sample_of=population,
        at_least=at_least if at_least > 1 else None,
    )
    return statistics if round_to is None else _rounded(statistics, round_to)


def _refuse(
    table: Table, pairs: str, at_least: int, round_to: int | None, population: int | None
) -> None:
    options = table.engine.options
    if options.missing == "wildcard":
        raise ContradictoryOptions("--missing wildcard concerns matching, not counting")
    if pairs not in PAIRS:
        raise InputError(f"--pairs {pairs}: it is all, strong or none")
    if at_least < 1:
        raise InputError("--at-least is a whole number from 1; 1 suppresses nothing")
    if round_to is not None and round_to < 1:
        raise InputError("--round is a whole number from 1")
    if population is not None and population < table.people:
        raise InputError(
            f"the table has {table.people:,} people, more than a population of {population:,}"
        )


def _published(table: Table, name: str, at_least: int) -> PublishedAttribute:
    marginal = table.engine.marginal(name)
    held = zip(marginal.values, marginal.counts.tolist(), strict=True)
    # One order whatever engine counted, so that ties fall alike.
    listed = sorted(held, key=lambda each: in_order(each[0]))
    counts: dict[Value, int] = dict(listed)
    if marginal.missing:
        counts[None] = marginal.missing
    return published_attribute(name, counts, at_least)


def _chosen_pairs(table: Table, pairs: str, strong: float) -> list[tuple[str, str]]:
    every = list(combinations(table.columns, 2))
    if pairs == "none":
        return []
    if pairs == "all":
        return every
    found = all_dependences(table)
    strongly = {frozenset(each.of + each.on) for each in found if each.uncorrected >= strong}
    return [pair for pair in every if frozenset(pair) in strongly]


def titled(table: Table, title: str) -> str:
    """The title, by default the file's name; it says so where people have several rows."""
    names: Sequence[Path] = table.paths
    title = title or (names[0].stem if names else "")
    return f"{title} {OF_PERSONS}".strip() if table.engine.options.person else title


def _rounded(statistics: Statistics, step: int) -> Statistics:
    """Every count to the nearest multiple of `step`; a pair table of zeros says nothing."""

    def near(count: int) -> int:
        return (count + step // 2) // step * step

    def each_near(counts: Mapping[Any, Count]) -> dict[Any, Count]:
        return {key: near(n) if isinstance(n, int) else n for key, n in counts.items()}

    attributes = []
    for exact in statistics.attributes:
        counts, other = each_near(exact.stated), exact.other
        missing = counts.pop(None, 0)
        other = None if other is None else replace(other, count=near(other.count))
        if not (any(counts.values()) or missing or (other and other.count)):
            raise InputError(
                f"--round {step:,} leaves no count of {exact.name}: all of them round to 0",
                "choose a smaller number",
            )
        attributes.append(Attribute(exact.name, counts, missing, other))
    pairs = (PairCounts(pair.of, each_near(pair.counts)) for pair in statistics.pairs)
    kept = tuple(pair for pair in pairs if any(pair.counts.values()))
    return replace(statistics, attributes=tuple(attributes), pairs=kept, rounded_to=step)


def example_statistics() -> Statistics:
    """A club of a hundred: two attributes, values merged into other, a two-way table."""
    return Statistics(
        title="A club of a hundred, made up",
        records=100,
        attributes=(
            Attribute("sex", {"female": 52, "male": 48}),
            Attribute("age", {"18-24": 20, "25-44": 45, "45-64": 25}, 2, Other(8, 2)),
        ),
        pairs=(
            PairCounts(
                ("sex", "age"),
                {
                    ("female", "18-24"): 12,
                    ("female", "25-44"): 23,
                    ("female", "45-64"): 12,
                    ("male", "18-24"): 8,
                    ("male", "25-44"): 22,
                    ("male", "45-64"): 13,
                },
            ),
        ),
    )
