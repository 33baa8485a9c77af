"""Subsets of a table's attributes, drawn at random, and their largest dependence.

The paper draws 362 subsets of 2 to 28 attributes and doesn't say how many of each number. Here
every number of attributes up to 28 is drawn equally often, no subset twice; of a table of few
attributes all subsets are taken.

    MAD(S) = max over ordered pairs A, B in S of D(A ⇒ B)
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from reidrisk_papers.setting import Setting
from reidrisk_papers.tfrr.real_tables import RealTable

FEWEST, MOST = 2, 28
# Subsets of each number of attributes; all of a table that has no more than so many attributes.
EACH = {"Adult": 7, "Census": 4}
ALL_UP_TO = 6
SUBSETS = 5
STRONG = 0.5
BANDS = ("0–0.25", "0.25–0.5", "0.5–0.75", "0.75–1")


class Subset(NamedTuple):
    """Some attributes of a table, in its order, and the largest dependence among them."""

    columns: tuple[str, ...]
    mad: float

    @property
    def strong(self) -> bool:
        """Whether it has a strongly dependent pair."""
        return self.mad >= STRONG

    @property
    def band(self) -> str:
        """The quarter its largest dependence lies in."""
        return BANDS[min(int(self.mad * 4), 3)]


def subsets(setting: Setting, table: RealTable) -> list[Subset]:
    """The subsets of a table; figures 2, 5 and 6 share them."""
    names = table.columns
    if len(names) <= ALL_UP_TO:
        sizes = range(FEWEST, len(names) + 1)
        every = [chosen for size in sizes for chosen in combinations(names, size)]
        step = len(every) / setting.scaled(len(every), least=6)
        kept = [every[int(place)] for place in np.arange(0, len(every), step)]
        return [Subset(chosen, mad(table, chosen)) for chosen in kept]
    return [
        Subset(chosen, mad(table, chosen))
        for size in range(FEWEST, min(MOST, len(names)) + 1)
        for chosen in _drawn(setting, table, size, setting.scaled(EACH[table.name]))
    ]


def mad(table: RealTable, columns: tuple[str, ...]) -> float:
    """The largest attribute dependence of a subset."""
    pairs = combinations(columns, 2)
    return max(table.strength.get(frozenset(pair), 0.0) for pair in pairs)


def share_strong(table: RealTable, size: int, many: int, rng: np.random.Generator) -> float:
    """Of subsets of one size, drawn at random, the share with a strongly dependent pair."""
    names = np.array(table.columns)
    drawn = (rng.choice(names, size, replace=False).tolist() for _ in range(many))
    return float(np.mean([mad(table, tuple(each)) >= STRONG for each in drawn]))


def _drawn(setting: Setting, table: RealTable, size: int, many: int) -> list[tuple[str, ...]]:
    """Different subsets of one size, or all there are."""
    names = table.columns
    rng = setting.rng(SUBSETS, table.place, size)
    found: dict[tuple[str, ...], None] = {}
    while len(found) < min(many, comb(len(names), size)):
        places = np.sort(rng.choice(len(names), size, replace=False))
        found[tuple(names[place] for place in places)] = None
    return list(found)
