"""Searched: what became of every view, and when a search has to stop.

Every view of a lattice is counted, decided without counting by a named rule, or open. Rules:

- ``risky_subset``    it sees all that a risky view sees;
- ``safe_superset``   a view that sees more is safe;
- ``determined``      an attribute follows from another, so it has the crowds of a safe view;
- ``value_bound``     too few crowds are possible: D(S + i) ≤ Σ_v min(n_i(v), D(S));
- ``product_bound``   likewise, D(A ∪ B) ≤ D(A)·D(B);
- ``over_budget``     its attributes cost too much;
- ``dominated``       a view counted reaches as much for no more cost.

Open views are told as regions: each view of a region sees all of `base` and at least one attribute
of `any_of`. It sees more than `floor` and no more than `roof`, both counted, so that its score lies
between theirs, `low` and `high`.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from threading import Lock
from typing import NamedTuple

from reidrisk.errors import InputError
from reidrisk.parallel import Progress
from reidrisk.searches.lattice import Bits
from reidrisk.searches.scorer import Score


class Region(NamedTuple):
    """Views that weren't decided: how many, and the scores they lie between."""

    floor: Bits
    base: Bits
    any_of: tuple[int, ...]
    roof: Bits
    views: int
    low: Score
    high: Score


@dataclass(eq=False)
class Decided:
    """What a part of a search came to."""

    counted: int = 0
    # Ceilings, counted besides: they may lie beyond the views that were asked about.
    ceilings: int = 0
    pruned: Counter[str] = field(default_factory=Counter)
    regions: list[Region] = field(default_factory=list)

    def add(self, other: Decided) -> None:
        """Take in another part."""
        self.counted += other.counted
        self.ceilings += other.ceilings
        self.pruned.update(other.pruned)
        self.regions.extend(other.regions)

    @property
    def open(self) -> int:
        """Views not decided."""
        return sum(region.views for region in self.regions)

    @property
    def complete(self) -> bool:
        """Whether every view is decided."""
        return not self.regions


@dataclass(eq=False)
class Limits:
    """When to stop, and who is told how far it has come."""

    seconds: float | None = None
    most_views: int | None = None
    progress: Progress | None = None
    views: int = 0
    began: float = field(default_factory=time.monotonic)
    taken: int = 0
    settled: int = 0
    _turn: Lock = field(default_factory=Lock, repr=False)

    def __post_init__(self) -> None:
        if self.seconds is not None and not self.seconds > 0:
            raise InputError("--time-limit needs a number of seconds above 0")
        if self.most_views is not None and self.most_views < 1:
            raise InputError("--view-limit needs a whole number from 1")

    def again(self, searches: int = 1) -> Limits:
        """The same for another search, begun now; for one of several, its part of the time."""
        seconds = None if self.seconds is None else self.seconds / searches
        return Limits(seconds, self.most_views, self.progress)

    @property
    def any(self) -> bool:
        """Whether there is one."""
        return self.seconds is not None or self.most_views is not None

    @property
    def reached(self) -> bool:
        """Whether nothing more may be counted."""
        return self.late or (self.most_views is not None and self.taken >= self.most_views)

    @property
    def late(self) -> bool:
        """Whether the time is over."""
        return self.seconds is not None and time.monotonic() - self.began > self.seconds

    def allowed(self, wanted: int) -> int:
        """How many of so many views may be counted now; they are taken as counted."""
        if self.reached:
            return 0
        with self._turn:
            left = wanted if self.most_views is None else self.most_views - self.taken
            allowed = max(min(wanted, left), 0)
            self.taken += allowed
        return allowed

    def tell(self, pruned: int) -> None:
        """So many more views were decided without counting."""
        with self._turn:
            self.settled += pruned
        if self.progress is not None:
            self.progress("views counted", min(self.taken, self.views), self.views)
            self.progress("views pruned", min(self.settled, self.views), self.views)
