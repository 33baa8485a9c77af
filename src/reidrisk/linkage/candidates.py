"""Candidates: how many people of a register agree with each released record, by counting alone.

With exactly m attributes that differ (m ≤ e), no two records are ever compared: if S_m are the
people of the register who agree with a record on all attributes but those of J, added up over all
sets J of m attributes, then

    E_m = S_m − Σ_{i<m} C(d − i, m − i)·E_i

are those who differ in exactly m of d attributes: somebody who differs in i of them is counted in
S_m once for every J that holds these i. Each S_m is C(d, m) group-bys. The same holds of anything
that adds up over people; adding up row numbers names the candidate where there is only one.

A tolerance widens what agrees: a number or date within so much. A released value then stands for
every value of the register that near, one after the other. Empty cells, where they match anything,
agree with whatever the other side has: rows are parted by which cells are empty, and pairs of parts
are counted on the attributes that neither lacks.

Where it fails: C(d, 0) + … + C(d, e) group-bys are few for two errors of ten attributes (56), many
for five (638).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Codes, Ints
from reidrisk.errors import InputError
from reidrisk.linkage.two_sides import TwoSides
from reidrisk.machine import Progress, no_progress

# Counting more often than this would take too long.
MOST_COUNTS = 20_000
# Rows that a tolerance may make of the released ones.
MOST_EXPANDED = 50_000_000

# Each released value's near values in the register: code → codes.
Near = Mapping[int, tuple[Ints, Ints]]


class Counted(NamedTuple):
    """Of each released row: the people who agree, and the sum of their rows' numbers."""

    people: Ints
    rows: Ints


@dataclass(frozen=True, eq=False)
class Candidates:
    """`exactly[m]` are those who differ from each released row in exactly m attributes."""

    exactly: tuple[Counted, ...]

    @property
    def fewest(self) -> tuple[Ints, Ints, Ints]:
        """Of each released row, with the fewest differences that anybody has: candidates, the sum
        of their rows' numbers, and how many differences; nobody is −1 differences away.
        """
        people = np.zeros_like(self.exactly[0].people)
        rows, differences = np.zeros_like(people), np.full_like(people, -1)
        for m, counted in enumerate(self.exactly):
            new = (people == 0) & (counted.people > 0)
            people[new], rows[new], differences[new] = counted.people[new], counted.rows[new], m
        return people, rows, differences

    @property
    def within(self) -> Ints:
        """All who differ in at most so many attributes."""
        return np.asarray(np.sum([each.people for each in self.exactly], axis=0))


def candidates(
    sides: TwoSides,
    errors: int = 0,
    near: Near | None = None,
    empty_matches: bool = False,
    progress: Progress = no_progress,
) -> Candidates:
    """Count the register's people by how many attributes they differ in, up to `errors`."""
    d = len(sides.columns)
    if not 0 <= errors < d:
        raise InputError(
            f"--errors {errors}: with {d} common columns it is from 0 to {d - 1}",
            "who may differ in every column is everybody",
        )
    parts = list(_parts(sides, empty_matches))
    counts = sum(math.comb(d, m) for m in range(errors + 1)) * len(parts)
    if counts > MOST_COUNTS:
        raise InputError(
            f"up to {errors} errors of {d} columns take {counts:,} counts of the register, above "
            f"{MOST_COUNTS:,}",
            "allow fewer errors, or compare fewer columns",
        )
    found = [_nobody(sides) for _ in range(errors + 1)]
    done = 0
    for part in parts:
        # Cells that are empty on either side agree: only the others can differ.
        agree: list[Counted] = []
        seen = part.places
        for m in range(min(errors, len(seen)) + 1):
            total = _nobody(sides)
            for without in combinations(seen, m):
                places = [place for place in seen if place not in without]
                _add(total, _agreeing(sides, places, part, near or {}))
                done += 1
                progress("counting candidates", done, counts)
            exact = _less(total, agree, len(seen), m)
            agree.append(exact)
            _add(found[m], exact)
    return Candidates(tuple(found))


class _Part(NamedTuple):
    """Rows of both sides whose empty cells are the same, and the columns that both have."""

    released: Ints
    register: Ints
    places: tuple[int, ...]


def _parts(sides: TwoSides, empty_matches: bool) -> Iterator[_Part]:
    every = tuple(range(len(sides.columns)))
    released, register = np.arange(sides.released), np.arange(len(sides.register_people))
    if not empty_matches:
        yield _Part(released, register, every)
        return
    one, other = (_patterns(sides, side) for side in (0, 1))
    for hidden, rows in one.items():
        for gone, theirs in other.items():
            both = tuple(p for p in every if not (hidden >> p & 1) and not (gone >> p & 1))
            yield _Part(rows, theirs, both)


def _patterns(sides: TwoSides, side: int) -> dict[int, Ints]:
    """Rows by which of their cells are empty, a bit a column."""
    rows = sides.released if side == 0 else len(sides.register_people)
    pattern = np.zeros(rows, dtype=np.int64)
    for place, column in enumerate(sides.columns):
        pattern |= (sides.codes(place)[side] == column.empty).astype(np.int64) << place
    return {int(each): np.flatnonzero(pattern == each) for each in np.unique(pattern)}


def _nobody(sides: TwoSides) -> Counted:
    return Counted(
        np.zeros(sides.released, dtype=np.int64), np.zeros(sides.released, dtype=np.int64)
    )


def _add(total: Counted, more: Counted) -> None:
    total.people[:] += more.people
    total.rows[:] += more.rows


def _less(total: Counted, fewer: Sequence[Counted], d: int, m: int) -> Counted:
    """E_m: without those who differ in fewer attributes, each as often as they were counted."""
    people, rows = total.people.copy(), total.rows.copy()
    for i, each in enumerate(fewer):
        often = math.comb(d - i, m - i)
        people -= often * each.people
        rows -= often * each.rows
    return Counted(people, rows)


def _agreeing(sides: TwoSides, places: Sequence[int], part: _Part, near: Near) -> Counted:
    """S of one set of columns: who agrees on all of them."""
    widened = [place for place in places if place in near]
    if widened:
        return _within_tolerance(sides, places, part, near, widened)
    mine, theirs = sides.keys(places)
    people, rows = _looked_up(
        mine[part.released], theirs[part.register], sides.register_people[part.register],
        part.register,
    )  # fmt: skip
    return _spread(sides, part.released, people, rows)


def _spread(sides: TwoSides, rows: Ints, people: Ints, numbers: Ints) -> Counted:
    found = _nobody(sides)
    found.people[rows], found.rows[rows] = people, numbers
    return found


def _looked_up(mine: Ints, theirs: Ints, people: Ints, numbers: Ints) -> tuple[Ints, Ints]:
    """People with each of my keys, and the sum of their rows' numbers."""
    order = np.argsort(theirs, kind="stable")
    ordered = theirs[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    if not len(starts):
        return np.zeros(len(mine), dtype=np.int64), np.zeros(len(mine), dtype=np.int64)
    held = ordered[starts]
    amount = np.add.reduceat(people[order], starts)
    # A row of several people names nobody; of nobody, it isn't there.
    named = np.add.reduceat(np.where(people[order] > 0, numbers[order], 0), starts)
    place = np.minimum(np.searchsorted(held, mine), len(held) - 1)
    met = held[place] == mine
    return np.where(met, amount[place], 0), np.where(met, named[place], 0)


def _within_tolerance(
    sides: TwoSides, places: Sequence[int], part: _Part, near: Near, widened: Sequence[int]
) -> Counted:
    """Released rows once for each combination of near values, then added up again."""
    rows = part.released
    codes = {place: sides.codes(place)[0][rows] for place in places}
    for place in widened:
        starts, values = near[place]
        own = codes[place]
        often = starts[own + 1] - starts[own]
        if int(often.sum()) > MOST_EXPANDED:
            raise InputError(
                "the tolerance makes too many values near each other to be counted",
                "give a smaller tolerance, or bands",
            )
        again = np.repeat(np.arange(len(rows)), often)
        within = np.arange(len(again)) - np.repeat(np.cumsum(often) - often, often)
        codes = {each: held[again] for each, held in codes.items()}
        codes[place] = values[starts[own[again]] + within]
        rows = rows[again]
    mine, theirs = _keys_of(sides, places, codes, part.register)
    people, numbers = _looked_up(mine, theirs, sides.register_people[part.register], part.register)
    found = _nobody(sides)
    np.add.at(found.people, rows, people)
    np.add.at(found.rows, rows, numbers)
    return found


def _keys_of(
    sides: TwoSides, places: Sequence[int], codes: Mapping[int, Codes], register: Ints
) -> tuple[Ints, Ints]:
    from reidrisk.records import CodedTuples

    stacked = CodedTuples.of_codes(
        [sides.columns[place].name for place in places],
        [np.concatenate([codes[place], sides.codes(place)[1][register]]) for place in places],
        [sides.columns[place].empty + 1 for place in places],
    )
    keys = stacked.keys(range(len(places))).keys
    released = len(codes[places[0]])
    return keys[:released], keys[released:]
