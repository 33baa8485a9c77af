"""The simulated attack: targets drawn, their known values matched, one of the candidates picked.

A target is a person of the table, each equally likely; its values are known with errors, or each
only by chance; the candidates are the people who agree on most of what is known, and one of them is
picked, each equally likely. The share of targets that are picked is compared with the computed
risk, with Wilson's 95 % interval. Targets are drawn with replacement, so trials are independent.

Matching: for each target's known values, who agrees with them on most attributes.

Agreement of a tuple r with values y is A(r, y) = #{j : r_j = y_j}, over the attributes known. The
candidates for y are the people of the tuples with the largest A. Values that some tuple has
altogether are found by packed keys, in one sort; the others are compared with every tuple, column
by column, a block of tuples at a time so that nothing leaves the cache: d bytes a tuple and
target.

The interval of a proportion: what N trials say of a probability.

Wilson's score interval, the p for which |x − p| ≤ z·√(p(1 − p)/N), x the mean of the N trials:

    (x + z²/2N ± z·√(x(1 − x)/N + z²/4N²)) / (1 + z²/N)

It stays in [0, 1] and has some width even if every trial ended the same way. For the mean of
numbers in [0, 1] that aren't only 0 and 1 it is wider than need be: their variance is at most p(1
− p). Where it fails: it covers 95 % on average over p, a little less for some p near 0 or 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Floats, Ints
from reidrisk.attacks.targets import Tuples
from reidrisk.machine import Progress, each, no_progress
from reidrisk.records import packed

Interval = tuple[float, float]

# 95 of 100 normal numbers lie within so many standard deviations.
NINETY_FIVE_PERCENT = 1.959963984540054


def wilson(mean: float, trials: int, z: float = NINETY_FIVE_PERCENT) -> Interval:
    """95 % limits of the probability behind `mean`."""
    spread = z * math.sqrt(mean * (1 - mean) / trials + z * z / (4 * trials * trials))
    middle, widened = mean + z * z / (2 * trials), 1 + z * z / trials
    return max((middle - spread) / widened, 0.0), min((middle + spread) / widened, 1.0)


class KnownValues(NamedTuple):
    """What is known of each target, an array a column, and how many of its values are wrong."""

    values: list[NDArray[Any]]
    wrong: Ints


def can_be_wrong(tuples: Tuples) -> list[int]:
    """The columns in which people differ."""
    return [j for j, counts in enumerate(tuples.counts) if np.count_nonzero(counts) > 1]


def known_with_errors(
    tuples: Tuples,
    targets: Ints,
    error: float,
    rng: np.random.Generator,
    some_wrong: bool = False,
) -> KnownValues:
    """Draw what is known of the targets; `some_wrong`: given that at least one value is wrong."""
    values = tuples.codes_of(targets)
    columns = can_be_wrong(tuples)
    wrong = _wrong(len(targets), len(columns), error, rng, some_wrong)
    for at, j in enumerate(columns):
        chosen = np.flatnonzero(wrong[:, at])
        values[j][chosen] = another_value(tuples.counts[j], values[j][chosen], rng)
    return KnownValues(values, wrong.sum(axis=1))


def _wrong(
    targets: int, columns: int, error: float, rng: np.random.Generator, some: bool
) -> NDArray[np.bool_]:
    """Which values are wrong, a row a target."""
    wrong = rng.random((targets, columns)) < error
    if some:
        # The first wrong column given that there is one; those before it are right, those behind
        # it as they come. Drawing again until one is wrong would take for ever at small e.
        first = _first_wrong(columns, error, rng.random(targets))
        place = np.arange(columns)
        wrong = (wrong & (place > first[:, None])) | (place == first[:, None])
    return wrong


def _first_wrong(columns: int, error: float, uniform: Floats) -> Ints:
    if error == 1:
        return np.zeros(len(uniform), dtype=np.int64)
    # P(first ≤ j) = (1 − (1−e)^(j+1)) / (1 − (1−e)^m), turned round.
    some = -math.expm1(columns * math.log1p(-error))
    place = np.log1p(-uniform * some) / math.log1p(-error)
    return np.minimum(place.astype(np.int64), columns - 1)


def another_value(counts: Ints, held: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """For each value held another one, by how many people hold it; whole numbers throughout."""
    ends = np.cumsum(counts)
    mine = counts[held]
    place = rng.integers(0, ends[-1] - mine) if len(held) else np.empty(0, np.int64)
    place += np.where(place >= ends[held] - mine, mine, 0)
    return np.searchsorted(ends, place, side="right").astype(held.dtype)


Known = NDArray[np.bool_]
Values = Sequence[NDArray[Any]]
# Tuples compared at once; targets whose progress is told at once.
MATCHED_AT_ONCE = 1 << 18
TURN = 64
# Below this many tuples numpy's calls are too short to share.
WORTH_SHARING = 1 << 15
WORK = "matching targets"


class Candidates(NamedTuple):
    """For each target: the largest agreement, and how many people agree on so many."""

    agreement: Ints
    people: Ints


def candidates(
    tuples: Tuples,
    values: Values,
    known: Known | None = None,
    threads: int = 1,
    progress: Progress = no_progress,
) -> Candidates:
    """The candidates for each target's `values` (one array a column).

    `known` has a row a target, a column an attribute; all are known without it.
    """
    targets = len(values[0])
    agreement = np.zeros(targets, dtype=np.int64)
    people = np.zeros(targets, dtype=np.int64)
    if known is None:
        people = _exact(tuples, values)
        agreement[people > 0] = len(tuples.columns)
    left = np.flatnonzero(people == 0)
    turns = [left[start : start + TURN] for start in range(0, len(left), TURN)]
    done = [0]

    def compare(turn: Ints) -> None:
        for target in turn:
            wanted = [
                (j, mine[target])
                for j, mine in enumerate(values)
                if known is None or known[target, j]
            ]
            agreement[target], people[target] = _compared(tuples, wanted)
        done[0] += len(turn)
        progress(WORK, done[0], len(left))

    each(compare, turns, threads if len(tuples) >= WORTH_SHARING else 1)
    return Candidates(agreement, people)


def _exact(tuples: Tuples, values: Values) -> Ints:
    """How many people have all the values; 0 where nobody has."""
    columns = [
        replace(column, codes=np.concatenate([column.codes, mine.astype(column.codes.dtype)]))
        for column, mine in zip(tuples.columns, values, strict=True)
    ]
    keys = packed(columns, len(columns[0].codes)).keys
    theirs, mine = keys[: len(tuples)], keys[len(tuples) :]
    order = np.argsort(theirs)
    place = np.searchsorted(theirs, mine, sorter=order)
    found = order[np.minimum(place, len(order) - 1)]
    return np.where(theirs[found] == mine, tuples.people[found], 0)


def _compared(tuples: Tuples, wanted: Sequence[tuple[int, Any]]) -> tuple[int, int]:
    """(largest agreement, people who agree on so many) of one target, block by block."""
    most, people = 0, 0
    for start in range(0, len(tuples), MATCHED_AT_ONCE):
        block = slice(start, start + MATCHED_AT_ONCE)
        kind = np.uint8 if len(wanted) <= 0xFF else np.uint16
        agreement = np.zeros(len(tuples.people[block]), dtype=kind)
        same = np.empty(len(agreement), dtype=bool)
        for column, value in wanted:
            np.equal(tuples.columns[column].codes[block], value, out=same)
            np.add(agreement, same.view(np.uint8), out=agreement)
        here = int(agreement.max())
        if here < most:
            continue
        chosen = agreement == here
        held = np.count_nonzero(chosen) if tuples.each_alone else tuples.people[block][chosen].sum()
        people = int(held) + (people if here == most else 0)
        most = here
    return most, people


@dataclass(frozen=True)
class Hits:
    """How many of the targets were hit."""

    targets: int
    hits: int

    @property
    def hit_rate(self) -> float:
        """Share of the targets that were hit."""
        return self.hits / self.targets

    @property
    def interval(self) -> Interval:
        """95 % limits of the probability behind the hit rate."""
        return wilson(self.hit_rate, self.targets)


@dataclass(frozen=True)
class Played(Hits):
    """How many of the targets were picked out, beside the risk that was computed."""

    overall_risk: float

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "targets": self.targets,
            "hits": self.hits,
            "hit_rate": self.hit_rate,
            "interval": list(self.interval),
            "computed_risk": self.overall_risk,
        }


def hits_of(
    tuples: Tuples,
    targets: int,
    rng: np.random.Generator,
    error: float = 0.0,
    share: float | None = None,
    threads: int = 1,
    progress: Progress = no_progress,
) -> int:
    """Play against so many targets; how many were picked out."""
    chosen = tuples.drawn(targets, rng)
    known = known_with_errors(tuples, chosen, error, rng)
    mask = None if share is None else rng.random((targets, len(tuples.columns))) < share
    found = candidates(tuples, known.values, mask, threads, progress)
    right = len(tuples.columns) - known.wrong if mask is None else mask.sum(axis=1)
    # The pick is uniform, so the target, where it is a candidate, may be called the first of them.
    picked = rng.integers(0, found.people)
    return int(np.count_nonzero((found.agreement == right) & (picked == 0)))
