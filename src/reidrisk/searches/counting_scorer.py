"""The counting scorer: views counted from codes, each from the view it was reached from.

Symbols: S the attributes seen, D(S) its crowds, n_i(v) people with value v of attribute i.

- The key of S + i is key(S)·K_i + code_i: one multiplication for a view (`engines.packing`).
- Above S only (S, all later attributes) has to be told apart: each of its tuples is kept at most c
  times (`yardstick`), and nobody who is alone in S (`capped_crowds.kept`).
- A row that stands for w people is kept min(w, c) times, so that rows are people from there on.
- Bounds that need no counting: D(S + i) ≤ Σ_v min(n_i(v), D(S)), and D(A ∪ B) ≤ D(A)·D(B) for the
  pairs counted so far; what a measure can be at most follows from D.
- If i follows from j (D(i, j) = D(j)), a view that sees both has the crowds of the one without i.

Where it fails: rows are held in memory as codes, once for each core.

A view as the counting scorer holds it: one key a row, from which the views above are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reidrisk.records import CodedTuples, dense
from reidrisk.searches.lattice import Bits, Lattice, Score, Step
from reidrisk.searches.scorer import Yardstick, exact_score
from reidrisk.searches.sheet import Column, Sheet, capped_crowds, counted_by_cubes, kept

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


@dataclass(eq=False)
class CountingScorer:
    """One table's views, judged by a measure that needs each tuple at most `cap` times."""

    lattice: Lattice
    tuples: CodedTuples
    yardstick: Yardstick
    threads: int = 1
    people: int = field(init=False)
    sheet: Sheet = field(init=False)
    # Of views counted: crowds. Of attributes: people per value, rising, and their running sums.
    crowds: dict[Bits, int] = field(default_factory=dict)
    follows: set[tuple[int, int]] = field(default_factory=set)
    _ahead: dict[Bits, tuple[int, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        assert self.yardstick.cap is not None
        self.people = self.tuples.total
        self.sheet = _sheet(self.tuples, self.yardstick.cap)
        self._values = [self._value_counts(j) for j in range(self.lattice.attributes)]

    @property
    def cap(self) -> int:
        """Copies of a tuple that are told apart."""
        assert self.yardstick.cap is not None
        return self.yardstick.cap

    @property
    def rows(self) -> int:
        """Rows of the sheet."""
        return self.sheet.rows

    def root(self) -> CountedSeen:
        """Nothing is seen: one crowd of everybody."""
        keys: NDArray[Any] = np.zeros(self.sheet.rows, dtype=np.int32)
        return CountedSeen(self, self.sheet, lambda: (keys, 1), (), 0, 1)

    def prepare(self, views: Iterable[Bits]) -> int:
        """Count views of long tables from cubes, several in each pass over the rows."""
        found = counted_by_cubes(self.sheet, self.lattice, list(views), self.cap, self.threads)
        self._ahead.update(found)
        return len(found)

    def exactly(self, bits: Bits) -> Score:
        """From all rows."""
        return exact_score(self.tuples, self.lattice.seen(bits), self.yardstick, self.threads)

    def ahead(self, bits: Bits) -> tuple[int, ...] | None:
        """A view counted by `prepare`."""
        return self._ahead.get(bits)

    def scored(self, capped: tuple[int, ...]) -> Score:
        """The measure of capped crowds."""
        value = self.yardstick.value(capped, self.people)
        return Score(value, sum(capped), capped[1], exact=self.yardstick.exact(capped))

    def note(self, steps: tuple[Step, ...], bits: Bits, crowds: int) -> None:
        """Keep the crowds of views of one and two attributes, and what follows from what."""
        self.crowds[bits] = crowds
        if len(steps) == 2:
            for one, other in (steps, steps[::-1]):
                single = self.crowds.get(self.lattice.raised(one))
                if single == crowds and one.level == self.lattice.heights[one.attribute]:
                    self.follows.add((other.attribute, one.attribute))

    def value_bound(self, attribute: int, crowds: int) -> int:
        """Σ_v min(n_i(v), D)."""
        counts, sums = self._values[attribute]
        fewer = int(np.searchsorted(counts, crowds))
        return int(sums[fewer]) + crowds * (len(counts) - fewer)

    def _value_counts(self, attribute: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        held = np.sort(self.tuples.held[attribute])
        return held, np.concatenate([[0], np.cumsum(held)])


def _sheet(tuples: CodedTuples, cap: int) -> Sheet:
    """Rows that are people, each tuple's rows no more than `cap` times."""
    codes: Sequence[NDArray[Any]] = tuples.codes
    rows = tuples.rows
    if tuples.people is not None:
        copies = np.repeat(np.arange(rows), np.minimum(tuples.people, cap))
        codes, rows = [each[copies] for each in codes], len(copies)
    columns = [(Column(c, k),) for c, k in zip(codes, tuples.cardinalities, strict=True)]
    return Sheet(columns, rows)
