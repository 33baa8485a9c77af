"""Erring: an attacker some of whose values are wrong.

Each of the d values known of target t is wrong with probability e, independently; a wrong one is
another value of the column, drawn by frequency, so with n people, n_j(v) of them holding v,

    P(y | t) = Π_j [1 − e where y_j = t_j, else e·n_j(y_j)/(n − n_j(t_j))]

A column with one value can't be wrong. The attacker picks one of the people who agree with y on
most attributes, each as likely. With T(y) those tuples and N(y) = Σ_{r ∈ T(y)} n_r their people,

    Pr(re-id | t) = Σ_y P(y | t)·[t ∈ T(y)] / N(y)

exactly, if every y can be listed (`risk_of_each`). Let W be the wrong attributes: t agrees with y
on exactly d − |W|, and so do all who share t's values outside W, at least. Hence t ∈ T(y) only if
nobody agrees on more, and then 1/N(y) ≤ 1/crowd of t seen without W:

    (1 − e)^d·ORR(K)  ≤  risk  ≤  Σ_W e^|W| (1 − e)^(d−|W|) ORR(K ∖ W)

The upper limit is the risk from somebody who knows which values are wrong, the attacker who knows
each attribute with probability 1 − e (`random_knowledge`).

Matching: for each target's known values, who agrees with them on most attributes.

Agreement of a tuple r with values y is A(r, y) = #{j : r_j = y_j}, over the attributes known. The
candidates for y are the people of the tuples with the largest A. Values that some tuple has
altogether are found by packed keys, in one sort; the others are compared with every tuple, column
by column, a block of tuples at a time so that nothing leaves the cache: d bytes a tuple and
target.

The risk from an attacker with errors: exact, or drawn, and always between its limits.

Where what may be known can't be listed, the part without errors is exact and only the rest is
drawn:

    risk = (1 − e)^m·ORR(K) + (1 − (1 − e)^m)·E[[t ∈ T(y)]/N(y) | some value is wrong]

m the attributes that can be wrong (`erring` has the symbols). The mean is over drawn targets and
errors, its interval Wilson's. Where it fails: the interval holds 95 times in 100, the limits
always.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Floats, Ints
from reidrisk.attacks.random_knowledge import Interval, known_at_random, listed_exactly, wilson
from reidrisk.attacks.targets import Tuples
from reidrisk.crowds import CrowdSizes
from reidrisk.parallel import Progress, each, no_progress
from reidrisk.records import packed

# Pairs of a tuple and the values known that are listed one by one.
MOST_PAIRS = 50_000_000
BLOCK = 1 << 19


class Told(NamedTuple):
    """What is known of each target, an array a column, and how many of its values are wrong."""

    values: list[NDArray[Any]]
    wrong: Ints


def can_be_wrong(tuples: Tuples) -> list[int]:
    """The columns in which people differ."""
    return [j for j, counts in enumerate(tuples.counts) if np.count_nonzero(counts) > 1]


def told(
    tuples: Tuples,
    targets: Ints,
    error: float,
    rng: np.random.Generator,
    some_wrong: bool = False,
) -> Told:
    """Draw what is known of the targets; `some_wrong`: given that at least one value is wrong."""
    values = tuples.codes_of(targets)
    columns = can_be_wrong(tuples)
    wrong = _wrong(len(targets), len(columns), error, rng, some_wrong)
    for at, j in enumerate(columns):
        chosen = np.flatnonzero(wrong[:, at])
        values[j][chosen] = another_value(tuples.counts[j], values[j][chosen], rng)
    return Told(values, wrong.sum(axis=1))


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


def can_be_listed(tuples: Tuples) -> bool:
    """Whether there are few enough tuples to list everything that may be known."""
    known = math.prod(len(counts) for counts in tuples.counts)
    return known * len(tuples) <= MOST_PAIRS


def risk_of_each(tuples: Tuples, error: float) -> Floats:
    """Pr(re-id) of the people of each tuple: the sum over every y, exactly."""
    shape = [len(counts) for counts in tuples.counts]
    total = math.prod(shape)
    step = max(BLOCK // len(tuples), 1)
    risk = np.zeros(len(tuples))
    for start in range(0, total, step):
        listed = np.unravel_index(np.arange(start, min(start + step, total)), shape)
        risk += _listed_risk(tuples, listed, error)
    return risk


def _listed_risk(tuples: Tuples, listed: tuple[Ints, ...], error: float) -> Floats:
    """What some y add to each tuple's risk."""
    agreement = np.zeros((len(listed[0]), len(tuples)), dtype=np.int16)
    chance = np.ones(agreement.shape)
    for counts, column, known in zip(tuples.counts, tuples.columns, listed, strict=True):
        same = known[:, None] == column.codes[None, :]
        agreement += same
        others = tuples.n - counts[column.codes]
        # A value nobody else differs from stays right.
        slip = np.divide(error, others, out=np.zeros(len(tuples)), where=others > 0)
        right = np.where(others > 0, 1 - error, 1.0)
        chance *= np.where(same, right[None, :], counts[known][:, None] * slip[None, :])
    chosen = agreement == agreement.max(axis=1, keepdims=True)
    return np.asarray((chance * chosen / (chosen @ tuples.people)[:, None]).sum(axis=0))


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


# Targets drawn for the part with errors: as many as so many comparisons allow, within limits.
MOST_COMPARED = 10_000_000_000
LEAST_DRAWN, MOST_DRAWN = 4000, 40_000
# Views times tuples counted for the upper limit alone.
WORTH_A_LIMIT = 100_000_000
Counted = Callable[[Sequence[str]], CrowdSizes]


@dataclass(frozen=True)
class ErringRisk:
    """The overall risk when each known value is wrong with probability `error`.

    `interval` is None where the risk is exact; `limits` always hold.
    """

    error: float
    overall_risk: float
    interval: Interval | None
    limits: Interval
    # Targets drawn; none where the risk is exact.
    drawn: int = 0

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "error": self.error,
            "overall_risk": self.overall_risk,
            "exact": self.interval is None,
            "interval": None if self.interval is None else list(self.interval),
            "limits": list(self.limits),
            "drawn": self.drawn,
        }


def erring_risk(
    tuples: Tuples,
    error: float,
    counted: Counted,
    rng: np.random.Generator,
    threads: int = 1,
    progress: Progress = no_progress,
) -> ErringRisk:
    """The risk on these tuples; `counted` counts the crowds of some of their attributes."""
    limits = _limits(tuples, error, counted)
    if limits[0] == limits[1]:
        return ErringRisk(error, limits[0], None, limits)
    if can_be_listed(tuples):
        each = risk_of_each(tuples, error)
        return ErringRisk(error, float(np.dot(each, tuples.people) / tuples.n), None, limits)
    drawn = _worth_drawing(tuples)
    targets = tuples.drawn(drawn, rng)
    known = told(tuples, targets, error, rng, some_wrong=True)
    found = candidates(tuples, known.values, None, threads, progress)
    among = found.agreement == len(tuples.columns) - known.wrong
    mean = float(np.mean(among / found.people))
    some_wrong = 1 - (1 - error) ** len(can_be_wrong(tuples))
    low, high = (
        min(max(limits[0] + some_wrong * part, limits[0]), limits[1])
        for part in wilson(mean, drawn)
    )
    return ErringRisk(error, limits[0] + some_wrong * mean, (low, high), limits, drawn)


def _worth_drawing(tuples: Tuples) -> int:
    compared = len(tuples) * len(tuples.columns)
    return min(max(MOST_COMPARED // compared, LEAST_DRAWN), MOST_DRAWN)


def _limits(tuples: Tuples, error: float, counted: Counted) -> Interval:
    """The least and the most that the risk can be."""
    names = [column.name for column in tuples.columns]
    open_ = [names[j] for j in can_be_wrong(tuples)]
    everything = len(tuples) / tuples.n
    least = (1 - error) ** len(open_) * everything
    if not open_ or error == 0:
        return everything, everything
    if listed_exactly(len(open_), len(tuples), WORTH_A_LIMIT):
        return least, known_at_random(open_, 1 - error, counted, tuples.n).overall_risk
    # Without W is without one of W: what two or more errors leave is no more than one leaves.
    without = [
        counted([name for name in names if name != other]).overall_risk if len(names) > 1
        else 1 / tuples.n
        for other in open_
    ]  # fmt: skip
    one = error * (1 - error) ** (len(open_) - 1)
    several = max(1 - (1 - error) ** len(open_) - len(open_) * one, 0.0)
    return least, min(least + one * sum(without) + several * max(without), everything)
