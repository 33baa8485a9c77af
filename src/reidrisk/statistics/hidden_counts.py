"""Hidden counts: what an attribute's counts may be where they were held back (imputation).

Two kinds of counts are hidden: those of values lumped together as `other`, known by their sum and
number, and those held back (`null`, "<5"), known by what is left over of all people. All ways to
share the people out that agree with what is known are equally likely (`compositions`):

- "<5" is 1 to 4: publishers hide small numbers to protect somebody, and show noughts. Where the sum
  leaves no room for that, a nought is possible too. `null` is any number from 0.
- a value lumped together is held by somebody. Where the file says that counts below m were folded
  (`at_least`), each is at most m − 1; or all but one are, have fewer than m people together, and
  the one that had to join them has m or more (or two that differ by less than m: `folding`).

Where it fails: people aren't shared out by chance; a rare country is rarer than a rare age.

Gap limits: between which numbers a count that was held back must lie, by its pair tables.

A value's people are at least the stated cells of its row in any pair table; where every cell of the
row is stated they are exactly that many, and where the others are known to be below a number, at
most so many more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Counts, Floats
from reidrisk.statistics.compositions import Compositions
from reidrisk.statistics.statistics import Attribute, Count, Other, Statistics, Suppressed, Value

Limits = tuple[int, int | None]


def gap_limits(statistics: Statistics, name: str) -> dict[Value, Limits]:
    """(least, most) of each count of an attribute that was held back; most is None if unlimited."""
    attribute = statistics.attribute(name)
    held: dict[Value, Count] = {None: attribute.missing}
    held.update(attribute.counts.items())
    gaps = {value: count for value, count in held.items() if isinstance(count, Suppressed)}
    found: dict[Value, Limits] = {value: (count.least, count.most) for value, count in gaps.items()}
    if statistics.rounded_to:
        # Rounded rows are no limits.
        return found
    for pair in statistics.pairs:
        if name not in pair.of or pair.of[0] == pair.of[1]:
            continue
        other = pair.of[1 - pair.of.index(name)]
        cells = statistics.pair(name, other)
        assert cells is not None
        across = _all_values(statistics.attribute(other))
        for value in gaps:
            row = [cells.counts.get((value, each)) for each in across]
            found[value] = _tighter(found[value], row, across.count(UNNAMED) > 0)
    return found


UNNAMED = "\0other"


def _all_values(attribute: Attribute) -> list[Value]:
    """Every value a pair's other side may have; those lumped together stand once, unnamed."""
    values: list[Value] = list(attribute.counts)
    values += [None] if attribute.missing != 0 else []
    return values + ([UNNAMED] if attribute.other is not None else [])


def _tighter(limits: Limits, row: list[int | Suppressed | None], in_other: bool) -> Limits:
    least, most = limits
    stated = sum(cell for cell in row if isinstance(cell, int))
    unstated = [cell for cell in row if not isinstance(cell, int)]
    rooms = [cell.most if isinstance(cell, Suppressed) else None for cell in unstated]
    least = max(least, stated)
    if not in_other and None not in rooms:
        top = stated + sum(room for room in rooms if room is not None)
        most = top if most is None else min(most, top)
    return least, most if most is None else max(most, least)


# Ways gone through one by one, before those that differ in unnamed values only are put together.
MOST_WAYS = 5000
MANY_VALUES = 30


@dataclass(frozen=True, eq=False)
class Part:
    """Values, by their places, that share people out among themselves."""

    places: tuple[int, ...]
    shares: Compositions


@dataclass(frozen=True, eq=False)
class HiddenCounts:
    """The counts an attribute may have: `stated` ones, noughts in the places of those hidden.

    One of `cases` holds, with these weights; places from `named` on are values without names.
    """

    stated: Counts
    cases: tuple[tuple[float, tuple[Part, ...]], ...]
    named: int

    @cached_property
    def places(self) -> NDArray[np.bool_]:
        """Which counts are hidden."""
        found = np.zeros(len(self.stated), dtype=bool)
        for part in self.cases[0][1]:
            found[list(part.places)] = True
        return found

    @cached_property
    def expected(self) -> Floats:
        """The counts on average; values without names have one average."""
        found = self.stated.astype(np.float64)
        for weight, parts in self.cases:
            for part in parts:
                found[list(part.places)] += weight * part.shares.expected
        if self.named < len(found):
            found[self.named :] = found[self.named :].mean()
        return found

    def law(self, place: int) -> tuple[Counts, Floats]:
        """The numbers a value may be held by and their chances; unnamed values share one law."""
        asked = range(self.named, len(self.stated)) if place >= self.named else (place,)
        chance: dict[int, float] = {}
        for weight, parts in self.cases:
            for part in parts:
                for at, times in _kinds(part, asked):
                    for number, p in zip(*part.shares.law(at), strict=True):
                        share = weight * times * float(p) / len(asked)
                        chance[int(number)] = chance.get(int(number), 0.0) + share
        numbers = sorted(number for number, p in chance.items() if p > 0.0)
        return np.array(numbers), np.array([chance[number] for number in numbers])

    def typical(self) -> Counts:
        """One way to share out that is like most: of the likeliest case."""
        _, parts = max(self.cases, key=lambda case: case[0])
        return self._filled(parts, [part.shares.typical() for part in parts])

    def draw(self, rng: np.random.Generator) -> Counts:
        """One way, by its chance."""
        weights = np.array([weight for weight, _ in self.cases])
        parts = self.cases[int(rng.choice(len(weights), p=weights / weights.sum()))][1]
        return self._filled(parts, [part.shares.draw(rng) for part in parts])

    def ends(self) -> tuple[Counts, Counts]:
        """The most even and the least even way, over all cases."""
        even = [self._filled(parts, [p.shares.even() for p in parts]) for _, parts in self.cases]
        least = [self._filled(parts, [p.shares.uneven() for p in parts]) for _, parts in self.cases]
        return min(even, key=_unevenness), max(least, key=_unevenness)

    def listed(self, at_most: int) -> list[tuple[float, Counts]] | None:
        """Every way with its chance; None where they are more than `at_most`.

        Ways that differ only in which of the unnamed values holds how many are one.
        """
        found: dict[tuple[int, ...], float] = {}
        for weight, parts in self.cases:
            ways: list[list[Counts]] = [[]]
            for part in parts:
                each = part.shares.listed(MOST_WAYS)
                if each is None or len(each) * len(ways) > MOST_WAYS:
                    return None
                ways = [[*way, shares] for way in ways for shares in each]
            for way in ways:
                counts = self._filled(parts, way)
                counts[self.named :] = np.sort(counts[self.named :])[::-1]
                key = tuple(counts.tolist())
                found[key] = found.get(key, 0.0) + weight / len(ways)
        if len(found) > at_most:
            return None
        return [(chance, np.array(counts)) for counts, chance in found.items()]

    def _filled(self, parts: Sequence[Part], shares: Sequence[Counts]) -> Counts:
        counts = self.stated.copy()
        for part, share in zip(parts, shares, strict=True):
            counts[list(part.places)] = share
        return counts


def _unevenness(counts: Counts) -> float:
    return float(np.sum(counts.astype(np.float64) ** 2))


def _kinds(part: Part, asked: Sequence[int]) -> list[tuple[int, int]]:
    """Where in a part the places asked for stand, one for each kind of limits, and how many."""
    kinds: dict[tuple[int, int], list[int]] = {}
    for at in [at for at, place in enumerate(part.places) if place in asked]:
        limits = int(part.shares.least[at]), int(part.shares.most[at])
        kinds.setdefault(limits, []).append(at)
    return [(each[0], len(each)) for each in kinds.values()]


def hidden_counts(
    attribute: Attribute,
    values: Sequence[Value],
    in_other: int,
    left: int,
    limits: Mapping[Value, Limits],
    at_least: int | None,
) -> HiddenCounts | None:
    """What is hidden of an attribute: `left` people are under counts held back.

    `values` are those with names, the missing one last where it is held; None where every count
    follows.
    """
    stated: list[Count] = [attribute.missing if v is None else attribute.counts[v] for v in values]
    known = np.array([c if isinstance(c, int) else 0 for c in stated] + [0] * in_other)
    gaps = [place for place, count in enumerate(stated) if isinstance(count, Suppressed)]
    held_back = _held_back(gaps, values, stated, left, limits)
    others = _other_cases(attribute.other, len(values), in_other, at_least)
    if held_back is None and (gaps or others is None):
        return None
    fixed = () if held_back is None else (held_back,)
    if others is None and in_other and attribute.other is not None:
        known[-1] = attribute.other.count
    others = others or [(1.0, ())]
    total = sum(weight for weight, _ in others)
    cases = tuple((weight / total, (*parts, *fixed)) for weight, parts in others)
    if len(cases) == 1 and all(part.shares.determined for part in cases[0][1]):
        return None
    return HiddenCounts(known.astype(np.int64), cases, len(values))


def _held_back(
    gaps: Sequence[int],
    values: Sequence[Value],
    stated: Sequence[Count],
    left: int,
    limits: Mapping[Value, Limits],
) -> Part | None:
    """Counts held back share what is left over; None where nothing is, or it can't be shared."""
    if not gaps:
        return None
    least, most, small = [], [], []
    for place in gaps:
        count = stated[place]
        assert isinstance(count, Suppressed)
        low, high = limits.get(values[place], (count.least, count.most))
        least.append(low)
        small.append(low if high is None or not high else max(low, 1))
        most.append(left if high is None else min(high, left))
    lows = np.array(small if sum(small) <= left else least)
    highs = np.maximum(np.array(most), lows)
    if not lows.sum() <= left <= highs.sum():
        return None
    return Part(tuple(gaps), Compositions(left, lows, highs))


def _other_cases(
    other: Other | None, first: int, in_other: int, m: int | None
) -> list[tuple[float, tuple[Part, ...]]] | None:
    """How values lumped together may share their people, each case with its weight."""
    if other is None or in_other < 2:
        return None
    people, places = other.count, tuple(range(first, first + in_other))
    if people < in_other:
        return [(1.0, (Part(places, Compositions.alike(people, in_other, 0, people)),))]
    if m is not None and m > 1:
        cases = _folded(people, places, m)
        if cases:
            return cases
    most = people - in_other + 1
    return [(1.0, (Part(places, Compositions.alike(people, in_other, 1, most)),))]


def _folded(people: int, places: tuple[int, ...], m: int) -> list[tuple[float, tuple[Part, ...]]]:
    """All of them below m; or all but the last one or two, which had to join few people."""
    cases: list[tuple[float, tuple[Part, ...]]] = []
    values = len(places)
    if values <= people <= values * (m - 1):
        shares = Compositions.alike(people, values, 1, m - 1)
        # With many values it has far more ways than any other case.
        if values > MANY_VALUES:
            return [(1.0, (Part(places, shares),))]
        cases.append((shares.number, (Part(places, shares),)))
    for joined in (1, 2):
        small = values - joined
        for total in sorted(totals_that_join(small, m)) if small else ():
            rest = people - total
            low, high = (rest, rest) if joined == 1 else ((rest - m + 2) // 2, (rest + m - 1) // 2)
            if rest < joined * m or not 2 * max(low, m) <= 2 * rest // joined:
                continue
            few = Compositions.alike(total, small, 1, m - 1)
            many = Compositions.alike(rest, joined, max(low, m), high)
            # Two as large as each other are a coincidence, the rarer the larger they are.
            weight = comb(values, joined) * few.number * many.number
            weight *= 1.0 if joined == 1 else m / people
            cases.append((weight, (Part(places[:small], few), Part(places[small:], many))))
    return cases


def totals_that_join(small: int, m: int) -> set[int]:
    """How many people so many small values hold, where values of m people or more had to join
    them: fewer than m, or as many as tell that all hold 1, or all m − 1.
    """
    return {*range(small, min(m, small * (m - 1) + 1)), small, small * (m - 1)}
