"""Published information: how far two attributes depend on each other, by the numbers of a file.

Of the listed cells y_ab with row and column sums r_a, c_b and N = Σ y_ab,

    I = Σ (y_ab/N)·ln(y_ab·N/(r_a·c_b)) − Σ (1 + v/y_ab)/2N + (rows + columns − 1)/2N

(Miller and Madow's correction; v is the variance that the protection adds), times N/n where the
cells don't cover everybody. I over the entropy of one attribute is the gain ratio of the other on
it.

Which tables are strong is decided by it too: what is written then is a part of what would be
written of all pairs, and that these and no others are there says nothing that all of them don't.
Decided by the records, it would tell something of them that no number of the file does.

Where it stops: cells that aren't listed count as nobody, so tables of many small cells seem to
depend less than they do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from reidrisk.arrays import Places
from reidrisk.models import joined_edges
from reidrisk.statistics import Attribute, PairCounts, Statistics

Edge = tuple[int, int]


def pairs_among(statistics: Statistics, names: Sequence[str]) -> dict[Edge, PairCounts]:
    """The pair tables of these attributes, by their places."""
    place = {name: at for at, name in enumerate(names)}
    found = {}
    for pair in statistics.pairs:
        if set(pair.of) <= place.keys():
            i, j = sorted(place[name] for name in pair.of)
            found[i, j] = pair
    return found


def informative_pairs(statistics: Statistics, names: Sequence[str]) -> list[Edge]:
    """The pair tables of the tree of greatest information, by the numbers published."""
    variance = variance_of(statistics)
    told = {
        of: information(pair, statistics.records, variance)
        for of, pair in pairs_among(statistics, names).items()
    }
    return joined_edges(len(names), sorted(told, key=lambda of: (-told[of], of)))


def with_strong_pairs(statistics: Statistics, least: float) -> Statistics:
    """The same without the pair tables whose gain ratio, in either direction, is below `least`."""
    variance = variance_of(statistics)
    entropy = {each.name: _entropy(each) for each in statistics.attributes}
    kept = tuple(
        pair
        for pair in statistics.pairs
        if gain_ratio(pair, statistics.records, entropy, variance) >= least
    )
    return replace(statistics, pairs=kept)


def gain_ratio(
    pair: PairCounts, people: int, entropy: Mapping[str, float], variance: float
) -> float:
    """The larger of both directions'; 0 of two attributes with one value each."""
    smaller = min((entropy[name] for name in pair.of if entropy[name] > 0.0), default=0.0)
    told = information(pair, people, variance)
    return min(max(told / smaller, 0.0), 1.0) if smaller else 0.0


def variance_of(statistics: Statistics) -> float:
    """What the protection adds to a cell's variance."""
    protection = statistics.protection
    law = None if protection is None else protection.of_cells
    return 0.0 if law is None else law.variance


def information(pair: PairCounts, people: int, variance: float = 0.0) -> float:
    """I in nats, marked down by what chance and noise of this variance bring; may be below 0."""
    cells = [(*values, n) for values, n in pair.counts.items() if isinstance(n, int) and n > 0]
    if not cells:
        return 0.0
    sides = [_numbered(side) for side in list(zip(*cells, strict=True))[:2]]
    counts = np.array([count for *_, count in cells], dtype=np.float64)
    total = counts.sum()
    rows, columns = (np.bincount(side, counts) for side in sides)
    expected = rows[sides[0]] * columns[sides[1]] / total
    plain = float(counts @ np.log(counts / expected))
    chance = float((1.0 + variance / counts).sum()) - len(rows) - len(columns) + 1.0
    return (plain - chance / 2.0) / max(float(total), people)


def _entropy(attribute: Attribute) -> float:
    """In nats, those of no listed value as one more."""
    rest = 0 if attribute.other is None else attribute.other.count
    stated = [count for count in attribute.stated.values() if isinstance(count, int)]
    counts = [count for count in (*stated, rest) if count > 0]
    total = sum(counts)
    return sum(-count / total * math.log(count / total) for count in counts)


def _numbered(values: Iterable[object]) -> Places:
    number: dict[object, int] = {}
    return np.array([number.setdefault(value, len(number)) for value in values], dtype=np.intp)
