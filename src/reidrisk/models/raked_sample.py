"""The pairwise law where its tuples can't be listed: a tree's sample, raked to every pair table.

Symbols: M rows drawn from the tree law q, weights w = 1 to begin with; T people in a cell of a pair
table, in rows (times M/n); cur the weight of the rows in it; J the cell's potential, log of all
factors it has had; c rows stand for a third of a record. For each pair table in turn

    f = (T + c)/(cur + c·e^J),   0 where T = 0;   w ← w·f;   J ← J + log f,

again and again: proportional fitting on the rows, held back by c, without which cells that few rows
fall in run away. Two errors oppose each other: holding back keeps the fit near the tree (ORR too
high), rows' own chance is fitted too (too low, the more so the fewer rows); with a third of a
record they are about as large at a million rows. The law, known for any tuple, is

    p(t) = q(t)·min(e^{ΣJ}, largest weight of a row)/Z,   Z the mean weight of the rows.

Where it fails: rows are finite, and their chance is fitted too. The mean weight of fresh rows says
how far: log Z fresh is 0 for a perfect fit, and tuples few rows are near are the worse for it. When
few rows carry all the weight (effective size below 5 %), rows are drawn anew by weight, moved by
two Gibbs sweeps, and raked again; both rakings' lifts are capped, and Z is that of fresh rows.

Gibbs sampling from a pairwise law: one attribute after the other, given all others.

Symbols: log p(t) = Σ_i a_i(t_i) + Σ_ij θ_ij(t_i, t_j) + constant. Given the others,

    P(t_i = v | rest) ∝ exp(a_i(v) + Σ_j θ_ij(v, t_j)).

A sweep draws every attribute once. Rows that were copies of one another part; each stays a draw
from the law if it was one.

Rows drawn from a law, equal ones once.

Of M rows drawn many are equal: people who share a tuple are common, and whatever is worked out for
one is worked out for all of them. Weights are those of all equal rows together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Codes, Floats, Rows
from reidrisk.machine import Progress
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.raking import place_in
from reidrisk.models.tree import Tree

# Entries of rows times values worked on at once.
CHUNK = 4_000_000


def swept(
    rows: Rows,
    single: Sequence[Floats],
    pairs: Mapping[tuple[int, int], Floats],
    rng: np.random.Generator,
    sweeps: int = 2,
) -> Rows:
    """The rows after some sweeps; `pairs` are tables θ_ij, −inf where nobody is."""
    rows = rows.copy()
    for _ in range(sweeps):
        for place in range(rows.shape[1]):
            step = max(1, CHUNK // max(len(single[place]), 1))
            for begin in range(0, len(rows), step):
                part = rows[begin : begin + step]
                part[:, place] = _drawn(part, place, single[place], pairs, rng)
    return rows


def _drawn(
    rows: Rows,
    place: int,
    single: Floats,
    pairs: Mapping[tuple[int, int], Floats],
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    weight = np.repeat(single[None, :], len(rows), axis=0)
    for (i, j), table in pairs.items():
        if i == place:
            weight += table.T[rows[:, j]]
        elif j == place:
            weight += table[rows[:, i]]
    weight -= weight.max(axis=1, keepdims=True)
    np.exp(weight, out=weight)
    np.cumsum(weight, axis=1, out=weight)
    aim = rng.random(len(rows)) * weight[:, -1]
    return np.asarray((weight <= aim[:, None]).sum(axis=1))


def resampled(weights: Floats, rows: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Places of rows drawn in proportion to their weights, as evenly as can be (systematic)."""
    reached = np.cumsum(weights)
    aims = (np.arange(rows) + rng.random()) / rows * reached[-1]
    found = np.searchsorted(reached, aims, side="right")
    return rng.permutation(np.minimum(found, len(weights) - 1))


class Drawn(NamedTuple):
    """Rows drawn, equal ones once: how many there are of each, and which each of all M was."""

    rows: Rows
    times: Floats
    order: NDArray[np.intp]

    @classmethod
    def of(cls, rows: Rows) -> Drawn:
        """Put equal rows together."""
        _, first, order, times = np.unique(
            _keys(rows), return_index=True, return_inverse=True, return_counts=True
        )
        return cls(rows[first], times.astype(np.float64), order)

    def chosen(self, weights: Floats, rows: int, rng: np.random.Generator) -> Rows:
        """Rows by weight, as evenly as can be over all M in the order in which they were drawn.

        Not over equal ones together: each tuple would then be held by its expected number of
        people, a whole one above or below, and hardly ever by two where less than one is expected.
        """
        each = (weights / self.times)[self.order]
        return self.rows[self.order[resampled(each, rows, rng)]]

    def effective(self, weights: Floats) -> float:
        """Kish's effective size over the number of rows, (Σw)²/(M·Σw²), equal ones one by one."""
        return float(weights.sum() ** 2 / (len(self.order) * np.dot(weights / self.times, weights)))

    def largest(self, weights: Floats) -> float:
        """The largest weight of one row."""
        return float((weights / self.times).max())


def _keys(rows: Rows) -> NDArray[np.int64]:
    """One number a row, the same for equal rows; renumbered where it outgrows 63 bits."""
    keys, span = np.zeros(len(rows), dtype=np.int64), 1
    for column in rows.T:
        width = int(column.max(initial=0)) + 1
        if span * width >= 1 << 63:
            used, keys = np.unique(keys, return_inverse=True)
            span = len(used)
        keys, span = keys * width + column, span * width
    return keys


Edge = tuple[int, int]

RECORDS_HELD_BACK = 0.3
MOST_SWEEPS = 12
# The last sweep is one that mends less than this share of what is still off.
LEAST_GAIN = 0.03
FEW_EFFECTIVE = 0.05
MOST_PLACES = 120_000_000


class Raking(NamedTuple):
    """Weights of the rows (equal ones together), potentials of each table's cells, how it went."""

    weights: Floats
    potentials: dict[Edge, Floats]
    ended: str
    sweeps: int
    largest_off: float
    mean_off: float


@dataclass(frozen=True, eq=False)
class RakedLaw:
    """The fitted law, and the rows that carry it.

    `moved` are the potentials of an earlier raking whose rows were drawn anew, and the log of its
    largest weight; none as a rule.
    """

    tree: Tree
    drawn_rows: Drawn
    raking: Raking
    moved: tuple[Mapping[Edge, Floats], float] | None
    log_z: float

    def log_probability(self, codes: Codes) -> Floats:
        """log p(t), natural."""
        return np.asarray(self.tree.log_probability(codes) + self._lifted(codes) - self.log_z)

    def _lifted(self, codes: Codes) -> Floats:
        """What the potentials add, held down to what the rows have seen."""
        lifted = np.minimum(_lift(self.raking.potentials, codes), self.cap)
        if self.moved is not None:
            lifted = lifted + np.minimum(_lift(self.moved[0], codes), self.moved[1])
        return np.asarray(lifted)

    @property
    def rows(self) -> Rows:
        """The rows, equal ones once."""
        return self.drawn_rows.rows

    @property
    def cap(self) -> float:
        """Log of the largest weight of a row."""
        return float(np.log(self.drawn_rows.largest(self.raking.weights)))

    @property
    def mass(self) -> Floats:
        """The rows' shares of all people."""
        return np.asarray(self.raking.weights / self.raking.weights.sum())

    @property
    def effective(self) -> float:
        """Kish's effective size over the number of rows, (Σw)²/(M·Σw²)."""
        return self.drawn_rows.effective(self.raking.weights)

    def fresh_log_z(self, rng: np.random.Generator) -> float:
        """Log of the mean weight of rows the fit hasn't seen, against those it has."""
        rows = self.tree.drawn(len(self.drawn_rows.order), rng)
        return float(np.log(np.exp(self._lifted(rows)).mean()) - self.log_z)

    def drawn(self, rows: int, rng: np.random.Generator) -> Rows:
        """Rows by weight, as evenly as can be, so that few are copies of one another.

        Gibbs sweeps wouldn't help: the law holds near the rows it was fitted on, and without the
        cap it has spurious peaks between them, into which sweeps drift.
        """
        return self.drawn_rows.chosen(self.raking.weights, rows, rng)


def raked_law(
    knowledge: Knowledge, tree: Tree, rows: int, rng: np.random.Generator, progress: Progress
) -> RakedLaw:
    """Draw, rake; draw anew and rake again where few rows carry all the weight."""
    drawn = Drawn.of(tree.drawn(rows, rng))
    first = raking(knowledge, drawn, progress)
    log_z = float(np.log(first.weights.sum() / rows))
    if drawn.effective(first.weights) >= FEW_EFFECTIVE:
        return RakedLaw(tree, drawn, first, None, log_z)
    anew = drawn.chosen(first.weights, rows, rng)
    again = Drawn.of(moved_rows(tree, [first.potentials], anew, rng))
    second = raking(knowledge, again, progress)
    # Rows that were moved no longer say what they were drawn from: fresh ones give the mean weight.
    earlier = first.potentials, float(np.log(drawn.largest(first.weights)))
    law = RakedLaw(tree, again, second, earlier, 0.0)
    return replace(law, log_z=law.fresh_log_z(rng))


def raking(knowledge: Knowledge, drawn: Drawn, progress: Progress) -> Raking:
    """Rake the rows' weights to every pair table."""
    size = len(drawn.order) / knowledge.n
    held_back = RECORDS_HELD_BACK * size
    places = _places(knowledge, drawn.rows)
    wanted = {edge: cells.ravel() * size for edge, cells in knowledge.pairs.items()}
    potentials = {edge: np.zeros(len(cells)) for edge, cells in wanted.items()}
    weights, ended, off, sweep, largest = drawn.times.copy(), "sweeps ran out", np.inf, 0, 0.0
    cells_held = sum(int(np.count_nonzero(cells)) for cells in wanted.values())
    for sweep in range(1, MOST_SWEEPS + 1):
        before, off, largest = off, 0.0, 0.0
        for edge, goal in wanted.items():
            place = places[edge]()
            weight_held = np.bincount(place, weights, len(goal))
            apart = np.abs(weight_held - goal)
            off, largest = off + float(apart.sum()), max(largest, float(apart.max()))
            below = weight_held + held_back * np.exp(potentials[edge])
            factor = np.where(goal > 0.0, (goal + held_back) / np.maximum(below, 1e-300), 0.0)
            with np.errstate(divide="ignore"):
                potentials[edge] += np.log(factor)
            weights *= factor[place]
        progress("raking the sample", sweep, MOST_SWEEPS)
        if before - off <= LEAST_GAIN * off:
            ended = "converged"
            break
    tables = {edge: potentials[edge].reshape(knowledge.pairs[edge].shape) for edge in wanted}
    return Raking(weights, tables, ended, sweep, largest / size, off / size / max(cells_held, 1))


def moved_rows(
    tree: Tree, lifts: list[Mapping[Edge, Floats]], rows: Rows, rng: np.random.Generator
) -> Rows:
    """Two Gibbs sweeps under the tree's law times the potentials."""
    single = [np.zeros(len(counts)) for counts in tree.knowledge.counts]
    pairs: dict[Edge, Floats] = {}
    for place, parent in enumerate(tree.forest.parent):
        if parent is None:
            single[place] = tree.logs[place][0]
        else:
            turned = tree.logs[place] if parent < place else tree.logs[place].T
            pairs[min(parent, place), max(parent, place)] = turned
    for lift in lifts:
        for edge, table in lift.items():
            pairs[edge] = pairs[edge] + table if edge in pairs else table
    return swept(rows, single, pairs, rng)


def _lift(potentials: Mapping[Edge, Floats], codes: Codes) -> Floats:
    """ΣJ of each tuple."""
    total = np.zeros(len(codes))
    for (i, j), table in potentials.items():
        total += table[codes[:, i], codes[:, j]]
    return total


def _places(knowledge: Knowledge, rows: Rows) -> dict[Edge, Callable[[], NDArray[np.int32]]]:
    keep = len(rows) * len(knowledge.pairs) <= MOST_PLACES
    return {edge: place_in(rows, *edge, cells.shape[1], keep)
            for edge, cells in knowledge.pairs.items()}  # fmt: skip
