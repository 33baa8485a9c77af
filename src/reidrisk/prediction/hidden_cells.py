"""Hidden cells along a tree of pair tables: people with two values whose number nobody stated.

Symbols: a cell x is expected to hold μ people, between l and u. Held back below a number ("<5"), it
is a Poisson count given l ≤ x ≤ u whose mean is μ. Left out altogether, it is a part of the n_p
holders of its parent value by chance, each with probability μ/n_p. It follows its values' counts
where these are hidden too: μ is in proportion to each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.laws.conditioned import Given
from reidrisk.models.spanning_forest import Forest
from reidrisk.prediction.crowd_columns import crowds_from
from reidrisk.prediction.grouping import plain_counts
from reidrisk.prediction.hidden_tuples import Parts, Ways
from reidrisk.prediction.tree_counts import (
    EdgeCells,
    averaged_cells,
    chain_figures,
    tree_counts,
)
from reidrisk.statistics.pair_settling import HiddenCells
from reidrisk.statistics.settling import Settled

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Edge = tuple[int, int]
# Larger ones are shares by chance: whoever is alone isn't among so many.
MOST_COUNTED = 64
HALVINGS = 60


class JointCounts(NamedTuple):
    """Of each tuple (row) and stage of the forest: people who hold an attribute's value and its
    parent's. Where that is `hidden`, their mean and between which numbers they lie; `below` where
    a count was held back, else a stated count or a share by chance.
    """

    mean: Floats
    least: Floats
    most: Floats
    hidden: Mask
    below: Mask


class Counted(NamedTuple):
    """Ways with their joint counts: which way of the tuples', how likely, and the counts."""

    ways: NDArray[np.intp]
    weights: Floats
    joint: Floats


def tree_parts(
    settled: Settled, forest: Forest, codes: Codes, ways: Ways, ks: Sequence[int], given: Given
) -> Parts:
    """The crowds of tuples for everything that their counts and cells may be."""
    known = joint_counts(settled, forest, codes, ways.counts)
    every, none = np.arange(len(codes)), np.zeros(len(codes))
    somebody = 1.0 if given == "member" else 0.0
    low = np.where(known.hidden, np.maximum(known.least, somebody), known.mean)
    high = np.where(known.hidden, np.maximum(known.most, somebody), known.mean)
    parts = [(counted_below(known, ways.weights), known.hidden & ~known.below)]
    if known.hidden.any():
        fixed = np.zeros_like(known.hidden)
        parts += [(Counted(every, none, end), fixed) for end in (low, high)]
    figures, rows, weights, means = [], [], [], []
    for counted, by_chance in parts:
        at = counted.ways
        joint = [
            EdgeCells(counted.joint[:, stage], by_chance[at, stage])
            for stage in range(len(forest.order))
        ]
        chains = tree_counts(
            settled.knowledge, settled.attributes, forest, codes[at], ways.counts[at], joint
        )
        figures.append(chain_figures(settled.records, chains, ks, given))
        means.append(settled.records * np.prod(chains.holders / chains.among, axis=1))
        rows.append(ways.rows[at])
        weights.append(counted.weights)
    crowds = crowds_from(np.concatenate(figures), ks, given)
    return Parts(np.concatenate(rows), np.concatenate(weights), crowds, np.concatenate(means))


def joint_counts(settled: Settled, forest: Forest, codes: Codes, counts: Floats) -> JointCounts:
    """What is known of the tuples' pairs of values along the forest."""
    shape = codes.shape
    mean, least, most = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    hidden, below = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    attributes, knowledge = settled.attributes, settled.knowledge
    expected = plain_counts([each.expected_counts for each in attributes], codes)
    typical = plain_counts([each.astype(np.float64) for each in knowledge.counts], codes)
    lumped = np.stack([codes[:, j] >= len(a.values) for j, a in enumerate(attributes)], axis=1)
    times = counts / np.maximum(np.where(lumped, expected, typical), 1e-300)
    for stage, j in enumerate(forest.order):
        parent = forest.parent[j]
        if parent is None:
            continue
        cells = knowledge.pair(parent, j)
        assert cells is not None
        averaged = averaged_cells(cells, attributes[parent], attributes[j])
        places = codes[:, parent], codes[:, j]
        room = np.minimum(counts[:, parent], counts[:, j])
        mean[:, stage] = averaged[places]
        unknown = _hidden_cells(settled, (parent, j))
        follows = lumped[:, parent] | lumped[:, j]
        if unknown is not None:
            follows |= unknown.unstated[places]
            hidden[:, stage] = unknown.hidden[places]
        scaled = mean[:, stage] * np.where(follows, times[:, parent] * times[:, j], 1.0)
        mean[:, stage] = np.minimum(scaled, room)
        if unknown is None:
            continue
        least[:, stage] = np.minimum(unknown.least[places], room)
        top = np.where(unknown.below[places], unknown.most[places], np.inf)
        sums = np.where(times[:, parent] * times[:, j] == 1.0, unknown.most[places], np.inf)
        most[:, stage] = np.minimum(np.minimum(top, sums), room)
        below[:, stage] = (
            hidden[:, stage] & unknown.below[places] & (most[:, stage] <= MOST_COUNTED)
        )
    return JointCounts(mean, least, most, hidden, below)


def _hidden_cells(settled: Settled, edge: Edge) -> HiddenCells | None:
    """The hidden cells of two attributes, the first one's values as rows."""
    if edge in settled.hidden_cells:
        return settled.hidden_cells[edge]
    turned = settled.hidden_cells.get((edge[1], edge[0]))
    return None if turned is None else turned.turned()


def counted_below(known: JointCounts, weights: Floats) -> Counted:
    """Every way once for each number that its cells held back below a number may be."""
    found = Counted(np.arange(len(weights)), weights, known.mean)
    for stage in np.flatnonzero(known.below.any(axis=0)).tolist():
        now = found.ways
        which = np.flatnonzero(known.below[now, stage])
        at = now[which]
        chance = poisson_between(
            known.mean[at, stage], known.least[at, stage], known.most[at, stage]
        )
        row, number = np.nonzero(chance)
        again = which[row]
        joint = found.joint[again]
        joint[:, stage] = number
        kept = np.setdiff1d(np.arange(len(now)), which)
        found = Counted(
            np.concatenate([now[kept], now[again]]),
            np.concatenate([found.weights[kept], found.weights[again] * chance[row, number]]),
            np.concatenate([found.joint[kept], joint]),
        )
    return found


def poisson_between(mean: Floats, least: Floats, most: Floats) -> Floats:
    """P(X = 0), P(X = 1), … of Poisson counts given least ≤ X ≤ most, whose means are these."""
    number = np.arange(int(most.max(initial=0)) + 1)
    logs = -np.concatenate([[0.0], np.cumsum(np.log(np.maximum(number[1:], 1)))])
    within = (number >= np.ceil(least)[:, None]) & (number <= np.floor(most)[:, None])
    low, high = np.full(len(mean), -30.0), np.full(len(mean), 30.0)
    chance = np.zeros(within.shape)
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        log_chance = np.where(within, number * middle[:, None] + logs, -np.inf)
        chance = np.exp(log_chance - log_chance.max(axis=1, keepdims=True))
        chance /= chance.sum(axis=1, keepdims=True)
        above = chance @ number > mean
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.where(chance > 1e-9, chance, 0.0)
