"""Triple tables with gaps, completed from the pair tables.

A triple table that counts everybody is as it stands. Of one that leaves people out (a part of a
table, suppressed cells) the stated cells stay, and those that aren't share what the pair tables
leave over: as the pair tables alone would have it (`triple_cells`), at most what a suppressed cell
can be. Rounded tables are raked to the pair tables whole.

Where it fails: what the hidden cells depart from the pair tables by is lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Counts, Floats, Ints
from reidrisk.models import TripleTable
from reidrisk.statistics.consistency import covers_everybody
from reidrisk.statistics.statistics import Suppressed, TripleCounts, Value
from reidrisk.statistics.triple_cells import (
    SIDES,
    Pairs,
    expected_cells,
    possible_cells,
    raked_cells,
)

# Cells at their most leave the others more.
CAPPING_ROUNDS = 20


class CompleteTriple(NamedTuple):
    """The complete table, None where it was left out; what was assumed, and what to mind."""

    table: TripleTable | None
    said: list[str]
    warnings: list[str]


class Stated(NamedTuple):
    """Cells that are listed: their values, a row each, and people; NaN where suppressed, `most`
    what that can be.
    """

    codes: Ints
    people: Floats
    most: Floats


def stated_cells(triple: TripleCounts, places: Sequence[Mapping[Value, int]]) -> Stated:
    """By the values' places, in the order of the table's sides."""
    rows, people, most = [], [], []
    for values, count in triple.counts.items():
        rows.append([place[value] for place, value in zip(places, values, strict=True)])
        if isinstance(count, Suppressed):
            people.append(np.nan)
            most.append(np.inf if count.most is None else float(count.most))
        else:
            people.append(float(count))
            most.append(np.inf)
    codes = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return Stated(codes, np.array(people), np.array(most))


def completed_triple(
    triple: TripleCounts,
    places: Sequence[Mapping[Value, int]],
    pairs: Sequence[Floats | None],
    counts: Sequence[Counts],
    rounded_to: int | None,
) -> CompleteTriple:
    """Complete a triple table; `pairs` are those that are known, complete, of its sides."""
    named = f"{triple.of[0]}, {triple.of[1]} and {triple.of[2]}"
    stated = stated_cells(triple, places)
    known = ~np.isnan(stated.people)
    shape = (len(counts[0]), len(counts[1]), len(counts[2]))
    people = int(counts[0].sum())
    whole = bool(known.all()) and covers_everybody(
        float(stated.people.sum()), len(stated.people), people, rounded_to
    )
    own = TripleTable.of(shape, stated.codes[known], stated.people[known])
    if whole and not rounded_to:
        return CompleteTriple(own, [], [])
    tables = _all_pairs(own, pairs, counts, whole)
    codes = stated.codes if whole else possible_cells(tables, stated.codes)
    if codes is None:
        sentence = f"{named}: the three-way table has too many possible cells and was left out."
        return CompleteTriple(None, [], [sentence])
    cells = _filled(codes, own, stated, tables, bool(rounded_to))
    said = [] if whole else [
        f"{named}: cells of the three-way table that aren't published are as its two-way tables "
        "have it."
    ]  # fmt: skip
    return CompleteTriple(TripleTable.of(shape, codes, cells), said, [])


def _all_pairs(
    own: TripleTable, pairs: Sequence[Floats | None], counts: Sequence[Counts], whole: bool
) -> Pairs:
    """A pair table that isn't known is the triple's own, or as if independent."""
    found = []
    for (one, other), cells in zip(SIDES, pairs, strict=True):
        product = np.outer(counts[one], counts[other]) / max(int(counts[one].sum()), 1)
        found.append(cells if cells is not None else own.pair(one, other) if whole else product)
    return Pairs(*found)


def _filled(codes: Ints, own: TripleTable, stated: Stated, pairs: Pairs, rounded: bool) -> Floats:
    at = TripleTable(own.shape, own.keys, np.ones(len(own.keys)))
    is_stated = at.at(codes.T) > 0.0
    expected = expected_cells(pairs, codes)
    people = own.at(codes.T)
    if rounded:
        return raked_cells(np.where(is_stated, people, expected), codes, pairs)
    hidden = np.isnan(stated.people)
    # One more, so that a cell of nobody is told from one that isn't listed.
    limits = TripleTable.of(own.shape, stated.codes[hidden], stated.most[hidden] + 1.0).at(codes.T)
    most = np.where(limits > 0.0, limits - 1.0, np.inf)
    left = [np.maximum(cells - own.pair(*sides), 0.0)
            for sides, cells in zip(SIDES, pairs, strict=True)]  # fmt: skip
    open_ = np.where(is_stated, 0.0, expected)
    for _ in range(CAPPING_ROUNDS):
        open_ = np.minimum(raked_cells(open_, codes, left), most)
        if not (open_ >= most).any():
            break
    return np.where(is_stated, people, open_)
