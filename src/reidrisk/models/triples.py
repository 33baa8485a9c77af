"""The triples law: what triple tables say of three attributes at once, and all pair tables.

Two ways, for two questions:

- a table: n people are drawn from a junction tree of the triple tables (`junction_tree`) and
  changed, value by value, until they have all pair and triple counts (`exact_triples`). Its crowds
  are counted; figures are means over a few such tables, and scatter as these do;
- a person: the law of greatest entropy that agrees with every pair and triple table, listed where
  its tuples can be (`raking`), else raked on a sample of the junction tree (`raked_triples`). The
  crowd on tuple t has mean λ = n·p(t) and the narrowing of the pair counts, at least 1/x_abc for
  each triple of values that x_abc people were counted with.

Where cells were worked out instead of counted (rounded or hidden ones) no table has to have them,
and of more than `MOST_PEOPLE` drawing takes too long: the law's crowds stand for a table's then.

Where it fails: dependence of four and more attributes that no triple shows; ORR comes out too high
then, as pairwise's does for what pairs don't show. A table that was changed to fit ends near the
counts, not at them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from reidrisk.arrays import Codes, Floats, Rows
from reidrisk.crowds import Assumption, CrowdSizes
from reidrisk.laws import TupleSpace
from reidrisk.machine import Progress, no_progress
from reidrisk.models.drawn_tables import crowds_of_rows, deviations_of, mean_crowds
from reidrisk.models.exact_triples import deviations, with_exact_triples
from reidrisk.models.junction_tree import JunctionTree
from reidrisk.models.knowledge import WHOLE, Free, Knowledge, all_counted, free_attributes
from reidrisk.models.law_of_tables import LawOfTables
from reidrisk.models.pairwise import (
    FEWEST_ROWS,
    MOST_ROWS,
    MOST_VISITS,
    ROWS_PER_PERSON,
    ListedTuples,
)
from reidrisk.models.raked_triples import RakedTriples, raked_triples
from reidrisk.models.raking import MOST_TUPLES, fitted, possible_tuples
from reidrisk.models.spread import Spread
from reidrisk.models.tree import Tree
from reidrisk.models.tuple_law import crowd_sizes_of, narrowing

# Tables drawn: about so many people in all, but between these bounds.
DRAWN_PEOPLE, FEWEST_TABLES, MOST_TABLES = 100_000, 3, 5
MOST_PEOPLE = 2_000_000


@dataclass(frozen=True, eq=False)
class ListedTriples(ListedTuples):
    """Every possible tuple with its probability under all pair and triple tables."""

    knowledge: Knowledge

    def log_probability(self, codes: Codes) -> Floats:
        """Σ of the potentials; −inf for a tuple with a pair or a triple that nobody holds."""
        total = np.full(len(codes), -self.fitted.log_z)
        for of, potential in self.fitted.potentials.items():
            columns = [codes[:, place].astype(np.intp) for place in of]
            if len(of) == 3:
                table = self.knowledge.triples[of[0], of[1], of[2]]
                total += np.append(potential, -np.inf)[table.places(columns)]
            else:
                total += potential[tuple(columns)]
        return total


@dataclass(frozen=True, eq=False)
class Triples(LawOfTables):
    """The triples law of some knowledge; `free` are the attributes that no other determines."""

    knowledge: Knowledge
    free: Free
    tree: JunctionTree
    seed: int
    progress: Progress = no_progress
    name: str = "triples"

    @classmethod
    def of(
        cls,
        knowledge: Knowledge,
        rng: np.random.Generator | None = None,
        progress: Progress = no_progress,
    ) -> Triples:
        """Choose the junction tree; tables and the law are drawn and fitted when asked for."""
        whole = with_pairs_of_triples(knowledge)
        free = free_attributes(whole)
        rng = rng or np.random.default_rng(0)
        tree = JunctionTree.of(free.knowledge)
        return cls(whole, free, tree, int(rng.integers(1 << 63)), progress)

    @property
    def fit(self) -> Mapping[str, Any]:
        """How it ended: the cliques, by name, and how far off the drawn tables or the law are."""
        names = self.free.knowledge.names
        cliques = [[names[place] for place in step.table] for step in self.tree.steps]
        return {"cliques": cliques, **(self._drawn_fit() if self.counted else self._law_fit())}

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """What it assumes."""
        triples, pairs = len(self.knowledge.triples), len(self.knowledge.pairs)
        tables = "the triple table" if triples == 1 else f"{triples:,} triple tables"
        if not triples:
            tables = "no triple table, as there is none,"
        return (
            Assumption(
                "triples",
                "model",
                f"All {pairs:,} pair tables and {tables} are kept; beyond them the attributes are "
                "taken as independent as they can be.",
            ),
        )

    @property
    def counted(self) -> bool:
        """Whether every cell is a number of people, so that drawn tables can have them all, and
        people are few enough to be drawn.
        """
        return self.knowledge.n <= MOST_PEOPLE and _all_counted(self.free.knowledge)

    @cached_property
    def law(self) -> ListedTriples | RakedTriples:
        """The law of the free attributes that agrees with all tables."""
        known, rng = self.free.knowledge, np.random.default_rng([self.seed, 1])
        tables = len(known.pairs) + len(known.triples)
        listed = possible_tuples(known, min(MOST_TUPLES, MOST_VISITS // max(tables, 1)))
        if listed is not None:
            listed = _in_triples(known, listed)
        if listed is not None and len(listed):
            return ListedTriples(listed, fitted(known, listed, self.progress), known)
        rows = int(np.clip(ROWS_PER_PERSON * known.n, FEWEST_ROWS, MOST_ROWS))
        return raked_triples(known, rows, rng, self.progress, self.tree)

    @property
    def of_law(self) -> Free:
        """The attributes that no other determines."""
        return self.free

    def narrowing(self, codes: Codes, counts: Floats | None = None) -> Floats:
        """That of the pair counts, at least 1/x_abc of each triple counted."""
        known = self.free.knowledge
        narrowed = narrowing(known, codes, tuple(known.pairs), self._forest, counts)
        for of, table in known.triples.items():
            people = table.at([codes[:, place] for place in of])
            whole = np.rint(people)
            counted = (np.abs(people - whole) < WHOLE) & (whole > 0.0)
            narrowed = np.maximum(narrowed, counted / np.maximum(whole, 1.0))
        return narrowed

    @cached_property
    def _forest(self) -> tuple[tuple[int, int], ...]:
        return Tree.of(self.free.knowledge.of_pairs).forest.edges

    def space(self) -> TupleSpace:
        """That of a tree of pairs: the law itself is no product."""
        return Tree.of(self.knowledge.of_pairs).space()

    @cached_property
    def tables(self) -> tuple[Rows, ...]:
        """Drawn tables of n people that have the counts, nearly."""
        return tuple(self._tables())

    def _tables(self) -> Iterator[Rows]:
        rng, n = np.random.default_rng([self.seed, 2]), self.knowledge.n
        number = int(np.clip(DRAWN_PEOPLE // n, FEWEST_TABLES, MOST_TABLES))
        for at in range(number):
            self.progress("drawing tables", at, number)
            yield self._mended(self.tree.drawn(n, rng), rng)

    def _mended(self, rows: Rows, rng: np.random.Generator) -> Rows:
        return with_exact_triples(self.free.knowledge, rows, rng)

    def crowd_sizes(self) -> CrowdSizes:
        """Means over the drawn tables; over the law's tuples where cells weren't counted."""
        if not self.counted:
            laws = self.laws_of_free(self.law.rows)
            return crowd_sizes_of(laws, self.law.mass, self.knowledge.n)
        return mean_crowds(self._crowds_of_tables)

    @cached_property
    def _crowds_of_tables(self) -> list[CrowdSizes]:
        return [crowds_of_rows(rows) for rows in self.tables]

    def spread(self) -> Spread:
        """Standard deviations over drawn tables; where cells weren't counted over draws of the law,
        which have less held down and scatter more.
        """
        if self.counted:
            some = self._crowds_of_tables
        else:
            rng = np.random.default_rng([self.seed, 3])
            n = self.knowledge.n
            few = min(n, MOST_PEOPLE)
            some = [crowds_of_rows(self.law.drawn(few, rng)) for _ in range(FEWEST_TABLES)]
        return deviations_of(some)

    def sample(self, rows: int, rng: np.random.Generator) -> Rows:
        """n rows are a table with the counts given, nearly, where they were counted; others are
        draws from the law.
        """
        if rows == self.knowledge.n and self.counted:
            return self.free.whole(self._mended(self.tree.drawn(rows, rng), rng))
        return self.free.whole(self.law.drawn(rows, rng))

    def _drawn_fit(self) -> dict[str, Any]:
        found = [deviations(self.free.knowledge, rows) for rows in self.tables]
        return {
            "ended": "converged",
            "way": "drawn tables",
            "tables": len(self.tables),
            "largest_pair_deviation": max(each.largest_pair for each in found),
            "largest_triple_deviation": max(each.largest_triple for each in found),
            "misplaced_share": float(np.mean([each.misplaced for each in found])),
        }

    def _law_fit(self) -> dict[str, Any]:
        law = self.law
        if isinstance(law, RakedTriples):
            return {
                "ended": law.ended,
                "way": "raked sample",
                "sweeps": law.sweeps,
                "largest_pair_deviation": law.largest_off,
                "mean_pair_deviation": law.mean_off,
                "rows": len(law.drawn_rows.order),
                "effective_rows": law.effective * len(law.drawn_rows.order),
            }
        return {
            "ended": law.fitted.ended,
            "way": "listed",
            "sweeps": law.fitted.sweeps,
            "largest_pair_deviation": law.fitted.largest_off,
            "mean_pair_deviation": float(law.fitted.mean_off),
            "tuples": len(law.fitted.probability),
        }


def with_pairs_of_triples(knowledge: Knowledge) -> Knowledge:
    """Pair tables that aren't known but as sums of a triple table."""
    pairs = dict(knowledge.pairs)
    for of, table in knowledge.triples.items():
        for one, other in combinations(range(3), 2):
            if (of[one], of[other]) not in pairs:
                pairs[of[one], of[other]] = table.pair(one, other)
    return replace(knowledge, pairs=pairs) if len(pairs) > len(knowledge.pairs) else knowledge


def _all_counted(knowledge: Knowledge) -> bool:
    every = [*knowledge.pairs.values(), *(table.people for table in knowledge.triples.values())]
    return all(all_counted(cells) for cells in every)


def _in_triples(knowledge: Knowledge, listed: Rows) -> Rows:
    """The tuples whose triples are held by somebody."""
    for of, table in knowledge.triples.items():
        listed = listed[table.at([listed[:, place] for place in of]) > 0.0]
    return listed
