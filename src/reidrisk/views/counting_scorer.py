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
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reidrisk.engines.coded_tuples import CodedTuples
from reidrisk.views.counted_seen import CountedSeen
from reidrisk.views.cubes_of_views import counted_by_cubes
from reidrisk.views.scorer import Score
from reidrisk.views.sheet import Column, Sheet
from reidrisk.views.view import Bits, Lattice, Step
from reidrisk.views.whole_scorer import exact_score
from reidrisk.views.yardstick import Yardstick


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
