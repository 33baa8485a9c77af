"""The law of all triple and pair tables, where its tuples can't be listed.

M rows are drawn from a junction tree of the triple tables (`junction_tree`), equal ones put
together, and their weights raked to every table, pairs and triples alike, as `raked_sample` does it
and held back as there: with T people in a cell, in rows, cur the weight of the rows in it, J the
log of all factors it has had, and c rows for a third of a record,

    f = (T + c)/(cur + c·e^J),   0 where T = 0;   w ← w·f;   J ← J + log f.

The law, known for any tuple, is p(t) = q(t)·min(e^{ΣJ}, largest weight of a row)/Z, q the junction
tree's.

Where it fails: as `raked_sample`. Rows aren't drawn anew where few of them carry all the weight:
the effective size is said, and triples that say little make the tree worse than pairs alone do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from reidrisk.arrays import Codes, Floats, Places, Rows
from reidrisk.machine import Progress
from reidrisk.models.junction_tree import JunctionTree
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.raked_sample import LEAST_GAIN, MOST_SWEEPS, RECORDS_HELD_BACK, Drawn

Of = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class RakedTriples:
    """The fitted law, and the rows that carry it; how the raking ended."""

    tree: JunctionTree
    drawn_rows: Drawn
    weights: Floats
    potentials: Mapping[Of, Floats]
    log_z: float
    ended: str
    sweeps: int
    largest_off: float
    mean_off: float

    @property
    def rows(self) -> Rows:
        """The rows, equal ones once."""
        return self.drawn_rows.rows

    @property
    def mass(self) -> Floats:
        """The rows' shares of all people."""
        return np.asarray(self.weights / self.weights.sum())

    @property
    def effective(self) -> float:
        """Kish's effective size over the number of rows, (Σw)²/(M·Σw²)."""
        return self.drawn_rows.effective(self.weights)

    def log_probability(self, codes: Codes) -> Floats:
        """log p(t), natural."""
        lift = np.zeros(len(codes))
        for of, potential in self.potentials.items():
            lift += potential[places(self.tree.knowledge, of, codes)]
        cap = float(np.log(self.drawn_rows.largest(self.weights)))
        return np.asarray(self.tree.log_probability(codes) + np.minimum(lift, cap) - self.log_z)

    def drawn(self, rows: int, rng: np.random.Generator) -> Rows:
        """Rows by weight, as evenly as can be, so that few are copies of one another."""
        return self.drawn_rows.chosen(self.weights, rows, rng)


def raked_triples(
    knowledge: Knowledge,
    rows: int,
    rng: np.random.Generator,
    progress: Progress,
    tree: JunctionTree | None = None,
) -> RakedTriples:
    """Draw from the junction tree, and rake."""
    tree = tree or JunctionTree.of(knowledge)
    drawn = Drawn.of(tree.drawn(rows, rng))
    size = rows / knowledge.n
    people = {of: np.append(cells.ravel(), 0.0) for of, cells in _tables(knowledge).items()}
    goals = {of: cells * size for of, cells in people.items()}
    potentials = {of: np.zeros(len(goal)) for of, goal in goals.items()}
    place = {of: places(knowledge, of, drawn.rows).astype(np.int32) for of in goals}
    weights, before, off, ended = drawn.times.copy(), np.inf, np.inf, "sweeps ran out"
    sweep, largest = 0, 0.0
    for sweep in range(1, MOST_SWEEPS + 1):
        before, off, largest = off, 0.0, 0.0
        for of, goal in goals.items():
            held = np.bincount(place[of], weights, len(goal)).astype(np.float64)
            apart = np.abs(held - goal)
            off, largest = off + float(apart.sum()), max(largest, float(apart.max()))
            factor = _factor(goal, held, RECORDS_HELD_BACK * size, potentials[of])
            with np.errstate(divide="ignore"):
                potentials[of] += np.log(factor)
            weights *= factor[place[of]]
        progress("raking the sample", sweep, MOST_SWEEPS)
        if before - off <= LEAST_GAIN * off:
            ended = "converged"
            break
    cells = sum(int(np.count_nonzero(goal)) for goal in goals.values())
    log_z = float(np.log(weights.sum() / rows))
    return RakedTriples(tree, drawn, weights, potentials, log_z, ended, sweep, largest / size,
                        off / size / max(cells, 1))  # fmt: skip


def _factor(goal: Floats, held: Floats, held_back: float, potential: Floats) -> Floats:
    below = np.maximum(held + held_back * np.exp(potential), 1e-300)
    return np.where(goal > 0.0, (goal + held_back) / below, 0.0)


def _tables(knowledge: Knowledge) -> dict[Of, Floats]:
    """Triples first: what pairs say is right at the end."""
    tables: dict[Of, Floats] = {of: table.people for of, table in knowledge.triples.items()}
    for of, cells in knowledge.pairs.items():
        tables[of] = cells
    return tables


def places(knowledge: Knowledge, of: Of, codes: Codes) -> Places:
    """Which cell of a table each tuple falls in; of a triple table past the end where nobody is."""
    columns = [codes[:, place].astype(np.intp) for place in of]
    if len(of) == 3:
        return knowledge.triples[of[0], of[1], of[2]].places(columns)
    width = knowledge.pairs[of[0], of[1]].shape[1]
    return np.asarray(columns[0] * width + columns[1])
