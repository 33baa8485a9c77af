"""Scorer: what a search asks about views, whoever answers.

A search walks from view to view by steps (one more attribute seen), always to later attributes, so
that each view is reached in one way. A scorer answers for the views one step on, and may use that
the walk stays above a view: `ceiled` gives the score of everything that can still be reached, its
ceiling, and a scorer that answers the same from there on, perhaps from fewer rows.

Required: scores never fall, or never rise, as views see more. A search for the border of a scorer
that isn't monotone finds nonsense.

The mean scorer: the same view in several tables, judged by the mean of its scores.

Without records, tables are drawn from a model fitted once on all attributes; in each of them scores
are monotone, and so is their mean, where scores of models fitted anew for every view need not be.

The whole scorer: any measure, from a view's whole histogram of crowd sizes.

For measures that need more than small crowds (`yardstick.cap` None), and for people of several
rows: crowds of multisets of rows are monotone as well, but no bound of `counting_scorer` holds for
them. Two people may have the same ages and the same sexes in another pairing, so D(A ∪ B) ≤
D(A)·D(B) fails, and so does what follows from an attribute that determines another. Every view is
counted from all rows, so it is slower and bounds nothing.

Yardstick: a measure with the value up to which it is allowable, and how little a search counts.

For the people in crowds of at most m it is enough to keep each tuple c = m + 1 times: a crowd with
c of them or more is no small crowd in any coarser view either. `cap` is that c: two for people
alone and for the number of crowds, None where the whole histogram is needed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from reidrisk.crowds import WAYS, Measure, measure_named
from reidrisk.errors import InputError
from reidrisk.learning import (
    LEARNING_MEASURES,
    SensitiveColumn,
    SensitiveRisk,
    beyond,
    learning_limit,
    searched_learning_measure,
)
from reidrisk.records import CodedPeople, crowd_keys
from reidrisk.searches.lattice import Bits, Lattice, Score, Step

# More copies than this aren't worth keeping apart from the whole histogram.
MOST_COPIES = 64


@dataclass(frozen=True)
class Yardstick:
    """A measure, and the value from which on it is risky (None without one)."""

    measure: Measure
    allowable: float | None = None

    @property
    def name(self) -> str:
        """The measure's."""
        return self.measure.name

    @property
    def rising(self) -> bool:
        """Whether larger is riskier."""
        return not self.measure.safer_when_larger

    @property
    def of_learning(self) -> bool:
        """Whether it is about sensitive columns."""
        return self.name in LEARNING_MEASURES

    def risky(self, value: float) -> bool:
        """Beyond what is allowable: above it, or below it where larger is safer."""
        assert self.allowable is not None
        if self.of_learning:
            # Sums of floating-point parts: what is equal may differ by so little.
            return beyond(self.measure, value, self.allowable)
        return self.measure.worse(value, self.allowable)

    @cached_property
    def cap(self) -> int | None:
        """How many copies of a tuple are told apart; None: all of them."""
        part = self.measure.part
        if part is None:
            return None
        least = 2 if part.of == "crowds" else part.size
        if part.of == "smallest":
            size = None if self.allowable is None else self.measure.least_crowd(self.allowable)
            least = max(size or MOST_COPIES + 1, 2)
        return least if 2 <= least <= MOST_COPIES else None

    def value(self, capped: Sequence[int], people: int) -> float:
        """From crowds by size 0, 1, … c, the last of c or more people."""
        part = self.measure.part
        assert part is not None
        if part.of == "crowds":
            return part.measure(sum(capped), people)
        if part.of == "smallest":
            smallest = next(size for size, crowds in enumerate(capped) if crowds)
            return part.measure(smallest, people)
        return part.measure(sum(size * crowds for size, crowds in enumerate(capped[:-1])), people)

    @property
    def always_exact(self) -> bool:
        """Whether `value` is exact whatever the crowds: smallest ones of c or more look alike."""
        return self.measure.part is None or self.measure.part.of != "smallest"

    def exact(self, capped: Sequence[int]) -> bool:
        """Whether `value` is, or only known to be no riskier."""
        return self.always_exact or any(capped[:-1])

    def worst(self, crowds: float, people: int) -> float | None:
        """The riskiest value a view with at most so many crowds can have; None: any."""
        part = self.measure.part
        if part is None or part.of == "smallest":
            return None
        if part.of == "crowds":
            return part.measure(crowds, people)
        return part.measure(min((part.size - 1) * crowds, people), people)


def searched_measure(name: str) -> Measure:
    """The measure of crowds, or of what is learnt, that has a name."""
    return LEARNING_MEASURES[name] if name in LEARNING_MEASURES else measure_named(name)


def yardstick(
    name: str, allowable: float | None = None, option: str = "--allowable-risk"
) -> Yardstick:
    """The measure called `name`, with the value up to which it is allowable; it is monotone."""
    if name in LEARNING_MEASURES:
        limit = None if allowable is None else learning_limit(name, allowable, option)
        return Yardstick(searched_learning_measure(name), limit)
    measure = measure_named(name)
    measure.refuse_unless_monotone()
    if allowable is not None:
        _check(measure, allowable, option)
    return Yardstick(measure, allowable)


def _check(measure: Measure, allowable: float, option: str) -> None:
    if math.isnan(allowable) or allowable <= 0 or math.isinf(allowable):
        raise InputError(f"{option} {allowable:g}: it is a number above 0", WAYS)
    plain = measure.name.partition(":")[0]
    if allowable > measure.bounds[1]:
        raise InputError(
            f"{option} {allowable:g}: {plain} lies between 0 and 1",
            "write 5 % as 0.05, crowds of five as 1/5 or k=5",
        )
    if measure.unit == "crowd size" and allowable < 1:
        raise InputError(
            f"{option} {allowable:g}: the smallest crowd is a number of people",
            "as in 5: combinations of columns with a crowd below five are risky",
        )


class Seen(Protocol):
    """A view, from which a scorer answers for the views above it."""

    def score(self) -> Score:
        """Of the view itself."""

    def raised(self, step: Step) -> Seen:
        """The view with one more attribute, later than all seen so far."""

    def scores(self, steps: Sequence[Step]) -> list[Score]:
        """Of the views one step on, for each step."""

    def ceiled(self) -> tuple[Score, Seen]:
        """Of the view with all later attributes as recorded; and this view, ready for those."""

    def redundant(self, step: Step) -> frozenset[int]:
        """Attributes without any of which the view one step on surely has the same crowds."""

    def bounds(self, step: Step) -> Iterator[tuple[str, float]]:
        """(rule, a value that is at least as risky as the view's), the cheapest rule first."""


class Scorer(Protocol):
    """Answers for all views of a lattice."""

    @property
    def lattice(self) -> Lattice:
        """The views it can answer for."""

    @property
    def rows(self) -> int:
        """How many rows it counts; searches go to several cores where they are many."""

    def root(self) -> Seen:
        """Nothing is seen."""

    def prepare(self, views: Iterable[Bits]) -> int:
        """These views will be asked for: many may be counted at once. How many were."""

    def exactly(self, bits: Bits) -> Score:
        """One view's score, by itself and exact."""


@dataclass(frozen=True)
class FunctionScorer:
    """Any monotone score of a view by itself; nothing is reused and nothing bounded."""

    lattice: Lattice
    exactly: Callable[[Bits], Score]
    rows: int = 0

    def root(self) -> FunctionSeen:
        """Nothing is seen."""
        return FunctionSeen(self, 0, 0)

    def prepare(self, views: Iterable[Bits]) -> int:
        """Nothing is counted ahead."""
        return 0


@dataclass(frozen=True)
class FunctionSeen:
    """A view whose score is a function of it."""

    scorer: FunctionScorer
    bits: Bits
    first: int

    def score(self) -> Score:
        """The function's value."""
        return self.scorer.exactly(self.bits)

    def raised(self, step: Step) -> FunctionSeen:
        """One more attribute."""
        bits = self.bits | self.scorer.lattice.raised(step)
        return FunctionSeen(self.scorer, bits, step.attribute + 1)

    def scores(self, steps: Sequence[Step]) -> list[Score]:
        """One after the other."""
        return [self.raised(step).score() for step in steps]

    def ceiled(self) -> tuple[Score, FunctionSeen]:
        """The function of the view with all later attributes as recorded."""
        top = self.bits | self.scorer.lattice.from_on(self.first)
        return self.scorer.exactly(top), self

    def redundant(self, step: Step) -> frozenset[int]:
        """None known."""
        return frozenset()

    def bounds(self, step: Step) -> Iterator[tuple[str, float]]:
        """None."""
        return iter(())


def mean_score(scores: Sequence[Score]) -> Score:
    """The mean, with each table's own value."""

    def mean(values: Sequence[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        return sum(known) / len(values) if len(known) == len(values) else None

    return Score(
        sum(score.value for score in scores) / len(scores),
        mean([score.crowds for score in scores]),
        mean([score.alone for score in scores]),
        tuple(score.value for score in scores),
        all(score.exact for score in scores),
    )


@dataclass(frozen=True, eq=False)
class MeanScorer:
    """Several scorers of the same lattice as one."""

    scorers: tuple[Scorer, ...]

    @property
    def lattice(self) -> Lattice:
        """The views of each."""
        return self.scorers[0].lattice

    @property
    def rows(self) -> int:
        """Rows of the first."""
        return self.scorers[0].rows

    def root(self) -> MeanSeen:
        """Nothing is seen."""
        return MeanSeen(tuple(scorer.root() for scorer in self.scorers))

    def prepare(self, views: Iterable[Bits]) -> int:
        """In each table."""
        listed = list(views)
        return min(scorer.prepare(listed) for scorer in self.scorers)

    def exactly(self, bits: Bits) -> Score:
        """The mean of exact scores."""
        return mean_score([scorer.exactly(bits) for scorer in self.scorers])


@dataclass(frozen=True, eq=False)
class MeanSeen:
    """The same view in each table."""

    each: tuple[Seen, ...]

    def score(self) -> Score:
        """The mean."""
        return mean_score([seen.score() for seen in self.each])

    def raised(self, step: Step) -> MeanSeen:
        """One more attribute in each."""
        return MeanSeen(tuple(seen.raised(step) for seen in self.each))

    def scores(self, steps: Sequence[Step]) -> list[Score]:
        """The means."""
        rows = [seen.scores(steps) for seen in self.each]
        return [mean_score(column) for column in zip(*rows, strict=True)]

    def ceiled(self) -> tuple[Score, MeanSeen]:
        """The mean ceiling."""
        scores, seens = zip(*(seen.ceiled() for seen in self.each), strict=True)
        return mean_score(scores), MeanSeen(tuple(seens))

    def redundant(self, step: Step) -> frozenset[int]:
        """The same ones in every table: without different ones means aren't those of one view."""
        return frozenset.intersection(*(seen.redundant(step) for seen in self.each))

    def bounds(self, step: Step) -> Iterator[tuple[str, float]]:
        """The mean of each rule's bounds."""
        for found in zip(*(seen.bounds(step) for seen in self.each), strict=False):
            yield found[0][0], sum(most for _, most in found) / len(found)


def exact_score(
    tuples: CodedPeople, attributes: Sequence[int], yardstick: Yardstick, threads: int = 1
) -> Score:
    """The score of one view, counted by itself."""
    crowds = tuples.crowd_sizes(attributes, threads)
    return Score(yardstick.measure.value(crowds), crowds.distinct, crowds.alone.people)


def whole_scorer(
    lattice: Lattice, tuples: CodedPeople, yardstick: Yardstick, threads: int = 1
) -> FunctionScorer:
    """One table's views, judged by any measure; each is counted by itself."""

    def score(bits: Bits) -> Score:
        return exact_score(tuples, lattice.seen(bits), yardstick, threads)

    return FunctionScorer(lattice, score, tuples.rows)


def learning_scorer(
    lattice: Lattice,
    tuples: CodedPeople,
    columns: Sequence[SensitiveColumn],
    yardstick: Yardstick,
    threads: int = 1,
) -> FunctionScorer:
    """One table's views, judged by what would be learnt of the column where that is worst."""

    def score(bits: Bits) -> Score:
        keys = crowd_keys(tuples, lattice.seen(bits))
        counts = [each.counted(keys, tuples.people, threads) for each in columns]
        measure = yardstick.measure
        values = [
            measure.value(SensitiveRisk(counted, each.distances))
            for each, counted in zip(columns, counts, strict=True)
        ]
        alone = int((counts[0].sizes == 1).sum())
        return Score(measure.worst(values), len(counts[0].sizes), alone)

    return FunctionScorer(lattice, score, tuples.rows)
