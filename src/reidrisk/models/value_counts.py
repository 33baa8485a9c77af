"""ValueCounts: how many values of an attribute are held by how many people.

All that an independent law asks of an attribute. Equal counts are one entry, so an attribute with
a million values held by one or two people each costs no more than a yes/no question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reidrisk.crowds.crowd_sizes import histogram

Floats = NDArray[np.float64]


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


def telling_attributes(each: Sequence[NDArray[np.int64]], n: int) -> list[ValueCounts]:
    """The attributes that tell people apart, from the count of each of their values."""
    return telling([ValueCounts.of(counts, n) for counts in each])


def telling(attributes: Sequence[ValueCounts]) -> list[ValueCounts]:
    """The attributes with two values or more, most values first; the others split nobody."""
    several = [attribute for attribute in attributes if attribute.number > 1]
    return sorted(several, key=lambda attribute: attribute.number, reverse=True)
