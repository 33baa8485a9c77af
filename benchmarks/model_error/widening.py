"""Widening: how far the ends of intervals are moved out until they hold tables left out.

z is what chance doesn't explain of a figure's error, divided by s (`fitting.divided`); with a table
left out, its figures are inside where low·f_lo ≤ z ≤ high·f_hi, low and high the quantiles of the
others. Tables differ more from each other than sets of one table do, so with f = 1 too few are.

f_lo = f_hi is the smallest power of `STEP` with which `AIM` of all figures are inside. Of the model
that `predict` chooses f_lo then grows until `ON_EVERY_TABLE` of each table's are. Both are the same
for all tables and kinds of published counts: two numbers for a family of figures.

Where it fails: f_lo is what the worst of these tables need, and one unlike all of them may need
more. `Part.held_by_others` says what happens where f_lo is chosen without the table as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from reidrisk.arrays import Floats, Ints
from reidrisk.prediction.model_error import KINDS

from .cases import Case
from .fitting import Row, divided, moved_rows, of_kind, rows_of

AIM, ON_EVERY_TABLE, STEP = 0.9, 0.75, 1.05
MOST_STEPS = 48
Entry = Mapping[str, Any]
Ends = tuple[float, float]
AS_FITTED: Ends = (1.0, 1.0)


class Left(NamedTuple):
    """A figure of a table left out, in units of what the others taught."""

    row: Row
    z: float
    low: float
    high: float

    def widened(self, ends: Ends) -> Left:
        """With quantiles farther out."""
        return self._replace(low=self.low * ends[0], high=self.high * ends[1])


def left_of(
    cases: Sequence[Case], entries: Mapping[str, Entry], model: str, family: str
) -> list[Left]:
    """All figures of a family, each by the constants fitted without its table."""
    found = []
    for table, entry in entries.items():
        rows = rows_of([case for case in cases if case.table == table], model, family)
        for kind in KINDS:
            found += _of_kind(of_kind(rows, kind), model, entry, kind, family)
    return found


def _of_kind(rows: Sequence[Row], model: str, entry: Entry, kind: str, family: str) -> list[Left]:
    each = entry["figures"][kind][family]
    moved = moved_rows(rows, model, entry["moved_by"], entry["moves"][kind])
    scale = np.array([each[name] for name in "abc"])
    return [Left(row, z, each["low"], each["high"])
            for row, z in zip(moved, divided(moved, scale).tolist(), strict=True)]  # fmt: skip


class Part:
    """Figures whose ends are moved out, beside others whose ends stay."""

    def __init__(self, searched: Sequence[Left], beside: Sequence[Left] = ()) -> None:
        every = [*searched, *beside]
        self.z, self.low, self.high = np.array([each[1:] for each in every]).reshape(-1, 3).T
        self.moves = np.arange(len(every)) < len(searched)
        names = [each.row.case.table for each in every]
        self.names, self.tables = list(dict.fromkeys(names)), _places(names)
        sets = _places([(each.row.case.table, each.row.case.columns) for each in every])
        self.weights: Floats = 1.0 / np.bincount(sets)[sets]

    def coverage(self, ends: Ends, without: int = -1) -> Floats:
        """Of all figures, then by table, each set of columns with the same weight."""
        low, high = (np.where(self.moves, each, 1.0) for each in ends)
        inside = (self.low * low <= self.z) & (self.z <= self.high * high)
        weights = np.where(self.tables == without, 0.0, self.weights)
        held = np.bincount(self.tables, weights * inside)
        every = np.bincount(self.tables, weights)
        kept = every > 0.0
        found: Floats = np.concatenate([[held.sum() / every.sum()], held[kept] / every[kept]])
        return found

    def ends(self, every_table: bool, without: int = -1) -> Ends:
        """f_lo and f_hi."""
        both = _smallest(lambda f: self.coverage((f, f), without)[0] >= AIM)
        if not every_table:
            return both, both
        low = _smallest(
            lambda f: self.coverage((both * f, both), without)[1:].min() >= ON_EVERY_TABLE
        )
        return both * low, both

    def held_by_others(self) -> dict[str, float]:
        """By table, coverage with f_lo and f_hi chosen without it."""
        return {
            name: float(self.coverage(self.ends(True, place))[place + 1])
            for place, name in enumerate(self.names)
        }


def _smallest(enough: Callable[[float], Any]) -> float:
    powers = [STEP**step for step in range(MOST_STEPS)]
    return next((power for power in powers if enough(power)), 1.0)


def _places(keys: Sequence[Any]) -> Ints:
    known = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    return np.array([known[key] for key in keys], dtype=np.int64)


def beside(chosen: Sequence[Left], other: Sequence[Left]) -> list[Left]:
    """What another model answers, where the chosen one wasn't fitted."""
    fitted = {_key(each) for each in chosen}
    return [each for each in other if _key(each) not in fitted]


def _key(left: Left) -> tuple[Any, ...]:
    return left.row.case.table, left.row.case.columns, left.row.protection
