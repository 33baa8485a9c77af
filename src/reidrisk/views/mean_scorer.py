"""The mean scorer: the same view in several tables, judged by the mean of its scores.

Without records, tables are drawn from a model fitted once on all attributes; in each of them scores
are monotone, and so is their mean, where scores of models fitted anew for every view need not be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from reidrisk.views.scorer import Score, Scorer, Seen
from reidrisk.views.view import Bits, Lattice, Step


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
