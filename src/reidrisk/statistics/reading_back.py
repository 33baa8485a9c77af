"""Reading back: complete counts and pair tables from numbers that a protection has changed.

Whatever the protection, a `PublishedLaw` says how a number came from its count. Symbols: y what was
published, v the law's variance, D values of an attribute.

- n: the published number of people and the sums of closed margins, weighed by 1/v and 1/(D·v).
- margins (`reading_margins`): posterior means around n/D (`count_posterior`), and what each pair
  table of the attribute says of them, weighed by their variances; what they lack to n is shared out
  by those. A pair table's rows say S = (1 − W)·n_a + W·t, part of it the margin that the table's
  own prior was made of: with W = 1 − Var(posterior)/Var(prior), t has the variance Var(S)/W.
- the rest of an attribute, R people of values that aren't listed, is what the listed ones leave;
  where the number was published too, both are weighed. Values of x people are taken to be as
  frequent as 1/x (Fisher's log series with parameter α): αT people where values up to T aren't
  listed, so α = R/T, and ln T + γ values for each of α, unless it is said how many they are.
  Their cells aren't published: they go with other attributes as everybody does.
- pair tables: posterior means around n_a·n_b/n, for cells that aren't listed too, raked to the
  margins.

**Means or draws.** What is asked of single cells are means. A model fitted to means takes crowds to
be more and smaller than they are, for means lie nearer to independence than counts do. With an
`rng` cells are drawn instead, for a law that takes a cell that wasn't counted as Poisson: gamma
numbers with the posterior's mean and the variance that it has beyond a Poisson count's, Var − mean,
where it has any. After noise that took 5 to 60 % off the errors of ORR on three public tables;
after rounding to multiples of 5, where Var is mostly below the mean, it made no difference. For
tables of people drawn to have the cells, rounded ones are drawn as whole numbers from the
posterior.

Where it fails: beyond its margins each table is read by itself, though three tables of three
attributes say something of each other. A posterior mean is smoother than the counts it stands for:
what small cells depart from independence by is lost where the noise is larger. How many values a
rest has is often a guess, and they are taken to go with other attributes as everybody does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Floats, Ints, Mask, Places
from reidrisk.laws import (
    LEAST,
    KnownCells,
    Posterior,
    PublishedLaw,
    drawn_of_listed,
    drawn_of_unlisted,
    fitted_shape,
    posterior_of_listed,
    posterior_of_unlisted,
)
from reidrisk.models import Knowledge, raked
from reidrisk.statistics.reading_margins import (
    PublishedMargin,
    ReadMargin,
    brought_to,
    margin_of,
    people_of,
    settled_margin,
)
from reidrisk.statistics.when_asked import WhenAsked


class PublishedCells(NamedTuple):
    """Listed cells of a pair table, by the places of the margins' values, and their numbers."""

    rows: Places
    columns: Places
    counts: Ints


class ReadCells(NamedTuple):
    """A pair table's posterior means and variances, the prior's variances, and its shape."""

    mean: Floats
    variance: Floats
    before: Floats
    shape: float

    def says_of_rows(self, counts: Floats) -> Posterior:
        """t and its variance: what the table adds to the rows' counts its prior was made of."""
        sums, unsure = self.mean.sum(axis=1), self.variance.sum(axis=1)
        weight = np.clip(1.0 - unsure / np.maximum(self.before.sum(axis=1), 1e-9), 1e-3, 1.0)
        told = (sums - (1.0 - weight) * counts) / weight
        return Posterior(told, np.maximum(unsure, 1e-6) / weight)

    def drawn(self, rng: np.random.Generator) -> Floats:
        """Gamma numbers with these means and the variances beyond a Poisson count's."""
        beyond = self.variance - self.mean
        some = (beyond > 1e-6 * self.mean) & (self.mean > LEAST)
        found, mean, beyond = self.mean.copy(), self.mean[some], beyond[some]
        # Never nought, which no raking could bring to a margin.
        found[some] = np.maximum(rng.gamma(mean * mean / beyond) * beyond / mean, LEAST)
        return found

    def turned(self) -> ReadCells:
        """Rows and columns exchanged."""
        return ReadCells(self.mean.T, self.variance.T, self.before.T, self.shape)


def cells_of(
    cells: PublishedCells,
    rows: Floats,
    columns: Floats,
    law: PublishedLaw,
    shape: float | None = None,
    unsaid: Mask | None = None,
) -> ReadCells:
    """The pair table's cells around n_a·n_b/n; nobody where a margin has nobody.

    Of cells that are `unsaid` (of values that aren't listed) nothing was published.
    """
    expected, open_ = _expected(cells, rows, columns, unsaid)
    listed = expected[cells.rows, cells.columns]
    if shape is None:
        shape = fitted_shape(KnownCells(cells.counts, listed, expected[open_]), law)
    of_listed = posterior_of_listed(cells.counts, listed, shape, law)
    of_open = posterior_of_unlisted(expected[open_], shape, law)
    found = np.zeros((2, *expected.shape))
    for told, at_listed, at_open in zip(found, of_listed, of_open, strict=True):
        told[cells.rows, cells.columns] = at_listed
        told[open_] = at_open
        told[expected <= 0.0] = 0.0
    before = expected + expected**2 / shape
    if unsaid is not None:
        found[0][unsaid], found[1][unsaid] = expected[unsaid], before[unsaid]
    return ReadCells(found[0], found[1], before, shape)


def whole_cells_of(
    cells: PublishedCells,
    margins: tuple[Floats, Floats],
    law: PublishedLaw,
    shape: float,
    unsaid: Mask | None,
    rng: np.random.Generator,
) -> Floats:
    """Whole numbers drawn from the cells' posteriors; those that are `unsaid` as expected."""
    expected, open_ = _expected(cells, *margins, unsaid)
    found = expected.copy()
    listed = expected[cells.rows, cells.columns]
    found[cells.rows, cells.columns] = drawn_of_listed(cells.counts, listed, shape, law, rng)
    found[open_] = drawn_of_unlisted(expected[open_], shape, law, rng)
    # Never nought where somebody may be, which no raking could bring to a margin.
    return np.where(expected > 0.0, np.maximum(found, LEAST), 0.0)


def _expected(
    cells: PublishedCells, rows: Floats, columns: Floats, unsaid: Mask | None
) -> tuple[Floats, Mask]:
    """n_a·n_b/n, and where a cell isn't listed though its values are."""
    expected = np.outer(rows, columns) / max(float(rows.sum()), 1.0)
    stated = np.zeros(expected.shape, dtype=bool)
    stated[cells.rows, cells.columns] = True
    open_ = ~stated & (expected > 0.0)
    return expected, open_ if unsaid is None else open_ & ~unsaid


class Published(NamedTuple):
    """What a file says: everybody, each attribute, pairs of attributes by their places; by which
    laws.
    """

    people: int
    margins: Sequence[PublishedMargin]
    pairs: Mapping[tuple[int, int], PublishedCells]
    of_margins: PublishedLaw
    of_cells: PublishedLaw


class ReadTables(NamedTuple):
    """All of it read back: n, the margins, the pair tables raked to them, and the cells' posterior
    variances; a rest's row or column comes last and stands for all of its values.
    """

    people: int
    margins: tuple[ReadMargin, ...]
    tables: Mapping[tuple[int, int], Floats]
    variances: Mapping[tuple[int, int], Floats]
    # Whether cells are whole numbers drawn, before they were raked.
    drawn: bool = False

    def spread(self, of: tuple[int, int], cells: Floats) -> Floats:
        """A table with a row and a column for each value of the rests."""
        i, j = of
        return self.margins[j].spread(self.margins[i].spread(cells).T).T

    def repeated(self, of: tuple[int, int], cells: Floats) -> Floats:
        """The same where a rest's row or column holds for each of its values."""
        return cells[np.ix_(*(self.margins[side].places for side in of))]

    def knowledge(self, names: Sequence[str]) -> Knowledge:
        """As models predict from."""
        pairs = {of: self.spread(of, cells) for of, cells in self.tables.items()}
        counts = tuple(margin.counts for margin in self.margins)
        return Knowledge(self.people, tuple(names), counts, pairs, self.drawn)


@dataclass(frozen=True, eq=False)
class Reading:
    """What published numbers say before anything is drawn, worked out once for all draws: n, each
    margin's posterior with what its pair tables add, each pair table's shape and unsaid cells.
    """

    published: Published
    people: int
    margins: tuple[Posterior, ...]
    shapes: Mapping[tuple[int, int], float]
    unsaid: Mapping[tuple[int, int], Mask | None]

    @classmethod
    def of(cls, published: Published) -> Reading:
        """Read the margins by themselves, then what every pair table says of its two."""
        margins, law = published.margins, published.of_cells
        people = people_of(published.people, margins)
        said = [[margin_of(each, people, published.of_margins)] for each in margins]
        counts = [brought_to(each[0], people) for each in said]
        shapes, unsaid = {}, {}
        for (i, j), cells in published.pairs.items():
            unsaid[i, j] = _unsaid(margins[i], margins[j], (len(counts[i]), len(counts[j])))
            found = cells_of(cells, counts[i], counts[j], law, unsaid=unsaid[i, j])
            said[i].append(found.says_of_rows(counts[i]))
            said[j].append(found.turned().says_of_rows(counts[j]))
            shapes[i, j] = found.shape
        together = tuple(_weighed(each) for each in said)
        return cls(published, people, together, shapes, unsaid)

    def tables(
        self, rng: np.random.Generator | None = None, whole_numbers: bool = False
    ) -> ReadTables:
        """Posterior means; with an `rng` draws, of rounded cells as whole numbers if asked for."""
        drawn = rng is not None and whole_numbers and self.published.of_cells.bounded
        margins = self._settled(rng)
        sums = tuple(
            one.merged(margin.has_rest)
            for one, margin in zip(margins, self.published.margins, strict=True)
        )
        tables, variances = {}, {}
        for i, j in self.published.pairs:
            told, variance = self._told((i, j), (sums[i], sums[j]), rng, drawn)
            tables[i, j] = raked(told, sums[i], sums[j]).cells
            if variance is not None:
                variances[i, j] = variance
        if drawn:
            asked = WhenAsked(self.published.pairs, partial(self._variance, sums))
            return ReadTables(self.people, margins, tables, asked, drawn)
        return ReadTables(self.people, margins, tables, variances, drawn)

    def _settled(self, rng: np.random.Generator | None) -> tuple[ReadMargin, ...]:
        found = self.margins
        if rng is not None:
            found = tuple(each._replace(mean=_drawn_around(each, rng)) for each in found)
        pairs = zip(self.published.margins, found, strict=True)
        return tuple(settled_margin(margin, each, self.people) for margin, each in pairs)

    def _told(
        self,
        of: tuple[int, int],
        sums: tuple[Floats, Floats],
        rng: np.random.Generator | None,
        drawn: bool,
    ) -> tuple[Floats, Floats | None]:
        """A table's cells before raking; their variances, where they were needed for that."""
        cells, law = self.published.pairs[of], self.published.of_cells
        if drawn and rng is not None:
            return whole_cells_of(cells, sums, law, self.shapes[of], self.unsaid[of], rng), None
        found = cells_of(cells, *sums, law, self.shapes[of], self.unsaid[of])
        return found.mean if rng is None else found.drawn(rng), found.variance

    def _variance(self, sums: Sequence[Floats], of: tuple[int, int]) -> Floats:
        cells, law, sides = self.published.pairs[of], self.published.of_cells, of
        rows, columns = (sums[side] for side in sides)
        return cells_of(cells, rows, columns, law, self.shapes[of], self.unsaid[of]).variance


def _unsaid(first: PublishedMargin, second: PublishedMargin, shape: tuple[int, int]) -> Mask | None:
    """Cells of rests; None where there are none."""
    if not (first.has_rest or second.has_rest):
        return None
    unsaid = np.zeros(shape, dtype=bool)
    unsaid[len(first.counts) :], unsaid[:, len(second.counts) :] = True, True
    return unsaid


def _drawn_around(found: Posterior, rng: np.random.Generator) -> Floats:
    deviation = np.sqrt(np.maximum(found.variance, 0.0))
    return np.asarray(np.maximum(rng.normal(found.mean, deviation), 0.0))


def _weighed(said: Sequence[Posterior]) -> Posterior:
    """Means by the inverses of their variances."""
    inverse = np.array([1.0 / np.maximum(each.variance, 1e-9) for each in said])
    mean = (inverse * np.array([each.mean for each in said])).sum(axis=0) / inverse.sum(axis=0)
    return Posterior(mean, 1.0 / inverse.sum(axis=0))
