"""Drawn tables: crowds counted in tables of n people that have all the pair counts.

The pairwise law makes all tables with the same pair counts equally likely. Where its tuples are too
many to list, D tables are drawn from the tree law and changed until they have the counts
(`exact_margins`); figures are means over them. A raked sample of the law (`raked_sample`) fits its
rows' own chance where pairs of values are held by few people, and crowds come out too large: days
by places (163,212 people, seven columns) were off by −0.022 in ORR, and are by −0.002 here.

Symbols: s_f the standard deviation of a figure over the D tables, t the 95 % point of Student's law
of D − 1 degrees. A table and the mean of D others differ by s_f·√(1 + 1/D), so that

    t·s_f·√(1 + 1/D)/1.645

stands for a standard deviation: with it 90 of 100 tables lie in an interval made as if it were
known.

Where it fails: changing a table is a descent, no fair draw among all tables with the counts, and
ends near them (`people_off`, `largest_off`): one person fewer in the wrong place changes the number
of crowds by one at most.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reidrisk.arrays import Rows
from reidrisk.crowds import CrowdSizes
from reidrisk.machine import Progress, no_progress
from reidrisk.models.exact_margins import MOST_SWEEPS, with_exact_margins
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.raked_sample import Drawn
from reidrisk.models.spread import NINETY_PERCENT, Spread
from reidrisk.models.tree import Tree

# Looks at a row of a pair table over all tables drawn (two to four seconds): so many sweeps a table
# and so many tables, within these bounds. Tables of more people aren't drawn.
LOOKS = 200_000_000
FEWEST_SWEEPS = 12
FEWEST, MOST = 2, 12
MOST_PEOPLE = 4_000_000
# Tables that have all counts but those of so small a share of the people have the counts.
CLOSE_ENOUGH = 0.002


@dataclass(frozen=True, eq=False)
class DrawnTables:
    """What is counted in so many tables: mean crowds, how figures vary, how far counts are off."""

    number: int
    crowds: CrowdSizes
    spread: Spread
    # People to be moved, in the pair table farthest off, and the cell farthest off; of the worst.
    people_off: float
    largest_off: float

    @property
    def close(self) -> bool:
        """Whether they have the pair counts, but for few people."""
        return self.people_off <= CLOSE_ENOUGH * self.crowds.people


def drawn_tables(
    known: Knowledge, rng: np.random.Generator, progress: Progress = no_progress
) -> DrawnTables:
    """Draw and count; as many tables as their size allows."""
    tree, sweep = Tree.of(known), known.n * len(known.pairs)
    looks = sweep * int(np.clip(LOOKS // (FEWEST * sweep), FEWEST_SWEEPS, MOST_SWEEPS))
    number = int(np.clip(LOOKS // looks, FEWEST, MOST))
    counted, people_off, largest_off = [], 0.0, 0.0
    for done in range(number):
        rows = with_exact_margins(known, tree.drawn(known.n, rng), rng, looks)
        counted.append(crowds_of_rows(rows))
        people, largest = off_by(known, rows)
        people_off, largest_off = max(people_off, people), max(largest_off, largest)
        progress("drawing tables", done + 1, number)
    spread = Spread(*(_of_one_more(number) * each for each in deviations_of(counted)))
    return DrawnTables(number, mean_crowds(counted), spread, people_off, largest_off)


def crowds_of_rows(rows: Rows) -> CrowdSizes:
    """Counted, a row a person."""
    return CrowdSizes.of(Drawn.of(rows).times.astype(np.int64))


def mean_crowds(counted: Sequence[CrowdSizes]) -> CrowdSizes:
    """Of several tables."""
    return CrowdSizes.mixed((1.0 / len(counted), each) for each in counted)


def deviations_of(counted: Sequence[CrowdSizes]) -> Spread:
    """Standard deviations over several tables."""
    figures = np.array([(each.overall_risk, each.alone_share) for each in counted])
    return Spread(*figures.std(axis=0, ddof=1).tolist())


def off_by(known: Knowledge, rows: Rows) -> tuple[float, float]:
    """How many people would have to move in the pair table farthest off, and how far off a cell is;
    between two whole numbers none is off.
    """
    people = largest = 0.0
    for (i, j), cells in known.pairs.items():
        place = rows[:, i] * np.int64(cells.shape[1]) + rows[:, j]
        held = np.bincount(place, minlength=cells.size).reshape(cells.shape)
        apart = np.maximum(np.maximum(np.floor(cells) - held, held - np.ceil(cells)), 0.0)
        people = max(people, 0.5 * float(apart.sum()))
        largest = max(largest, float(apart.max(initial=0.0)))
    return people, largest


def _of_one_more(number: int) -> float:
    """t·√(1 + 1/D)/1.645: how far one table more may be from the mean of D."""
    # Not with the module: it takes longer to load than most questions take.
    from scipy.special import stdtrit

    return float(stdtrit(number - 1, 0.95)) * math.sqrt(1.0 + 1.0 / number) / NINETY_PERCENT
