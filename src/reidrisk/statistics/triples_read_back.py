"""Triple tables read back: from numbers that a protection has changed to counts, by its stated law.

As pair tables (`reading_back`), one step on. Symbols: y what was published of a cell, e what the
pair tables that were read back let expect in it (`triple_cells`). The cell's posterior is that of a
negative binomial count around e, its shape by likelihood over the table; a cell of named values
that isn't listed has what the law says of such; of values without a name nothing was published, and
e stays. The means, or with an `rng` draws as of pairs, are raked to the pair tables.

Where it fails: as for pairs, and sooner, since most triple cells are small; where possible cells
are too many, the table is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Floats, Ints
from reidrisk.laws import (
    KnownCells,
    PublishedLaw,
    fitted_shape,
    posterior_of_listed,
    posterior_of_unlisted,
)
from reidrisk.models import TripleTable
from reidrisk.statistics.reading_back import ReadCells, ReadTables
from reidrisk.statistics.reading_margins import ReadMargin
from reidrisk.statistics.triple_cells import (
    SIDES,
    Pairs,
    expected_cells,
    possible_cells,
    raked_cells,
)

Triple = tuple[int, int, int]


class PublishedTriple(NamedTuple):
    """Listed cells, by the places of the margins' values, a row each, and their numbers."""

    codes: Ints
    counts: Ints


def triples_of(
    published: Mapping[Triple, PublishedTriple],
    read: ReadTables,
    law: PublishedLaw,
    rng: np.random.Generator | None = None,
) -> dict[Triple, TripleTable]:
    """The triple tables over all values; those that are too large are left out."""
    found = {}
    for of, cells in published.items():
        table = _table(cells, _pairs(read, of), [read.margins[side] for side in of], law, rng)
        if table is not None:
            found[of] = table
    return found


def _pairs(read: ReadTables, of: Triple) -> Pairs:
    """The pair tables of merged rests; as if independent where one wasn't published."""
    sizes = [np.append(m.listed, m.rest.sum()) if len(m.rest) else m.listed
             for m in (read.margins[side] for side in of)]  # fmt: skip
    tables = []
    for one, other in SIDES:
        cells = read.tables.get((of[one], of[other]))
        if cells is None or cells.shape != (len(sizes[one]), len(sizes[other])):
            known = np.outer(sizes[one], sizes[other]) / max(read.people, 1)
            if cells is not None:
                known = cells[: len(sizes[one]), : len(sizes[other])]
            cells = known
        tables.append(cells)
    return Pairs(*tables)


def _table(
    published: PublishedTriple,
    pairs: Pairs,
    margins: Sequence[ReadMargin],
    law: PublishedLaw,
    rng: np.random.Generator | None,
) -> TripleTable | None:
    codes = possible_cells(pairs, published.codes)
    if codes is None:
        return None
    expected = expected_cells(pairs, codes)
    listed = TripleTable.of(pairs.shape, published.codes, np.ones(len(published.codes)))
    one_more = (published.counts + 1).astype(np.float64)
    numbers = TripleTable.of(pairs.shape, published.codes, one_more).at(codes.T) - 1.0
    is_listed = listed.at(codes.T) > 0.0
    named = np.ones(len(codes), dtype=bool)
    for side, margin in enumerate(margins):
        named &= codes[:, side] < len(margin.listed)
    cells = _posterior(numbers, expected, is_listed, named, law)
    mean = cells.mean if rng is None else cells.drawn(rng)
    return _spread(TripleTable.of(pairs.shape, codes, raked_cells(mean, codes, pairs)), margins)


def _posterior(
    numbers: Floats, expected: Floats, listed: np.ndarray, named: np.ndarray, law: PublishedLaw
) -> ReadCells:
    """Of each cell; a cell that isn't listed and isn't expected either has nobody."""
    counts = numbers[listed].astype(np.int64)
    open_ = ~listed & named & (expected > 0.0)
    shape = fitted_shape(KnownCells(counts, expected[listed], expected[open_]), law)
    mean, variance = expected.copy(), expected + expected**2 / shape
    before = variance.copy()
    mean[listed], variance[listed] = posterior_of_listed(counts, expected[listed], shape, law)
    mean[open_], variance[open_] = posterior_of_unlisted(expected[open_], shape, law)
    return ReadCells(mean, variance, before, shape)


def _spread(table: TripleTable, margins: Sequence[ReadMargin]) -> TripleTable:
    """A table whose rests are shared out over their values."""
    codes, people = table.codes, table.people
    for side, margin in enumerate(margins):
        if not len(margin.rest):
            continue
        first, rest = len(margin.listed), codes[:, side] >= len(margin.listed)
        values = np.arange(len(margin.rest))
        again = np.repeat(codes[rest], len(values), axis=0)
        again[:, side] = first + np.tile(values, int(rest.sum()))
        shares = np.outer(people[rest], margin.rest / margin.rest.sum()).ravel()
        codes = np.concatenate([codes[~rest], again])
        people = np.concatenate([people[~rest], shares])
    shape = tuple(len(margin.counts) for margin in margins)
    return TripleTable.of((shape[0], shape[1], shape[2]), codes, people)
