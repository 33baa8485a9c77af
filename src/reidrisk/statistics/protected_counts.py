"""Complete counts of statistics whose protection states a law: read back, with what is unsure.

`reading_back` takes numbers; here they come from a file, under the names of their values, and what
a count may be otherwise is kept beside it:

- a count is as good as known where it can be off by less than a tenth of itself (`SURE`). How far
  it can be off is the protection's reach, or three standard deviations of its noise;
- a pair cell lies between what the law allows and what its row and column hold; one of a value that
  isn't listed anywhere between nobody and all of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from reidrisk.arrays import Floats
from reidrisk.crowds import assumed
from reidrisk.laws import PublishedLaw
from reidrisk.models import with_pairs_of_triples
from reidrisk.statistics.complete_counts import (
    CompleteAttribute,
    CompleteCounts,
    HiddenCells,
    UnsureCounts,
)
from reidrisk.statistics.protection import DifferentialPrivacy, KeyedRounding, Protection
from reidrisk.statistics.reading_back import Published, PublishedCells, Reading, ReadTables
from reidrisk.statistics.reading_margins import PublishedMargin, ReadMargin
from reidrisk.statistics.statistics import Attribute, Statistics
from reidrisk.statistics.triple_imputation import stated_cells
from reidrisk.statistics.triples_read_back import PublishedTriple, triples_of
from reidrisk.statistics.when_asked import WhenAsked

SURE = 0.1
# Standard deviations of noise beyond which a count isn't looked for.
FAR = 3.0


@dataclass(frozen=True, eq=False)
class ReadBack:
    """These attributes' counts and pair tables by the protection's law: means, or drawn again and
    again; what no draw changes is worked out once.
    """

    published: Statistics
    protection: Protection
    names: tuple[str, ...]

    @cached_property
    def reading(self) -> Reading:
        """What the numbers say."""
        of_margins, of_cells = self.protection.of_margins, self.protection.of_cells
        if of_margins is None or of_cells is None:
            raise ValueError(f"numbers with {self.protection.kind} are as they were counted")
        margins = [_margin(each, self.protection) for each in self._held]
        cells = _pair_cells(self.published, self._held)
        told = Published(self.published.records, margins, cells, of_margins, of_cells)
        return Reading.of(told)

    @cached_property
    def _held(self) -> tuple[Attribute, ...]:
        return tuple(self.published.attribute(name) for name in self.names)

    @cached_property
    def _triples(self) -> Mapping[tuple[int, int, int], PublishedTriple]:
        return _triple_cells(self.published, self._held)

    def counts(
        self, rng: np.random.Generator | None = None, whole_numbers: bool = False
    ) -> CompleteCounts:
        """Means, or with an `rng` a draw."""
        told, protection = self.reading.published, self.protection
        read = self.reading.tables(rng, whole_numbers)
        attributes = tuple(
            _attribute(of, margin, one, protection, told.of_margins)
            for of, margin, one in zip(self._held, told.margins, read.margins, strict=True)
        )
        hidden = WhenAsked(
            told.pairs, lambda of: _hidden_cells(read, of, told.pairs[of], protection)
        )
        triples = triples_of(self._triples, read, told.of_cells, rng)
        return CompleteCounts(
            read.people,
            attributes,
            with_pairs_of_triples(replace(read.knowledge(self.names), triples=triples)),
            assumed("read-back", "statistics", [_said(protection)]),
            hidden_cells=hidden,
            read_back=True,
            disagreement=FAR * math.sqrt(told.of_cells.variance),
        )


def _pair_cells(
    published: Statistics, held: Sequence[Attribute]
) -> dict[tuple[int, int], PublishedCells]:
    place = {each.name: {value: at for at, value in enumerate(each.stated)} for each in held}
    number = {each.name: at for at, each in enumerate(held)}
    found = {}
    for pair in published.pairs:
        if not set(pair.of) <= number.keys():
            continue
        first, second = sorted(pair.of, key=number.__getitem__)
        turned = published.pair(first, second)
        assert turned is not None
        listed = [
            (place[first][a], place[second][b], count)
            for (a, b), count in turned.counts.items()
            if isinstance(count, int)
        ]
        rows, columns, counts = np.array(listed, dtype=np.int64).reshape(-1, 3).T
        found[number[first], number[second]] = PublishedCells(rows, columns, counts)
    return found


def _triple_cells(
    published: Statistics, held: Sequence[Attribute]
) -> dict[tuple[int, int, int], PublishedTriple]:
    names = [each.name for each in held]
    found = {}
    for triple in published.triples:
        if not set(triple.of) <= set(names):
            continue
        i, j, k = sorted(names.index(name) for name in triple.of)
        places = [{value: at for at, value in enumerate(held[of].stated)} for of in (i, j, k)]
        cells = stated_cells(triple.turned([names[of] for of in (i, j, k)]), places)
        known = ~np.isnan(cells.people)
        found[i, j, k] = PublishedTriple(cells.codes[known], cells.people[known].astype(np.int64))
    return found


def _said(protection: Protection) -> str:
    if isinstance(protection, KeyedRounding):
        return (
            f"Every published number was rounded at random to a multiple of {protection.base}; "
            "what it was before is estimated by that law."
        )
    return "Every published number has noise; what it was before is estimated by the stated law."


def _margin(attribute: Attribute, protection: Protection) -> PublishedMargin:
    counts = np.array([c for c in attribute.stated.values() if isinstance(c, int)], dtype=np.int64)
    if isinstance(protection, DifferentialPrivacy):
        return PublishedMargin(counts, protection.values_above)
    if attribute.other is None:
        return PublishedMargin(counts)
    other = attribute.other
    up_to = 2 * protection.reach + 1 if protection.reach is not None else 1
    return PublishedMargin(counts, up_to, other.count, max(other.values, 1))


def _attribute(
    attribute: Attribute,
    margin: PublishedMargin,
    read: ReadMargin,
    protection: Protection,
    law: PublishedLaw,
) -> CompleteAttribute:
    off = _off(protection, np.full(len(read.listed), law.variance))
    unsure = np.concatenate([off > SURE * read.listed, np.ones(len(read.rest), dtype=bool)])
    expected = read.counts.astype(np.float64)
    if len(read.rest):
        expected[len(read.listed) :] = read.rest.mean()
    up_to = min(margin.rest_up_to or 1, int(read.rest.sum()))
    return CompleteAttribute(
        attribute.name,
        tuple(attribute.stated),
        read.counts,
        unsure=UnsureCounts(
            unsure, expected, margin.counts, np.ones_like(margin.counts), law, up_to
        ),
    )


def _off(protection: Protection, variance: Floats) -> Floats:
    """How far a count may be from the number published of it."""
    if protection.reach is not None:
        return np.full(variance.shape, float(protection.reach))
    return FAR * np.sqrt(variance)


def _hidden_cells(
    read: ReadTables, of: tuple[int, int], cells: PublishedCells, protection: Protection
) -> HiddenCells:
    """Between which numbers each cell lies; one that can't be off much is as good as known."""
    mean = read.spread(of, read.tables[of])
    off = _off(protection, read.repeated(of, read.variances[of]))
    around = mean
    if protection.reach is not None:
        around = np.zeros(mean.shape)
        around[cells.rows, cells.columns] = cells.counts
    unstated = np.ones(mean.shape, dtype=bool)
    rows, columns = (len(read.margins[side].listed) for side in of)
    unstated[:rows, :columns] = False
    holders = np.minimum(*np.ix_(*(read.margins[side].counts for side in of))).astype(np.float64)
    least = np.where(unstated, 0.0, np.maximum(np.floor(around - off), 0.0))
    most = np.where(unstated, holders, np.minimum(np.ceil(around + off), holders))
    # Raking can take a cell out of its bounds: what was fitted is possible too.
    least, most = np.minimum(least, np.floor(mean)), np.maximum(most, np.ceil(mean))
    hidden = (mean > 0.0) & (most - least > SURE * mean)
    return HiddenCells(unstated, hidden, least, most, hidden & ~unstated)
