"""The tree form of a tuple's law: one pair table for every attribute but the first.

Symbols: n_i people hold value i of the tuple, n_ij values i and j. The forest of greatest
information (`models.spanning_forest`) gives each attribute j a parent p. People who hold the values
up to p are among the n_p holders of p, of whom n_pj hold j as well: each further attribute thins
them out by a hypergeometric draw from n_p, where the independent law draws from all n. The
factorial moments of the crowd X are

    E[X(X−1)…(X−r+1)] = Π_edges (n_pj)_r / Π_j (n_j)_r^{degree of j − 1},   (m)_r = m(m−1)…(m−r+1),

with n for a tree's root that hangs on nothing. They don't depend on where a tree is rooted. Without
pair tables this is the recursive hypergeometric law; with two attributes it is the joint count.

Where it fails: values that depend on each other other than through the tree's edges.

Crowds from columns of figures: P(crowd ≥ k) for each k, then E[crowd], E[1/crowd], P(nobody).

The crowd of a tuple whose frequency is B(m, q), m not necessarily whole.

    member: 1 + B(m − 1, q), E[1/crowd] = (1 − (1 − q)^m)/(m·q);
    paper, unknown: X = B(m, q), of which `paper` then takes X ≥ 1.

Where it fails: draws with replacement stand for draws without.

TFRR's rectified law exactly as printed, for reproduction (eqs. 6, 7, 10, 11).

Symbols: a tuple's values are held by n_1 … n_d of N people; its surest strong pair (i, j) by n_ij,
p_ij = n_ij/n_i the larger confidence. The tuple's frequency is B(n', p') with

    n' = n_i·p_ij,  p' = Π_{k≠i,j} n_k/N^{d−2}   for d > 2,
    n' = n_i,       p' = p_ij                    for d = 2,

and B(n_d, Π_{k<d} n_k/N^{d−1}) where no pair is strong. A fractional n' lies between two laws.

Where it fails: at d = 2 the joint count n_ij is known, and the printed law spreads it out again;
draws are without replacement, which a binomial isn't.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Floats, Ints
from reidrisk.laws import (
    Asked,
    CrowdsOfTuples,
    Given,
    binomial_tail,
    chain_answers,
    chain_mean_reciprocals,
    chain_means,
    chain_tails,
)
from reidrisk.models import Forest, Knowledge, TupleLaws
from reidrisk.prediction.grouping import Grouped, plain_counts
from reidrisk.statistics import CompleteAttribute, CompleteCounts


def crowds_from(figures: Floats, ks: Sequence[int], given: Given) -> CrowdsOfTuples:
    """The columns as crowds, given that somebody is there for `paper`."""
    at_least, (expected, risk, nobody) = figures[:, : len(ks)], figures[:, len(ks) :].T
    if given == "paper":
        somebody = np.maximum(1.0 - nobody, 1e-300)
        at_least = np.minimum(at_least / somebody[:, None], 1.0)
        expected, risk, nobody = expected / somebody, risk / somebody, np.zeros(len(nobody))
    return CrowdsOfTuples(given, tuple(ks), at_least, expected, risk, nobody)


class EdgeCells(NamedTuple):
    """People who hold a tuple's values of an attribute and its parent. Where they are so many by
    chance only, each of the parent's holders is among them with the same chance.
    """

    both: Floats
    by_chance: NDArray[np.bool_]


class Chains(NamedTuple):
    """A law a row: start with `holders[0]` people; stage j keeps `holders[j]` of `among[j]`."""

    holders: Floats
    among: Floats


def tree_counts(
    knowledge: Knowledge,
    attributes: Sequence[CompleteAttribute],
    forest: Forest,
    codes: Ints,
    counts: Floats | None = None,
    joint: Sequence[EdgeCells | None] | None = None,
) -> Chains:
    """The chains of tuples given as codes, attributes in the forest's order.

    A value lumped together has the average cells of all that are. `counts` are what the values'
    counts are taken to be, by default what is expected; `joint` the cells by the forest's stages.
    """
    n = float(knowledge.n)
    holders, among = np.empty(codes.shape), np.empty(codes.shape)
    in_other = [codes[:, j] >= len(each.values) for j, each in enumerate(attributes)]
    held = counts
    if held is None:
        held = plain_counts([each.expected_counts for each in attributes], codes)
    for stage, j in enumerate(forest.order):
        parent = forest.parent[j]
        if parent is None:
            holders[:, stage], among[:, stage] = held[:, j], n
            continue
        above, cells = held[:, parent], None if joint is None else joint[stage]
        # An average parent has no whole number of people: its share of all is kept instead.
        own = in_other[parent]
        if cells is None:
            known = knowledge.pair(parent, j)
            assert known is not None
            averaged = averaged_cells(known, attributes[parent], attributes[j])
            both = averaged[codes[:, parent], codes[:, j]]
        else:
            both, own = cells.both, cells.by_chance
        share = np.divide(both, above, out=np.zeros_like(both), where=above > 0)
        holders[:, stage] = np.where(own, n * share, both)
        among[:, stage] = np.where(own, n, above)
        if forest.parent[parent] is None and forest.children(parent)[0] == j:
            _taken_together(holders, among, forest.order.index(parent), stage, ~own, n)
    return Chains(holders, among)


def averaged_cells(cells: Floats, rows: CompleteAttribute, columns: CompleteAttribute) -> Floats:
    """A pair table in which values lumped together all have their average cell."""
    if not rows.in_other and not columns.in_other:
        return cells
    averaged = cells.copy()
    if columns.in_other:
        averaged[:, -columns.in_other :] = averaged[:, -columns.in_other :].mean(
            axis=1, keepdims=True
        )
    if rows.in_other:
        averaged[-rows.in_other :] = averaged[-rows.in_other :].mean(axis=0, keepdims=True)
    return averaged


def _taken_together(
    holders: Floats, among: Floats, root: int, stage: int, which: NDArray[np.bool_], n: float
) -> None:
    """A root and its first child are one draw: those who hold both, from everybody."""
    holders[which, root] = holders[which, stage]
    holders[which, stage] = among[which, stage] = n


def tree_crowds(
    complete: CompleteCounts, forest: Forest, codes: Ints, ks: Sequence[int], given: Given
) -> CrowdsOfTuples:
    """The crowds of tuples under the tree."""
    n = complete.records
    holders, among = tree_counts(complete.knowledge, complete.attributes, forest, codes)
    return crowds_from(chain_figures(n, Chains(holders, among), ks, given), ks, given)


def chain_figures(n: int, chains: Chains, ks: Sequence[int], given: Given) -> Floats:
    """P(crowd ≥ k) for each k, E[crowd], E[1/crowd] and P(nobody), a row a chain."""
    holders, among = chains
    if given == "member":
        # The person holds every value, and every pair of them.
        holders = np.maximum(holders, 1.0)
    return _figures(n, holders, among, ks, given)


def _figures(n: int, holders: Floats, among: Floats, ks: Sequence[int], given: Given) -> Floats:
    """P(crowd ≥ k) for each k, E[crowd], E[1/crowd] and P(nobody), a row a tuple."""
    people = among.astype(np.int64)
    if given == "member":
        others = (n - 1, holders - 1, people - 1)
        tails = chain_tails(*others, [k - 1 for k in ks])
        expected, risk = 1.0 + chain_means(*others), chain_mean_reciprocals(*others)
        return np.column_stack([tails, expected, risk, np.zeros(len(holders))])
    somebody, risk = chain_answers(n, holders, people, Asked((1,), reciprocal=True)).T
    tails = chain_tails(n, holders, people, ks)
    return np.column_stack([tails, chain_means(n, holders, people), risk, 1.0 - somebody])


# E[1/X] by Gauss-Legendre on each of the stretches of t below.
NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)
# Fewer people than this to be expected are as good as nobody else.
HARDLY = 1e-12


def model_crowds(laws: TupleLaws, ks: Sequence[int], given: Given) -> CrowdsOfTuples:
    """The crowds of tuples under a model's laws, each a mixture of binomial ones."""
    floored = TupleLaws(np.maximum(laws.expected, HARDLY), laws.narrowing)
    figures = np.zeros((len(laws.expected), len(ks) + 3))
    for entry, c, share, weight in floored.parts():
        figures[entry] += weight[:, None] * binomial_crowds(c, share, ks, given)
    return crowds_from(figures, ks, given)


def binomial_crowds(m: Floats, q: Floats, ks: Sequence[int], given: Given) -> Floats:
    """P(crowd ≥ k) for each k, E[crowd], E[1/crowd] and P(nobody); for `paper` not yet X ≥ 1."""
    if given == "member":
        others = np.maximum(m - 1.0, 0.0)
        tails = [binomial_tail(k - 1.0, others, q) for k in ks]
        held = np.maximum(m, 1.0)
        mean = held * q
        some = -np.expm1(held * np.log1p(-np.minimum(q, 1.0 - 1e-16)))
        risk = np.where(mean > HARDLY, some / np.maximum(mean, 1e-300), 1.0)
        return np.column_stack([*tails, 1.0 + others * q, risk, np.zeros(len(m))])
    tails = [binomial_tail(float(k), m, q) for k in ks]
    nobody = 1.0 - binomial_tail(1.0, m, q)
    return np.column_stack([*tails, m * q, _mean_reciprocal(m, q), nobody])


def _mean_reciprocal(m: Floats, q: Floats) -> Floats:
    """E[1/X; X ≥ 1] = ∫_0^∞ ((1 − q(1 − e^{−t}))^m − (1 − q)^m) dt, X ~ B(m, q).

    The integrand falls from t ≈ 1/(mq) on: stretches of t double from there to 40.
    """
    mean = np.maximum(m * q, 1e-12)
    total = np.zeros(len(m))
    with np.errstate(divide="ignore", invalid="ignore"):
        nobody = np.where(q < 1.0, np.exp(m * np.log1p(-q)), np.where(m > 0, 0.0, 1.0))
        start, end = np.zeros(len(m)), np.minimum(1.0 / mean, 1.0)
        while np.any(start < 40.0):
            middle, half = (start + end) / 2.0, (end - start) / 2.0
            t = middle[:, None] + half[:, None] * NODES[None, :]
            value = np.exp(m[:, None] * np.log1p(q[:, None] * np.expm1(-t))) - nobody[:, None]
            total += half * (value @ WEIGHTS)
            start, end = end, np.minimum(2.0 * end, 40.0)
    return total


def paper_crowds(
    n: int, counts: Floats, single: Grouped, ks: Sequence[int], given: Given
) -> CrowdsOfTuples:
    """The crowds of tuples by the printed law; `single` has the surest pair of each joined."""
    trials, chance = _printed(n, counts, single)
    low = np.floor(trials)
    part = trials - low
    mixed = [
        binomial_crowds(m, chance, ks, given) * weight[:, None]
        for m, weight in ((low, 1.0 - part), (low + 1.0, part))
    ]
    return crowds_from(mixed[0] + mixed[1], ks, given)


def _printed(n: int, counts: Floats, single: Grouped) -> tuple[Floats, Floats]:
    """n' and p' of each tuple."""
    share = np.prod(counts / n, axis=1)
    trials = counts[:, -1].copy()
    chance = share * n / np.maximum(trials, 1e-300)
    for (i, j), used in single.joined.items():
        joint = single.counts[used, min(i, j)]
        if counts.shape[1] == 2:
            trials[used] = np.minimum(counts[used, i], counts[used, j])
            chance[used] = joint / trials[used]
        else:
            trials[used] = joint
            chance[used] = share[used] * n * n / (counts[used, i] * counts[used, j])
    return trials, np.clip(chance, 0.0, 1.0)
