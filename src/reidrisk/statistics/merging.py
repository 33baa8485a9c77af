"""Merging: several statistics about the same people become one, under one spelling of values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reidrisk.statistics.checking import InconsistentStatistics, faults
from reidrisk.statistics.matching import KnownValues
from reidrisk.statistics.statistics import Attribute, Count, PairCounts, Statistics, Suppressed


def merged(several: Sequence[Statistics]) -> Statistics:
    """Statistics about the same people as one: attributes united, common ones have to agree."""
    first = several[0]
    attributes: dict[str, Attribute] = {}
    pairs: dict[tuple[str, ...], PairCounts] = {}
    disagreed = [
        f"one file has {first.records:,} records, another {each.records:,}"
        for each in several[1:]
        if each.records != first.records
    ]
    samples = {each.sample_of for each in several}
    if len(samples) > 1:
        told = " and ".join("everyone" if s is None else f"{s:,}" for s in sorted(samples, key=str))
        disagreed.append(f"the files are about samples of different populations: {told}")
    for each in several:
        for attribute in each.attributes:
            held = attributes.setdefault(attribute.name, attribute)
            disagreed += _differences(held, attribute)
        for pair in each.pairs:
            known = pairs.setdefault(tuple(sorted(pair.of)), pair)
            same = each.pair(*known.of) or pair
            disagreed += _different_cells(known, same)
            pairs[tuple(sorted(pair.of))] = PairCounts(known.of, {**same.counts, **known.counts})
    if disagreed:
        raise InconsistentStatistics("what the files say together", disagreed)
    together = Statistics(
        first.records,
        tuple(attributes.values()),
        tuple(pairs.values()),
        next((each.title for each in several if each.title), ""),
        first.sample_of,
        max((each.rounded_to for each in several if each.rounded_to), default=None),
        _one_threshold(several),
    )
    statistics = with_one_spelling(together)
    found = faults(statistics) if len(several) > 1 else []
    if found:
        raise InconsistentStatistics("what the files say together", found)
    return statistics


def _one_threshold(several: Sequence[Statistics]) -> int | None:
    """Below what counts were folded, where all files say the same."""
    stated = {each.at_least for each in several}
    return stated.pop() if len(stated) == 1 else None


def _differences(one: Attribute, other: Attribute) -> Iterator[str]:
    """Where two files' counts of an attribute differ, with both numbers."""
    named = f"the files disagree about attribute {one.name!r}"
    for value in dict.fromkeys([*one.counts, *other.counts]):
        a, b = one.counts.get(value), other.counts.get(value)
        if a != b:
            yield f"{named}: {_counted(a)} people with {value!r} in one, {_counted(b)} in another"
    if one.missing != other.missing:
        yield f"{named}: {_counted(one.missing)} and {_counted(other.missing)} without a value"
    if one.other != other.other:
        yield f"{named}: what is lumped together under other differs"


def _different_cells(one: PairCounts, other: PairCounts) -> Iterator[str]:
    """Two files may each know a part of a pair table, but not different numbers of a cell."""
    common = one.counts.keys() & other.counts.keys()
    unlike = [values for values in common if one.counts[values] != other.counts[values]]
    if unlike:
        first = min(unlike, key=lambda values: tuple(map(str, values)))
        a, b = one.counts[first], other.counts[first]
        yield (
            f"the files disagree about the pair of {one.of[0]!r} and {one.of[1]!r} in "
            f"{len(unlike):,} cells, first: {_counted(a)} people in one, {_counted(b)} in another"
        )


def _counted(count: Count | None) -> str:
    if isinstance(count, Suppressed):
        return "a number held back of"
    return "no" if count is None else f"{count:,}"


def with_one_spelling(statistics: Statistics) -> Statistics:
    """Pair tables whose labels are spelled as their attributes spell them: 20–24 is 20-24."""
    pairs = tuple(_respelt(each, statistics) for each in statistics.pairs)
    return replace(statistics, pairs=pairs)


def _respelt(pair: PairCounts, statistics: Statistics) -> PairCounts:
    sides = [KnownValues(statistics.attribute(n).counts) for n in pair.of if n in statistics.names]
    unknown = len(sides) == 2 and any(
        label is not None and label not in side.values_set
        for labels in pair.counts
        for side, label in zip(sides, labels, strict=True)
    )
    if not unknown:
        return pair
    first, second = sides
    counts = {
        (a and first.same(a), b and second.same(b)): count for (a, b), count in pair.counts.items()
    }
    return pair if len(counts) < len(pair.counts) else PairCounts(pair.of, counts)
