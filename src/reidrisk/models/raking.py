"""The pairwise law over listed tuples: iterative proportional fitting.

Every possible tuple starts with the same weight. For each pair table T in turn, weights are scaled
so that the tuples holding each pair of values add up to it,

    w_t ← w_t·T(t_i, t_j)/Σ_{u: u_i = t_i, u_j = t_j} w_u,

again and again. The limit is the law of greatest entropy that agrees with every table; values of an
attribute in no table are brought to their counts the same way.

Where it fails: tables that no population could have (rounded, or held back and filled in) have no
common law; the sweeps then run out, and how far off the pairs are is said.

Raking: a table scaled to given row and column sums (iterative proportional fitting).

Cells keep their ratios: x_ab ← x_ab·r_a/Σ_b x_ab, then x_ab ← x_ab·c_b/Σ_a x_ab, in turn. The limit
is the table closest to the start (in Kullback–Leibler divergence) with those sums; a cell that is 0
stays 0, so sums that need it can't be reached, and the fit says how far it got.

Listing: every tuple that the counts leave possible, one attribute at a time.

A tuple is possible when each of its values is held by somebody and each of its pairs of values,
where the pair table is known, is too. Attributes are joined in turn, and a tuple's beginning is
dropped as soon as one of its pairs is empty, so that ten columns of one geography cost no more
than the finest of them.

Where it fails: the tuples may be too many; the list is then given up for None.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Floats, Rows
from reidrisk.machine import Progress
from reidrisk.models.knowledge import Knowledge

MOST_SWEEPS = 300
# Tuples times tables times sweeps: half a minute.
MOST_WORK = 4_000_000_000
# People: a pair that is closer than this to its count is there.
CLOSE = 0.01
# A sweep that gains less than this share of what is off is the last.
STALLED = 1e-3
# Places of tuples in tables kept from sweep to sweep: 400 MB.
MOST_PLACES = 100_000_000


class Fitted(NamedTuple):
    """Probability of each listed tuple, the potentials that give any tuple's, how the fit ended.

    log p(t) = Σ_tables potential of the cell t falls in, less `log_z`; a table is named by its one
    or two attributes.
    """

    probability: Floats
    potentials: dict[tuple[int, ...], Floats]
    log_z: float
    ended: str
    sweeps: int
    largest_off: float
    mean_off: float
    # People to be moved in the table farthest off.
    people_off: float


class Table(NamedTuple):
    """A table to agree with: where each tuple falls in it, and the people in each cell."""

    of: tuple[int, ...]
    place: Callable[[], NDArray[np.int32]]
    people: Floats
    shape: tuple[int, ...]


def fitted(knowledge: Knowledge, listed: Rows, progress: Progress) -> Fitted:
    """Fit the law to all tables over the listed tuples."""
    tables = _tables(knowledge, listed)
    weights = np.full(len(listed), knowledge.n / max(len(listed), 1))
    potentials = [np.zeros(len(table.people)) for table in tables]
    ended, off = "sweeps ran out", np.inf
    sweep, most = 0, MOST_WORK // max(len(listed) * len(tables), 1)
    most = min(max(most, 1), MOST_SWEEPS)
    for sweep in range(1, most + 1):
        before, worst, total, cells, moved = off, 0.0, 0.0, 0, 0.0
        for table, potential in zip(tables, potentials, strict=True):
            place = table.place()
            people = np.bincount(place, weights, len(table.people))
            apart = np.abs(people - table.people)
            worst, total = max(worst, float(apart.max())), total + float(apart.sum())
            moved = max(moved, 0.5 * float(apart.sum()))
            cells += int(np.count_nonzero(table.people))
            factor = np.divide(table.people, people, out=np.zeros_like(people), where=people > 0)
            weights *= factor[place]
            with np.errstate(divide="ignore"):
                potential += np.log(factor)
        off = worst
        progress("fitting the pairs", sweep, most)
        if off <= CLOSE or len(tables) == 1:
            ended, off = "converged", off if len(tables) > 1 else 0.0
            break
        if sweep > 20 and off > before * (1.0 - STALLED):
            ended = "no closer"
            break
    whole = max(float(weights.sum()), 1e-300)
    shaped = {table.of: each.reshape(table.shape)
              for table, each in zip(tables, potentials, strict=True)}  # fmt: skip
    log_z = float(np.log(whole * len(listed) / knowledge.n))
    return Fitted(weights / whole, shaped, log_z, ended, sweep, off, total / max(cells, 1), moved)


def _tables(knowledge: Knowledge, listed: Rows) -> list[Table]:
    """The pair and triple tables, and the counts of the attributes that are in none; no tuple is in
    a triple cell that nobody holds.
    """
    paired = {place for pair in knowledge.pairs for place in pair}
    keep = len(listed) * len(knowledge.pairs) <= MOST_PLACES
    tables = []
    for i, j in knowledge.pairs:
        cells = knowledge.pairs[i, j]
        tables.append(Table((i, j), place_in(listed, i, j, cells.shape[1], keep), cells.ravel(),
                            cells.shape))  # fmt: skip
    for of, triple in knowledge.triples.items():
        where = triple.places([listed[:, place] for place in of]).astype(np.int32)
        tables.append(Table(of, _kept(where), triple.people, (len(triple.people),)))
    for place, counts in enumerate(knowledge.counts):
        if place not in paired:
            tables.append(Table((place,), place_in(listed, place, place, 0, keep),
                                counts.astype(np.float64), counts.shape))  # fmt: skip
    return tables


def _kept(places: NDArray[np.int32]) -> Callable[[], NDArray[np.int32]]:
    return lambda: places


def place_in(
    listed: Rows, i: int, j: int, width: int, keep: bool
) -> Callable[[], NDArray[np.int32]]:
    """Where each tuple falls in the table of attributes i and j; kept, or worked out each time."""

    def place() -> NDArray[np.int32]:
        return listed[:, i] * np.int32(width) + listed[:, j]

    if not keep:
        return place
    kept = place()
    return lambda: kept


RAKING_SWEEPS = 500
RAKED_CLOSELY = 1e-10


class Raked(NamedTuple):
    """The table, how many sweeps it took, and the largest row or column still off (in people)."""

    cells: Floats
    sweeps: int
    off_by: float


def raked(start: Floats, rows: Floats, columns: Floats, sweeps: int = RAKING_SWEEPS) -> Raked:
    """Scale `start` to the sums; both sides' sums have to have one total."""
    cells = np.array(start, dtype=np.float64)
    total = max(float(rows.sum()), 1e-300)
    off = np.inf
    for done in range(1, sweeps + 1):
        cells *= _factors(rows, cells.sum(axis=1))[:, None]
        cells *= _factors(columns, cells.sum(axis=0))[None, :]
        before, off = off, float(np.abs(cells.sum(axis=1) - rows).max(initial=0.0))
        if off <= RAKED_CLOSELY * total or (done > 20 and off > before * 0.999):
            break
    return Raked(cells, done, off)


def _factors(wanted: Floats, held: Floats) -> Floats:
    """wanted/held; nothing can be made of a row that holds nothing."""
    return np.divide(wanted, held, out=np.zeros_like(wanted), where=held > 0)


# Three seconds of fitting, and half a gigabyte.
MOST_TUPLES = 5_000_000
# Beginnings looked at before all are joined, and when their answer is clear enough to stop.
LOOKED_AT = 1000
CLEARLY = 1.5


def possible_tuples(knowledge: Knowledge, most: int = MOST_TUPLES) -> Rows | None:
    """The possible tuples, a row each, a column an attribute; None when they are more than `most`.

    Attributes joined early are those that leave the fewest tuples: dropping begins at once.
    """
    held = [np.flatnonzero(counts).astype(np.int32) for counts in knowledge.counts]
    order = sorted(range(len(held)), key=lambda place: len(held[place]))
    listed = np.empty((1, 0), dtype=np.int32)
    done: list[int] = []
    while order:
        place = order.pop(_next(knowledge, order, done))
        values = held[place]
        if _estimate(knowledge, listed, done, place, values) > CLEARLY * most:
            return None
        rows = max(1, most // max(len(values), 1))
        parts, total = [], 0
        for begin in range(0, len(listed), rows):
            part = _joined(knowledge, listed[begin : begin + rows], done, place, values)
            total += len(part)
            if total > most:
                return None
            parts.append(part)
        listed = np.concatenate([np.empty((0, len(done) + 1), dtype=np.int32), *parts])
        done.append(place)
    return listed[:, np.argsort(done)] if done else listed


def _next(knowledge: Knowledge, order: list[int], done: list[int]) -> int:
    """Where in `order` the attribute stands that adds fewest tuples to a beginning, on average."""

    def growth(place: int) -> float:
        least = float(np.count_nonzero(knowledge.counts[place]))
        for other in done:
            cells = knowledge.pair(other, place)
            if cells is not None:
                share = knowledge.counts[other] / max(knowledge.n, 1)
                least = min(least, float(np.dot(share, np.count_nonzero(cells > 0, axis=1))))
        return least

    return min(range(len(order)), key=lambda at: growth(order[at]))


def _estimate(
    knowledge: Knowledge, listed: Rows, done: list[int], place: int, values: Rows
) -> float:
    """How many tuples one more attribute makes, judged by every so many of the beginnings."""
    some = listed[:: max(1, len(listed) // LOOKED_AT)]
    each = len(_joined(knowledge, some, done, place, values)) / max(len(some), 1)
    return each * len(listed)


def _joined(knowledge: Knowledge, listed: Rows, done: list[int], place: int, values: Rows) -> Rows:
    """Beginnings with each value of one more attribute, those with an empty pair left out."""
    possible = np.ones((len(listed), len(values)), dtype=bool)
    for column, other in enumerate(done):
        cells = knowledge.pair(other, place)
        if cells is not None:
            possible &= (cells[:, values] > 0)[listed[:, column]]
    row, value = np.nonzero(possible)
    return np.concatenate([listed[row], values[value][:, None]], axis=1)
