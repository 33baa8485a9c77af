"""Knowledge: all that a model predicts from, as arrays.

n people; for each attribute how many hold each of its values, which add up to n; and for some pairs
of attributes how many hold each pair of values, whose rows and columns add up to the attributes'
counts. Values are numbered; what they are called doesn't matter here.

ValueCounts: how many values of an attribute are held by how many people.

All that an independent law asks of an attribute. Equal counts are one entry, so an attribute with
a million values held by one or two people each costs no more than a yes/no question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Codes, Counts, Floats
from reidrisk.crowds import histogram


@dataclass(frozen=True, eq=False)
class Knowledge:
    """n people, their attributes' counts, and pair tables by the places of two attributes (i < j).

    A pair table has a row for each value of attribute i, a column for each of j; its cells are
    people, whole numbers where they were counted, expectations where they were worked out.
    """

    n: int
    names: tuple[str, ...]
    counts: tuple[Counts, ...]
    pairs: Mapping[tuple[int, int], Floats] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, counts in zip(self.names, self.counts, strict=True):
            if int(counts.sum()) != self.n:
                raise ValueError(f"the counts of {name!r} add up to {counts.sum()}, not {self.n}")
        for (i, j), cells in self.pairs.items():
            if not i < j or cells.shape != (len(self.counts[i]), len(self.counts[j])):
                raise ValueError(f"the pair table of {i} and {j} doesn't fit its attributes")

    @property
    def shares(self) -> tuple[Floats, ...]:
        """p_j(v) = n_j(v)/n."""
        return tuple(counts / self.n for counts in self.counts)

    def counts_of(self, codes: Codes) -> Floats:
        """How many people hold each value of each tuple, n_j(t_j)."""
        columns = [counts[codes[:, place]] for place, counts in enumerate(self.counts)]
        return np.stack(columns, axis=1).astype(np.float64)

    def pair(self, i: int, j: int) -> Floats | None:
        """The pair table with attribute i's values as rows; None without one."""
        if i < j:
            return self.pairs.get((i, j))
        turned = self.pairs.get((j, i))
        return None if turned is None else turned.T

    def of(self, places: Sequence[int]) -> Knowledge:
        """What is known of some of the attributes, in the order given."""
        pairs = {}
        for a in range(len(places)):
            for b in range(a + 1, len(places)):
                cells = self.pair(places[a], places[b])
                if cells is not None:
                    pairs[a, b] = cells
        return Knowledge(
            self.n,
            tuple(self.names[place] for place in places),
            tuple(self.counts[place] for place in places),
            pairs,
        )


@dataclass(frozen=True)
class ValueCounts:
    """`values[i]` values of the attribute are held by `counts[i]` people each, of n in all."""

    counts: NDArray[np.int64]
    values: NDArray[np.int64]
    n: int

    @classmethod
    def of(cls, each_value: NDArray[np.int64], n: int) -> ValueCounts:
        """From the count of each value; a value nobody holds is no value."""
        counts, values = histogram(np.asarray(each_value, dtype=np.int64))
        held = int(np.dot(counts, values))
        if held != n:
            raise ValueError(f"the counts of an attribute add up to {held}, not to {n} people")
        return cls(counts, values, n)

    @property
    def number(self) -> int:
        """How many values there are."""
        return int(self.values.sum())

    @property
    def mass(self) -> Floats:
        """Share of all people who hold a value of each count, counts·values/n."""
        return self.counts * self.values / self.n

    @property
    def entropy(self) -> float:
        """H(A) = −Σ_v p_v log2 p_v, in bits."""
        return float(-np.dot(self.mass, np.log2(self.counts / self.n))) + 0.0


def distinguishing_attributes(each: Sequence[NDArray[np.int64]], n: int) -> list[ValueCounts]:
    """The attributes that tell people apart, from the count of each of their values."""
    return distinguishing([ValueCounts.of(counts, n) for counts in each])


def distinguishing(attributes: Sequence[ValueCounts]) -> list[ValueCounts]:
    """The attributes with two values or more, most values first; the others split nobody."""
    several = [attribute for attribute in attributes if attribute.number > 1]
    return sorted(several, key=lambda attribute: attribute.number, reverse=True)
