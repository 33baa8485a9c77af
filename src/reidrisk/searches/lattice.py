"""View: which attributes are seen, each at which level, and the lattice all views form.

A view gives attribute j a level l_j from 0 (hidden) to its height h_j (as recorded); an attacker's
knowledge has heights of 1. View v is coarser than w, v ≤ w, when no level of v is higher. Seeing
more splits crowds, so along ≤ the number of crowds never falls and no crowd grows.

Written as bits, attribute j takes h_j of them, of which a view sets the l_j lowest, and
v ≤ w ⇔ bits(v) & ~bits(w) = 0. All searches work on these whole numbers (of any length).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from reidrisk.errors import InputError

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
