"""Guesses: how often an attacker who guesses somebody's sensitive value is right.

Right guesses, as shares of the people (symbols: `sensitive_counts`):

- with the table          Σ_c max_s n_cs / n: the commonest value of the person's crowd
- without it              max_s m_s / n: the commonest value of all
- without their record    of each person the best guess from everybody else. With e_s for the
                          person's own record, they are guessed to have the largest of
                          n_cs − e_s + α·(m_s − e_s)/(n − 1), ties shared evenly.

With − without their record is what being in the table costs a person; without their record −
without the table is what anybody learns about anyone from the others, which is what the data are
for. α weighs the crowd against all people (a Dirichlet prior α·p_s): without it, somebody else's
few neighbours would be believed more than everybody, and guessing would be worse than knowing
nothing. It is the α of greatest leave-one-out likelihood,

    Σ_cs n_cs·ln [(n_cs − 1 + α·(m_s − 1)/(n − 1)) / (n_c − 1 + α)];

whoever has a value nobody else has can't be guessed, whatever α, and isn't in the sum.

Where it fails: the attacker without the record still uses exact crowds. One with a better model of
how values depend on columns guesses better, with and without the person's record.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reidrisk.arrays import Floats, Ints
from reidrisk.learning.sensitive_counts import SensitiveCounts

# ln α is looked for between these.
LEAST, MOST = math.log(1e-3), math.log(1e7)
_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
_STEPS = 48
# Scores closer than this are equal: sums of floating-point parts differ by so little.
SAME = 1e-12


@dataclass(frozen=True)
class Guesses:
    """Shares of people guessed right: with the table, without their own record, without it."""

    with_table: float
    without_own: float
    without: float

    @property
    def costs(self) -> float:
        """What being in the table costs a person: with − without their own record."""
        return self.with_table - self.without_own

    @property
    def learnt_from_others(self) -> float:
        """What anybody learns about anyone from the others: without their record − without."""
        return self.without_own - self.without

    @property
    def gain(self) -> float:
        """With the table − without it."""
        return self.with_table - self.without

    def to_dict(self) -> dict[str, float]:
        """As in JSON."""
        return {
            "with": self.with_table,
            "without_own": self.without_own,
            "without": self.without,
            "gain": self.gain,
            "costs": self.costs,
            "learnt_from_others": self.learnt_from_others,
        }


@dataclass(frozen=True, eq=False)
class GuessedCells:
    """The chance that somebody of each cell is guessed right, by each attacker; and α."""

    with_table: Floats
    without_own: Floats
    without: Floats
    strength: float


def guessed_cells(counts: SensitiveCounts) -> GuessedCells:
    """Cell by cell."""
    strength = likeliest_strength(counts)
    return GuessedCells(
        _right_with(counts), _right_without_own(counts, strength), _right_without(counts), strength
    )


def guesses_of(counts: SensitiveCounts, cells: GuessedCells) -> Guesses:
    """Means over the people."""

    def mean(chance: Floats) -> float:
        return float(np.dot(chance, counts.all_people) / counts.n)

    # From whole numbers: a sum of shares of ties may miss it by a rounding error.
    exact = int(np.dot(counts.most, counts.alike)) / counts.n
    return Guesses(exact, mean(cells.without_own), int(counts.totals.max()) / counts.n)


def _right_with(counts: SensitiveCounts) -> Floats:
    best = counts.people == counts.most[counts.crowd]
    ties = np.add.reduceat(best.astype(np.int64), counts.starts)
    return np.asarray(best / ties[counts.crowd])


def _right_without(counts: SensitiveCounts) -> Floats:
    best = counts.totals == counts.totals.max()
    return np.asarray(best[counts.value] / np.count_nonzero(best))


def _right_without_own(counts: SensitiveCounts, strength: float) -> Floats:
    if counts.values < 2:
        return np.ones(len(counts.people))
    weight = strength / (counts.n - 1)
    prior = np.asarray(weight * counts.totals, dtype=np.float64)
    score = counts.people + prior[counts.value]
    own = score - 1.0 - weight
    rival, rivals = _rivals_in_crowd(counts, score)
    anywhere, elsewhere = _rivals_anywhere(prior)
    beside, besides = anywhere[counts.value], elsewhere[counts.value]
    best = np.maximum(rival, beside)
    slack = SAME * np.maximum(np.abs(best), 1.0)
    # The best by the prior alone is in nobody's cell here: there its score would be higher.
    ties = rivals * (best - rival <= slack) + besides * (best - beside <= slack)
    return np.where(own > best + slack, 1.0, np.where(own < best - slack, 0.0, 1.0 / (1 + ties)))


def _rivals_in_crowd(counts: SensitiveCounts, score: Floats) -> tuple[Floats, Ints]:
    """Of each cell, the best score of its crowd's other cells, and how many have it."""
    starts, crowd = counts.starts, counts.crowd
    first = np.maximum.reduceat(score, starts)
    top = score >= first[crowd] - SAME * np.maximum(np.abs(first[crowd]), 1.0)
    tops = np.add.reduceat(top.astype(np.int64), starts)
    rest = np.where(top, -np.inf, score)
    second = np.maximum.reduceat(rest, starts)
    tied = np.isfinite(rest) & (rest >= second[crowd] - SAME * np.maximum(rest, 1.0))
    seconds = np.add.reduceat(tied.astype(np.int64), starts)
    alone_on_top = top & (tops[crowd] == 1)
    return (
        np.where(alone_on_top, second[crowd], first[crowd]),
        np.where(alone_on_top, seconds[crowd], tops[crowd] - top),
    )


def _rivals_anywhere(prior: Floats) -> tuple[Floats, Ints]:
    """Of each value, the best prior score of the others, and how many have it."""
    top = prior == prior.max()
    tops = int(np.count_nonzero(top))
    rest = prior[~top]
    second = rest.max(initial=-np.inf)
    seconds = int(np.count_nonzero(rest == second))
    alone_on_top = top & (tops == 1)
    return (
        np.where(alone_on_top, second, prior.max()),
        np.where(alone_on_top, seconds, tops - top),
    )


def likeliest_strength(counts: SensitiveCounts) -> float:
    """α of greatest leave-one-out likelihood, between 10⁻³ and 10⁷."""
    others = counts.totals - 1
    usable = others[counts.value] > 0
    if counts.n < 3 or not usable.any():
        return 1.0
    people, value = counts.people[usable], counts.value[usable]
    sizes, everybody = counts.sizes[counts.crowd[usable]], counts.all_people[usable]
    own, amounts = _together(people, value, len(counts.labels), everybody)
    held, code = np.divmod(own, len(counts.labels))
    share = others[code] / (counts.n - 1)
    size, weights = _together(sizes, np.zeros_like(value), 1, everybody)

    def log_likelihood(log_strength: float) -> float:
        strength = math.exp(log_strength)
        return float(
            np.dot(amounts, np.log(held - 1 + strength * share))
            - np.dot(weights, np.log(size - 1 + strength))
        )

    return math.exp(_highest(log_likelihood, LEAST, MOST))


def _together(numbers: Ints, codes: Ints, width: int, people: Ints) -> tuple[Ints, Ints]:
    """Each (number, code) once as number·width + code, and the people who have it."""
    keys = numbers * width + codes
    top = int(keys.max()) + 1
    if top <= 4 * len(keys) + 4096:
        tally = np.bincount(keys, weights=people, minlength=top)
        found = np.flatnonzero(tally)
        return found, tally[found].astype(np.int64)
    found, place = np.unique(keys, return_inverse=True)
    return found, np.bincount(place, weights=people).astype(np.int64)


def _highest(value: Callable[[float], float], low: float, high: float) -> float:
    """Where a function is highest, by golden section after a coarse look."""
    grid = np.linspace(low, high, 25)
    at = int(np.argmax([value(each) for each in grid.tolist()]))
    low, high = float(grid[max(at - 1, 0)]), float(grid[min(at + 1, len(grid) - 1)])
    for _ in range(_STEPS):
        one, other = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        if value(one) < value(other):
            low = one
        else:
            high = other
    return (low + high) / 2.0
