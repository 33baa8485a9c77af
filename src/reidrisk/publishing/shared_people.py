"""People who share all of some columns, as members of a household do: two totals, counted.

Symbols: n people, D combinations of the columns' values, G people in groups of two and more, b the
base of rounding, x_ab people in the cells of two of the columns, k values of the other ones
together.

What the totals tell: whoever has the other tables knows bounds of D and G,

    number of cells ≤ D ≤ Σ min(x_ab, k),
    Σ_{x_ab > k} (x_ab − k + 1) ≤ G ≤ n − number of cells of one,

and a total at one of them says how the people of every cell are spread. One person with another
value changes D by at most 1 and G by at most 2, so that totals which are 2b away from all bounds go
with every other table that a few people's values make, and narrow no cell that rounding hides.
Totals that aren't so far away are refused, unless the file is unprotected. A three-way table of the
same columns says more than both, and its cells are rounded each by itself: then they are left out.

Where it stops: the attack on the file (`joint_bounds`) doesn't look at these two totals; what is
said here is why it needn't, for each pair of columns by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from math import prod

import numpy as np

from reidrisk.errors import InputError, UnusableColumn
from reidrisk.publishing.counted_tables import CountedTables
from reidrisk.publishing.wish import Wish
from reidrisk.records import Table
from reidrisk.statistics import SharedCounts


def with_shared_people(counted: CountedTables, table: Table, wish: Wish) -> CountedTables:
    """The counted tables with the two totals; without, where a three-way table says more."""
    _refuse_determined(counted, wish)
    places = tuple(sorted(counted.names.index(name) for name in wish.household))
    if places in counted.triples:
        return counted
    shared = shared_by(table, tuple(counted.names[i] for i in places))
    if wish.rounds:
        _refuse_telling(counted, shared, places, 2 * wish.at_least)
    return replace(counted, shared=shared)


def shared_by(table: Table, names: tuple[str, ...]) -> SharedCounts:
    """Counted by the table's engine."""
    crowds = table.engine.crowd_sizes(names)
    return SharedCounts(names, int(crowds.distinct), int(crowds.people - crowds.alone.people))


def _refuse_determined(counted: CountedTables, wish: Wish) -> None:
    """A column that follows from another one is shared by whoever shares that one."""
    named = [np.asarray(margin >= (2 * wish.at_least if wish.rounds else 0))
             for margin in counted.margins]  # fmt: skip
    for i, by in counted.determined(named).items():
        if counted.names[i] in wish.household:
            raise UnusableColumn(
                f"--household: {counted.names[i]!r} follows from {counted.names[by]!r}, and "
                "whoever shares that shares both",
                f"leave {counted.names[i]!r} out of --household",
            )


def _refuse_telling(
    counted: CountedTables, shared: SharedCounts, places: tuple[int, ...], margin: int
) -> None:
    totals = (shared.combinations, shared.in_groups)
    for bounds in _bounds(counted, places):
        if any(
            total < least + margin or total > most - margin
            for total, (least, most) in zip(totals, bounds, strict=True)
        ):
            raise InputError(
                "nothing was written: how many people share all columns of --household would tell "
                "how the people of two of them are spread",
                "leave out --household, or name other columns in it",
            )


def _bounds(
    counted: CountedTables, places: tuple[int, ...]
) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """By each pair of the columns: the least and the most D, the least and the most G."""
    for i, j in combinations(places, 2):
        people = counted.pairs[i, j].people
        rest = (len(counted.margins[at]) for at in places if at not in (i, j))
        values = min(prod(rest), counted.people)
        crowded = people[people > values]
        ones = int((people == 1).sum())
        yield (
            (len(people), int(np.minimum(people, values).sum())),
            (int((crowded - values + 1).sum()), counted.people - ones),
        )
