"""Target: what a release has to meet, and how many people have to be left out for it.

Symbols: N_s crowds of s people, n people, D = Σ N_s. Leaving R people out (their crowds C of them)
changes a measure; R is the least number that makes it allowable:

- crowds of at least k                   R = Σ_{s<k} s·N_s
- (S − R)/(n − R) ≤ V, S = Σ_{s<k} s·N_s R = ⌈(S − V·n)/(1 − V)⌉, any of those S people
- (D − C)/(n − R) ≤ V                    the smallest crowds, the fewest C with C − V·R ≥ D − V·n
- D − C ≤ V                              the D − V smallest crowds
- any other measure                      only where leaving people out doesn't help

The smallest crowds are left out first. For a given C they hold the fewest people, so R is least.

R never grows as releases coarsen, which is what a search needs. Proof for crowds a, b becoming one
of a + b in the third line (the others are alike): D falls by one, so one crowd fewer is needed.
Both left out: now one crowd and as many people; one of them: now neither, fewer people.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from reidrisk.arrays import Ints
from reidrisk.crowds import CrowdSizes, Limit, crowd_size, measure_named
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.learning import LearningLimits
from reidrisk.searches import Yardstick, yardstick

# The highest risk that any crowd has.
ANY_CROWD = 1.0


class Histogram(NamedTuple):
    """Crowds by size, rising; `larger` crowds besides, of more people than it matters how many.

    Where learning is limited: how many of them fail a limit, and in how many others a value is
    certain.
    """

    sizes: Ints
    crowds: Ints
    larger: int = 0
    failing: Ints | None = None
    certain: Ints | None = None

    @property
    def number(self) -> int:
        """All crowds."""
        return int(self.crowds.sum()) + self.larger

    def below(self, size: int) -> int:
        """People in crowds below a size."""
        small = self.sizes < size
        return int(self.sizes[small] @ self.crowds[small])


class Rule(Protocol):
    """One kind of target."""

    def needed(self, held: Histogram, people: int) -> int:
        """The least number of people to leave out; everybody where that isn't enough."""

    def matters(self, budget: int) -> int | None:
        """Crowds of how many people needn't be told apart any more; None: all are."""


@dataclass(frozen=True)
class SmallestCrowd:
    """No crowd below `least` people."""

    least: int

    def needed(self, held: Histogram, people: int) -> int:
        """Everybody in a smaller crowd."""
        return held.below(self.least)

    def matters(self, budget: int) -> int:
        """Crowds of `least` are large enough."""
        return self.least


@dataclass(frozen=True)
class SmallShare:
    """At most a share of people in crowds below `least`; or, `rest`, at least one in the others."""

    least: int
    share: float
    rest: bool = False

    def needed(self, held: Histogram, people: int) -> int:
        """Of the people in smaller crowds, the fewest."""
        return self.fewest(held.below(self.least), people)

    def fewest(self, small: int, people: int) -> int:
        """Solved for R, then moved to where the measure itself says yes."""
        if self._allows(small, people, 0):
            return 0
        share = 1.0 - self.share if self.rest else self.share
        out = max(math.floor((small - share * people) / (1.0 - share)) - 1, 0)
        while out < small and not self._allows(small, people, out):
            out += 1
        return out

    def _allows(self, small: int, people: int, out: int) -> bool:
        if out >= people:
            return False
        if self.rest:
            return (people - small) / (people - out) >= self.share
        return (small - out) / (people - out) <= self.share

    def matters(self, budget: int) -> int:
        """Crowds of `least` are large enough."""
        return self.least


@dataclass(frozen=True)
class CrowdShare:
    """At most so many crowds for each person (`per_person`), or in all."""

    most: float
    per_person: bool

    def needed(self, held: Histogram, people: int) -> int:
        """The smallest crowds, as few as are enough."""
        number, left = held.number, people
        if self._allows(number, left):
            return 0
        for size, crowds in zip(held.sizes.tolist(), held.crowds.tolist(), strict=True):
            gain = 1.0 - self.most * size if self.per_person else 1.0
            if gain <= 0:
                break
            lacking = number - self.most * (left if self.per_person else 1.0)
            for taken in range(max(math.ceil(lacking / gain) - 1, 0), crowds + 1):
                if self._allows(number - taken, left - taken * size):
                    return int(people - left + taken * size)
            number, left = number - crowds, left - crowds * size
        return people

    def _allows(self, crowds: int, people: int) -> bool:
        if people <= 0:
            return False
        return bool((crowds / people if self.per_person else crowds) <= self.most)

    def matters(self, budget: int) -> int | None:
        """Without leaving anybody out only the number of crowds; else those worth leaving out."""
        if budget == 0:
            return 1
        return math.ceil(1.0 / self.most) if self.per_person else None


@dataclass(frozen=True)
class Whole:
    """Any measure of the whole histogram that leaving people out doesn't help."""

    judged: Yardstick

    def needed(self, held: Histogram, people: int) -> int:
        """Nobody, or it can't be met."""
        crowds = CrowdSizes(held.sizes, held.crowds)
        risky = not len(held.sizes) or self.judged.risky(self.judged.measure.value(crowds))
        return people if risky else 0

    def matters(self, budget: int) -> None:
        """All sizes."""
        return


@dataclass(frozen=True)
class Target:
    """A measure and its allowable value; `budget` people may be left out."""

    yardstick: Yardstick
    rule: Rule
    people: int
    budget: int
    # On what is learnt besides (`learning_rule`).
    limits: LearningLimits | None = None

    @property
    def of_learning_alone(self) -> bool:
        """Whether crowds may be of any size."""
        return self.limits is not None and self.yardstick.allowable == ANY_CROWD

    def needed(self, held: Histogram) -> int:
        """How many people have to be left out; all of them where it can't be met."""
        return self.rule.needed(held, self.people)

    def allows(self, out: int) -> bool:
        """Whether so many may be left out, somebody being left."""
        return out <= self.budget and out < self.people


def asked_target(
    k: int | str | None,
    measure: str | None,
    allowable_risk: Limit | None,
    learning: bool = False,
) -> tuple[str, float]:
    """-k 5, or a measure with its allowable value: 0.05, 1/20 or, of highest_risk, k=20.

    None of them where `learning` is limited alone: then a crowd may be of any size.
    """
    if learning and (k, measure, allowable_risk) == (None, None, None):
        return "highest_risk", ANY_CROWD
    if (k is None) == (allowable_risk is None):
        found = "neither was given" if k is None else "both were given"
        raise ContradictoryOptions(
            f"a target is a crowd size or an allowable risk, and {found}",
            "-k 5, or --measure overall_risk --allowable-risk 0.05; of sensitive columns also "
            "--l-diversity 3 and the like",
        )
    if k is None:
        assert allowable_risk is not None
        name = measure or "highest_risk"
        return name, measure_named(name).limit(allowable_risk, "--allowable-risk")
    if measure not in (None, "highest_risk"):
        raise ContradictoryOptions(
            f"-k {k} is about highest_risk, not {measure}",
            f"--measure {measure} goes with --allowable-risk",
        )
    return "highest_risk", 1 / crowd_size(k)


def best_reachable(tables: Sequence[CrowdSizes], target: Target) -> float:
    """The measure of a release that isn't allowed, with as many people left out as may be."""
    values = []
    for crowds in tables:
        reached = np.cumsum(crowds.sizes * crowds.crowds)
        # Whole sizes of crowds, and never everybody.
        gone = int(np.searchsorted(reached[:-1], target.budget, side="right"))
        left = CrowdSizes(crowds.sizes[gone:], crowds.crowds[gone:])
        values.append(float(target.yardstick.measure.value(left)))
    return target.yardstick.measure.worst(values)


def target_of(measure: str, allowable: float, people: int, suppress: float = 0.0) -> Target:
    """The target by its measure's name; `suppress` is the share of people that may be left out."""
    if not 0.0 <= suppress <= 1.0:
        raise InputError(
            f"--suppress {suppress:g}: it is a share of the records, from 0 to 1",
            "write 5 % as 0.05",
        )
    judged = yardstick(measure, allowable)
    if suppress and judged.measure.part is None and judged.measure.suppression_helps:
        raise InputError(
            f"how many people to leave out for {measure} isn't known, so none can be",
            "leave --suppress out, or take highest_risk, overall_risk or alone_share",
        )
    # A product such as 0.07 · 100 may lie a hair below the whole number that is meant.
    budget = math.floor(suppress * people + 1e-9)
    return Target(judged, _rule(judged, allowable, people), people, budget)


def _rule(judged: Yardstick, allowable: float, people: int) -> Rule:
    part = judged.measure.part
    # No crowd has more than everybody: what asks for more asks for one person too many.
    beyond = people + 1
    if part is None:
        return Whole(judged)
    if part.of == "crowds":
        return CrowdShare(allowable, per_person=not judged.measure.is_count)
    if part.of == "below":
        return SmallShare(min(part.size, beyond), allowable, rest=not judged.rising)
    least = judged.measure.least_crowd(allowable)
    assert least is not None
    return SmallestCrowd(min(least, beyond))
