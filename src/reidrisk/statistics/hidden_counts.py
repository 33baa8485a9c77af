"""Hidden counts: what an attribute's suppressed counts may be (imputation).

Two kinds of counts are hidden: those of values merged into `other`, known by their sum and number,
and suppressed ones (`null`, "<5"), known by how many people remain. All ways to distribute the
people that agree with what is known are equally likely (`compositions`):

- "<5" is 1 to 4: publishers hide small numbers to protect somebody, and show zeros. Where the sum
  leaves no room for that, a zero is possible too. `null` is any number from 0.
- a value merged into other is held by somebody. Where the file says that counts below m were
  suppressed (`at_least`), each is at most m − 1; or all but one are, have fewer than m people
  together, and the one that had to join them has m or more (or two that differ by less than m:
  `suppression`).

**Limits.** A value's people are at least the stated cells of its row in any pair table; where every
cell of the row is stated they are exactly that many, and where the others are known to be below a
number, at most so many more.

Where it fails: people aren't distributed by chance; a rare country is rarer than a rare age.
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
from reidrisk.statistics.statistics import Count, Other, Statistics, Suppressed, Value

Limits = tuple[int, int | None]


def gap_limits(statistics: Statistics, name: str) -> dict[Value, Limits]:
    """(least, most) of each suppressed count of an attribute; most is None if unlimited."""
    attribute = statistics.attribute(name)
    limits: dict[Value, Limits] = {
        value: (count.least, count.most)
        for value, count in attribute.stated.items()
        if isinstance(count, Suppressed)
    }
    # Rounded rows are no limits.
    for pair in () if statistics.rounded_to else statistics.pairs:
        if name not in pair.of or pair.of[0] == pair.of[1]:
            continue
        other = statistics.attribute(pair.of[1 - pair.of.index(name)])
        cells = statistics.pair(name, other.name)
        assert cells is not None
        across = list(other.stated)
        for value in limits:
            row = [cells.counts.get((value, each)) for each in across]
            # A cell with a value merged into other is never stated.
            row += [None] if other.other is not None else []
            limits[value] = _tighter(limits[value], row)
    return limits


def _tighter(limits: Limits, row: list[Count | None]) -> Limits:
    least, most = limits
    stated = sum(cell for cell in row if isinstance(cell, int))
    bounds = [
        cell.most if isinstance(cell, Suppressed) else None
        for cell in row
        if not isinstance(cell, int)
    ]
    least = max(least, stated)
    if None not in bounds:
        top = stated + sum(bound for bound in bounds if bound is not None)
        most = top if most is None else min(most, top)
    return least, most if most is None else max(most, least)


# Ways gone through one by one, before those that differ in unnamed values only are put together.
MOST_WAYS = 5000
MANY_VALUES = 30


@dataclass(frozen=True, eq=False)
class Part:
    """Values, by their places, among which people are distributed."""

    places: tuple[int, ...]
    shares: Compositions


@dataclass(frozen=True, eq=False)
class HiddenCounts:
    """The counts an attribute may have: `stated` ones, zeros in the places of those hidden.

    One of `cases` holds, with these weights; places from `named` on are values without names.
    """

    stated: Counts
    cases: tuple[tuple[float, tuple[Part, ...]], ...]
    named: int

    @cached_property
    def places(self) -> NDArray[np.bool_]:
        """Which counts are hidden."""
        hidden = np.zeros(len(self.stated), dtype=bool)
        for part in self.cases[0][1]:
            hidden[list(part.places)] = True
        return hidden

    @cached_property
    def expected(self) -> Floats:
        """The counts on average; values without names have one average."""
        means = self.stated.astype(np.float64)
        for weight, parts in self.cases:
            for part in parts:
                means[list(part.places)] += weight * part.shares.expected
        if self.named < len(means):
            means[self.named :] = means[self.named :].mean()
        return means

    def law(self, place: int) -> tuple[Counts, Floats]:
        """The numbers a value may be held by and their chances; unnamed values share one law."""
        places = range(self.named, len(self.stated)) if place >= self.named else (place,)
        chance: dict[int, float] = {}
        for weight, parts in self.cases:
            for part in parts:
                for at, times in _kinds(part, places):
                    for number, p in zip(*part.shares.law(at), strict=True):
                        share = weight * times * float(p) / len(places)
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
        chances: dict[tuple[int, ...], float] = {}
        for weight, parts in self.cases:
            ways: list[list[Counts]] = [[]]
            for part in parts:
                of_part = part.shares.listed(MOST_WAYS)
                if of_part is None or len(of_part) * len(ways) > MOST_WAYS:
                    return None
                ways = [[*way, shares] for way in ways for shares in of_part]
            for way in ways:
                counts = self._filled(parts, way)
                counts[self.named :] = np.sort(counts[self.named :])[::-1]
                key = tuple(counts.tolist())
                chances[key] = chances.get(key, 0.0) + weight / len(ways)
        if len(chances) > at_most:
            return None
        return [(chance, np.array(counts)) for counts, chance in chances.items()]

    def _filled(self, parts: Sequence[Part], shares: Sequence[Counts]) -> Counts:
        counts = self.stated.copy()
        for part, share in zip(parts, shares, strict=True):
            counts[list(part.places)] = share
        return counts


def _unevenness(counts: Counts) -> float:
    return float(np.sum(counts.astype(np.float64) ** 2))


def _kinds(part: Part, places: Sequence[int]) -> list[tuple[int, int]]:
    """Where in a part the places asked for stand, one for each kind of limits, and how many."""
    kinds: dict[tuple[int, int], list[int]] = {}
    for at in [at for at, place in enumerate(part.places) if place in places]:
        limits = int(part.shares.least[at]), int(part.shares.most[at])
        kinds.setdefault(limits, []).append(at)
    return [(each[0], len(each)) for each in kinds.values()]


Case = tuple[float, tuple[Part, ...]]


def hidden_counts(
    known: Counts,
    gaps: Mapping[int, Limits],
    left: int,
    other: Other | None,
    merged: int,
    at_least: int | None,
) -> HiddenCounts | None:
    """What is hidden of an attribute; None where every count follows.

    `known` are the named values' counts, zeros in the places of `gaps`, suppressed ones between
    these limits that share `left` people; `merged` values are merged into `other`.
    """
    fixed = _suppressed(gaps, left)
    cases = _cases_of_other(other, range(len(known), len(known) + merged), at_least)
    if not fixed and (gaps or not cases):
        return None
    stated = np.append(known, np.zeros(merged, dtype=np.int64))
    if merged and not cases and other is not None:
        stated[-1] = other.count
    cases = cases or [(1.0, ())]
    total = sum(weight for weight, _ in cases)
    weighted = tuple((weight / total, (*parts, *fixed)) for weight, parts in cases)
    if len(cases) == 1 and all(part.shares.determined for part in weighted[0][1]):
        return None
    return HiddenCounts(stated, weighted, len(known))


def _suppressed(gaps: Mapping[int, Limits], left: int) -> tuple[Part, ...]:
    """Suppressed counts share the remaining people; none where there are none, or they can't."""
    if not gaps:
        return ()
    least = [low for low, _ in gaps.values()]
    small = [max(low, 1) if high else low for low, high in gaps.values()]
    lows = np.array(small if sum(small) <= left else least)
    most = [left if high is None else min(high, left) for _, high in gaps.values()]
    highs = np.maximum(np.array(most), lows)
    if not lows.sum() <= left <= highs.sum():
        return ()
    return (Part(tuple(gaps), Compositions(left, lows, highs)),)


def _cases_of_other(other: Other | None, places: Sequence[int], m: int | None) -> list[Case]:
    """How people may be distributed over values merged into other, each case with its weight."""
    values = len(places)
    if other is None or values < 2:
        return []
    people, limits = other.count, (1, other.count - values + 1)
    if people < values:
        limits = (0, people)
    elif m is not None and m > 1 and (cases := _cases_below(people, places, m)):
        return cases
    return [(1.0, (Part(tuple(places), Compositions.alike(people, values, *limits)),))]


def _cases_below(people: int, places: Sequence[int], m: int) -> list[Case]:
    """All of them below m; or all but the last one or two, which had to join few people."""
    cases: list[Case] = []
    values = len(places)
    if values <= people <= values * (m - 1):
        shares = Compositions.alike(people, values, 1, m - 1)
        whole = (Part(tuple(places), shares),)
        # With many values it has far more ways than any other case.
        if values > MANY_VALUES:
            return [(1.0, whole)]
        cases.append((shares.number, whole))
    for joined in (1, 2):
        small = values - joined
        totals = sorted(totals_that_join(small, m)) if small else []
        for total in totals:
            rest = people - total
            low, high = rest, rest
            if joined == 2:
                # The second is listed unless it leaves the small ones no other total.
                apart = max([m, *(total - each for each in totals if each < total)])
                low, high = (rest - apart + 2) // 2, (rest + apart - 1) // 2
            if rest < joined * m or not 2 * max(low, m) <= 2 * rest // joined:
                continue
            few = Compositions.alike(total, small, 1, m - 1)
            many = Compositions.alike(rest, joined, max(low, m), high)
            # Two as large as each other are a coincidence, the rarer the larger they are.
            weight = comb(values, joined) * few.number * many.number
            weight *= 1.0 if joined == 1 else m / people
            small_part = Part(tuple(places[:small]), few)
            cases.append((weight, (small_part, Part(tuple(places[small:]), many))))
            # One that made the sum (m − 1 for each) drew in the next, however large.
            first = (small + 1) * (m - 1) - total
            if joined == 2 and first >= m and rest - 2 * first >= m:
                ends = np.array([first, rest - first])
                drawn_in = Part(tuple(places[small:]), Compositions(rest, ends, ends))
                weight = 2.0 * comb(values, joined) * few.number * m / people
                cases.append((weight, (small_part, drawn_in)))
    return cases


def totals_that_join(small: int, m: int) -> set[int]:
    """How many people so many small values hold, where values of m people or more had to join
    them: fewer than m, or as many as show that all hold 1, or all m − 1.
    """
    return {*range(small, min(m, small * (m - 1) + 1)), small, small * (m - 1)}
