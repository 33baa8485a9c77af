"""Which columns are asked for: subsets by a rule, none dropped.

Of each table and each number of columns so many subsets, drawn by a generator seeded with (0, the
table's place, the number of columns): columns in random order, the first so many, a subset drawn
before drawn again; all there are where they are fewer. Belgium's subsets begin with two of its four
geographical columns, drawn the same way. A subset belongs to "strong pairs" when one of its gain
ratios is at least 0.5 (R3A eq. 9), to "no strong pairs" else, whichever table it is from.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import NamedTuple

import numpy as np

GEOGRAPHY = ("municipality", "district", "province", "region")


class Rule(NamedTuple):
    """How many columns, and how many subsets of each number; some columns to begin with."""

    table: str
    sizes: tuple[int, ...]
    each: int
    begin: tuple[str, ...] = ()


RULES = (
    Rule("adult", tuple(range(2, 10)), 4),
    Rule("us_fertility1980", tuple(range(2, 9)), 3),
    Rule("us_military", tuple(range(2, 7)), 3),
    Rule("belgium_2015", (3, 4, 5, 6), 4, GEOGRAPHY),
    Rule("census_kdd", (3, 5, 6, 8, 10, 12), 3),
    Rule("nist_national2019", (3, 5, 7, 9), 3),
    Rule("be_motor97", (3, 5, 7, 9), 3),
    Rule("diabetes130", (3, 5, 7, 9), 3),
    Rule("natality2014", (3, 5, 7, 9), 3),
)


def subsets(rule: Rule, columns: Sequence[str], seed: int = 0) -> list[tuple[str, ...]]:
    """The subsets of one table, columns in the table's order."""
    names = [each.table for each in RULES]
    place = names.index(rule.table) if rule.table in names else len(names)
    found: list[tuple[str, ...]] = []
    rest = [column for column in columns if column not in rule.begin]
    for size in rule.sizes:
        rng = np.random.default_rng([seed, place, size])
        first = min(2, len(rule.begin))
        possible = comb(len(rule.begin), first) * comb(len(rest), size - first)
        drawn: set[tuple[str, ...]] = set()
        while len(drawn) < min(rule.each, possible):
            chosen = {*rng.permutation(list(rule.begin))[:first].tolist(),
                      *rng.permutation(rest)[: size - first].tolist()}  # fmt: skip
            ordered = tuple(column for column in columns if column in chosen)
            if ordered not in drawn:
                drawn.add(ordered)
                found.append(ordered)
    return found
