"""Closeness: how far a crowd's values are from everybody's.

Symbols: `sensitive_counts`. Of each measure the crowd or value where it is largest decides.

- t-closeness (Li, Li and Venkatasubramanian 2007): the earth mover's distance from p_s to p_cs
    - equal distances              ½·Σ_s |p_cs − p_s|
    - values in order, m of them   1/(m − 1)·Σ_i |Σ_{j ≤ i} (p_cj − p_j)|
    - by a hierarchy of height H   Σ_N h_N/H·min(gain_N, loss_N) over its inner nodes N of height
                                   h_N, where gain_N (loss_N) adds up by how much the shares of N's
                                   children are above (below) those of everybody
- β-likeness (Cao and Karras 2012): (p_cs − p_s)/p_s where p_cs > p_s; enhanced, of that and −ln p_s
  the smaller one
- δ-disclosure (Brickell and Shmatikov 2008): |ln(p_cs/p_s)| of the values that a crowd has. Taken
  literally it is infinite as soon as a crowd lacks a value.
- α of (α, k)-anonymity (Wong et al. 2006): max p_cs

Distances and likeness are convex in p_cs, so the crowd made of two is no farther than the farther
one. Where it fails: t says how far distributions are apart, not how much likelier a rare value got;
β does. Distances by order take values as equally far from their neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Floats, Ints
from reidrisk.learning.sensitive_counts import SensitiveCounts


def equal_distances(counts: SensitiveCounts) -> Floats:
    """Each crowd's distance where all values are equally far apart."""
    # What is above is as much as what is below, and only values that a crowd has are above.
    above = np.maximum(counts.posterior - counts.prior[counts.value], 0.0)
    return np.asarray(np.add.reduceat(above, counts.starts))


def ordered_distances(counts: SensitiveCounts, order: Sequence[int]) -> Floats:
    """Each crowd's distance where values have an order; `order` lists their codes, rising.

    Between two values that a crowd has, its cumulative share stands still at G while everybody's
    F_i rises; Σ |G − F_i| is read off partial sums of F on both sides of where F passes G.
    """
    number = len(order)
    if number < 2:
        return np.zeros(len(counts.starts))
    rank = np.full(len(counts.labels), -1, dtype=np.int64)
    rank[list(order)] = np.arange(number)
    cumulative = np.cumsum(counts.prior[list(order)])
    sums = np.concatenate([[0.0], np.cumsum(cumulative)])
    place = rank[counts.value]
    sorted_cells = np.lexsort((place, counts.crowd))
    place, crowd = place[sorted_cells], counts.crowd[sorted_cells]
    # Whole numbers until the last step: a long sum of shares would drift.
    before_crowd = np.cumsum(counts.sizes) - counts.sizes
    reached = np.cumsum(counts.people[sorted_cells]) - before_crowd[crowd]
    held = reached / counts.sizes[crowd]
    ends = np.append(place[1:], number - 1)
    ends[np.append(counts.starts[1:], len(place)) - 1] = number - 1
    between = _area(held, place, ends, cumulative, sums)
    before = sums[place[counts.starts]]
    return np.asarray((np.add.reduceat(between, counts.starts) + before) / (number - 1))


def _area(held: Floats, begin: Ints, end: Ints, cumulative: Floats, sums: Floats) -> Floats:
    """Σ_{begin ≤ i < end} |G − F_i| for each G, F rising."""
    split = np.clip(np.searchsorted(cumulative, held), begin, end)
    below = held * (split - begin) - (sums[split] - sums[begin])
    above = (sums[end] - sums[split]) - held * (end - split)
    return np.asarray(below + above)


def hierarchical_distances(counts: SensitiveCounts, levels: Sequence[Ints]) -> Floats:
    """Each crowd's distance by a hierarchy; `levels[h][code]` is the code's node at height h.

    The first level is the values themselves, the last one node. Only nodes of which a crowd has a
    value can have a gain, so nothing is listed for those that it lacks.
    """
    height = len(levels) - 1
    if height < 1:
        return equal_distances(counts)
    total = np.zeros(len(counts.starts))
    below = _nodes_of(counts, levels[0])
    for level in range(1, height + 1):
        here = _nodes_of(counts, levels[level])
        child = np.searchsorted(here.keys, below.crowd * here.span + levels[level][below.value])
        gain = np.bincount(child, weights=np.maximum(below.above, 0.0), minlength=len(here.keys))
        smaller = np.minimum(gain, gain - here.above)
        np.add.at(total, here.crowd, level / height * smaller)
        below = here
    return total


class _Nodes(NamedTuple):
    """Each crowd's nodes of a level: crowd·span + node, rising; a value of it; by how much its
    share is above everybody's.
    """

    keys: Ints
    span: int
    value: Ints
    above: Floats

    @property
    def crowd(self) -> Ints:
        """Whose nodes they are."""
        return self.keys // self.span


def _nodes_of(counts: SensitiveCounts, nodes: Ints) -> _Nodes:
    span = int(nodes.max()) + 1
    each = counts.crowd * span + nodes[counts.value]
    keys, first, place = np.unique(each, return_index=True, return_inverse=True)
    everybody = np.bincount(nodes, weights=counts.prior, minlength=span)
    above = np.bincount(place, weights=counts.posterior) - everybody[keys % span]
    return _Nodes(keys, span, counts.value[first], above)


def likeness_of_each_crowd(counts: SensitiveCounts, enhanced: bool = False) -> Floats:
    """The largest relative gain of a value in each crowd; 0 where none gains."""
    prior = counts.prior[counts.value]
    gain = (counts.posterior - prior) / prior
    if enhanced:
        gain = np.where(gain > 0, np.minimum(gain, -np.log(prior)), gain)
    return np.maximum(np.maximum.reduceat(gain, counts.starts), 0.0)


def beta_likeness(counts: SensitiveCounts, enhanced: bool = False) -> float:
    """The largest relative gain of a value in a crowd; 0 where none gains."""
    return float(likeness_of_each_crowd(counts, enhanced).max())


def delta_disclosure(counts: SensitiveCounts) -> float:
    """The largest |ln(p_cs/p_s)| over the values that a crowd has."""
    return float(np.abs(np.log(counts.posterior / counts.prior[counts.value])).max())


def alpha_of_each_crowd(counts: SensitiveCounts) -> Floats:
    """The largest share of one value in each crowd."""
    return np.asarray(counts.most / counts.sizes)


def alpha(counts: SensitiveCounts) -> float:
    """The largest share of one value in a crowd."""
    return float(alpha_of_each_crowd(counts).max())
