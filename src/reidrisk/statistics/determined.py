"""Attributes published as a map alone, and what a file says of them: sums.

The county of a postcode has no numbers of its own in the file: its counts are those of its
postcodes, added up, and so are its cells. People of postcodes that aren't named stay without one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from reidrisk.statistics.statistics import (
    Attribute,
    Count,
    Determined,
    PairCounts,
    SharedCounts,
    Statistics,
    Suppressed,
    TripleCounts,
    Value,
)

Labels = Mapping[str, Mapping[Value, Value]]


def with_determined(
    published: Statistics, maps: Mapping[str, Determined], order: Sequence[str] = ()
) -> Statistics:
    """The statistics with attributes that follow from those published, in the order asked for; by
    default each behind the one it follows from.
    """
    if not maps:
        return published
    follows = [of_map(published.attribute(of.by), name, of.labels) for name, of in maps.items()]
    numbered = [each for each in published.attributes if each.name not in maps]
    attributes = {each.name: each for each in (*numbered, *follows)}
    names = list(order) or [
        name
        for each in numbered
        for name in (each.name, *(name for name, of in maps.items() if of.by == each.name))
    ]
    root = {name: maps[name].by if name in maps else name for name in names}
    labels = {name: of.labels for name, of in maps.items()}
    pairs = []
    for at, first in enumerate(names):
        for second in names[at + 1 :]:
            pair = _pair(published, (first, second), (root[first], root[second]))
            if pair is not None:
                pairs.append(of_labels(pair, labels))
    return replace(
        published,
        attributes=tuple(attributes[name] for name in names),
        pairs=tuple(pairs),
        triples=_triples(published, labels, names),
        determined=maps,
        behind=published,
        shared=still_shared(published.shared, names, maps),
    )


def _triples(
    published: Statistics, labels: Labels, names: Sequence[str]
) -> tuple[TripleCounts, ...]:
    """Those of attributes that are asked for, under their labels where they have some."""
    return tuple(triple_of_labels(each, labels) for each in published.triples
                 if set(each.of) <= set(names))  # fmt: skip


def still_shared(
    shared: SharedCounts | None, names: Collection[str], recoded: Collection[str]
) -> SharedCounts | None:
    """The same where all of its attributes are seen as published; else nothing is known."""
    if shared is None or not set(shared.of) <= set(names) or set(shared.of) & set(recoded):
        return None
    return shared


def _pair(
    published: Statistics, names: tuple[str, str], roots: tuple[str, str]
) -> PairCounts | None:
    """The roots' pair table under the asked names; of one root with itself, its values' counts."""
    if roots[0] == roots[1]:
        stated = published.attribute(roots[0]).stated
        return PairCounts(names, {(value, value): count for value, count in stated.items()})
    pair = published.pair(*roots)
    return None if pair is None else PairCounts(names, pair.counts)


def of_map(root: Attribute, name: str, labels: Mapping[Value, Value]) -> Attribute:
    """An attribute's counts under labels of its values; those without a name stay together."""
    counts: dict[Value, Count] = {}
    for value, count in root.stated.items():
        label = labels.get(value)
        counts[label] = together(counts[label], count) if label in counts else count
    missing = counts.pop(None, 0)
    kept = {label: count for label, count in counts.items() if label is not None}
    return Attribute(name, kept, missing, root.other)


def of_labels(pair: PairCounts, labels: Labels) -> PairCounts:
    """A pair table's cells added up under labels, where either side has any."""
    if not labels.keys() & set(pair.of):
        return pair
    one, other = (labels.get(name) for name in pair.of)
    counts: dict[tuple[Value, Value], Count] = {}
    for (a, b), count in pair.counts.items():
        place = (one.get(a) if one else a), (other.get(b) if other else b)
        counts[place] = together(counts[place], count) if place in counts else count
    return PairCounts(pair.of, counts)


def triple_of_labels(triple: TripleCounts, labels: Labels) -> TripleCounts:
    """A triple table's cells added up under labels, where a side has any."""
    if not labels.keys() & set(triple.of):
        return triple
    of = [labels.get(name) for name in triple.of]
    counts: dict[tuple[Value, Value, Value], Count] = {}
    for values, count in triple.counts.items():
        a, b, c = (each.get(value) if each else value
                   for each, value in zip(of, values, strict=True))  # fmt: skip
        counts[a, b, c] = together(counts[a, b, c], count) if (a, b, c) in counts else count
    return TripleCounts(triple.of, counts)


def together(one: Count, other: Count) -> Count:
    """A sum; of a suppressed number its limits add up."""
    if isinstance(one, int) and isinstance(other, int):
        return one + other
    limits = [(c, c) if isinstance(c, int) else (c.least, c.most) for c in (one, other)]
    least = sum(low for low, _ in limits)
    highs = [high for _, high in limits]
    below = None if None in highs else sum(high for high in highs if high is not None) + 1
    return Suppressed(below, least)
