"""The ratio: how much more a combination gives away than the most telling of its attributes.

For a person whose value of attribute j is shared by f_j people, and whose tuple over combination S
by f_S (attack paper, algorithm 5; its printed ratio is unreadable, this is the reading taken):

    z = Pr(re-id | S) / max_{j∈S} Pr(re-id | j) = min_{j∈S} f_j / f_S ≥ 1

A combination is told by mean, median (the lower one) and largest z over people, and by the share of
people with z > Y. Everybody in a crowd has the same z, so crowds are enough: with w people in crowd
c, the mean is Σ_c min_j f_j / n.

Where it fails: z compares, it doesn't measure. Two rare values that always occur together have
z = 1, however few people hold them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.engines.coded_persons import CodedPeople

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]


class Ratios(NamedTuple):
    """z over people: mean, median, largest, and the share of people above the criterion."""

    mean: float
    median: float
    largest: float
    share_above: float


@dataclass(frozen=True, eq=False)
class RatioCounting:
    """One table."""

    tuples: CodedPeople

    def ratios(self, attributes: Sequence[int], above: float) -> Ratios:
        """z of everybody for one combination."""
        crowd, single, people = self.tuples.crowds_beside_single(attributes)
        return ratios_of(single / crowd, people, above)


def ratios_of(z: Floats, people: Whole, above: float) -> Ratios:
    """What is told of z, each held by so many people."""
    total = int(people.sum())
    order = np.argsort(z)
    reached = np.cumsum(people[order])
    middle = order[np.searchsorted(reached, (total + 1) // 2)]
    return Ratios(
        float(np.dot(z, people)) / total,
        float(z[middle]),
        float(z.max()),
        int(people[z > above].sum()) / total,
    )
