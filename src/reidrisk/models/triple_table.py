"""A triple table: how many people hold each three values of three attributes.

Few of all possible cells hold anybody (a date, a place and an age), so only those are kept: sorted
by their places, (a·k_b + b)·k_c + c for value a of the first attribute, b of the second and c of
the third, where k is how many values an attribute has. A cell that isn't kept holds nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reidrisk.arrays import Codes, Floats, Ints, Places

Triple = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class TripleTable:
    """Cell i stands at place `keys[i]`, rising, and holds `people[i]` people."""

    shape: Triple
    keys: Ints
    people: Floats

    @classmethod
    def of(cls, shape: Triple, codes: Codes, people: Floats) -> TripleTable:
        """From cells in any order, a row of `codes` each; equal ones are added up."""
        keys = _key(shape, codes.T)
        used, place = np.unique(keys, return_inverse=True)
        total = np.bincount(place.ravel(), people, len(used)).astype(np.float64)
        held = total > 0.0
        return cls(shape, used[held], total[held])

    @property
    def codes(self) -> Ints:
        """The values of each cell, a row each."""
        _, middle, last = self.shape
        rest, third = np.divmod(self.keys, last)
        return np.stack([*np.divmod(rest, middle), third], axis=1)

    def places(self, values: Sequence[Codes] | Codes) -> Places:
        """Which cell three columns of values fall in; `len(keys)` where nobody is."""
        keys = _key(self.shape, values)
        found = np.searchsorted(self.keys, keys)
        at = np.minimum(found, max(len(self.keys) - 1, 0))
        there = self.keys[at] == keys if len(self.keys) else np.zeros(len(keys), dtype=bool)
        return np.where(there, found, len(self.keys))

    def at(self, values: Sequence[Codes] | Codes) -> Floats:
        """How many people hold these values; nobody in a cell that isn't kept."""
        return np.append(self.people, 0.0)[self.places(values)]

    def turned(self, order: Sequence[int]) -> TripleTable:
        """The same with the attributes in another order."""
        if tuple(order) == (0, 1, 2):
            return self
        first, second, third = (self.shape[side] for side in order)
        return TripleTable.of((first, second, third), self.codes[:, list(order)], self.people)

    def pair(self, one: int, other: int) -> Floats:
        """The pair table of two of its sides."""
        codes, shape = self.codes, (self.shape[one], self.shape[other])
        flat = codes[:, one] * shape[1] + codes[:, other]
        found = np.bincount(flat, self.people, shape[0] * shape[1]).astype(np.float64)
        return found.reshape(shape)


def _key(shape: Triple, values: Sequence[Codes] | Codes) -> Ints:
    first, second, third = (np.asarray(column, dtype=np.int64) for column in values)
    return np.asarray((first * shape[1] + second) * shape[2] + third)
