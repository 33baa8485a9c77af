"""Generated populations in which small counts follow from larger ones, if anything lets them."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Counts, Ints, Mask


class Population(NamedTuple):
    """Records as codes, a row a person; attributes that move together; values never listed."""

    codes: Ints
    sizes: list[int]
    families: list[list[int]]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        return list(combinations(range(len(self.sizes)), 2))

    @property
    def people(self) -> Counts:
        return np.ones(len(self.codes), dtype=np.int64)

    @property
    def never(self) -> list[Mask]:
        """The last value of the last attribute stands for values lumped together."""
        none = [np.zeros(size, dtype=bool) for size in self.sizes]
        none[-1][-1] = True
        return none


KINDS = ("independent", "hierarchy", "band", "twins", "derived", "skip", "skewed")


def population(kind: str, seed: int, n: int = 600) -> Population:
    """Postcode-like, age-like and smaller attributes, dependent in the way that `kind` says."""
    rng = np.random.default_rng([KINDS.index(kind), seed])
    place = rng.choice(12, n, p=rng.dirichlet(np.full(12, 3.0 if kind != "skewed" else 0.4)))
    # Values of fewer people would have been lumped together.
    place[:96] = np.arange(96) % 12
    age = rng.integers(0, 20, n)
    sex = rng.integers(0, 2, n)
    work = (age // 4 + rng.choice(4, n, p=[0.6, 0.25, 0.1, 0.05])) % 6
    columns, families = [place, age, sex, work], []
    if kind == "hierarchy":
        columns.append(place // 4)
        families = [[0, 4]]
    elif kind == "band":
        columns.append(age // 5)
        families = [[1, 4]]
    elif kind == "twins":
        columns.append(5 - work)
        families = [[3, 4]]
    elif kind == "derived":
        columns.append((age > 3).astype(int) * (1 + work % 2))
    elif kind == "skip":
        columns.append(np.where(age < 4, 0, 1 + rng.integers(0, 3, n)))
    else:
        columns.append(np.minimum(rng.geometric(0.5, n) - 1, 4))
    codes = np.stack(columns, axis=1).astype(np.int64)
    return Population(codes, (codes.max(axis=0) + 1).tolist(), families)


def recounted(codes: Ints, people: Counts, sizes: list[int]) -> dict[tuple[int, ...], Counts]:
    """All margins and pair tables, counted the slow way."""
    asked = [*((i,) for i in range(len(sizes))), *combinations(range(len(sizes)), 2)]
    found = {}
    for of in asked:
        table = np.zeros([sizes[i] for i in of], dtype=np.int64)
        np.add.at(table, tuple(codes[:, i] for i in of), people)
        found[of] = table
    return found
