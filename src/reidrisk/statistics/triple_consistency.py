"""Whether triple tables agree with the attributes' counts, the pair tables and each other.

Symbols: z_abc people in a triple table's cells, x_ab in a pair table's, n_a of an attribute. Sums
of cells are never more than the count they are part of,

    Σ_c z_abc ≤ x_ab,   Σ_bc z_abc ≤ n_a,

but for what was done to each number (`slack`); and never fewer where the triple table leaves nobody
out. Where a protection hides numbers, cells that aren't listed hold whoever it keeps out of sight.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from reidrisk.statistics.statistics import (
    Attribute,
    PairCounts,
    Statistics,
    Suppressed,
    TripleCounts,
)
from reidrisk.statistics.value_matching import KnownValues

# How far a sum of so many numbers may be from the truth.
Slack = Callable[[int], float]


def named(of: Sequence[str]) -> str:
    """What to call a triple table."""
    return f"the three-way table of {of[0]!r}, {of[1]!r} and {of[2]!r}"


def triple_disagreements(statistics: Statistics, slack: Slack) -> Iterator[str]:
    """Every disagreement, as a sentence."""
    for of, times in Counter(tuple(sorted(each.of)) for each in statistics.triples).items():
        if times > 1:
            yield f"{named(of)} is listed {times} times"
    for triple in statistics.triples:
        yield from _of_triple(triple, statistics, slack)


def _of_triple(triple: TripleCounts, statistics: Statistics, slack: Slack) -> Iterator[str]:
    unknown = [name for name in triple.of if name not in statistics.names]
    if unknown:
        yield f"{named(triple.of)}: there is no attribute {unknown[0]!r}"
        return
    if len(set(triple.of)) < 3:
        yield f"{named(triple.of)}: an attribute can't be beside itself"
        return
    strange = [
        f"{named(triple.of)}: {name!r} has no value {value!r}"
        for side, name in enumerate(triple.of)
        for value in dict.fromkeys(values[side] for values in triple.counts)
        if statistics.attribute(name).count(value) is None
    ]
    yield from strange
    if strange:
        return
    whole = not statistics.hides_numbers and triple.known >= statistics.records - slack(
        len(triple.counts)
    )
    for side, name in enumerate(triple.of):
        yield from _against_attribute(triple, side, statistics.attribute(name), slack, whole)
    for sides in combinations(range(3), 2):
        pair = statistics.pair(triple.of[sides[0]], triple.of[sides[1]])
        if pair is not None:
            yield from _against_pair(triple, sides, pair, statistics, slack, whole)


def _against_attribute(
    triple: TripleCounts, side: int, attribute: Attribute, slack: Slack, whole: bool
) -> Iterator[str]:
    cells = Counter(values[side] for values in triple.counts)
    for (value,), people in triple.sums((side,)).items():
        held = attribute.count(value)
        most = held.most if isinstance(held, Suppressed) else held
        word = _word(people, most, slack(cells[value] + 1), whole and isinstance(held, int))
        if word:
            which = "the missing value" if value is None else repr(value)
            yield (
                f"{named(triple.of)}: its cells with {which} of {attribute.name!r} add up to "
                f"{people:,}, {word} than the {most:,} people of that value"
            )


def _against_pair(
    triple: TripleCounts,
    sides: tuple[int, int],
    pair: PairCounts,
    statistics: Statistics,
    slack: Slack,
    whole: bool,
) -> Iterator[str]:
    first, second = sides
    cells = Counter((values[first], values[second]) for values in triple.counts)
    sums = triple.sums(sides)
    covers = not statistics.hides_numbers and pair.known >= statistics.records
    wrong: list[tuple[int, str, int]] = []
    for (a, b), number in cells.items():
        held = pair.counts.get((a, b), 0 if covers or _rounds_to_nothing(statistics) else None)
        most = held.most if isinstance(held, Suppressed) else held
        people = sums.get((a, b), 0)
        word = _word(people, most, slack(number + 1), whole and isinstance(held, int))
        if word:
            wrong.append((people, word, int(most or 0)))
    if wrong:
        people, word, most = wrong[0]
        yield (
            f"{named(triple.of)}: added up, {len(wrong):,} of its cells contradict the two-way "
            f"table of {pair.of[0]!r} and {pair.of[1]!r}, first: {people:,} people, {word} than "
            f"{most:,}"
        )


def _rounds_to_nothing(statistics: Statistics) -> bool:
    """Whether a cell that isn't listed was rounded to nought."""
    protection = statistics.protection
    return protection is not None and bool(protection.reach)


def _word(people: int, most: int | None, slack: float, whole: bool) -> str:
    if most is not None and people > most + slack:
        return "more"
    return "fewer" if whole and most is not None and people < most - slack else ""


def different_cells(one: TripleCounts, other: TripleCounts) -> Iterator[str]:
    """Two files may each know a part of a triple table, but not different numbers of a cell."""
    common = one.counts.keys() & other.counts.keys()
    unlike = sum(1 for values in common if one.counts[values] != other.counts[values])
    if unlike:
        yield f"the files disagree about {named(one.of)} in {unlike:,} cells"


def respelt_triples(statistics: Statistics) -> Statistics:
    """Triple tables whose labels are spelled as their attributes spell them: 20–24 is 20-24."""
    if not statistics.triples:
        return statistics
    return replace(
        statistics, triples=tuple(_respelt(each, statistics) for each in statistics.triples)
    )


def _respelt(triple: TripleCounts, statistics: Statistics) -> TripleCounts:
    if any(name not in statistics.names for name in triple.of):
        return triple
    sides = [KnownValues(statistics.attribute(name).counts) for name in triple.of]
    if all(label is None or label in side.values_set
           for labels in triple.counts
           for side, label in zip(sides, labels, strict=True)):  # fmt: skip
        return triple
    counts = {}
    for labels, count in triple.counts.items():
        a, b, c = (label and side.same(label) for side, label in zip(sides, labels, strict=True))
        counts[a, b, c] = count
    return triple if len(counts) < len(triple.counts) else TripleCounts(triple.of, counts)
