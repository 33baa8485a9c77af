"""Counts with noise: from a table's records to statistics that keep differential privacy.

Which values occur is private too: a value of an open attribute is listed where its noisy count is
above a threshold, and everybody else is in the attribute's rest, which isn't listed. A column whose
values were written down without looking at the records may be closed: all of its values are listed.

Nothing else of the table goes into the file: neither its name, nor its number of records, nor which
attributes follow from others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reidrisk.publishing import differential_privacy as mechanism
from reidrisk.publishing.counted_tables import CountedTables, Value
from reidrisk.statistics import Attribute, DifferentialPrivacy, PairCounts, Statistics


def noisy_tables(
    counted: CountedTables,
    law: DifferentialPrivacy,
    title: str = "",
    sample_of: int | None = None,
) -> Statistics:
    """Draw the noise, once; `law` was planned for these attributes, all open, and these pairs."""
    pairs = (
        (of, mechanism.Cells(cells.first, cells.second, cells.people))
        for of, cells in sorted(counted.pairs.items())
    )
    open_domains = [True] * len(counted.names)
    told = mechanism.with_noise(
        counted.people, counted.margins, open_domains, pairs, len(counted.pairs), law
    )
    listed = [
        [values[at] for at in margin.places.tolist()]
        for values, margin in zip(counted.values, told.margins, strict=True)
    ]
    attributes = tuple(
        _attribute(name, values, margin.counts)
        for name, values, margin in zip(counted.names, listed, told.margins, strict=True)
    )
    tables = (
        _pair((counted.names[i], counted.names[j]), listed[i], listed[j], cells)
        for (i, j), cells in told.pairs.items()
    )
    return Statistics(
        max(told.people, 1),
        attributes,
        tuple(each for each in tables if each.counts),
        title,
        sample_of,
        protection=law,
    )


def _attribute(name: str, values: Sequence[Value], noisy: np.ndarray) -> Attribute:
    counts = dict(zip(values, noisy.tolist(), strict=True))
    missing = counts.pop(None, 0)
    return Attribute(name, {v: count for v, count in counts.items() if v is not None}, missing)


def _pair(
    names: tuple[str, str],
    first: Sequence[Value],
    second: Sequence[Value],
    cells: mechanism.NoisyCells,
) -> PairCounts:
    """Cells of listed values; those of a rest stand after them, and aren't named."""
    counts = {
        (first[a], second[b]): count
        for a, b, count in zip(*(each.tolist() for each in cells), strict=True)
        if a < len(first) and b < len(second)
    }
    return PairCounts(names, counts)
