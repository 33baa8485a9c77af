"""Scorer: what a search asks about views, whoever answers.

A search walks from view to view by steps (one more attribute seen), always to later attributes, so
that each view is reached in one way. A scorer answers for the views one step on, and may use that
the walk stays above a view: `ceiled` gives the score of everything that can still be reached, its
ceiling, and a scorer that answers the same from there on, perhaps from fewer rows.

Required: scores never fall, or never rise, as views see more. A search for the border of a scorer
that isn't monotone finds nonsense.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from reidrisk.views.view import Bits, Lattice, Step, View


class Score(NamedTuple):
    """A view's value by the measure asked for; its crowds and people alone where they are known.

    `each` are the values in several drawn tables, whose mean `value` is. `exact` is False where
    the value is only known to be no riskier than that.
    """

    value: float
    crowds: float | None = None
    alone: float | None = None
    each: tuple[float, ...] = ()
    exact: bool = True


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
    """Any monotone function of a view; nothing is reused and nothing bounded."""

    lattice: Lattice
    function: Callable[[View], float]
    rows: int = 0

    def root(self) -> FunctionSeen:
        """Nothing is seen."""
        return FunctionSeen(self, 0, 0)

    def prepare(self, views: Iterable[Bits]) -> int:
        """Nothing is counted ahead."""
        return 0

    def exactly(self, bits: Bits) -> Score:
        """The function's value."""
        return Score(self.function(self.lattice.view(bits)))


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
