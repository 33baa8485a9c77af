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
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.laws.asked import Asked
from reidrisk.laws.chains import chain_answers, chain_mean_reciprocals, chain_means, chain_tails
from reidrisk.laws.conditioned import CrowdsOfTuples, Given
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.spanning_forest import Forest
from reidrisk.prediction.crowd_columns import crowds_from
from reidrisk.prediction.grouping import plain_counts
from reidrisk.statistics.settling import Settled, SettledAttribute

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]


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
    attributes: Sequence[SettledAttribute],
    forest: Forest,
    codes: Codes,
    counts: Floats | None = None,
    joint: Sequence[EdgeCells | None] | None = None,
) -> Chains:
    """The chains of tuples given as codes, attributes in the forest's order.

    A value lumped together has the average cells of all that are. `counts` are what the values'
    counts are taken to be, by default what is expected; `joint` the cells by the forest's stages.
    """
    n = float(knowledge.n)
    holders, among = np.empty(codes.shape), np.empty(codes.shape)
    lumped = [codes[:, j] >= len(each.values) for j, each in enumerate(attributes)]
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
        own = lumped[parent]
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


def averaged_cells(cells: Floats, rows: SettledAttribute, columns: SettledAttribute) -> Floats:
    """A pair table in which values lumped together all have their average cell."""
    if not rows.lumped and not columns.lumped:
        return cells
    averaged = cells.copy()
    if columns.lumped:
        averaged[:, -columns.lumped :] = averaged[:, -columns.lumped :].mean(axis=1, keepdims=True)
    if rows.lumped:
        averaged[-rows.lumped :] = averaged[-rows.lumped :].mean(axis=0, keepdims=True)
    return averaged


def _taken_together(
    holders: Floats, among: Floats, root: int, stage: int, which: NDArray[np.bool_], n: float
) -> None:
    """A root and its first child are one draw: those who hold both, from everybody."""
    holders[which, root] = holders[which, stage]
    holders[which, stage] = among[which, stage] = n


def tree_crowds(
    settled: Settled, forest: Forest, codes: Codes, ks: Sequence[int], given: Given
) -> CrowdsOfTuples:
    """The crowds of tuples under the tree."""
    n = settled.records
    holders, among = tree_counts(settled.knowledge, settled.attributes, forest, codes)
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
