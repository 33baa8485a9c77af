"""Exact counts of a table, small ones left out with proof: from records to statistics.

Rare values of an attribute are listed together as `other` (`rare_values`); each is one code more,
whose cells no pair table lists. Attributes that determine each other are exchanged together, so
that the other tables of a proof are believable. Pair tables in which a small count couldn't be
proven are left out whole, and named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Counts, Ints, Mask
from reidrisk.errors import InputError
from reidrisk.machine import Progress, no_progress
from reidrisk.publishing.certified_suppression import certified_suppression
from reidrisk.publishing.counted_tables import CountedTables, Value
from reidrisk.publishing.rare_values import PublishedAttribute, published_attribute
from reidrisk.records import Table
from reidrisk.statistics import CertifiedSuppression, PairCounts, Statistics

# Cells of all pair tables together, empty ones too, that certificates are searched among.
MOST_CELLS = 100_000_000


class CertifiedTables(NamedTuple):
    """Statistics; the pair tables left out and why, as names; how many small counts are proven."""

    statistics: Statistics
    left_out: tuple[tuple[str, str], ...]
    proven: int


class _Sides(NamedTuple):
    """Of each attribute what is published, the records' codes among it, and how many codes."""

    published: tuple[PublishedAttribute, ...]
    codes: Ints
    people: Counts
    sizes: list[int]

    @property
    def never(self) -> list[Mask]:
        """The code after the listed values stands for those listed together."""
        return [
            np.arange(size) >= len(each.listed)
            for each, size in zip(self.published, self.sizes, strict=True)
        ]


def certified_tables(
    table: Table,
    pairs: Sequence[tuple[str, str]],
    at_least: int,
    width: int,
    rng: np.random.Generator,
    title: str = "",
    sample_of: int | None = None,
    progress: Progress = no_progress,
) -> CertifiedTables:
    """Publish exactly; a row of the table's engine is a person, or stands for several."""
    counted = CountedTables.of(table, pairs)
    sides = _sides(table, counted, at_least)
    chosen = sorted(counted.pairs)
    cells = sum(sides.sizes[i] * sides.sizes[j] for i, j in chosen)
    if cells > MOST_CELLS:
        raise InputError(
            f"the two-way tables have {cells:,} possible cells, and --exact looks through at most "
            f"{MOST_CELLS:,}",
            "use --bands and --levels, fewer columns, or the default protection",
        )
    every = [np.ones(len(margin), dtype=bool) for margin in counted.margins]
    found = certified_suppression(
        sides.codes,
        sides.people,
        sides.sizes,
        chosen,
        at_least=at_least,
        width=width,
        never=sides.never,
        families=list(map(list, counted.determined(every).items())),
        rng=rng,
        progress=progress,
    )
    tables = [_pair(sides, (i, j), counted, found.listed((i, j))) for i, j in chosen]
    statistics = Statistics(
        counted.people,
        tuple(each.attribute for each in sides.published),
        tuple(each for each in tables if each.counts),
        title,
        sample_of,
        at_least=at_least,
        protection=CertifiedSuppression(at_least, width),
    )
    names = counted.names
    left_out = tuple((names[i], names[j]) for i, j in found.pairs_to_leave_out)
    return CertifiedTables(statistics, left_out, len(found.certificates.certified))


def _sides(table: Table, counted: CountedTables, at_least: int) -> _Sides:
    tuples, people = table.engine.coded_tuples(counted.names).each_once()
    published, columns, sizes = [], [], []
    for name, values, margin, texts, codes in zip(
        counted.names, counted.values, counted.margins, tuples.values, tuples.codes, strict=True
    ):
        counts: Mapping[Value, int] = dict(zip(values, margin.tolist(), strict=True))
        each = published_attribute(name, counts, at_least)
        place = {value: at for at, value in enumerate(each.listed)}
        code_of = [place.get(value, len(place)) for value in (*texts.to_pylist(), None)]
        published.append(each)
        columns.append(np.array(code_of, dtype=np.int64)[codes])
        sizes.append(len(place) + (len(place) < len(values)))
    return _Sides(tuple(published), np.stack(columns, axis=1), people, sizes)


def _pair(sides: _Sides, of: tuple[int, int], counted: CountedTables, listed: Mask) -> PairCounts:
    i, j = of
    table = np.zeros((sides.sizes[i], sides.sizes[j]), dtype=np.int64)
    np.add.at(table, (sides.codes[:, i], sides.codes[:, j]), sides.people)
    first, second = sides.published[i].listed, sides.published[j].listed
    cells = zip(*(each.tolist() for each in np.nonzero(listed)), strict=True)
    counts = {(first[a], second[b]): int(table[a, b]) for a, b in cells}
    return PairCounts((counted.names[i], counted.names[j]), counts)
