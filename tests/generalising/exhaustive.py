"""Every release of a small table, counted and judged one by one, as it is defined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import log2

import hypothesis.strategies as st
import numpy as np

from reidrisk.crowds import measure_named
from reidrisk.crowds.crowd_sizes import CrowdSizes
from reidrisk.hierarchies import LevelCodes
from reidrisk.records.coded_tuples import CodedTuples

FALLING = ("smallest_crowd", "share_in_crowds_of_at_least")


@dataclass(frozen=True)
class Small:
    """People's tuples of codes, and what the codes become at each level."""

    people: tuple[tuple[int, ...], ...]
    levels: tuple[LevelCodes, ...]

    @property
    def tuples(self) -> CodedTuples:
        codes = [np.array(column, dtype=np.uint8) for column in zip(*self.people, strict=True)]
        names = [f"a{j}" for j in range(len(codes))]
        widths = [len(each.codes[0]) for each in self.levels]
        return CodedTuples.of_codes(names, codes, widths)

    def releases(self) -> Iterator[tuple[int, ...]]:
        return product(*(range(each.height + 1) for each in self.levels))

    def seen(self, release: Sequence[int]) -> list[tuple[int, ...]]:
        return [
            tuple(int(e.codes[v][c]) for e, v, c in zip(self.levels, release, row, strict=True))
            for row in self.people
        ]

    def crowds(self, release: Sequence[int]) -> list[int]:
        return sorted(Counter(self.seen(release)).values())


@st.composite
def small_tables(draw: st.DrawFn, most: int = 30) -> Small:
    """Up to four attributes of up to four levels, each a function of the one below."""
    levels = []
    for _ in range(draw(st.integers(1, 4))):
        width = draw(st.integers(1, 6))
        codes, widths = [np.arange(width)], [width]
        for _ in range(draw(st.integers(0, 2))):
            into = draw(st.integers(1, widths[-1]))
            above = np.array(draw(st.lists(st.integers(0, into - 1), min_size=widths[-1],
                                           max_size=widths[-1])))  # fmt: skip
            codes.append(above[codes[-1]])
            widths.append(into)
        codes.append(np.zeros(width, dtype=np.int64))
        levels.append(LevelCodes(tuple(codes), (*widths, 1)))
    row = st.tuples(*(st.integers(0, len(each.codes[0]) - 1) for each in levels))
    people = draw(st.lists(row, min_size=1, max_size=most))
    return Small(tuple(people), tuple(levels))


def allowed(crowds: Sequence[int], measure: str, allowable: float) -> bool:
    """Whether the measure of these crowds is; nobody at all is no release."""
    if not any(crowds):
        return False
    value = measure_named(measure).value(CrowdSizes.of(list(crowds)))
    falling = measure.partition(":")[0] in FALLING
    return value >= allowable if falling else value <= allowable


def least_left_out(crowds: Sequence[int], measure: str, allowable: float) -> int:
    """By trying all sets of people, the smaller ones first; everybody where none is enough."""
    people = [crowd for crowd, size in enumerate(crowds) for _ in range(size)]
    for number in range(len(people)):
        for out in set(combinations(people, number)):
            gone = Counter(out)
            rest = [size - gone[crowd] for crowd, size in enumerate(crowds)]
            if allowed([size for size in rest if size], measure, allowable):
                return number
    return len(people)


def staying(crowds: Sequence[int], out: int) -> list[int]:
    """The crowds without so many people, the smallest crowds first."""
    stay = []
    for size in sorted(crowds):
        gone = min(size, out)
        out -= gone
        stay.append(size - gone)
    return [size for size in stay if size]


def entropy(labels: Sequence[object]) -> float:
    n = len(labels)
    return -sum(c / n * log2(c / n) for c in Counter(labels).values())


def loss(table: Small, release: Sequence[int], out: int, name: str) -> float:
    """As the documentation defines it."""
    n, crowds = len(table.people), table.crowds(release)
    share = out / n
    stay = staying(crowds, out)
    if name == "discernibility":
        return (sum(size**2 for size in stay) + out * n) / n**2
    if name == "average_crowd":
        return (1 - share) * (sum(stay) / len(stay)) / n + share
    if name == "levels":
        shares = [v / each.height for v, each in zip(release, table.levels, strict=True)]
        mean = sum(shares) / len(shares)
    else:
        columns, seen = list(zip(*table.people, strict=True)), table.seen(release)
        before = [entropy(column) for column in columns]
        after = [entropy(column) for column in zip(*seen, strict=True)]
        mean = (sum(before) - sum(after)) / sum(before) if sum(before) > 1e-12 else 0.0
    return (1 - share) * mean + share


# A crowd as the sensitive values of its people; None where one has none.
Values = tuple[str | None, ...]


def values_of_crowds(table: Small, release: Sequence[int], values: Values) -> list[Values]:
    """The sensitive values of the people of each crowd."""
    crowds: dict[tuple[int, ...], list[str | None]] = {}
    for seen, value in zip(table.seen(release), values, strict=True):
        crowds.setdefault(seen, []).append(value)
    return [tuple(each) for each in crowds.values()]


def learnt(crowds: Sequence[Values], name: str) -> float:
    """A measure of learning as it is defined, values equally far apart."""
    everybody = Counter(value for each in crowds for value in each)
    n = sum(everybody.values())
    if name == "certain_share":
        return sum(len(each) for each in crowds if len(set(each)) == 1 and each[0] is not None) / n
    if name == "distinct_l":
        return min(len(set(each)) for each in crowds)
    if name == "entropy_l":
        return min(2 ** entropy(each) for each in crowds)
    shares = [
        {value: Fraction(c, len(each)) for value, c in Counter(each).items()} for each in crowds
    ]
    if name == "alpha":
        return float(max(p for each in shares for p in each.values()))
    prior = {value: Fraction(c, n) for value, c in everybody.items()}
    if name == "beta_likeness":
        gains = ((p - prior[v]) / prior[v] for each in shares for v, p in each.items())
        return float(max(gains))
    assert name == "t_closeness"
    return float(max(sum(abs(each.get(v, 0) - p) for v, p in prior.items()) / 2 for each in shares))


def meets(crowds: Sequence[Values], k: int, limits: Mapping[str, float]) -> bool:
    """Whether crowds have k people each, and what is learnt stays within its limits."""
    if not crowds or min(map(len, crowds)) < k:
        return False
    for name, limit in limits.items():
        value = learnt(crowds, name)
        least = name in ("distinct_l", "entropy_l")
        if value < limit - 1e-9 if least else value > limit + 1e-9:
            return False
    return True


def fewest_left_out(crowds: Sequence[Values], k: int, limits: Mapping[str, float]) -> int:
    """By trying all sets of people, the smaller ones first; everybody where none is enough."""
    people = [(crowd, value) for crowd, values in enumerate(crowds) for value in values]
    for number in range(len(people)):
        for out in {tuple(sorted(each, key=str)) for each in combinations(people, number)}:
            left = Counter(people) - Counter(out)
            rest = [
                tuple(value for (c, value), amount in left.items() for _ in range(amount)
                      if c == crowd)
                for crowd in range(len(crowds))
            ]  # fmt: skip
            if meets([each for each in rest if each], k, limits):
                return number
    return len(people)
