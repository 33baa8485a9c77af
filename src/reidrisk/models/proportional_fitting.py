"""The pairwise law over listed tuples: iterative proportional fitting.

Every possible tuple starts with the same weight. For each pair table T in turn, weights are scaled
so that the tuples holding each pair of values add up to it,

    w_t ← w_t·T(t_i, t_j)/Σ_{u: u_i = t_i, u_j = t_j} w_u,

again and again. The limit is the law of greatest entropy that agrees with every table; values of an
attribute in no table are brought to their counts the same way.

Where it fails: tables that no population could have (rounded, or held back and filled in) have no
common law; the sweeps then run out, and how far off the pairs are is said.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.models.knowledge import Knowledge

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Progress = Callable[[str, int, int], None]

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


class Table(NamedTuple):
    """A table to agree with: where each tuple falls in it, and the people in each cell."""

    of: tuple[int, ...]
    place: Callable[[], NDArray[np.int32]]
    people: Floats
    shape: tuple[int, ...]


def fitted(knowledge: Knowledge, listed: Codes, progress: Progress) -> Fitted:
    """Fit the law to all tables over the listed tuples."""
    tables = _tables(knowledge, listed)
    weights = np.full(len(listed), knowledge.n / max(len(listed), 1))
    potentials = [np.zeros(len(table.people)) for table in tables]
    ended, off = "sweeps ran out", np.inf
    sweep, most = 0, MOST_WORK // max(len(listed) * len(tables), 1)
    most = min(max(most, 1), MOST_SWEEPS)
    for sweep in range(1, most + 1):
        before, worst, total, cells = off, 0.0, 0.0, 0
        for table, potential in zip(tables, potentials, strict=True):
            place = table.place()
            held = np.bincount(place, weights, len(table.people))
            apart = np.abs(held - table.people)
            worst, total = max(worst, float(apart.max())), total + float(apart.sum())
            cells += int(np.count_nonzero(table.people))
            factor = np.divide(table.people, held, out=np.zeros_like(held), where=held > 0)
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
    return Fitted(weights / whole, shaped, log_z, ended, sweep, off, total / max(cells, 1))


def _tables(knowledge: Knowledge, listed: Codes) -> list[Table]:
    """The pair tables, and the counts of the attributes that are in none."""
    paired = {place for pair in knowledge.pairs for place in pair}
    keep = len(listed) * len(knowledge.pairs) <= MOST_PLACES
    tables = []
    for i, j in knowledge.pairs:
        cells = knowledge.pairs[i, j]
        tables.append(Table((i, j), place_in(listed, i, j, cells.shape[1], keep), cells.ravel(),
                            cells.shape))  # fmt: skip
    for place, counts in enumerate(knowledge.counts):
        if place not in paired:
            tables.append(Table((place,), place_in(listed, place, place, 0, keep),
                                counts.astype(np.float64), counts.shape))  # fmt: skip
    return tables


def place_in(
    listed: Codes, i: int, j: int, width: int, keep: bool
) -> Callable[[], NDArray[np.int32]]:
    """Where each tuple falls in the table of attributes i and j; kept, or worked out each time."""

    def place() -> NDArray[np.int32]:
        return listed[:, i] * np.int32(width) + listed[:, j]

    if not keep:
        return place
    kept = place()
    return lambda: kept
