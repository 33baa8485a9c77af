"""The whole scorer: any measure, from a view's whole histogram of crowd sizes.

For measures that need more than small crowds (`yardstick.cap` None), and for people of several
rows: crowds of multisets of rows are monotone as well, but no bound of `counting_scorer` holds for
them. Two people may have the same ages and the same sexes in another pairing, so D(A ∪ B) ≤
D(A)·D(B) fails, and so does what follows from an attribute that determines another. Every view is
counted from all rows, so it is slower and bounds nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from reidrisk.crowds import CrowdSizes, measure_value
from reidrisk.engines.coded_persons import CodedPeople
from reidrisk.views.scorer import Score
from reidrisk.views.view import Bits, Lattice, Step
from reidrisk.views.yardstick import Yardstick


def exact_score(
    tuples: CodedPeople, attributes: Sequence[int], yardstick: Yardstick, threads: int = 1
) -> Score:
    """The score of one view, counted by itself."""
    return _scored(tuples.crowd_sizes(attributes, threads), yardstick)


def _scored(found: CrowdSizes, yardstick: Yardstick) -> Score:
    return Score(measure_value(found, yardstick.name), found.distinct, found.alone.people)


@dataclass(frozen=True, eq=False)
class WholeScorer:
    """One table's views, judged by any measure."""

    lattice: Lattice
    tuples: CodedPeople
    yardstick: Yardstick
    threads: int = 1

    @property
    def rows(self) -> int:
        """Rows listed."""
        return self.tuples.rows

    def root(self) -> WholeSeen:
        """Nothing is seen."""
        return WholeSeen(self, 0, 0)

    def prepare(self, views: Iterable[Bits]) -> int:
        """Nothing is counted ahead."""
        return 0

    def exactly(self, bits: Bits) -> Score:
        """Count the view."""
        return exact_score(self.tuples, self.lattice.seen(bits), self.yardstick, self.threads)


@dataclass(frozen=True, eq=False)
class WholeSeen:
    """A view, counted anew each time."""

    scorer: WholeScorer
    bits: Bits
    first: int

    def score(self) -> Score:
        """Count it."""
        return self.scorer.exactly(self.bits)

    def raised(self, step: Step) -> WholeSeen:
        """One more attribute."""
        return WholeSeen(
            self.scorer, self.bits | self.scorer.lattice.raised(step), step.attribute + 1
        )

    def scores(self, steps: Sequence[Step]) -> list[Score]:
        """Count them one after the other."""
        return [self.raised(step).score() for step in steps]

    def ceiled(self) -> tuple[Score, WholeSeen]:
        """Count the view with all later attributes."""
        return self.scorer.exactly(self.bits | self.scorer.lattice.from_on(self.first)), self

    def redundant(self, step: Step) -> frozenset[int]:
        """None known."""
        return frozenset()

    def bounds(self, step: Step) -> Iterator[tuple[str, float]]:
        """None."""
        return iter(())
