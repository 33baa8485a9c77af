"""Consistency of statistics: every disagreement is listed, with both numbers.

Merging: several statistics about the same people become one, under one spelling of values.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from reidrisk.errors import InputError
from reidrisk.records import text_form
from reidrisk.statistics.determined import with_determined
from reidrisk.statistics.protection import Protection
from reidrisk.statistics.shared_consistency import shared_disagreements
from reidrisk.statistics.statistics import (
    Attribute,
    Count,
    Determined,
    PairCounts,
    Statistics,
    Suppressed,
    TripleCounts,
)
from reidrisk.statistics.triple_consistency import (
    different_cells,
    respelt_triples,
    triple_disagreements,
)
from reidrisk.statistics.value_matching import KnownValues

MOST_LISTED = 20
# Standard deviations of noise.
FAR = 8.0


class InconsistentStatistics(InputError):
    """Statistics that disagree with themselves; `disagreements` names every disagreement."""

    kind = "inconsistent_statistics"

    def __init__(self, named: str, found: Sequence[str]) -> None:
        self.disagreements = tuple(found)
        more = [f"and {len(found) - MOST_LISTED} more"] if len(found) > MOST_LISTED else []
        super().__init__(f"{named} is inconsistent:", details=[*found[:MOST_LISTED], *more])


def disagreements(statistics: Statistics) -> list[str]:
    """Every disagreement, as a sentence; none for statistics that can be predicted from.

    What follows from published numbers says nothing more.
    """
    statistics = statistics.published
    return [
        *_repeated(statistics),
        *_sample(statistics),
        *(sentence for each in statistics.attributes for sentence in _attribute(each, statistics)),
        *(sentence for each in statistics.pairs for sentence in _pair(each, statistics)),
        *triple_disagreements(statistics, lambda cells: _slack(cells, statistics)),
        *shared_disagreements(statistics, lambda cells: _slack(cells, statistics)),
    ]


def _repeated(statistics: Statistics) -> Iterator[str]:
    for name, times in Counter(statistics.names).items():
        if times > 1:
            yield f"attribute {name!r} is listed {times} times"
    for of, times in Counter(tuple(sorted(each.of)) for each in statistics.pairs).items():
        if times > 1:
            yield f"the two-way table of {of[0]!r} and {of[1]!r} is listed {times} times"


def _sample(statistics: Statistics) -> Iterator[str]:
    whole = statistics.sample_of
    if whole is not None and whole < statistics.records:
        yield f"{statistics.records:,} records can't be a sample of {whole:,} people"


def _attribute(attribute: Attribute, statistics: Statistics) -> Iterator[str]:
    yield from _labels(attribute)
    other = attribute.other
    if other is not None and other.count + _slack(1, statistics) < other.values:
        yield (
            f"attribute {attribute.name!r}: other merges {other.values:,} values "
            f"of only {other.count:,} people"
        )
    # A protection changes the number of people as well.
    slack = _slack(attribute.cells + (statistics.protection is not None), statistics)
    least, most = attribute.known, _most(attribute.known, attribute.suppressed)
    if least > statistics.records + slack:
        yield (
            f"attribute {attribute.name!r}: its counts add up to {least:,}, more than the "
            f"{statistics.records:,} records"
        )
    elif most is not None and most < statistics.records - slack and _lists_everybody(statistics):
        word = "at most " if attribute.suppressed else ""
        yield (
            f"attribute {attribute.name!r}: its counts add up to {word}{most:,}, fewer than the "
            f"{statistics.records:,} records"
        )


def _lists_everybody(statistics: Statistics) -> bool:
    """Whether values that aren't listed are counted together; with noise they aren't."""
    return statistics.protection is None or statistics.protection.reach is not None


def _labels(attribute: Attribute) -> Iterator[str]:
    """39 and 39.0 are one value, and an empty label is none."""
    forms = Counter(text_form(value) for value in attribute.counts)
    for form, times in forms.items():
        if form is None:
            yield (
                f"attribute {attribute.name!r}: an empty label; people without a value belong "
                "under `missing`"
            )
        elif times > 1:
            yield (
                f"attribute {attribute.name!r}: {times} of its labels stand for the same value "
                f"{form!r}"
            )


def _most(known: int, suppressed: list[Suppressed]) -> int | None:
    """The largest sum; None when a suppressed count may be anything."""
    bounds = [count.most for count in suppressed]
    return None if None in bounds else known + sum(most for most in bounds if most is not None)


def _slack(cells: int, statistics: Statistics) -> float:
    """How far a sum of so many numbers may be from the truth, by what was done to each of them.

    Half a step where they were rounded; a protection's reach; eight standard deviations of noise.
    """
    protection = statistics.protection
    if protection is not None:
        return cells * (_widest(protection) if protection.reach is None else protection.reach)
    return cells * statistics.rounded_to / 2 if statistics.rounded_to else 0.0


def _widest(protection: Protection) -> float:
    laws = [law for law in (protection.of_margins, protection.of_cells) if law is not None]
    return FAR * math.sqrt(max((law.variance for law in laws), default=0.0))


def _pair(pair: PairCounts, statistics: Statistics) -> Iterator[str]:
    named = f"the two-way table of {pair.of[0]!r} and {pair.of[1]!r}"
    unknown = [name for name in pair.of if name not in statistics.names]
    if unknown:
        yield f"{named}: there is no attribute {unknown[0]!r}"
        return
    if pair.of[0] == pair.of[1]:
        yield f"{named}: an attribute can't be paired with itself"
        return
    for side, name in enumerate(pair.of):
        yield from _side(pair, side, statistics.attribute(name), statistics, named)


def _side(
    pair: PairCounts, side: int, attribute: Attribute, statistics: Statistics, named: str
) -> Iterator[str]:
    """A pair table's rows against the attribute's counts.

    Never more; and fewer by no more people than the table as a whole leaves out: none, of a table
    that covers every record.
    """
    in_row = Counter(values[side] for values in pair.counts)
    left_out = _left_out(pair, statistics)
    margin = pair.margin(side)
    for value, cells in in_row.items():
        people = attribute.count(value)
        if people is None:
            yield f"{named}: {attribute.name!r} has no value {value!r}"
            continue
        row, slack, word = margin.get(value, 0), _slack(cells + 1, statistics), ""
        most = people.most if isinstance(people, Suppressed) else people
        if most is not None and row > most + slack:
            word = "more"
        elif isinstance(people, int) and left_out is not None and row < people - slack - left_out:
            word = "fewer"
        if word:
            which = "the missing value" if value is None else repr(value)
            yield (
                f"{named}: its cells with {which} of {attribute.name!r} add up to {row:,}, {word} "
                f"than the {most:,} people of that value"
            )


def _left_out(pair: PairCounts, statistics: Statistics) -> float | None:
    """The most people that a pair table's cells may leave out; None where the rows say it all.

    Of exact counts, where some rows lack more than the table does, others have too many, and these
    are listed.
    """
    left = statistics.records - pair.known
    if statistics.hides_numbers:
        # Cells that aren't listed hold whoever the protection keeps out of sight.
        return None
    if statistics.rounded_to:
        return max(left + _slack(len(pair.counts), statistics), 0.0)
    return 0.0 if left <= 0 else None


def covers_everybody(stated: float, cells: int, records: int, rounded_to: int | None) -> bool:
    """Whether cells that add up to so many may well be all there are.

    Rounding moves a sum of c cells by R·√(c/12) usually, and seldom by three times that. What
    rounding can do at most, half a step a cell, would take tables for whole that lack a tenth.
    """
    return stated >= records - 3.0 * (rounded_to or 0) * math.sqrt(cells / 12.0)


def faults_of_maps(published: Statistics, maps: Sequence[tuple[str, Determined]]) -> list[str]:
    """What is wrong with attributes that were published as maps."""
    found = []
    names = Counter([*published.names, *(name for name, _ in maps)])
    for name, of in maps:
        if names[name] > 1:
            found.append(f"attribute {name!r} is listed {names[name]} times")
        if of.by not in published.names:
            found.append(f"the map of {name!r}: there is no attribute {of.by!r} with counts")
            continue
        unmapped = set(published.attribute(of.by).stated) - of.labels.keys()
        if unmapped:
            found.append(f"the map of {name!r} lacks {len(unmapped):,} of the values of {of.by!r}")
    return found


def merged(several: Sequence[Statistics]) -> Statistics:
    """Statistics about the same people as one: attributes united, common ones have to agree."""
    if len(several) == 1:
        return several[0]
    together = _merged([each.published for each in several])
    maps = {
        name: of
        for each in several
        for name, of in each.determined.items()
        if name not in together.names
    }
    found = faults_of_maps(together, list(maps.items()))
    if found:
        raise InconsistentStatistics("the files together", found)
    return with_determined(together, maps)


def _merged(several: Sequence[Statistics]) -> Statistics:
    first = several[0]
    attributes: dict[str, Attribute] = {}
    pairs: dict[tuple[str, ...], PairCounts] = {}
    triples: dict[tuple[str, ...], TripleCounts] = {}
    disagreed = [
        f"one file has {first.records:,} records, another {statistics.records:,}"
        for statistics in several[1:]
        if statistics.records != first.records
    ]
    if any(each.protection != first.protection for each in several):
        disagreed.append("the files have different protections: their numbers don't go together")
    samples = {statistics.sample_of for statistics in several}
    if len(samples) > 1:
        sizes = " and ".join(
            "everyone" if s is None else f"{s:,}" for s in sorted(samples, key=str)
        )
        disagreed.append(f"the files are samples of different populations: {sizes}")
    for statistics in several:
        for attribute in statistics.attributes:
            known_one = attributes.setdefault(attribute.name, attribute)
            disagreed += _differences(known_one, attribute)
        for pair in statistics.pairs:
            known = pairs.setdefault(tuple(sorted(pair.of)), pair)
            same = statistics.pair(*known.of) or pair
            disagreed += _different_cells(known, same)
            pairs[tuple(sorted(pair.of))] = PairCounts(known.of, {**same.counts, **known.counts})
        for triple in statistics.triples:
            first_one = triples.setdefault(tuple(sorted(triple.of)), triple)
            turned = triple.turned(first_one.of)
            disagreed += different_cells(first_one, turned)
            united = TripleCounts(first_one.of, {**turned.counts, **first_one.counts})
            triples[tuple(sorted(triple.of))] = united
    shared = {each.shared for each in several if each.shared is not None}
    if len(shared) > 1:
        disagreed.append("the files count different people who share attributes")
    if disagreed:
        raise InconsistentStatistics("the files together", disagreed)
    together = Statistics(
        first.records,
        tuple(attributes.values()),
        tuple(pairs.values()),
        next((statistics.title for statistics in several if statistics.title), ""),
        first.sample_of,
        max(
            (statistics.rounded_to for statistics in several if statistics.rounded_to), default=None
        ),
        _one_threshold(several),
        first.protection,
        triples=tuple(triples.values()),
        shared=next(iter(shared), None),
    )
    statistics = with_one_spelling(together)
    found = disagreements(statistics)
    if found:
        raise InconsistentStatistics("the files together", found)
    return statistics


def _one_threshold(several: Sequence[Statistics]) -> int | None:
    """The threshold of suppression, where all files state the same."""
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
        yield f"{named}: the people or values of other differ"


def _different_cells(one: PairCounts, other: PairCounts) -> Iterator[str]:
    """Two files may each know a part of a pair table, but not different numbers of a cell."""
    common = one.counts.keys() & other.counts.keys()
    unlike = [values for values in common if one.counts[values] != other.counts[values]]
    if unlike:
        first = min(unlike, key=lambda values: tuple(map(str, values)))
        a, b = one.counts[first], other.counts[first]
        yield (
            f"the files disagree about the two-way table of {one.of[0]!r} and {one.of[1]!r} in "
            f"{len(unlike):,} cells, first: {_counted(a)} people in one, {_counted(b)} in another"
        )


def _counted(count: Count | None) -> str:
    if isinstance(count, Suppressed):
        return "a suppressed number of"
    return "no" if count is None else f"{count:,}"


def with_one_spelling(statistics: Statistics) -> Statistics:
    """Pair tables whose labels are spelled as their attributes spell them: 20–24 is 20-24."""
    pairs = tuple(_respelt(each, statistics) for each in statistics.pairs)
    return respelt_triples(replace(statistics, pairs=pairs))


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
