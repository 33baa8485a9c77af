"""A view as the counting scorer holds it: one key a row, from which the views above are counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reidrisk.engines.renumbering import dense
from reidrisk.views.capped_crowds import capped_crowds, kept
from reidrisk.views.scorer import Score
from reidrisk.views.sheet import Sheet
from reidrisk.views.view import Bits, Step

if TYPE_CHECKING:
    from reidrisk.views.counting_scorer import CountingScorer

NARROW, WIDE = 1 << 31, 1 << 63


@dataclass(eq=False)
class CountedSeen:
    """A view as one key a row of a sheet; `alone` rows were taken out as alone already."""

    scorer: CountingScorer
    sheet: Sheet
    # The keys and their span, made when first needed: many views are decided without.
    made: Callable[[], tuple[NDArray[Any], int]]
    steps: tuple[Step, ...]
    alone: int
    # No more crowds than this.
    most: int
    _above: dict[Step, int] = field(default_factory=dict)

    @property
    def first(self) -> int:
        """The first attribute that may still be raised."""
        return self.steps[-1].attribute + 1 if self.steps else 0

    @cached_property
    def keyed(self) -> tuple[NDArray[Any], int]:
        """One key a row, and the number all keys lie below."""
        return self.made()

    @cached_property
    def bits(self) -> Bits:
        """The view as a whole number."""
        return sum(map(self.scorer.lattice.raised, self.steps))

    def score(self) -> Score:
        """Count it."""
        keys, span = self.keyed
        found = self._ahead(self.bits) or self._count(keys.copy(), span)
        return self.scorer.scored(found)

    def raised(self, step: Step) -> CountedSeen:
        """One more attribute packed into the keys."""
        steps, most = (*self.steps, step), self._most(step)
        return CountedSeen(
            self.scorer, self.sheet, lambda: self._packed(step), steps, self.alone, most
        )

    def scores(self, steps: Sequence[Step]) -> list[Score]:
        """Count them one after the other."""
        return [self._score_of(step) for step in steps]

    def _score_of(self, step: Step) -> Score:
        bits = self.bits | self.scorer.lattice.raised(step)
        capped = self._ahead(bits) or self._count(*self._packed(step))
        self._above[step] = crowds = sum(capped)
        if len(self.steps) < 2:
            self.scorer.note((*self.steps, step), bits, crowds)
        return self.scorer.scored(capped)

    def ceiled(self) -> tuple[Score, CountedSeen]:
        """Sort by (key, tail) once: the ceiling's crowds, and the rows to keep."""
        if not self.sheet.rows:
            return self.scorer.scored(self._with_alone((0,) * (self.scorer.cap + 1))), self
        first = self.first
        tails = self.sheet.tail(first) if first else self.sheet.whole_tuples()
        left = kept(*self.keyed, tails.numbers, tails.width, self.scorer.cap)
        score = self.scorer.scored(self._with_alone(left.capped))
        sheet = self.sheet.taken(left.rows, first)
        if not first:
            sheet = sheet.by_itself()
            # All at once, before several cores ask for them.
            sheet.tail(0)
        alone = self.alone + left.alone
        most = min(self.most, left.span + alone)
        keyed = (left.keys, left.span)
        return score, CountedSeen(
            self.scorer, sheet, lambda: keyed, self.steps, alone, most, self._above
        )

    def redundant(self, step: Step) -> frozenset[int]:
        """The new attribute if it follows from one that is seen, and those that follow from it."""
        follows, heights = self.scorer.follows, self.scorer.lattice.heights
        if not follows:
            return frozenset()
        new, recorded = step.attribute, step.level == heights[step.attribute]
        found = {j for j, _ in self.steps if recorded and (j, new) in follows}
        if any((new, j) in follows and level == heights[j] for j, level in self.steps):
            found.add(new)
        return frozenset(found)

    def bounds(self, step: Step) -> Iterator[tuple[str, float]]:
        """By the values' counts, then by the pairs counted so far."""
        scorer = self.scorer
        worst = scorer.yardstick.worst(self._by_values(step), scorer.people)
        if worst is None:
            return
        yield "value_bound", worst
        product = self._by_pairs(step)
        if product is not None:
            again = scorer.yardstick.worst(product, scorer.people)
            assert again is not None
            yield "product_bound", again

    def _by_values(self, step: Step) -> int:
        return self.scorer.value_bound(step.attribute, self.most)

    def _by_pairs(self, step: Step) -> int | None:
        """The least D(A)·D(B) over the ways to part four attributes into two pairs."""
        if len(self.steps) != 3:
            return None
        crowds = self.scorer.crowds
        a, b, c, d = (self.scorer.lattice.raised(each) for each in (*self.steps, step))
        pairs = ((a | b, c | d), (a | c, b | d), (a | d, b | c))
        found = [crowds[one] * crowds[two] for one, two in pairs if one in crowds and two in crowds]
        return min(found, default=None)

    def _most(self, step: Step) -> int:
        known = self._above.get(step)
        if known is None:
            known = self.scorer.crowds.get(self.bits | self.scorer.lattice.raised(step))
        return min(self._by_values(step), self.scorer.people) if known is None else known

    def _packed(self, step: Step) -> tuple[NDArray[Any], int]:
        codes, width = self.sheet.column(*step)
        keys, span = self.keyed
        if width * span >= WIDE:
            keys, span = dense(keys, span)
        if width * span < NARROW:
            packed = np.multiply(keys, np.int32(width), dtype=np.int32, casting="unsafe")
        else:
            packed = np.multiply(keys, width, dtype=np.int64)
        return np.add(packed, codes, out=packed, casting="unsafe"), width * span

    def _ahead(self, bits: Bits) -> tuple[int, ...] | None:
        return self.scorer.ahead(bits)

    def _count(self, keys: NDArray[Any], span: int) -> tuple[int, ...]:
        return self._with_alone(capped_crowds(keys, span, self.scorer.cap, self.scorer.threads))

    def _with_alone(self, capped: tuple[int, ...]) -> tuple[int, ...]:
        return (0, capped[1] + self.alone, *capped[2:]) if self.alone else capped
