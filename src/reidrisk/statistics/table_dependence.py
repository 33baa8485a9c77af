"""Dependence between the columns looked at, asked of an engine in counts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from reidrisk.crowds import CrowdSizes
from reidrisk.engines import Table
from reidrisk.engines.seeing import unknown_column
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.statistics.dependence import Dependence, Side, both_ways, dependence_between

MOST_COLUMNS = 12
MOST_RECORDS = 1_000_000

Group = tuple[str, ...]


def shown_by_default(table: Table) -> bool:
    """Small enough that all pairs take no noticeable time, and with a product law to compare to."""
    columns = len(table.columns)
    small = 2 <= columns <= MOST_COLUMNS and table.engine.records <= MOST_RECORDS
    return small and defined_for(table)


def defined_for(table: Table) -> bool:
    """Persons have several rows and wildcards several crowds: neither has counts per value."""
    return table.engine.seeing.person is None and table.engine.seeing.missing == "own"


def all_dependences(table: Table) -> tuple[Dependence, ...]:
    """g(A, B) for every ordered pair of columns, strongest first."""
    engine, people = table.engine, table.people
    sides = {name: Side.of((name,), engine.value_counts(name), people) for name in table.columns}
    pairs = list(combinations(table.columns, 2))
    found = [
        each
        for (a, b), joint in zip(pairs, engine.pair_crowd_sizes(pairs), strict=True)
        for each in both_ways(sides[a], sides[b], joint)
    ]
    listed = [each for each in found if each is not None]
    return tuple(sorted(listed, key=lambda each: -each.gain_ratio))


def dependence_of_groups(table: Table, asked: str) -> Dependence:
    """g for one pair of groups, as in --dependence a,b:c: how far a,b depend on c."""
    of, on = parsed_groups(asked, table.columns)
    for name in (*of, *on):
        if name not in table.columns:
            raise unknown_column(name, table.columns)
    if not defined_for(table):
        raise ContradictoryOptions(
            "--dependence isn't defined with --person or --missing wildcard",
            "leave one of them out",
        )
    held_of, held_on = (_counts(table.engine.crowd_sizes(group)) for group in (of, on))
    found = dependence_between(of, on, held_of, held_on, table.engine.crowd_sizes((*of, *on)))
    if found is None:
        raise InputError(f"{','.join(of)} has one value only, so it depends on nothing")
    return found


def parsed_groups(asked: str, columns: Sequence[str] = ()) -> tuple[Group, Group]:
    """a,b:c → (a, b) and (c); names of these columns may hold a colon or a comma themselves."""
    of, on = _known_sides(asked, columns) or _sides(asked)
    if set(of) & set(on) or len(set(of)) < len(of) or len(set(on)) < len(on):
        raise ContradictoryOptions(f"--dependence {asked}: a column stands on both sides or twice")
    return of, on


def _known_sides(asked: str, columns: Sequence[str]) -> tuple[Group, Group] | None:
    """The two sides, where a colon parts names of columns from names of columns."""
    for place in (place for place, mark in enumerate(asked) if mark == ":"):
        of, on = (_named(side, columns) for side in (asked[:place], asked[place + 1 :]))
        if of and on:
            return of, on
    return None


def _sides(asked: str) -> tuple[Group, Group]:
    sides = [tuple(n.strip() for n in side.split(",") if n.strip()) for side in asked.split(":")]
    if len(sides) != 2 or not all(sides):
        raise InputError(f"--dependence {asked}: it isn't OF:ON", "as in county:postcode")
    return sides[0], sides[1]


def _counts(crowds: CrowdSizes) -> NDArray[np.int64]:
    """People per tuple of a group, in no order."""
    return np.repeat(crowds.sizes, crowds.crowds.astype(np.int64))


def _named(side: str, columns: Sequence[str]) -> Group:
    """The columns whose names, with commas between, are this text; none where they aren't."""
    if side.strip() in columns:
        return (side.strip(),)
    for place in (place for place, mark in enumerate(side) if mark == ","):
        first, rest = side[:place].strip(), _named(side[place + 1 :], columns)
        if first in columns and rest:
            return (first, *rest)
    return ()
