"""True counts: a statistics file held against the records it was made from.

How many small counts the records have, over all attributes and pairs of them; how many the file
shows as they are, how many an attack derives from it (`derivable_counts`), and how many of these
are right. What is said are numbers of counts: never a value, and never which count.

Records of other people, or recoded otherwise, are refused: where a number of the file isn't one
that its protection can make of the true count.

Where it stops: of noise any number can come from any count; beyond `FAR` standard deviations is
taken for other people. Small counts of values that a file doesn't list are among those the records
have; of an attack's, those people count together.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from reidrisk.arrays import Counts, Ints, Mask
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.publishing.counted_tables import CountedTables
from reidrisk.publishing.derivable_counts import (
    USUAL_SECONDS,
    DerivableCounts,
    attacked,
    derivable_counts,
    has_noise,
)
from reidrisk.publishing.joint_bounds import Interval, Triple
from reidrisk.publishing.published_bounds import PublishedBounds, Side
from reidrisk.publishing.shared_people import shared_by
from reidrisk.records import Table
from reidrisk.statistics import Protection, Statistics, Value

# Standard deviations of noise.
FAR = 8.0


@dataclass(frozen=True)
class TrueCounts:
    """Small counts of the records, and what the file and its attack say of them."""

    # Counts of 1 to m − 1 people, over all attributes, pairs of them and the file's triples.
    small: int
    shown: int
    # Derived by the attack, and which of these are the true ones; narrowed down to few numbers.
    derived: int
    right: int
    narrowed: int
    attacked: DerivableCounts

    def to_dict(self) -> dict[str, Any]:
        """As in JSON; the attack stands beside it."""
        return {
            "small": self.small,
            "shown": self.shown,
            "derived": self.derived,
            "right": self.right,
            "narrowed": self.narrowed,
        }


def true_counts(
    statistics: Statistics,
    table: Table,
    below: int | None = None,
    seconds: float = USUAL_SECONDS,
) -> TrueCounts:
    """Hold a file against its records; columns that aren't attributes of the file don't matter.

    Parameters:
        statistics: what is published.
        table: the records, with the file's attributes as columns, recoded as they were for it.
        below: a count of fewer people is small; by default what the file says, else 5.
        seconds: of propagation.
    """
    lacking = [name for name in statistics.names if name not in table.columns]
    if lacking:
        raise InputError(
            f"the records have no column {lacking[0]!r}, which the file has counts of",
            "hold the file against the records it was made from",
        )
    table.unit.refuse_unanswered("a file has counts of people, and")
    if table.engine.options.missing == "wildcard":
        raise ContradictoryOptions("--missing wildcard concerns matching, not counting")
    people = replace(table, engine=table.engine.by_person())
    counted = CountedTables.of(people, combinations(statistics.names, 2)).with_triples(
        people, (triple.of for triple in statistics.published.triples)
    )
    small = below or statistics.small_below
    held = PublishedBounds([statistics])
    truth = _Truth(counted, held)
    _refuse_others(statistics, truth, held)
    _refuse_other_groups(statistics, people, held.files[0].reach)
    number = _small_counts(counted, statistics.names, small)
    if has_noise(statistics):
        return TrueCounts(number, 0, 0, 0, 0, derivable_counts(statistics, small))
    found, held = attacked(statistics, small, seconds)
    return _compared(number, _Truth(counted, held), held, found)


def _compared(
    number: int, truth: _Truth, held: PublishedBounds, found: DerivableCounts
) -> TrueCounts:
    shown = derived = right = 0
    for of, interval, exact in held.counts():
        true = truth.of(of)[: interval.least.shape[0]]
        is_small = (interval.least >= 1) & (interval.most < found.below)
        pinned = is_small & ~exact & (interval.least == interval.most)
        shown += int((exact & (true >= 1) & (true < found.below)).sum())
        derived += int(pinned.sum())
        right += int((pinned & (interval.least == true)).sum())
    return TrueCounts(number, shown, derived, right, found.narrowed, found)


def _small_counts(counted: CountedTables, names: Sequence[str], small: int) -> int:
    """Counts of 1 to m − 1 people of the attributes named, of pairs of them, and of the triples
    that were counted.
    """
    wanted = [i for i, name in enumerate(counted.names) if name in names]
    tables = [counted.margins[i] for i in wanted]
    tables += [
        cells.people for (i, j), cells in counted.pairs.items() if i in wanted and j in wanted
    ]
    tables += [np.rint(table.people).astype(np.int64) for table in counted.triples.values()]
    return sum(int(((people >= 1) & (people < small)).sum()) for people in tables)


class _Truth:
    """The records' counts under the file's values; those of other values behind them."""

    def __init__(self, counted: CountedTables, held: PublishedBounds) -> None:
        self.counted, self.sides = counted, held.sides
        self.number = [counted.names.index(side.name) for side in held.sides]
        self.places = [
            self._places(side, counted.values[i])
            for side, i in zip(held.sides, self.number, strict=True)
        ]

    @staticmethod
    def _places(side: Side, values: Sequence[Value]) -> Ints:
        """Where each value of the records stands; past the end where it has no place."""
        place = {value: at for at, value in enumerate(side.values)}
        return np.array([place.get(value, len(place)) for value in values], dtype=np.int64)

    def of(self, of: tuple[int, ...]) -> Counts:
        """Of an attribute, or a pair of them; people who have no place aren't counted."""
        if len(of) == 1:
            return self._margin(of[0])[: self.sides[of[0]].size]
        if len(of) == 3:
            return self._triple((of[0], of[1], of[2]))
        one, other = of
        shape = (self.sides[one].size + 1, self.sides[other].size + 1)
        table = np.zeros(shape, dtype=np.int64)
        i, j = self.number[one], self.number[other]
        cells = self.counted.pairs[min(i, j), max(i, j)]
        cells = cells if i < j else cells.turned()
        np.add.at(table, (self.places[one][cells.first], self.places[other][cells.second]),
                  cells.people)  # fmt: skip
        return table[:-1, :-1]

    def _triple(self, of: Triple) -> Counts:
        numbers = [self.number[side] for side in of]
        order = sorted(range(3), key=numbers.__getitem__)
        first, second, third = (numbers[at] for at in order)
        table = self.counted.triples[first, second, third]
        found = np.zeros([self.sides[side].size + 1 for side in of], dtype=np.int64)
        columns = [self.places[side][table.codes[:, order.index(at)]]
                   for at, side in enumerate(of)]  # fmt: skip
        np.add.at(found, tuple(columns), np.rint(table.people).astype(np.int64))
        return found[:-1, :-1, :-1]

    def _margin(self, side: int) -> Counts:
        found = np.zeros(self.sides[side].size + 1, dtype=np.int64)
        np.add.at(found, self.places[side], self.counted.margins[self.number[side]])
        return found

    def without_place(self, side: int) -> int:
        """How many people have a value that the file doesn't list, where it lists them all."""
        return int(self._margin(side)[self.sides[side].size :].sum())

    def knows_none(self, side: int) -> bool:
        """Whether no value that the file lists is one of the records'."""
        listed = len(self.sides[side].values)
        return listed > 0 and not self._margin(side)[:listed].any()


class _Agreement(NamedTuple):
    """How many numbers were compared, and how many aren't what the protection can make."""

    compared: int
    unlike: int


def _refuse_others(statistics: Statistics, truth: _Truth, held: PublishedBounds) -> None:
    unknown = [side.name for i, side in enumerate(held.sides) if truth.knows_none(i)]
    if unknown:
        raise InputError(
            f"no value that the file lists of {unknown[0]!r} is in the records",
            "were its values recoded? then give the same --bands, --levels or --decimals",
        )
    people = truth.counted.people
    far = _far(statistics.protection)
    reach = far if far is not None else float(held.files[0].reach)
    if abs(people - statistics.records) > reach:
        raise InputError(
            f"the records are about {people:,} people, the file about {statistics.records:,}",
            "hold the file against the records it was made from; --person and --count say what a "
            "row stands for",
        )
    checked = list(_within_noise(statistics, truth, far) if far else _within_law(truth, held))
    unlike = sum(each.unlike for each in checked)
    if unlike:
        raise InputError(
            f"{unlike:,} of {sum(each.compared for each in checked):,} numbers of the file aren't "
            "ones that its protection can make of these records",
            "hold the file against the records it was made from, recoded as they were",
        )


def _refuse_other_groups(statistics: Statistics, people: Table, reach: float) -> None:
    """Totals of people who share some attributes that these records can't have."""
    shared = statistics.published.shared
    if shared is None:
        return
    true = shared_by(people, shared.of)
    apart = (shared.combinations - true.combinations, shared.in_groups - true.in_groups)
    if max(map(abs, apart)) > reach:
        raise InputError(
            f"the people who share {', '.join(shared.of)} aren't as many in the records as the "
            "file's protection can make of them",
            "hold the file against the records it was made from, recoded as they were",
        )


def _far(protection: Protection | None) -> float | None:
    """How far noise takes a number at most, all but surely; None where nothing is noisy."""
    if protection is None or protection.reach is not None:
        return None
    laws = [law for law in (protection.of_margins, protection.of_cells) if law is not None]
    return FAR * math.sqrt(max(law.variance for law in laws))


def _within_law(truth: _Truth, held: PublishedBounds) -> Iterator[_Agreement]:
    """Every number, and every cell that a file's tables leave out, against where it starts."""
    for i, side in enumerate(held.sides):
        if not side.by:
            yield _agreement(truth.of((i,)), held.bounds.margins[i])
            if not side.has_rest:
                yield _Agreement(0, int(truth.without_place(i) > 0))
    for three in sorted(held.published_triples):
        yield _agreement(truth.of(three), held.bounds.listed[three])
    for of in sorted(held.published | held.structural):
        if of in held.bounds.tables:
            yield _agreement(truth.of(of), held.bounds.tables[of])


def _agreement(true: Counts, bounds: Interval) -> _Agreement:
    unlike: Mask = (true < bounds.least) | (true > bounds.most)
    return _Agreement(true.size, int(unlike.sum()))


def _within_noise(statistics: Statistics, truth: _Truth, far: float) -> Iterator[_Agreement]:
    """Every number listed."""
    number = {side.name: i for i, side in enumerate(truth.sides)}
    place = [{value: at for at, value in enumerate(side.values)} for side in truth.sides]
    for attribute in statistics.published.attributes:
        i = number[attribute.name]
        true = truth.of((i,))
        apart = [
            abs(true[place[i][value]] - count)
            for value, count in attribute.stated.items()
            if isinstance(count, int)
        ]
        yield _Agreement(len(apart), sum(each > far for each in apart))
    for pair in statistics.published.pairs:
        i, j = (number[name] for name in pair.of)
        true = truth.of((i, j))
        apart = [
            abs(true[place[i][a], place[j][b]] - count)
            for (a, b), count in pair.counts.items()
            if isinstance(count, int)
        ]
        yield _Agreement(len(apart), sum(each > far for each in apart))
