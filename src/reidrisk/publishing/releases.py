"""Two releases: what two statistics files about nearly the same people reveal together.

Whether they are about the same people is read off the numbers that both list, y and y':

- all equal: the same people, or so few others that exact numbers would show them;
- differences that the protections explain, as many as two roundings by different keys make: the
  same people as far as anybody can see;
- anything else: people came or left. How many is estimated from the numbers of each attribute by
  max(Σ (y' − y)⁺, Σ (y − y')⁺), less what rounding by two keys adds to it, and by |n' − n|; the
  largest of these counts.

Of the same people both files are attacked together (`derivable_counts`). An attribute that they
list otherwise is two, linked by what anybody reads off the labels: bands go together where they
overlap, codes where one is the other's first characters, other labels where they are equal; and
people of values that one file doesn't list have none that lie within one that it does.

Where few people came or left, each difference is about those few, so fewer than `FEW` of
them, or than 1 %, are refused. That is a rule of thumb: nothing is proven of more of them.

Symbols: b the base of rounding. Two keys round a count apart by (b² − 1)/3b on average, with
variance (b² − 1)/3 (averaged over remainders).

Where it stops: one person more is hidden from the estimate where both files were rounded by
different keys, and then from most readers too, but not over many releases. Values recoded otherwise
than into bands of numbers or first characters aren't linked.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from reidrisk.arrays import Ints
from reidrisk.errors import InputError
from reidrisk.publishing.derivable_counts import (
    USUAL_SECONDS,
    DerivableCounts,
    derivable_counts,
    derived_from,
    has_noise,
)
from reidrisk.publishing.linked_values import linked_values
from reidrisk.publishing.published_bounds import PublishedBounds
from reidrisk.statistics import (
    DifferentialPrivacy,
    PairCounts,
    Statistics,
)

# People who came or left, and their share, from which differences are about many.
FEW = 100
FEW_SHARE = 0.01
# Of so many times as many people nobody would say that they are nearly the same.
WILDLY = 2
# Two keys change a third of all numbers; half as many is no accident.
SHARE_OF_TWO_KEYS = 0.16
ENOUGH_NUMBERS = 20
SPREADS = 3.0


@dataclass(frozen=True)
class TwoReleases:
    """What two files reveal together; `tells` where the later one shouldn't be published."""

    same_people: bool
    # How many people came or left, estimated from the numbers.
    changed: int
    # The attack on both together; None where it can't be made or says nothing.
    together: DerivableCounts | None
    tells: bool
    why: str

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "same_people": self.same_people,
            "changed": self.changed,
            "together": None if self.together is None else self.together.to_dict(),
            "reveals": self.tells,
            "why": self.why,
        }


def told_together(
    earlier: Statistics, later: Statistics, seconds: float = USUAL_SECONDS
) -> TwoReleases:
    """What both files reveal that neither does.

    Parameters:
        earlier: what is published already.
        later: what is to be published after it.
        seconds: of propagation.
    """
    _refuse_others(earlier, later)
    if has_noise(earlier) or has_noise(later):
        return _beside_noise(earlier, later)
    common = CommonNumbers(earlier, later)
    if common.are_of_the_same_people:
        return _of_the_same_people(earlier, later, common, seconds)
    return _of_others(earlier, later, common.changed())


def _refuse_others(earlier: Statistics, later: Statistics) -> None:
    if not set(earlier.names) & set(later.names):
        raise InputError(
            "the two files have no attribute in common: nothing says that they are about the same "
            "people",
            "name an earlier file about the same people",
        )
    fewer, more = sorted((earlier.records, later.records))
    if fewer * WILDLY < more:
        raise InputError(
            f"the two files are about different people: one has {earlier.records:,}, the other "
            f"{later.records:,}",
            "name an earlier file about nearly the same people",
        )


def _beside_noise(earlier: Statistics, later: Statistics) -> TwoReleases:
    if isinstance(later.protection, DifferentialPrivacy):
        promised = f"the later file keeps its own bound, ε = {later.protection.epsilon:g}"
        others = "the earlier file's numbers are outside that promise"
        if has_noise(earlier):
            others = "the ε of both add up: keep one ledger of them"
        why = f"Whatever else is known, {promised}; {others}."
    else:
        why = (
            "No bounds follow from the earlier file's noise; the later file's numbers are outside "
            "the promise made for the earlier one."
        )
    apart = abs(later.records - earlier.records)
    return TwoReleases(False, apart, None, False, why)


class _Numbers(NamedTuple):
    """Numbers that both files list of an attribute, or of two or three of them."""

    earlier: Ints
    later: Ints

    @classmethod
    def of(cls, pairs: list[tuple[int, int]]) -> _Numbers:
        """From pairs of numbers."""
        one, other = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        return cls(one, other)


class CommonNumbers:
    """The numbers that both files list, and what their differences say."""

    def __init__(self, earlier: Statistics, later: Statistics) -> None:
        """Numbers as they were published; sums of them are no numbers of their own."""
        self.earlier, self.later = earlier.published, later.published
        self.reaches = [_reach(each) for each in (earlier, later)]
        self.people = _Numbers.of([(earlier.records, later.records)])
        self.attributes = [_Numbers.of(each) for each in self._of_attributes()]
        self.pairs = [_Numbers.of(each) for each in self._of_pairs()]
        self.pairs += [_Numbers.of(each) for each in self._of_triples()]
        self.pairs += [_Numbers.of(each) for each in self._of_shared()]
        self._all = [self.people, *self.attributes, *self.pairs]

    def _of_attributes(self) -> Iterator[list[tuple[int, int]]]:
        for one in self.earlier.attributes:
            if one.name in self.later.names:
                yield _both(one.stated, self.later.attribute(one.name).stated)

    def _of_pairs(self) -> Iterator[list[tuple[int, int]]]:
        rounded = min(self.reaches) > 0
        for one in self.earlier.pairs:
            if not set(one.of) <= set(self.later.names):
                continue
            other = self.later.pair(*one.of)
            if other is not None:
                yield self._of_cells(one, other) if rounded else _both(one.counts, other.counts)

    def _of_triples(self) -> Iterator[list[tuple[int, int]]]:
        """Cells that both files list of the same three attributes."""
        for one in self.earlier.triples:
            for other in self.later.triples:
                if set(one.of) == set(other.of):
                    yield _both(one.counts, other.turned(one.of).counts)

    def _of_shared(self) -> Iterator[list[tuple[int, int]]]:
        """People who share the same attributes in both files."""
        one, other = self.earlier.shared, self.later.shared
        if one is not None and other is not None and set(one.of) == set(other.of):
            yield [(one.combinations, other.combinations), (one.in_groups, other.in_groups)]

    def _of_cells(self, one: PairCounts, other: PairCounts) -> list[tuple[int, int]]:
        """A cell that one file doesn't list was rounded to 0, where it lists both values."""
        known = [
            self.earlier.attribute(name).stated.keys() & self.later.attribute(name).stated.keys()
            for name in one.of
        ]
        cells = [
            (a, b)
            for a, b in dict.fromkeys([*one.counts, *other.counts])
            if a in known[0] and b in known[1]
        ]
        found = [(one.counts.get(cell, 0), other.counts.get(cell, 0)) for cell in cells]
        return [(a, b) for a, b in found if isinstance(a, int) and isinstance(b, int)]

    @property
    def are_equal(self) -> bool:
        """Whether each number is the same in both files."""
        return all(np.array_equal(*each) for each in self._all)

    @property
    def are_of_the_same_people(self) -> bool:
        """Whether the protections explain every difference."""
        if self.are_equal:
            return True
        reach = sum(self.reaches)
        within = all((abs(each.later - each.earlier) <= reach).all() for each in self._all)
        return within and reach > 0 and self.have_two_keys

    @property
    def have_two_keys(self) -> bool:
        """Whether as many numbers differ as of the same people under two keys, and enough are known
        to say so; rounded numbers differ from exact ones however few people changed.
        """
        if len(set(self.reaches)) > 1:
            return True
        unlike = sum(int((each.later != each.earlier).sum()) for each in self._all)
        numbers = sum(len(each.later) for each in self._all)
        return numbers >= ENOUGH_NUMBERS and unlike >= SHARE_OF_TWO_KEYS * numbers

    def changed(self) -> int:
        """How many people came or left: at least one, where anybody did."""
        rounded_apart = max(self.reaches) > 0 and self.have_two_keys
        # Of few people spread over many cells two keys would hide them all.
        groups = self.attributes if rounded_apart else [*self.attributes, *self.pairs]
        base = max(self.reaches) + 1 if rounded_apart else 1
        found = [_came_or_left(each, base) for each in (self.people, *groups)]
        return max(1, round(max(found)))


def _came_or_left(numbers: _Numbers, base: int) -> float:
    """max(Σ d⁺, Σ d⁻) of the differences d, less what two roundings to a base make of it.

    A difference is (b² − 1)/3b on average, half of it upwards, its variance (b² − 1)/3.
    """
    apart = numbers.later - numbers.earlier
    moved = max(np.maximum(apart, 0).sum(), np.maximum(-apart, 0).sum())
    size = len(apart)
    explained = size * (base**2 - 1) / (6 * base)
    spread = SPREADS * math.sqrt(size * (base**2 - 1) / 6)
    return float(moved) - explained - spread


def _both(one: Mapping[Any, Any], other: Mapping[Any, Any]) -> list[tuple[int, int]]:
    found = [(one[name], other[name]) for name in one.keys() & other.keys()]
    return [(a, b) for a, b in found if isinstance(a, int) and isinstance(b, int)]


def _reach(statistics: Statistics) -> int:
    protection = statistics.protection
    if protection is not None:
        return protection.reach or 0
    return (statistics.rounded_to or 0) // 2


def _of_others(earlier: Statistics, later: Statistics, changed: int) -> TwoReleases:
    people = min(earlier.records, later.records)
    is_few = changed < max(FEW, FEW_SHARE * people)
    share = f"{100 * FEW_SHARE:g} %"
    why = (
        f"An estimated {changed:,} or more of {people:,} people came or left, as far as the "
        "numbers show: "
    )
    if is_few:
        why += "what differs between the files is about them. "
        why += f"Fewer than {FEW} people, or than {share}, are too few"
    else:
        why += f"at least {FEW} people and {share}, so that differences are about many"
    why += " (a rule of thumb, not proven)."
    return TwoReleases(False, changed, None, is_few, why)


def _of_the_same_people(
    earlier: Statistics, later: Statistics, common: CommonNumbers, seconds: float
) -> TwoReleases:
    held = PublishedBounds([earlier, later], linked_values)
    small = max(earlier.small_below, later.small_below)
    found = derived_from(held, small, seconds)
    if held.bounds.contradicts():
        return TwoReleases(
            False, 1, None, True,
            "No people have the numbers of both files, although those that both list agree: a few "
            "came or left, or an attribute's values were recoded in another way.",
        )  # fmt: skip
    alone = 0
    if found.derived:
        alone = max(derivable_counts(each, small, seconds).derived for each in (earlier, later))
    tells = found.derived > alone
    return TwoReleases(True, 0, found, tells, _why(found, alone, common))


def _why(found: DerivableCounts, alone: int, common: CommonNumbers) -> str:
    if found.derived > alone:
        more = f", {alone:,} from one of them alone" if alone else ""
        why = (
            f"Of the same people both files together give away {found.derived:,} counts of fewer "
            f"than {found.below}{more}."
        )
    elif common.are_equal:
        why = "Every number that both files list is the same, and together they reveal no more."
    else:
        why = (
            "The numbers agree within their rounding, and together no count could be derived; one "
            "who came or left would be hidden by it too. Several files rounded by different keys "
            "bring the counts closer: use one key."
        )
    return why if found.complete else f"{why} The test is incomplete: {found.limits}."
