"""The tree form of a person's crowd: one pair table for every attribute but the first.

Symbols: n_i people hold value i of the tuple, n_ij values i and j. The forest of greatest
information (`forest`) gives each attribute j a parent p. People who hold the values up to p are
among the n_p holders of p, of whom n_pj hold j as well: each further attribute thins them out by a
hypergeometric draw from n_p, where the independent law draws from all n. The factorial moments of
the crowd X are

    E[X(X−1)…(X−r+1)] = Π_edges (n_pj)_r / Π_j (n_j)_r^{degree of j − 1},   (m)_r = m(m−1)…(m−r+1),

with n for a tree's root that hangs on nothing. They don't depend on where a tree is rooted. Without
pair tables this is the recursive hypergeometric law; with two attributes it is the joint count.

Where it fails: values that depend on each other other than through the tree's edges.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Floats, Mask
from reidrisk.laws import (
    Given,
    Quantities,
    chain_answers,
    chain_mean_reciprocals,
    chain_means,
    chain_tails,
)
from reidrisk.models.contract import Combinations
from reidrisk.models.forest import Forest
from reidrisk.models.knowledge import Knowledge


class EdgeCells(NamedTuple):
    """People who hold a tuple's values of an attribute and its parent. Where they are so many by
    chance only, each of the parent's holders is among them with the same chance.
    """

    both: Floats
    by_chance: Mask


class Chains(NamedTuple):
    """A law a row: start with `holders[0]` people; stage j keeps `holders[j]` of `among[j]`."""

    holders: Floats
    among: Floats

    @property
    def share(self) -> Floats:
        """E[X]/n."""
        return np.asarray(np.prod(self.holders / self.among, axis=1))


def tree_chains(
    knowledge: Knowledge,
    forest: Forest,
    combinations: Combinations,
    joint: Sequence[EdgeCells | None] | None = None,
) -> Chains:
    """The chains of tuples, attributes in the forest's order.

    Values merged into "other" have the average cells of all that are. `joint` are the cells by the
    forest's stages, where they aren't the pair tables' own.
    """
    n, (codes, counts, in_other, _) = float(knowledge.n), combinations
    holders, among = np.empty(codes.shape), np.empty(codes.shape)
    for stage, j in enumerate(forest.order):
        parent = forest.parent[j]
        if parent is None:
            holders[:, stage], among[:, stage] = counts[:, j], n
            continue
        above, cells = counts[:, parent], None if joint is None else joint[stage]
        if cells is None:
            known = knowledge.pair(parent, j)
            assert known is not None
            of_parent = in_other[parent] if in_other else 0
            averaged = averaged_cells(known, of_parent, in_other[j] if in_other else 0)
            # An average parent has no whole number of people: its share of all is kept instead.
            by_chance = codes[:, parent] >= len(knowledge.counts[parent]) - of_parent
            cells = EdgeCells(averaged[codes[:, parent], codes[:, j]], by_chance)
        both, by_chance = cells
        share = np.divide(both, above, out=np.zeros_like(both), where=above > 0)
        holders[:, stage] = np.where(by_chance, n * share, both)
        among[:, stage] = np.where(by_chance, n, above)
        if forest.parent[parent] is None and forest.children(parent)[0] == j:
            # A root and its first child are one draw: those who hold both, from everybody.
            together, root = ~by_chance, forest.order.index(parent)
            holders[together, root] = holders[together, stage]
            holders[together, stage] = among[together, stage] = n
    return Chains(holders, among)


def averaged_cells(cells: Floats, rows: int, columns: int) -> Floats:
    """A pair table whose last `rows` and `columns`, merged into "other", have their average."""
    if not rows and not columns:
        return cells
    averaged = cells.copy()
    if columns:
        averaged[:, -columns:] = averaged[:, -columns:].mean(axis=1, keepdims=True)
    if rows:
        averaged[-rows:] = averaged[-rows:].mean(axis=0, keepdims=True)
    return averaged


def chain_figures(n: int, chains: Chains, ks: Sequence[int], given: Given) -> Floats:
    """P(crowd ≥ k) for each k, E[crowd], E[1/crowd] and P(nobody), a row a chain."""
    people = chains.among.astype(np.int64)
    if given == "member":
        # The person holds every value, and every pair of them.
        holders = np.maximum(chains.holders, 1.0)
        others = (n - 1, holders - 1, people - 1)
        tails = chain_tails(*others, [k - 1 for k in ks])
        expected, risk = 1.0 + chain_means(*others), chain_mean_reciprocals(*others)
        return np.column_stack([tails, expected, risk, np.zeros(len(holders))])
    everybody = (n, chains.holders, people)
    somebody, risk = chain_answers(*everybody, Quantities((1,), reciprocal=True)).T
    tails = chain_tails(*everybody, ks)
    return np.column_stack([tails, chain_means(*everybody), risk, 1.0 - somebody])
