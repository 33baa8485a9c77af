"""Millions of tuples at once: P(X ≥ k) and E[1/X] of each one's crowd.

X ~ RH(n; n_1, …, n_d) for each row of counts. Rows are told apart by what their law allows:

| row | way | error |
|---|---|---|
| mean at most 1 | `factorial_series` | 1e-11 relative |
| P(X < k) ≤ e^−40 for every k, by Chernoff's bound | the answer is 1 | 1e-17 |
| the left-out terms come to at most 1e-10 | `binomial_expansion` | 1e-10 absolute |
| E[3^X] ≤ 10^4: means up to 4.6, or a handful of people | `factorial_series` | 1e-10 relative |
| else, mean at most 150 | `whole_number_answers`, each different row once | 1e-15 |
| else | `RecursiveHypergeometric`, each different row once | 1e-12 |

The counts of a row are sorted first: their order changes nothing, not a bit. E[1/(1 + X)] has a
closed form in P(X ≥ 1). Weighting a law Y = RH(n + 1; n_j + 1) by its size gives 1 + X, hence

    E[1/(1 + X)] = P(Y ≥ 1)/E[Y],   E[Y] = (n + 1)·Π_j (n_j + 1)/(n + 1).

Where it fails: rows for the last two ways take 0.3 to 5 ms each; tables of thousands of people and
more hardly have any.

Rows that differ: most records of a table share their counts with others, and need one answer.

Each row is hashed into a table of places; the last row to arrive holds the place, and every row
that is equal to the holder, all counts compared, takes its answer from there. A row whose place is
held by a different one answers for itself, so nothing rests on the hash and nothing is sorted: a
few passes over the rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reidrisk import machine
from reidrisk.arrays import Floats, Ints, Places
from reidrisk.errors import ImpossibleCounts
from reidrisk.laws.binomial_expansion import LARGEST_MEAN, Expansion, expandable, orders
from reidrisk.laws.factorial_series import (
    Quantities,
    effective_means,
    moments_of_many,
    series_answers,
    suits,
    whole_number_answers,
)
from reidrisk.laws.hypergeometric import MOST_PEOPLE, whole
from reidrisk.laws.recursive_hypergeometric import RecursiveHypergeometric

# Odd 64-bit numbers with about as many ones as noughts: 2^64 over the golden ratio, and its powers.
GOLDEN = 0x9E3779B97F4A7C15


def different_rows(rows: Ints) -> tuple[Places, Places]:
    """(places of rows that answer, for each row the number of the one that answers for it)."""
    total, bits = len(rows), max(1, (2 * len(rows)).bit_length())
    everyone = np.arange(total)
    key = _mixed(rows) >> np.uint64(64 - bits)
    holder = np.empty(1 << bits, dtype=np.intp)
    holder[key] = everyone
    speaker = holder[key]
    theirs = np.take(rows, speaker, axis=0)
    alike = np.ones(total, dtype=bool)
    for column in range(rows.shape[1]):
        alike &= theirs[:, column] == rows[:, column]
    speaker = np.where(alike, speaker, everyone)
    chosen = np.flatnonzero(speaker == everyone)
    number = np.empty(total, dtype=np.intp)
    number[chosen] = np.arange(len(chosen))
    return chosen, number[speaker]


def _mixed(rows: Ints) -> NDArray[np.uint64]:
    key = np.zeros(len(rows), dtype=np.uint64)
    for column in range(rows.shape[1]):
        key ^= key >> np.uint64(29)
        key += rows[:, column].astype(np.uint64)
        key *= np.uint64(GOLDEN)
    return key


# Rows worked on at once: what fits a processor's cache.
BLOCK = 16384
CERTAIN = 40.0
LEFT_OUT = 1e-10
# Their bound stops two orders on; ten times less keeps 1e-10 relatively for few people too.
LEFT_OUT_OF_RECIPROCALS = 1e-11
# Up to this mean a small P keeps its digits, whatever it costs.
RARE = 1.0
LARGEST_MEAN_IN_WHOLE_NUMBERS = 150.0


def tails(n: float, counts: ArrayLike, ks: Iterable[float]) -> Floats:
    """P(X ≥ k): a row for each row of counts (rows × attributes), a column for each k."""
    sizes = [whole(k, "the size of a crowd") for k in ks]
    return tails_of(sizes, lambda quantities: answers(n, counts, quantities))


def tails_of(ks: Sequence[int], answer: Callable[[Quantities], Floats]) -> Floats:
    """P(X ≥ k), a column for each k, by an answer about those from 1 on; the others are certain."""
    quantities = Quantities(tuple(k for k in ks if k >= 1))
    uncertain = answer(quantities)
    if len(quantities.ks) == len(ks):
        return uncertain
    every = np.ones((len(uncertain), len(ks)))
    every[:, [place for place, k in enumerate(ks) if k >= 1]] = uncertain
    return every


def mean_reciprocals(n: float, counts: ArrayLike) -> Floats:
    """E[1/(1 + X)] for each row of counts."""
    rows = checked_rows(n, counts) + 1
    people = whole(n, "the number of people") + 1
    mean = people * np.prod(np.sort(rows, axis=1) / people, axis=1)
    return np.asarray(answers(people, rows, Quantities((1,)))[:, 0] / mean)


def reciprocals(n: float, counts: ArrayLike) -> Floats:
    """E[1/X; X ≥ 1], nobody counting nought, for each row of counts."""
    return answers(n, counts, Quantities((), reciprocal=True))[:, 0]


def answers(n: float, counts: ArrayLike, quantities: Quantities) -> Floats:
    """What is asked of each row's law, a column an answer."""
    rows, people = checked_rows(n, counts), int(n)
    return answers_once(
        rows, rows, quantities, lambda block: _block_answers(people, block, quantities)
    )


def answers_once(
    rows: NDArray[Any],
    keys: Ints,
    quantities: Quantities,
    block_answers: Callable[[NDArray[Any]], Floats],
) -> Floats:
    """Answers for rows, those of equal `keys` worked out once, in blocks on all cores."""
    answers = np.empty((len(rows), quantities.answers))

    def work(part: slice) -> None:
        chosen, which = different_rows(keys[part])
        different = rows[part][chosen]
        answered = np.empty((len(different), quantities.answers))
        for begin in range(0, len(different), BLOCK):
            block = slice(begin, begin + BLOCK)
            answered[block] = block_answers(different[block])
        # A bound that can't be passed: without it, numpy copies the answer once more.
        np.take(answered, which, axis=0, out=answers[part], mode="clip")

    machine.in_slices(work, len(rows), machine.available())
    return answers


def _block_answers(n: int, rows: Ints, quantities: Quantities) -> Floats:
    """A row of answers for each row of counts."""
    ordered = sorted_columns(rows)
    fast, left = _fast_answers(n, ordered, quantities)
    for place in left:
        counts = tuple(int(count) for count in ordered[:, place])
        fast[:, place] = _slow_answers(n, counts, quantities)
    return fast.T


def checked_rows(n: float, counts: ArrayLike) -> Ints:
    """Rows of whole numbers from 0 to n, one for each attribute and at least one."""
    people, rows = whole(n, "the number of people"), np.asarray(counts)
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise ImpossibleCounts("counts are a row for each tuple, a column for each attribute")
    if not 0 <= people <= MOST_PEOPLE:
        raise ImpossibleCounts(f"{people} people: it has to be between 0 and {MOST_PEOPLE}")
    if rows.dtype.kind not in "iu" and not (np.isfinite(rows) & (rows == np.floor(rows))).all():
        raise ImpossibleCounts("a count is no whole number")
    if rows.size and (rows.min() < 0 or rows.max() > people):
        raise ImpossibleCounts(f"a count has to be between 0 and n = {people}")
    return rows.astype(np.int64, copy=False)


def sorted_columns(rows: Ints) -> Floats:
    """An attribute a row, the smallest count of each tuple in the first: insertion by swaps."""
    columns = list(np.ascontiguousarray(rows.T, dtype=np.float64))
    for last in range(1, len(columns)):
        for place in range(last, 0, -1):
            low = np.minimum(columns[place - 1], columns[place])
            columns[place] = np.maximum(columns[place - 1], columns[place])
            columns[place - 1] = low
    return np.array(columns)


def _fast_answers(n: int, counts: Floats, quantities: Quantities) -> tuple[Floats, Places]:
    """(a tuple a column, the places that are still open)."""
    answers = np.empty((quantities.answers, counts.shape[1]))
    shares = counts / max(n, 1)
    mean = n * np.prod(shares, axis=0)
    effective = effective_means(mean, counts[0])
    sure = certain(mean, quantities.largest)

    def by_series(here: Places) -> None:
        mine = shares[:, here]
        answers[:, here] = series_answers(
            effective[here],
            quantities,
            lambda some, terms: moments_of_many(n, mine[:, some], terms),
        )

    few = effective <= RARE
    by_series(np.flatnonzero(few))
    still = ~few if quantities.reciprocal else ~few & ~sure
    for order in orders(n):
        here = np.flatnonzero(still & expandable(mean, counts[0]))
        if not len(here):
            break
        expansion = Expansion.of(n, counts[:, here], order)
        good = np.flatnonzero(adequate(expansion, quantities, mean[here], sure[here]))
        fill(answers, here[good], expansion.chosen(good), quantities)
        still[here[good]] = False
    here = np.flatnonzero(still & suits(effective))
    by_series(here)
    still[here] = False
    answers[: len(quantities.ks), sure] = 1.0
    fixed = np.flatnonzero((counts < n).sum(axis=0) < 2)
    answers[:, fixed] = certain_answers(counts[0, fixed], quantities)
    still[fixed] = False
    return answers, np.flatnonzero(still)


def certain_answers(crowd: Floats, quantities: Quantities) -> Floats:
    """Where one value at most tells anything, the crowd is its count: no digit is lost."""
    answers = [(crowd >= k).astype(np.float64) for k in quantities.ks]
    if quantities.reciprocal:
        answers.append(np.divide(1.0, crowd, out=np.zeros_like(crowd), where=crowd > 0))
    return np.array(answers).reshape(quantities.answers, len(crowd))


def adequate(
    expansion: Expansion, quantities: Quantities, mean: Floats, sure: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Whether the terms left out are small for everything that is asked."""
    good = np.ones_like(sure)
    if quantities.ks:
        good &= sure | ((expansion.error_of_tails <= LEFT_OUT) & (mean <= LARGEST_MEAN))
    if quantities.reciprocal:
        good &= expansion.error_of_reciprocals <= LEFT_OUT_OF_RECIPROCALS
    return good


def fill(answers: Floats, here: Places, expansion: Expansion, quantities: Quantities) -> None:
    """The expansion's answers in the columns `here`."""
    if quantities.ks:
        answers[: len(quantities.ks), here] = expansion.tails(quantities.largest)[
            [k - 1 for k in quantities.ks]
        ]
    if quantities.reciprocal:
        answers[-1, here] = expansion.reciprocals()


def certain(mean: Floats, k: int) -> NDArray[np.bool_]:
    """P(X < k) ≤ e^−40, by P(X ≤ x) ≤ exp(−μ + x − x·log(x/μ)) for x ≤ μ."""
    x = float(k - 1)
    bound = mean - x + (x * np.log(x / np.maximum(mean, 1e-300)) if x else 0.0)
    return np.asarray((mean > x) & (bound >= CERTAIN))


@lru_cache(maxsize=1 << 16)
def _slow_answers(n: int, counts: tuple[int, ...], quantities: Quantities) -> list[float]:
    """One row, by whole numbers or by its whole law."""
    if n * math.prod(count / n for count in counts) <= LARGEST_MEAN_IN_WHOLE_NUMBERS:
        return whole_number_answers(n, counts, quantities)
    law = RecursiveHypergeometric(n, counts)
    answers = [float(law.tail(k)) for k in quantities.ks]
    if quantities.reciprocal:
        answers.append(law.reciprocal())
    return answers
