"""Chains: the recursive hypergeometric law where each value has its own people to be drawn from.

Symbols: of n people, stage j keeps those who hold value j: `holders` h_j of the a_j people `among`
whom they are known to be,

    X_0 = n,   X_j given X_{j−1} = m is hypergeometric: m of a_j are marked, h_j of a_j are drawn.

With a_j = n throughout this is RH(n; h_1, …, h_d). With a_j = n_p and h_j = n_pj, the people who
hold a parent value and those who hold both, it is the law of a tuple under a tree of pair tables.
X stays a sum of independent indicators, since drawing h of a keeps a generating function's roots
real (Schur and Szegő) as long as X ≤ a. Factorial moments:

    F_{r+1}/F_r = (n − r)/(r + 1) · Π_j (h_j − r)/(a_j − r).

Ways are those of `many_tuples`, told apart in the same manner; the last one is `chain_law`.

A member of the crowd: all numbers are those of the others, one less, and the crowd is 1 + X.

Counts h_j with a fraction stand for the laws of the whole counts around them, mixed stage by stage
(`between_counts`). With t = ⌈h⌉, the mixed moments of a stage are those of t, thinned evenly:

    (t − h)·(t−1)_r + (1 − t + h)·(t)_r = (t)_r·(1 − s·r),   s = (t − h)/t,

so that one series of moments answers for the 2^d laws of whole counts that d fractions stand for.
For the others of a member, P(Y ≥ 1)/E[Y] = E[1/(1 + X)] holds with the counts t(t + 1)/(2t − h).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk import cores
from reidrisk.laws.asked import Asked, float_weights
from reidrisk.laws.chain_law import chain_answer
from reidrisk.laws.different_rows import different_rows
from reidrisk.laws.many_expansion import LARGEST_MEAN, LARGEST_ORDER, Expansion, expandable
from reidrisk.laws.many_series import (
    CLASSES,
    effective_means,
    product_in_pieces,
    terms_enough,
)
from reidrisk.laws.many_tuples import (
    BLOCK,
    LEFT_OUT,
    LEFT_OUT_OF_RECIPROCALS,
    certain,
    certain_answers,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Places = NDArray[np.intp]
Counts = NDArray[np.int64] | NDArray[np.float64]


def chain_tails(n: int, holders: Counts, among: Ints, ks: Sequence[int]) -> Floats:
    """P(X ≥ k): a row for each chain, a column for each k."""
    asked = Asked(tuple(k for k in ks if k >= 1))
    found = np.ones((len(holders), len(ks)))
    found[:, [place for place, k in enumerate(ks) if k >= 1]] = chain_answers(
        n, holders, among, asked
    )
    return found


def chain_means(n: int, holders: Counts, among: Counts) -> Floats:
    """E[X] = n·Π_j h_j/a_j."""
    shares = np.divide(holders, among, out=np.zeros(holders.shape), where=among > 0)
    return np.asarray(n * np.prod(shares, axis=1))


def chain_mean_reciprocals(n: int, holders: Counts, among: Ints) -> Floats:
    """E[1/(1 + X)] = P(Y ≥ 1)/E[Y], Y the chain with one person more everywhere."""
    top = np.ceil(holders)
    mixed = np.divide(top * (top + 1.0), 2.0 * top - holders, out=np.ones(top.shape), where=top > 0)
    more = (n + 1, np.where(top == holders, holders + 1.0, mixed), among + 1)
    return np.asarray(chain_answers(*more, Asked((1,)))[:, 0] / chain_means(*more))


def chain_answers(n: int, holders: Counts, among: Ints, asked: Asked) -> Floats:
    """What is asked of each chain, a column an answer."""
    rows = np.hstack([holders, among]).astype(np.float64, copy=False)
    found = np.empty((len(rows), asked.answers))

    def work(part: slice) -> None:
        # Equal numbers have equal bits.
        chosen, which = different_rows(rows[part].view(np.int64))
        different = rows[part][chosen]
        answers = np.empty((len(different), asked.answers))
        for begin in range(0, len(different), BLOCK):
            block = slice(begin, begin + BLOCK)
            answers[block] = _block_answers(n, different[block], asked)
        np.take(answers, which, axis=0, out=found[part], mode="clip")

    cores.in_slices(work, len(rows), cores.available())
    return found


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


def _block_answers(n: int, rows: Floats, asked: Asked) -> Floats:
    chains = _Block.of(n, rows)
    found = np.empty((asked.answers, len(rows)))
    smallest = chains.held.min(axis=0)
    effective = effective_means(_mean(n, chains.held, chains.base), smallest)
    sure = certain(_mean(n, chains.floor, chains.base), asked.largest)
    kind = np.searchsorted(CLASSES, effective)
    still = np.ones(len(rows), dtype=bool)
    for place, most in enumerate(CLASSES):
        here = np.flatnonzero(kind == place)
        if len(here):
            weights = float_weights(asked, terms_enough(most, asked.largest_in_series))
            moments = _moments(n, chains.of_places(here), weights.shape[1])
            found[:, here] = product_in_pieces(weights, moments)
            still[here] = False
    settled = np.flatnonzero((chains.floor < chains.base).sum(axis=0) < 2)
    found[:, settled] = _certain_between(chains.of_places(settled), asked)
    still[settled] = False
    if not asked.reciprocal:
        still &= ~sure
    still[_expanded(n, chains, smallest, sure, still, asked, found)] = False
    found[: len(asked.ks), sure] = 1.0
    for row in np.flatnonzero(still):
        holders, among = np.split(rows[row], 2)
        found[:, row] = chain_answer(n, tuple(holders.tolist()), tuple(map(int, among)), asked)
    return np.clip(found.T, 0.0, 1.0)


def _certain_between(chains: _Block, asked: Asked) -> Floats:
    """Where one value at most tells anything, the crowd is its count, or one of two."""
    fewer = certain_answers(chains.floor.min(axis=0), asked)
    more = certain_answers(chains.held.min(axis=0), asked)
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
    asked: Asked,
    found: Floats,
) -> Places:
    """Fill in the chains whose expansion is good enough; which they are."""
    here = np.flatnonzero(still & expandable(chains.mean, smallest))
    if not len(here):
        return here
    mean, (held, short, base, _) = chains.mean, chains.of_places(here)
    expansion = Expansion.of(n, held, LARGEST_ORDER, base, short)
    good = np.ones(len(here), dtype=bool)
    if asked.ks:
        tails = (expansion.error_of_tails <= LEFT_OUT) & (mean[here] <= LARGEST_MEAN)
        good &= sure[here] | tails
    if asked.reciprocal:
        good &= expansion.error_of_reciprocals <= LEFT_OUT_OF_RECIPROCALS
    chosen, places = expansion.chosen(np.flatnonzero(good)), here[good]
    if asked.ks and len(places):
        rows = chosen.tails(asked.largest)
        found[: len(asked.ks), places] = rows[[k - 1 for k in asked.ks]]
    if asked.reciprocal and len(places):
        found[-1, places] = chosen.reciprocals()
    return places
