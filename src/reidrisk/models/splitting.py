"""Attribute after attribute splits the crowds: the exact expected histogram.

Symbols: μ_j(s) = share of people in crowds of s when the first j attributes are seen, so that
E[N_s] = n·μ_j(s)/s; mass_j(c) = share of people whose value of attribute j is held by c people. The
columns being shuffled independently, a crowd of s meets a value of c people hypergeometrically:

    μ_j(k) = Σ_s Σ_c μ_{j−1}(s)·mass_j(c)·P(1 + Hyp(n−1; s−1, c−1) = k),   μ_1 = mass_1.

This is E[N_k] = Σ_tuples P(X_t = k), X_t the recursive hypergeometric law of TFRR, with the sum
over tuples taken one attribute at a time: linear at each step, hence exact for any number of
attributes, and the work is a sum over attributes where listing all vectors of counts takes their
product.

Where it fails: sizes above 1000 are kept on a grid 0.5 % apart (`size_grid`); the work grows with
(sizes × distinct counts), see `splitting_work`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.models.crowd_law import (
    DEVIATIONS,
    EXTRA,
    WIDEST_LISTED,
    Draws,
    Z,
    crowds_of_members,
)
from reidrisk.models.size_grid import SizeGrid
from reidrisk.models.value_counts import ValueCounts

Floats = NDArray[np.float64]


class Members(NamedTuple):
    """People by the size of their crowd: share `mass` of them in crowds of `sizes`."""

    sizes: NDArray[np.int64]
    mass: Floats

    @property
    def mean_log2(self) -> float:
        """Mean over people of log2(crowd)."""
        return float(np.dot(self.mass, np.log2(self.sizes)))


def members_by_splitting(attributes: Sequence[ValueCounts], n: int) -> Members:
    """μ_d: people by crowd size when all attributes are seen; everybody together when none is."""
    if not attributes:
        return Members(np.array([n], dtype=np.int64), np.ones(1))
    grid = SizeGrid.up_to(n)
    members = Members(attributes[0].counts, attributes[0].mass)
    for attribute in attributes[1:]:
        members = split(members, attribute, grid)
    return members


def split(members: Members, attribute: ValueCounts, grid: SizeGrid) -> Members:
    """μ_j from μ_{j−1}: one more independent attribute is seen."""
    others, alike = np.meshgrid(members.sizes - 1.0, attribute.counts - 1.0, indexing="ij")
    population = np.full(others.size, max(attribute.n - 1.0, 1.0))
    mass = np.outer(members.mass, attribute.mass)
    draws = Draws(others.ravel(), alike.ravel(), population, mass.ravel())
    return on_nodes(grid, crowds_of_members(draws, grid))


def on_nodes(grid: SizeGrid, mass: Floats) -> Members:
    """The nodes where people are; a share of 1e-18 of them is nobody."""
    held = mass > 1e-18
    return Members(grid.nodes[held], mass[held])


def splitting_work(attributes: Sequence[ValueCounts], n: int, enough: float) -> float:
    """About how many probabilities `members_by_splitting` works out; fifty million take a second.

    Crowds are taken to have every size from 1 to the largest there can be. Counting stops once it
    is past `enough`.
    """
    grid, work = SizeGrid.up_to(n), 0.0
    sizes = attributes[0].counts if attributes else grid.nodes[:0]
    for attribute in attributes[1:]:
        work += 1.5 * EXTRA * len(sizes) * len(attribute.counts)
        if work > enough:
            return work
        spread = np.sqrt(np.outer(sizes, attribute.counts / n))
        # A point of a wide law costs three of a listed one, for it has to be shared out.
        each = np.where(spread > WIDEST_LISTED, 3.0 * len(Z), 2 * DEVIATIONS * spread)
        work += float(each.sum())
        largest = float(spread[-1, -1])
        sizes = grid.nodes[grid.nodes <= largest**2 + DEVIATIONS * largest + EXTRA]
    return work
