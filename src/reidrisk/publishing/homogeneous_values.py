"""Homogeneous values: values of a column whose people, as published, share one sensitive value.

Of value a of a column with a two-way table with sensitive column S, n_as people are published with
sensitive value s, n_a in all: the larger one of the sum of its cells and of its own count, so that
cells that were left out or merged count as others. It is listed where

    n_a ≥ m   and   n_as = n_a and n_as/n_a > p_s,   or   n_as/n_a ≥ 0.95 and n_as/n_a ≥ 2·p_s

with m the file's threshold and p_s the share of s among all people. Only the file's own numbers are
used, so that nothing is told that isn't published.

Where it fails: rounding makes a few people nobody, so "all" may be nearly all, and a row of few
people is rounded by much. Combinations of two and more columns aren't in two-way tables: `learn`
counts them from the records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from reidrisk.statistics import PairCounts, Statistics, Value

NEARLY_ALL = 0.95
TIMES_THE_PRIOR = 2.0


@dataclass(frozen=True)
class HomogeneousValue:
    """Of the people who have a value of a column, as published, `share` have a sensitive value that
    `prior` of all people have.
    """

    column: str
    value: Value
    people: int
    sensitive: str
    sensitive_value: str
    share: float
    prior: float

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return asdict(self)


def homogeneous_values(
    statistics: Statistics, sensitive: Sequence[str], at_least: int | None = None
) -> tuple[HomogeneousValue, ...]:
    """By every two-way table of the sensitive columns; those of most people first."""
    fewest = statistics.small_below if at_least is None else at_least
    found = []
    for name in sensitive:
        priors = _priors(statistics, name)
        for other in statistics.names:
            table = statistics.pair(other, name)
            if table is not None and other not in sensitive:
                found += _of_pair(statistics, table, priors, fewest)
    return tuple(sorted(found, key=lambda each: (-each.people, each.column, str(each.value))))


def without_table(statistics: Statistics, sensitive: str) -> tuple[str, ...]:
    """The columns that have no two-way table with it."""
    others = (each for each in statistics.names if each != sensitive)
    return tuple(each for each in others if statistics.pair(each, sensitive) is None)


def _priors(statistics: Statistics, name: str) -> dict[Value, float]:
    stated = statistics.attribute(name).stated
    everybody = max(statistics.records, 1)
    return {value: n / everybody for value, n in stated.items() if isinstance(n, int)}


def _of_pair(
    statistics: Statistics, table: PairCounts, priors: dict[Value, float], fewest: int
) -> list[HomogeneousValue]:
    """Each value of the first side, by its commonest sensitive value."""
    rows: dict[Value, dict[Value, int]] = {}
    for (value, sensitive), count in table.counts.items():
        if isinstance(count, int) and count > 0:
            rows.setdefault(value, {})[sensitive] = count
    column, name = table.of
    stated = statistics.attribute(column)
    found = []
    for value, row in rows.items():
        own = stated.count(value)
        people = max(sum(row.values()), own if isinstance(own, int) else 0)
        commonest = max(row, key=lambda each: row[each])
        part, prior = row[commonest] / people, priors.get(commonest, 0.0)
        if commonest is not None and people >= max(fewest, 1) and _tells(part, prior):
            found.append(HomogeneousValue(column, value, people, name, commonest, part, prior))
    return found


def _tells(part: float, prior: float) -> bool:
    if part == 1.0:
        return prior < 1.0
    return part >= NEARLY_ALL and part >= TIMES_THE_PRIOR * prior
