"""Tables as they were counted, without any protection: not to be shared."""

from __future__ import annotations

from functools import partial

import numpy as np

from reidrisk.publishing.counted_tables import CountedTables
from reidrisk.statistics import Attribute, PairCounts, Statistics, TripleCounts, Unprotected


def tables_as_counted(counted: CountedTables, title: str, population: int | None) -> Statistics:
    """Counts for those who may see the records."""
    attributes = []
    for name, values, margin in zip(counted.names, counted.values, counted.margins, strict=True):
        counts = dict(zip(values, margin.tolist(), strict=True))
        missing = counts.pop(None, 0)
        kept = {value: people for value, people in counts.items() if value is not None}
        attributes.append(Attribute(name, kept, missing))
    pairs = []
    for (i, j), cells in counted.pairs.items():
        one, other = counted.values[i], counted.values[j]
        listed = zip(
            cells.first.tolist(), cells.second.tolist(), cells.people.tolist(), strict=True
        )
        counts_of = {(one[a], other[b]): people for a, b, people in listed}
        pairs.append(PairCounts((counted.names[i], counted.names[j]), counts_of))
    return Statistics(
        counted.people, tuple(attributes), tuple(pairs), title, population,
        protection=Unprotected(), triples=tuple(map(partial(_triple_as_counted, counted),
                                                    counted.triples)),
        shared=counted.shared,
    )  # fmt: skip


def _triple_as_counted(counted: CountedTables, of: tuple[int, int, int]) -> TripleCounts:
    table = counted.triples[of]
    one, two, three = (counted.values[i] for i in of)
    i, j, k = (counted.names[at] for at in of)
    listed = zip(table.codes.tolist(), np.rint(table.people).astype(int).tolist(), strict=True)
    return TripleCounts((i, j, k), {(one[a], two[b], three[c]): n for (a, b, c), n in listed})
