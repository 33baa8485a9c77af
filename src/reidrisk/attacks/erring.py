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
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.attacks.tuples import Tuples, Whole

Floats = NDArray[np.float64]
# Pairs of a tuple and the values known that are listed one by one.
MOST_PAIRS = 50_000_000
BLOCK = 1 << 19


class Told(NamedTuple):
    """What is known of each target, an array a column, and how many of its values are wrong."""

    values: list[NDArray[Any]]
    wrong: Whole


def can_be_wrong(tuples: Tuples) -> list[int]:
    """The columns in which people differ."""
    return [j for j, counts in enumerate(tuples.counts) if np.count_nonzero(counts) > 1]


def told(
    tuples: Tuples,
    targets: Whole,
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


def _first_wrong(columns: int, error: float, uniform: Floats) -> Whole:
    if error == 1:
        return np.zeros(len(uniform), dtype=np.int64)
    # P(first ≤ j) = (1 − (1−e)^(j+1)) / (1 − (1−e)^m), turned round.
    some = -math.expm1(columns * math.log1p(-error))
    place = np.log1p(-uniform * some) / math.log1p(-error)
    return np.minimum(place.astype(np.int64), columns - 1)


def another_value(counts: Whole, held: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
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


def _listed_risk(tuples: Tuples, listed: tuple[Whole, ...], error: float) -> Floats:
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
