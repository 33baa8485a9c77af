"""View: which attributes are seen, each at which level, and the lattice all views form.

A view gives attribute j a level l_j from 0 (hidden) to its height h_j (as recorded); an attacker's
knowledge has heights of 1. View v is coarser than w, v ≤ w, when no level of v is higher. Seeing
more splits crowds, so along ≤ the number of crowds never falls and no crowd grows.

Written as bits, attribute j takes h_j of them, of which a view sets the l_j lowest, and
v ≤ w ⇔ bits(v) & ~bits(w) = 0. All searches work on these whole numbers (of any length).

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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import NamedTuple

from reidrisk.errors import InputError
from reidrisk.machine import Progress

View = tuple[int, ...]
Bits = int

# Without a word on how many attributes, the sizes whose views are at most this many are searched.
USUALLY_MANY = 200_000


class Step(NamedTuple):
    """One hidden attribute comes to be seen at a level."""

    attribute: int
    level: int


@dataclass(frozen=True)
class Lattice:
    """The views of some attributes that see at least one and at most `up_to` of them."""

    names: tuple[str, ...]
    heights: tuple[int, ...]
    up_to: int
    _starts: tuple[int, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        starts = [0]
        for height in self.heights:
            starts.append(starts[-1] + height)
        object.__setattr__(self, "_starts", tuple(starts))

    @classmethod
    def of_knowledge(cls, names: Sequence[str], up_to: int | None = None) -> Lattice:
        """Each attribute hidden or seen as recorded."""
        d = len(names)
        if up_to is not None and not 1 <= up_to <= d:
            raise InputError(
                f"--up-to {up_to}: of {d} attributes between 1 and {d} can be known",
            )
        return cls(tuple(names), (1,) * d, usual_size((1,) * d) if up_to is None else up_to)

    @property
    def attributes(self) -> int:
        """How many attributes there are."""
        return len(self.names)

    def bits(self, view: View) -> Bits:
        """The view as a whole number."""
        steps = (Step(j, level) for j, level in enumerate(view) if level)
        return sum(self.raised(step) for step in steps)

    def view(self, bits: Bits) -> View:
        """The levels behind a whole number."""
        return tuple(
            ((bits >> start) & ((1 << height) - 1)).bit_length()
            for start, height in zip(self._starts, self.heights, strict=False)
        )

    def seen(self, bits: Bits) -> tuple[int, ...]:
        """The attributes that aren't hidden."""
        return tuple(j for j, level in enumerate(self.view(bits)) if level)

    def columns(self, bits: Bits) -> tuple[str, ...]:
        """Their names."""
        return tuple(self.names[j] for j in self.seen(bits))

    def raised(self, step: Step) -> Bits:
        """The bits that a step sets."""
        return ((1 << step.level) - 1) << self._starts[step.attribute]

    @cached_property
    def steps(self) -> dict[Bits, Step]:
        """The step behind the bits it sets."""
        every = (Step(j, level) for j in range(self.attributes) for level in self.levels(j))
        return {self.raised(step): step for step in every}

    def levels(self, attribute: int) -> range:
        """The levels at which an attribute is seen."""
        return range(1, self.heights[attribute] + 1)

    def from_on(self, first: int) -> Bits:
        """Everything that attributes from `first` on may show."""
        return (1 << self._starts[-1]) - (1 << self._starts[first])

    def next_bits(self, bits: Bits) -> Iterator[Bits]:
        """For each attribute not yet as recorded: the one bit that raises it a level."""
        for j, level in enumerate(self.view(bits)):
            if level < self.heights[j]:
                yield 1 << (self._starts[j] + level)

    @cached_property
    def _exactly(self) -> list[list[int]]:
        """[first][k]: ways to see exactly k of the attributes from `first` on."""
        found = [[1, *[0] * self.attributes]]
        for height in reversed(self.heights):
            after = found[0]
            found.insert(0, [1, *(after[k] + height * after[k - 1] for k in range(1, len(after)))])
        return found

    def exactly(self, first: int, number: int) -> int:
        """How many ways there are to see exactly `number` of the attributes from `first` on."""
        return self._exactly[first][number] if 0 <= number <= self.attributes else 0

    def above(self, first: int, most: int) -> int:
        """How many ways there are to see at least one and at most `most` of them."""
        return self._above[first][min(max(most, 0), self.attributes)]

    @cached_property
    def _above(self) -> list[list[int]]:
        return [[sum(ways[1 : k + 1]) for k in range(len(ways))] for ways in self._exactly]

    @property
    def views(self) -> int:
        """How many views there are to decide on."""
        return self.above(0, self.up_to)

    def all_bits(self) -> Iterator[Bits]:
        """Every view; only for lattices that can be listed."""
        waiting: list[tuple[Bits, int, int]] = [(0, 0, self.up_to)]
        while waiting:
            bits, first, left = waiting.pop()
            for j in range(first, self.attributes if left else first):
                for level in self.levels(j):
                    one = bits | self.raised(Step(j, level))
                    yield one
                    waiting.append((one, j + 1, left - 1))


def usual_size(heights: Iterable[int]) -> int:
    """The largest number of attributes whose views are at most `USUALLY_MANY` together; 1 at least.

    Everything up to 17 attributes, four of 41, three of 100.
    """
    ways = [1]
    for height in heights:
        longer = [*ways, 0]
        ways = [1, *(longer[k] + height * longer[k - 1] for k in range(1, len(longer)))]
    most, views = 1, ways[1]
    while most + 1 < len(ways) and views + ways[most + 1] <= USUALLY_MANY:
        most += 1
        views += ways[most]
    return most


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
