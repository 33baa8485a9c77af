"""Chains: the recursive hypergeometric law where each value has its own people to be drawn from.

Symbols: of n people, stage j keeps those who hold value j: `holders` h_j of the a_j people `among`
whom they are known to be,

    X_0 = n,   X_j given X_{j−1} = m is hypergeometric: m of a_j are marked, h_j of a_j are drawn.

With a_j = n throughout this is RH(n; h_1, …, h_d). With a_j = n_p and h_j = n_pj, the people who
hold a parent value and those who hold both, it is the law of a tuple under a tree of pair tables.
X stays a sum of independent indicators, since drawing h of a keeps a generating function's roots
real (Schur and Szegő) as long as X ≤ a. Factorial moments:

    F_{r+1}/F_r = (n − r)/(r + 1) · Π_j (h_j − r)/(a_j − r).

Ways are those of `many_tuples`, told apart in the same manner; the last one is `chain_answer`.

A member of the crowd: all numbers are those of the others, one less, and the crowd is 1 + X.

Counts h_j with a fraction stand for the laws of the whole counts around them, mixed stage by stage
in proportion. With t = ⌈h⌉, the mixed moments of a stage are those of t, thinned evenly:

    (t − h)·(t−1)_r + (1 − t + h)·(t)_r = (t)_r·(1 − s·r),   s = (t − h)/t,

so that one series of moments answers for the 2^d laws of whole counts that d fractions stand for.
For the others of a member, P(Y ≥ 1)/E[Y] = E[1/(1 + X)] holds with the counts t(t + 1)/(2t − h).

One chain's law: by whole numbers while crowds are small, by strides otherwise.

The same two ways as for one tuple of independent values (`whole_number_answers`, `law_table`), with
each stage's own number of people in the place of n. Counts with fractions are mixed in the series
(`chains`); by strides, each law of whole counts around them is worked out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Floats, Ints, Places
from reidrisk.laws.binomial_expansion import LARGEST_ORDER, Expansion, expandable
from reidrisk.laws.factorial_series import (
    Quantities,
    effective_means,
    series_answers,
    suits,
    whole_number_answers,
)
from reidrisk.laws.hypergeometric import Stage
from reidrisk.laws.law_tables import ListedLaw, LogTable, table_by_strides
from reidrisk.laws.many_tuples import (
    adequate,
    answers_once,
    certain,
    certain_answers,
    fill,
    tails_of,
)

LARGEST_MEAN_IN_WHOLE_NUMBERS = 150.0
DEPTH = 110.0
# By strides, more counts with fractions than so many are rounded, the smallest kept.
MOST_FRACTIONS = 6


@lru_cache(maxsize=1 << 16)
def chain_answer(
    n: int, holders: tuple[float, ...], among: tuple[int, ...], quantities: Quantities
) -> list[float]:
    """What is asked of one chain; counts with fractions lie between two laws each."""
    tops = [math.ceil(min(h, a)) for h, a in zip(holders, among, strict=True)]
    gaps = [top - min(h, top) for top, h in zip(tops, holders, strict=True)]
    mean = n * math.prod(t / a if a else 0.0 for t, a in zip(tops, among, strict=True))
    # Strides take two laws for every count with a fraction, whole numbers one for all of them.
    laws = 1 << min(sum(map(bool, gaps)), MOST_FRACTIONS)
    if mean <= LARGEST_MEAN_IN_WHOLE_NUMBERS * math.sqrt(laws):
        return whole_number_answers(n, tops, quantities, among, gaps)
    mixed = np.zeros(quantities.answers)
    for weight, whole in _corners(tops, gaps):
        mixed += weight * np.array(_by_strides(n, whole, among, quantities))
    return [float(each) for each in mixed]


def _by_strides(
    n: int, holders: Sequence[int], among: Sequence[int], quantities: Quantities
) -> list[float]:
    law = ListedLaw(chain_table(n, holders, among))
    found = [float(law.at_least(np.array(k))) for k in quantities.ks]
    return [*found, law.reciprocal()] if quantities.reciprocal else found


def _corners(tops: Sequence[int], gaps: Sequence[float]) -> Iterator[tuple[float, list[int]]]:
    """(weight, whole counts) around counts with fractions; the largest of many are rounded."""
    fractions = sorted((top, stage) for stage, top in enumerate(tops) if gaps[stage])
    rounded = [round(top - gap) for top, gap in zip(tops, gaps, strict=True)]
    for _, stage in fractions[:MOST_FRACTIONS]:
        rounded[stage] = tops[stage]
    for downs in product((0, 1), repeat=len(fractions[:MOST_FRACTIONS])):
        weight, whole = 1.0, list(rounded)
        for down, (_, stage) in zip(downs, fractions, strict=False):
            weight *= gaps[stage] if down else 1.0 - gaps[stage]
            whole[stage] -= down
        yield weight, whole


def chain_table(n: int, holders: Sequence[int], among: Sequence[int]) -> LogTable:
    """log P(X = k) wherever P ≥ e^−110: a closed form for two stages, then one more at a time."""
    distinguishing = [(h, a) for h, a in zip(holders, among, strict=True) if h < a]
    # Stages drawn from everybody come first: a stage's people have to hold all X so far.
    distinguishing.sort(key=lambda stage: (-stage[1], stage[0]))
    if len(distinguishing) < 2 or min(holders) == 0:
        only = min((*holders, n))
        return LogTable(only, only, 1, np.zeros(1))
    return table_by_strides(
        _stages(n, distinguishing), [people for _, people in distinguishing], DEPTH
    )


def _stages(n: int, distinguishing: Sequence[tuple[int, int]]) -> list[Stage]:
    """Support, mean and variance after each stage: as `TupleCounts.stages`, a for n."""
    stages: list[Stage] = []
    mean, variance, low, high = float(n), 0.0, n, n
    for holders, people in distinguishing:
        p = holders / people
        if people > 1:
            variance *= p * (holders - 1) / (people - 1)
            variance += p * (1.0 - p) * mean * max(people - mean, 0.0) / (people - 1)
        mean *= p
        low, high = max(low + holders - people, 0), min(high, holders)
        stages.append(Stage(holders, low, high, mean, variance))
    return stages


Counts = NDArray[np.int64] | NDArray[np.float64]


def chain_tails(n: int, holders: Counts, among: Ints, ks: Sequence[int]) -> Floats:
    """P(X ≥ k): a row for each chain, a column for each k."""
    return tails_of(ks, lambda quantities: chain_answers(n, holders, among, quantities))


def chain_means(n: int, holders: Counts, among: Counts) -> Floats:
    """E[X] = n·Π_j h_j/a_j."""
    shares = np.divide(holders, among, out=np.zeros(holders.shape), where=among > 0)
    return np.asarray(n * np.prod(shares, axis=1))


def chain_mean_reciprocals(n: int, holders: Counts, among: Ints) -> Floats:
    """E[1/(1 + X)] = P(Y ≥ 1)/E[Y], Y the chain with one person more everywhere."""
    top = np.ceil(holders)
    mixed = np.divide(top * (top + 1.0), 2.0 * top - holders, out=np.ones(top.shape), where=top > 0)
    more = (n + 1, np.where(top == holders, holders + 1.0, mixed), among + 1)
    return np.asarray(chain_answers(*more, Quantities((1,)))[:, 0] / chain_means(*more))


def chain_answers(n: int, holders: Counts, among: Ints, quantities: Quantities) -> Floats:
    """What is asked of each chain, a column an answer."""
    rows = np.hstack([holders, among]).astype(np.float64, copy=False)
    # Equal numbers have equal bits.
    keys = rows.view(np.int64)
    return answers_once(rows, keys, quantities, lambda block: _block_answers(n, block, quantities))


class _Block(NamedTuple):
    """Chains, a chain a column: ⌈h⌉ a stage a row, s, the people among, and the mean."""

    held: Floats
    short: Floats
    base: Floats
    mean: Floats

    @classmethod
    def of(cls, n: int, rows: Floats) -> _Block:
        """From rows of holders and among."""
        stages = rows.shape[1] // 2
        base = np.ascontiguousarray(rows[:, stages:].T)
        exact = np.minimum(np.ascontiguousarray(rows[:, :stages].T), base)
        held = np.ceil(exact)
        short = np.divide(held - exact, held, out=np.zeros_like(held), where=held > 0)
        return cls(held, short, base, _mean(n, exact, base))

    def of_places(self, here: Places) -> _Block:
        """Some of them."""
        return _Block(self.held[:, here], self.short[:, here], self.base[:, here], self.mean[here])

    @property
    def floor(self) -> Floats:
        """⌊h⌋."""
        return self.held - (self.short > 0.0)


def _mean(n: int, held: Floats, base: Floats) -> Floats:
    return np.asarray(
        n * np.prod(np.divide(held, base, out=np.zeros_like(held), where=base > 0), axis=0)
    )


def _block_answers(n: int, rows: Floats, quantities: Quantities) -> Floats:
    chains = _Block.of(n, rows)
    answers = np.empty((quantities.answers, len(rows)))
    smallest = chains.held.min(axis=0)
    effective = effective_means(_mean(n, chains.held, chains.base), smallest)
    sure = certain(_mean(n, chains.floor, chains.base), quantities.largest)
    few = np.flatnonzero(suits(effective))
    answers[:, few] = series_answers(
        effective[few],
        quantities,
        lambda some, terms: _moments(n, chains.of_places(few[some]), terms),
    )
    still = np.ones(len(rows), dtype=bool)
    still[few] = False
    fixed = np.flatnonzero((chains.floor < chains.base).sum(axis=0) < 2)
    answers[:, fixed] = _certain_between(chains.of_places(fixed), quantities)
    still[fixed] = False
    if not quantities.reciprocal:
        still &= ~sure
    still[_expanded(n, chains, smallest, sure, still, quantities, answers)] = False
    answers[: len(quantities.ks), sure] = 1.0
    for row in np.flatnonzero(still):
        holders, among = np.split(rows[row], 2)
        answers[:, row] = chain_answer(
            n, tuple(holders.tolist()), tuple(map(int, among)), quantities
        )
    return np.clip(answers.T, 0.0, 1.0)


def _certain_between(chains: _Block, quantities: Quantities) -> Floats:
    """Where one value at most tells anything, the crowd is its count, or one of two."""
    fewer = certain_answers(chains.floor.min(axis=0), quantities)
    more = certain_answers(chains.held.min(axis=0), quantities)
    gap = (chains.held * chains.short).max(axis=0)
    return np.asarray(gap * fewer + (1.0 - gap) * more)


def _moments(n: int, chains: _Block, terms: int) -> Floats:
    """F_1 … F_terms; nought from the smallest count on."""
    moments = np.empty((terms, len(chains.mean)))
    before = np.ones(len(chains.mean))
    mixed = chains.short[chains.short.any(axis=1)]
    for r in range(terms):
        row = before * (max(n - r, 0) / (r + 1))
        for h, a in zip(chains.held, chains.base, strict=True):
            row *= np.where(h > r, (h - r) / np.maximum(a - r, 1.0), 0.0)
        before = row
        moments[r] = row * np.prod(1.0 - mixed * (r + 1.0), axis=0) if len(mixed) else row
    return moments


def _expanded(
    n: int,
    chains: _Block,
    smallest: Floats,
    sure: NDArray[np.bool_],
    still: NDArray[np.bool_],
    quantities: Quantities,
    answers: Floats,
) -> Places:
    """Fill in the chains whose expansion is good enough; which they are."""
    here = np.flatnonzero(still & expandable(chains.mean, smallest))
    if not len(here):
        return here
    held, short, base, mean = chains.of_places(here)
    expansion = Expansion.of(n, held, LARGEST_ORDER, base, short)
    good = np.flatnonzero(adequate(expansion, quantities, mean, sure[here]))
    fill(answers, here[good], expansion.chosen(good), quantities)
    return here[good]
