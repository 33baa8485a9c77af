"""The pairwise law: the law of greatest entropy that agrees with every pair table given.

Symbols: log p(t) = Σ_ij θ_ij(t_i, t_j) + constant, one term for each pair table, so that
n·Σ_{t: t_i = a, t_j = b} p(t) = x_ab in every cell. Three ways, the same law:

- listed: where at most 10 million over the number of pair tables tuples are possible (50 million,
  where tables can't be drawn), all of them, fitted exactly (`raking`), unless the tables are draws
  that contradict each other;
- else a whole table's crowds are counted in tables drawn with these pair counts (`drawn_tables`),
- and combinations, one by one, are answered by a sample of the tree law, raked to every pair table
  (`raked_sample`), which is fitted when it is first needed. So are tables of more than 4 million
  people, and those whose pair counts are expectations.

The crowd on tuple t has mean λ = n·p(t) and the narrowing ε that the pair counts bring
(`narrowing`, `tuple_law`). What was tried, on tables drawn from the law itself whose pair tables
were then counted and fitted (five columns of a census extract, 3,000 people): ORR is off by −0.037
with B(n, p), by −0.011 with c the smallest pair count, by 0.000 with c = 1/ε.

Where it fails: dependence among three attributes that no pair shows. Real tables have some, it
makes crowds larger, and ORR comes out up to 0.015 too high on nine columns; where people of one
household share values, by more.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from reidrisk.arrays import Codes, Floats, Rows
from reidrisk.crowds import Assumption, CrowdSizes
from reidrisk.errors import ImpossibleCounts
from reidrisk.laws import TupleSpace
from reidrisk.machine import Progress, no_progress
from reidrisk.models.contract import Question
from reidrisk.models.drawn_tables import MOST_PEOPLE, DrawnTables, drawn_tables
from reidrisk.models.exact_margins import with_exact_margins
from reidrisk.models.forest import Forest, joined_edges, spanning_forest
from reidrisk.models.knowledge import Free, Knowledge, free_attributes
from reidrisk.models.law_of_tables import LawOfTables
from reidrisk.models.raked_sample import RakedLaw, raked_law
from reidrisk.models.raking import MOST_TUPLES, Fitted, fitted, possible_tuples
from reidrisk.models.spread import MOST_ROWS as MOST_SPREAD
from reidrisk.models.spread import Spread, spread_over
from reidrisk.models.tree import Tree
from reidrisk.models.tuple_law import TupleLaws, at_least, crowd_sizes_of, narrowing

# Tuples times pair tables of a listed law: a tenth of a second a sweep; and where no tables can be
# drawn instead, half a second.
MOST_VISITS, MOST_VISITS_OF_LAWS = 10_000_000, 50_000_000
# Rows of a raked sample: five for each person, within these bounds.
ROWS_PER_PERSON, FEWEST_ROWS, MOST_ROWS = 5, 400_000, 1_600_000


@dataclass(frozen=True, eq=False)
class ListedTuples:
    """Every possible tuple with its probability."""

    rows: Rows
    fitted: Fitted

    @property
    def mass(self) -> Floats:
        """The tuples' probabilities."""
        return self.fitted.probability

    def log_probability(self, codes: Codes) -> Floats:
        """Σ of the potentials; −inf for a tuple with a pair nobody holds."""
        total = np.full(len(codes), -self.fitted.log_z)
        for of, table in self.fitted.potentials.items():
            total += table[tuple(codes[:, place] for place in of)]
        return total

    def drawn(self, rows: int, rng: np.random.Generator) -> Rows:
        """Tuples by their probabilities."""
        reached = np.cumsum(self.mass)
        found = np.searchsorted(reached, rng.random(rows) * reached[-1], side="right")
        return np.asarray(self.rows[np.minimum(found, len(self.rows) - 1)])


@dataclass(frozen=True, eq=False)
class Pairwise(LawOfTables):
    """The pairwise law of some knowledge.

    `free` are the attributes that others don't determine. `listed` is their law where its tuples
    can be listed; otherwise `drawn` holds what is counted in tables drawn, where a whole table is
    asked about, and `raked` is a sample's law, where combinations are.
    """

    knowledge: Knowledge
    free: Free
    listed: ListedTuples | None
    drawable: bool
    raked: RakedLaw | None
    start: np.random.Generator
    seed: int = 0
    rows: int = FEWEST_ROWS
    progress: Progress = no_progress
    name: str = "pairwise"

    @classmethod
    def of(
        cls,
        knowledge: Knowledge,
        rng: np.random.Generator | None = None,
        progress: Progress = no_progress,
        question: Question = "table",
        rows: int | None = None,
        most_listed: int = MOST_TUPLES,
    ) -> Pairwise:
        """Fit it: listed where possible, else what the question needs.

        `rows` are those of a raked sample, five a person by default.
        """
        rng = rng or np.random.default_rng(0)
        free = free_attributes(knowledge)
        some = rows or int(np.clip(ROWS_PER_PERSON * knowledge.n, FEWEST_ROWS, MOST_ROWS))
        drawable = question == "table" and knowledge.counted and knowledge.n <= MOST_PEOPLE
        most = 0 if _drawn_one_by_one(free.knowledge) else most_listed
        visits = MOST_VISITS if drawable else MOST_VISITS_OF_LAWS
        listed, raked = _listed(free.knowledge, most, visits, progress), None
        drawable &= listed is None
        start = deepcopy(rng)
        if listed is None and not drawable:
            raked = raked_law(knowledge, Tree.of(knowledge), some, rng, progress)
        seed = int(rng.integers(1 << 63))
        return cls(knowledge, free, listed, drawable, raked, start, seed, some, progress)

    @cached_property
    def drawn(self) -> DrawnTables | None:
        """Tables drawn, where a whole one is asked about and the law can't be listed: when somebody
        asks for its crowds, since whoever needs rows alone doesn't use them.
        """
        if not self.drawable:
            return None
        return drawn_tables(self.free.knowledge, deepcopy(self.start), self.progress)

    @cached_property
    def law(self) -> ListedTuples | RakedLaw:
        """The probability of any tuple: the listed law, or a raked sample."""
        known = self.listed or self.raked
        if known is not None:
            return known
        rng = np.random.default_rng(self.seed)
        return Pairwise.of(self.knowledge, rng, self.progress, "person", self.rows).law

    @cached_property
    def of_law(self) -> Free:
        """The attributes that `law` is of. A raked one keeps those that others determine: their
        tables steady the raking where those of finer values have few rows.
        """
        return self.free if isinstance(self.law, ListedTuples) else Free.all_of(self.knowledge)

    @cached_property
    def forest(self) -> Forest:
        """The most informative pair tables that form no circle."""
        return spanning_forest(self.of_law.knowledge)

    @cached_property
    def fit(self) -> Mapping[str, Any]:
        """How the fit ended; of a raked sample also what fresh rows say of it."""
        if self.drawn is not None:
            return _drawn_fit(self.drawn)
        if isinstance(self.law, RakedLaw):
            error = self.monte_carlo_error().overall_risk
            fresh = self.law.fresh_log_z(np.random.default_rng(self.seed))
            return _raked_fit(self.law) | {"log_z_fresh": fresh, "monte_carlo_error": error}
        return _listed_fit(self.law.fitted)

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """What it assumes."""
        tables = len(self.knowledge.pairs)
        return (
            Assumption(
                "pairwise",
                "model",
                f"All {tables:,} pair tables given are kept; beyond them the attributes are taken "
                "as independent as they can be.",
            ),
        )

    def narrowing(self, codes: Codes, counts: Floats | None = None) -> Floats:
        """That of the pair counts along the forest."""
        known = self.of_law.knowledge
        return narrowing(known, codes, tuple(known.pairs), self.forest.edges, counts)

    def space(self) -> TupleSpace:
        """That of its tree: the law itself is no product, and sums over all its tuples can't be
        had where they are too many to list.
        """
        return Tree.of(self.knowledge).space()

    @cached_property
    def known_laws(self) -> TupleLaws:
        """The laws of the tuples that stand for the whole."""
        return self.laws_of_free(self.law.rows)

    def crowd_sizes(self) -> CrowdSizes:
        """E[N_s] over the listed tuples, the tables drawn or the weighted rows."""
        if self.drawn is not None:
            return self.drawn.crowds
        return crowd_sizes_of(self.known_laws, self.law.mass, self.knowledge.n)

    def sample(self, rows: int, rng: np.random.Generator) -> Rows:
        """n rows are a table with the counts given, nearly (`exact_margins`); any other number of
        rows: draws from the law, whose counts scatter.
        """
        if rows != self.knowledge.n:
            return self.of_law.whole(self.law.drawn(rows, rng))
        known = self.free.knowledge
        if len(joined_edges(len(known.names), known.pairs)) == len(known.pairs):
            # What is left beside determined attributes is a tree, whose tables have the counts.
            return self.free.whole(self.tree.sample(rows, rng))
        if self.listed is not None:
            drawn = self.listed.drawn(rows, rng)
        elif known.counted:
            drawn = self.tree.drawn(rows, rng)
        else:
            drawn = self.free.of(self.of_law.whole(self.law.drawn(rows, rng)))
        return self.free.whole(with_exact_margins(known, drawn, rng))

    @cached_property
    def tree(self) -> Tree:
        """The tree of the free attributes, from which tables are drawn that can't be listed."""
        return Tree.of(self.free.knowledge)

    def spread(self) -> Spread:
        """Standard deviations over tables that have all the pair tables; with a raked sample the
        chance of its rows is added.
        """
        if self.drawn is not None:
            return self.drawn.spread
        known, law, laws = self.of_law.knowledge, self.law, self.known_laws
        if not isinstance(law, RakedLaw):
            return spread_over(known, law.rows, laws, law.mass, tuple(known.pairs), sampled=False)
        some = law.drawn_rows.order[:MOST_SPREAD]
        mass = (law.mass / law.drawn_rows.times)[some]
        found = spread_over(known, law.rows[some], laws.chosen(some), mass / mass.sum(),
                            tuple(known.pairs), sampled=True)  # fmt: skip
        both = zip(found, self.monte_carlo_error(), strict=True)
        return Spread(*(math.hypot(deviation, error) for deviation, error in both))

    def monte_carlo_error(self) -> Spread:
        """Standard deviations of ORR and of the share alone by the chance of the sampled rows."""
        alone = 1.0 - at_least(self.known_laws, [2])[:, 0]
        return Spread(*(self._chance(each) for each in (self.known_laws.risk(), alone)))

    def _chance(self, each: Floats) -> float:
        apart = each - float(np.dot(self.law.mass, each))
        times = self.law.drawn_rows.times if isinstance(self.law, RakedLaw) else 1.0
        return float(np.sqrt(np.dot(self.law.mass**2 / times, apart**2)))


def _drawn_one_by_one(known: Knowledge) -> bool:
    """Whether pair tables that form a circle were drawn, each by itself: their empty cells fit
    together by chance, and what is left of the combinations is too few.
    """
    edges = joined_edges(len(known.names), known.pairs)
    return known.drawn and len(edges) < len(known.pairs)


def _listed(known: Knowledge, most: int, visits: int, progress: Progress) -> ListedTuples | None:
    """The law of all possible tuples; None where they are too many."""
    most = min(most, visits // max(len(known.pairs), 1))
    rows = possible_tuples(known, most) if most else None
    if rows is None:
        return None
    if not len(rows):
        raise ImpossibleCounts(
            "no combination of values agrees with all pair tables: nobody would be left",
            "check the file for cells of 0 that were rounded or left out",
        )
    return ListedTuples(rows, fitted(known, rows, progress))


def _drawn_fit(drawn: DrawnTables) -> dict[str, Any]:
    return {
        "ended": "converged" if drawn.close else "no closer",
        "way": "drawn tables",
        "tables": drawn.number,
        "largest_pair_deviation": drawn.largest_off,
        "people_off": drawn.people_off,
    }


def _listed_fit(fitted: Fitted) -> dict[str, Any]:
    return {
        "ended": fitted.ended,
        "way": "listed",
        "sweeps": fitted.sweeps,
        "largest_pair_deviation": fitted.largest_off,
        "mean_pair_deviation": float(fitted.mean_off),
        "people_off": fitted.people_off,
        "tuples": len(fitted.probability),
    }


def _raked_fit(law: RakedLaw) -> dict[str, Any]:
    return {
        "ended": law.raking.ended,
        "way": "raked sample",
        "sweeps": law.raking.sweeps,
        "largest_pair_deviation": law.raking.largest_off,
        "mean_pair_deviation": law.raking.mean_off,
        "rows": len(law.drawn_rows.order),
        "effective_rows": law.effective * len(law.drawn_rows.order),
        "drawn_anew": law.moved is not None,
    }
