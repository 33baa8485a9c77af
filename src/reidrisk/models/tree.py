"""The tree law: each attribute depends on one other (Chow and Liu).

Symbols: attribute c hangs on its parent u; x_uc people hold a pair of their values, n_u the
parent's value; roots r stand alone (`spanning_forest`). The law is

    p(t) = Π_roots n_r/n · Π_edges x_uc/n_u,

the only one that agrees with the forest's pair tables and with nothing else. Tables that have these
pair tables are all equally likely, and easily drawn: within the people of each parent value, the
child's values are shuffled. A tuple's crowd is then a chain of hypergeometric draws, kept to second
order (`narrowing`, `tuple_law`).

Its crowd sizes come from listing the possible tuples where they are at most a million, from the
spectrum by message passing (`tree_spectrum`) otherwise.

Where it fails: whatever else the attributes say of each other is left out, so that ORR comes out
too high more often than not: by 0.06 on nine columns of a census extract.

The tree form of a person's crowd: one pair table for every attribute but the first.

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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Codes, Floats, Mask, Rows
from reidrisk.crowds import Assumption, CrowdSizes, entropy
from reidrisk.laws import (
    CrowdsOfTuples,
    Given,
    Quantities,
    TupleSpace,
    chain_answers,
    chain_mean_reciprocals,
    chain_means,
    chain_tails,
)
from reidrisk.models.contract import Combinations, PersonCrowds
from reidrisk.models.forest import Forest, spanning_forest
from reidrisk.models.knowledge import Knowledge, all_counted
from reidrisk.models.raking import possible_tuples
from reidrisk.models.spread import MOST_ROWS, Spread, spread_over
from reidrisk.models.tree_spectrum import tree_spectrum
from reidrisk.models.tuple_law import TupleLaws, crowd_sizes_of, narrowing

MOST_LISTED = 1_000_000


@dataclass(frozen=True, eq=False)
class Tree:
    """The tree law of some knowledge; `knowledge` keeps only the forest's pair tables."""

    knowledge: Knowledge
    forest: Forest
    name: str = "tree"

    @classmethod
    def of(cls, knowledge: Knowledge) -> Tree:
        """Choose the forest of greatest information."""
        forest = spanning_forest(knowledge)
        pairs = {edge: knowledge.pairs[edge] for edge in forest.edges}
        return cls(Knowledge(knowledge.n, knowledge.names, knowledge.counts, pairs), forest)

    @property
    def fit(self) -> Mapping[str, Any]:
        """The forest, by the attributes' names."""
        names = self.knowledge.names
        return {"ended": "exact", "edges": [[names[i], names[j]] for i, j in self.forest.edges]}

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """What it assumes."""
        edges = len(self.forest.edges)
        tables = f"{edges} pair tables" if edges != 1 else "one pair table"
        sentence = f"Each attribute depends on one other: {tables} used, all else taken as chance."
        if len(self.forest.roots) > 1:
            sentence += " Attributes that no pair table connects are taken as independent."
        return (Assumption("tree", "model", sentence),)

    @cached_property
    def shares(self) -> tuple[Floats, ...]:
        """Of each attribute: n_r/n of a root, x_uc/n_u with the parent's values as rows."""
        tables = [self._cells(place) for place in range(len(self.knowledge.names))]
        totals = (np.maximum(cells.sum(axis=1, keepdims=True), 1e-300) for cells in tables)
        return tuple(cells / total for cells, total in zip(tables, totals, strict=True))

    @cached_property
    def logs(self) -> tuple[Floats, ...]:
        """Their logarithms; −inf where nobody is."""
        with np.errstate(divide="ignore"):
            return tuple(np.log(shares) for shares in self.shares)

    @property
    def entropy(self) -> float:
        """H = Σ_roots H(r) + Σ_edges (H(u, c) − H(u)), in bits."""
        counts, total = self.knowledge.counts, 0.0
        for place, parent in enumerate(self.forest.parent):
            known = 0.0 if parent is None else entropy(counts[parent])
            total += entropy(self._cells(place)) - known
        return total

    def _cells(self, place: int) -> Floats:
        """People by the parent's value (rows) and an attribute's own; a root has one row."""
        parent = self.forest.parent[place]
        cells = None if parent is None else self.knowledge.pair(parent, place)
        return self.knowledge.counts[place][None, :].astype(float) if cells is None else cells

    def log_probability(self, codes: Codes) -> Floats:
        """log p(t); −inf where a pair or a value is held by nobody."""
        total = np.zeros(len(codes))
        for place, parent in enumerate(self.forest.parent):
            row = 0 if parent is None else codes[:, parent]
            total += self.logs[place][row, codes[:, place]]
        return total

    def laws(self, codes: Codes) -> TupleLaws:
        """λ = n·p and ε, exact for a forest."""
        expected = self.knowledge.n * np.exp(self.log_probability(codes))
        edges = self.forest.edges
        return TupleLaws(expected, narrowing(self.knowledge, codes, edges, edges))

    def crowds(
        self,
        combinations: Combinations,
        ks: Sequence[int],
        given: Given,
        joint: Sequence[EdgeCells | None] | None = None,
    ) -> PersonCrowds:
        """Chains of hypergeometric draws along the tree, exact; `joint` are the cells by the
        forest's stages, where they are taken to be others than the pair tables'.
        """
        n = self.knowledge.n
        chains = tree_chains(self.knowledge, self.forest, combinations, joint)
        crowds = CrowdsOfTuples.of_figures(chain_figures(n, chains, ks, given), ks, given)
        everyone = np.ones(len(combinations.codes), dtype=bool)
        return PersonCrowds(crowds, n * chains.share, dict.fromkeys(self.forest.edges, everyone))

    def space(self) -> TupleSpace:
        """Each attribute given its parent: a product, so that sums over all tuples are message
        passing.
        """
        return TupleSpace(self.forest.parent, self.shares)

    @cached_property
    def listed(self) -> Rows | None:
        """All possible tuples, where they are few enough."""
        return possible_tuples(self.knowledge, MOST_LISTED)

    def crowd_sizes(self) -> CrowdSizes:
        """E[N_s]: over the listed tuples, or from the spectrum."""
        if self.listed is None:
            laws, mass = tree_spectrum(self.knowledge, self.forest)
        else:
            laws = self.laws(self.listed)
            mass = laws.expected / self.knowledge.n
        return crowd_sizes_of(laws, mass / max(float(mass.sum()), 1e-300), self.knowledge.n)

    def spread(self) -> Spread:
        """Standard deviations over tables with the same pair tables along the forest."""
        if self.listed is not None:
            laws = self.laws(self.listed)
            mass = laws.expected / self.knowledge.n
            return spread_over(
                self.knowledge, self.listed, laws, mass, self.forest.edges, sampled=False
            )
        rows = self.drawn(MOST_ROWS, np.random.default_rng(0))
        mass = np.full(len(rows), 1.0 / len(rows))
        return spread_over(
            self.knowledge, rows, self.laws(rows), mass, self.forest.edges, sampled=True
        )

    def sample(self, rows: int, rng: np.random.Generator) -> Rows:
        """n rows are a table with the very pair tables given, where their cells are counted ones;
        any other number of rows, or cells that were worked out: independent draws.
        """
        counted = all(all_counted(cells) for cells in self.knowledge.pairs.values())
        return (
            self._shuffled(rng) if rows == self.knowledge.n and counted else self.drawn(rows, rng)
        )

    def drawn(self, rows: int, rng: np.random.Generator) -> Rows:
        """Independent draws from the law."""
        codes = np.zeros((rows, len(self.knowledge.names)), dtype=np.int32)
        for place in self.forest.order:
            parent = self.forest.parent[place]
            above = codes[:, parent] if parent is not None else np.zeros(rows, np.int32)
            codes[:, place] = _children(np.exp(self.logs[place]), above, rng)
        return codes

    def _shuffled(self, rng: np.random.Generator) -> Rows:
        codes = np.zeros((self.knowledge.n, len(self.knowledge.names)), dtype=np.int32)
        for place in self.forest.order:
            parent = self.forest.parent[place]
            order = rng.permutation(len(codes))
            if parent is not None:
                order = order[np.argsort(codes[order, parent], kind="stable")]
            # Values in the parent's order, dealt to its people in their shuffled order.
            cells = np.rint(self._cells(place)).astype(np.int64)
            values = np.tile(np.arange(cells.shape[1]), len(cells))
            codes[order, place] = np.repeat(values, cells.ravel())
        return codes


def _children(shares: Floats, above: NDArray[np.int32], rng: np.random.Generator) -> Rows:
    """A child's value for each parent value: where a uniform number falls among the shares."""
    width = shares.shape[1]
    reached = np.cumsum(shares, axis=1)
    reached /= np.maximum(reached[:, -1:], 1e-300)
    last = width - 1 - np.argmax(shares[:, ::-1] > 0.0, axis=1)
    flat = (reached + np.arange(len(shares))[:, None]).ravel()
    found = np.searchsorted(flat, above + rng.random(len(above)), side="right") - above * width
    # Rounding must not step past the last value anybody holds.
    return np.asarray(np.minimum(found, last[above]), dtype=np.int32)


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
