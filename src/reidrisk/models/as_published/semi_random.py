"""R3A's algorithm 2: values switched until frequent tuples have their confidences.

Symbols: (a, b) frequent in the ordered pair (A, B) with confidence f; a table that has the counts
n_a and n_b is to hold

    T_ab = min(f, n_a/n_b)·n_b   people with both   (rounded),

the second figure being all there can be. Pairs are set in turn, and within a pair its tuples: T_ab
people of value b get value a, taken from others; the rest of column A is dealt out again so that
no tuple already set gets more people, or loses one. Values only change hands within a column, so
every count stays.

Where it fails: tuples that compete for the same people can't all be had; by how many people those
set miss their figure is counted.

R3A's background knowledge: the frequent tuples of strongly dependent pairs.

Symbols: A depends strongly on B when g(A, B) ≥ 0.5 (eq. 9). Of its tuples (a, b) with confidence

    conf(b ⇒ a) = x_ab/n_b   (eq. 11)

those above 0.9 are frequent, and those from 0.5 on that more than 1e-4 of the people hold (398 of
3,985,166 in the paper). Pairs come by falling gain ratio, tuples by falling confidence, then by
falling number of people: the paper leaves the order open.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Mask
from reidrisk.models.forest import STRONG, gain_ratio
from reidrisk.models.knowledge import Knowledge

CERTAIN = 0.9
LIKELY = 0.5
FREQUENT_SHARE = 1e-4


class FrequentTuple(NamedTuple):
    """Who holds value `given` of attribute `on` holds value `value` of attribute `of`, so often."""

    of: int
    on: int
    value: int
    given: int
    confidence: float
    strength: float


def frequent_tuples(knowledge: Knowledge) -> list[FrequentTuple]:
    """All frequent tuples of all strongly dependent ordered pairs, in the order they are set."""
    strength = {}
    for i, j in knowledge.pairs:
        for of, on in ((i, j), (j, i)):
            ratio = round(gain_ratio(knowledge, of, on), 9)
            if ratio >= STRONG:
                strength[of, on] = ratio
    frequent = []
    for of, on in sorted(strength, key=lambda pair: (-strength[pair], pair)):
        frequent += _of_pair(knowledge, of, on, strength[of, on])
    return frequent


def _of_pair(knowledge: Knowledge, of: int, on: int, strength: float) -> list[FrequentTuple]:
    cells = knowledge.pair(of, on)
    assert cells is not None
    confidence = cells / np.maximum(knowledge.counts[on], 1)[None, :]
    common = cells > FREQUENT_SHARE * knowledge.n
    value, given = np.nonzero((confidence > CERTAIN) | ((confidence >= LIKELY) & common))
    order = np.lexsort((-cells[value, given], -confidence[value, given]))
    rows = zip(value[order].tolist(), given[order].tolist(), strict=True)
    return [FrequentTuple(of, on, a, b, float(confidence[a, b]), strength) for a, b in rows]


Column = NDArray[np.int64]

Goal = tuple[int, int, int]

SWAP_ROUNDS = 30


class SemiRandom:
    """Sets the frequent tuples of shuffled tables."""

    def __init__(self, knowledge: Knowledge, frequent: Sequence[FrequentTuple]) -> None:
        self.values = [len(counts) for counts in knowledge.counts]
        self.pairs: list[tuple[int, int, list[Goal]]] = []
        for (of, on), tuples in groupby(frequent, key=lambda each: (each.of, each.on)):
            goals = []
            for each in tuples:
                n_a, n_b = knowledge.counts[of][each.value], knowledge.counts[on][each.given]
                # The paper's first case: a tuple whose values don't occur is passed over.
                if n_a and n_b:
                    people = round(min(each.confidence * n_b, float(n_a)))
                    goals.append((each.value, each.given, people))
            self.pairs.append((of, on, goals))

    def set(self, columns: Sequence[Column], rng: np.random.Generator) -> tuple[list[Column], int]:
        """The table with its tuples set, and by how many people they miss their figures."""
        table = [column.copy() for column in columns]
        locked = [np.zeros(len(table[0]), dtype=bool) for _ in table]
        done: list[tuple[int, int, Mask]] = []
        missed = 0
        for of, on, goals in self.pairs:
            is_set = np.zeros((self.values[of], self.values[on]), dtype=bool)
            is_set[[goal[0] for goal in goals], [goal[1] for goal in goals]] = True
            done.append((of, on, is_set))
            self._set_pair(table, locked, of, on, goals, rng)
            self._swap_clear(table, locked, of, done, rng)
        for of, on, goals in self.pairs:
            held = np.bincount(table[of] * self.values[on] + table[on],
                               minlength=self.values[of] * self.values[on])  # fmt: skip
            missed += sum(abs(int(held[a * self.values[on] + b]) - t) for a, b, t in goals)
        return table, missed

    def _set_pair(
        self,
        table: list[Column],
        locked: list[Mask],
        of: int,
        on: int,
        goals: list[Goal],
        rng: np.random.Generator,
    ) -> None:
        """Give T_ab people of each b the value a, then deal out what is left of the column."""
        column, other = table[of], table[on]
        free = rng.permutation(np.flatnonzero(~locked[of]))
        free = free[np.argsort(other[free], kind="stable")]
        begins = np.searchsorted(other[free], np.arange(self.values[on] + 1))
        left, stock = np.diff(begins), np.bincount(column[free], minlength=self.values[of])
        at = begins[:-1].copy()
        fixed = np.bincount(column[locked[of]] * self.values[on] + other[locked[of]],
                            minlength=self.values[of] * self.values[on])  # fmt: skip
        taken = np.zeros(len(free), dtype=bool)
        for a, b, people in goals:
            wanted = people - int(fixed[a * self.values[on] + b])
            given = max(min(wanted, int(left[b]), int(stock[a])), 0)
            part = slice(at[b], at[b] + given)
            rows = free[part]
            column[rows], taken[part] = a, True
            locked[of][rows] = locked[on][rows] = True
            at[b] += given
            left[b] -= given
            stock[a] -= given
        rest = np.repeat(np.arange(self.values[of]), stock)
        column[free[~taken]] = rng.permutation(rest)

    def _swap_clear(
        self,
        table: list[Column],
        locked: list[Mask],
        of: int,
        done: list[tuple[int, int, Mask]],
        rng: np.random.Generator,
    ) -> None:
        """Swap values of a column between free rows until none adds to a tuple already set."""
        free = np.flatnonzero(~locked[of])
        touched = [each for each in done if of in each[:2]]
        for _ in range(SWAP_ROUNDS):
            wrong = free[self._adds(table, of, touched, free, table[of][free])]
            if not len(wrong) or len(free) < 2:
                return
            partner = rng.choice(free, len(wrong))
            # Each row in one swap at most, so that swaps don't undo each other.
            _, first = np.unique(partner, return_index=True)
            fit = np.zeros(len(wrong), dtype=bool)
            fit[first] = True
            fit &= ~np.isin(partner, wrong)
            wrong, partner = wrong[fit], partner[fit]
            mine, theirs = table[of][wrong], table[of][partner]
            good = ~self._adds(table, of, touched, wrong, theirs)
            good &= ~self._adds(table, of, touched, partner, mine)
            table[of][wrong[good]], table[of][partner[good]] = theirs[good], mine[good]

    def _adds(
        self,
        table: list[Column],
        of: int,
        touched: list[tuple[int, int, Mask]],
        rows: NDArray[np.intp],
        values: Column,
    ) -> Mask:
        """Whether these rows, holding these values of column `of`, make a tuple already set."""
        adds = np.zeros(len(rows), dtype=bool)
        for first, second, is_set in touched:
            if first == of:
                adds |= is_set[values, table[second][rows]]
            else:
                adds |= is_set[table[first][rows], values]
        return adds
