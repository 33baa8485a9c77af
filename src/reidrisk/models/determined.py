"""Attributes that another determines are left out of a fit, and put back afterwards.

Where every value a of one attribute goes with a single value f(a) of another (a town lies in one
province), the other says nothing of its own: its counts and pair tables are sums of those of the
first, x_bk = Σ_{a: f(a) = b} x_ak. A law fitted without it is the same law, in fewer sweeps over
fewer tables; a value of the first can be changed without the other one standing in the way, and no
count narrows a crowd twice (`narrowing`).

An attribute stays where one of its pair tables isn't the sum of another one: it then adds to what
is known, or the tables contradict each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Codes, Floats, Rows
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.tuple_law import WHOLE

Coded = TypeVar("Coded", Codes, Rows)


class Determined(NamedTuple):
    """The attribute in `place` has the value `values[a]` wherever that in `by` has value a."""

    place: int
    by: int
    values: Rows


@dataclass(frozen=True, eq=False)
class Free:
    """What is known of the attributes that stay, their places, and how the others follow."""

    knowledge: Knowledge
    places: tuple[int, ...]
    determined: tuple[Determined, ...]

    @classmethod
    def all_of(cls, knowledge: Knowledge) -> Free:
        """All attributes stay."""
        return cls(knowledge, tuple(range(len(knowledge.names))), ())

    def of(self, rows: Coded) -> Coded:
        """The columns that stay."""
        return rows[:, list(self.places)] if self.determined else rows

    def whole(self, rows: Rows) -> Rows:
        """Rows of the attributes that stay, with all others put back."""
        if not self.determined:
            return rows
        every = np.empty((len(rows), len(self.places) + len(self.determined)), dtype=np.int32)
        every[:, list(self.places)] = rows
        for place, by, values in reversed(self.determined):
            every[:, place] = values[every[:, by]]
        return every

    def possible(self, codes: Codes) -> NDArray[np.bool_]:
        """Whether each tuple's determined values are those that follow from the others."""
        possible = np.ones(len(codes), dtype=bool)
        for place, by, values in self.determined:
            possible &= codes[:, place] == values[codes[:, by]]
        return possible


def free_attributes(knowledge: Knowledge) -> Free:
    """Leave out one determined attribute after the other."""
    places, determined = list(range(len(knowledge.names))), []
    while (next_one := _determined(knowledge, places)) is not None:
        places.remove(next_one.place)
        determined.append(next_one)
    if not determined:
        return Free.all_of(knowledge)
    return Free(knowledge.of(places), tuple(places), tuple(determined))


def _determined(knowledge: Knowledge, places: list[int]) -> Determined | None:
    """The first attribute among some that one of the others determines."""
    for place in places:
        for by in places:
            cells = knowledge.pair(by, place) if by != place else None
            if cells is None or np.any(np.count_nonzero(cells, axis=1) > 1):
                continue
            values = np.argmax(cells, axis=1).astype(np.int32)
            if _follows(knowledge, places, Determined(place, by, values)):
                return Determined(place, by, values)
    return None


def _follows(knowledge: Knowledge, places: list[int], found: Determined) -> bool:
    """Whether all that is known of an attribute are sums of what is known of the other one."""
    counts = knowledge.counts[found.place], knowledge.counts[found.by]
    tables = [(counts[0].astype(np.float64), counts[1].astype(np.float64))]
    for other in places:
        cells = knowledge.pair(found.place, other) if other not in found[:2] else None
        if cells is not None:
            finer = knowledge.pair(found.by, other)
            if finer is None:
                return False
            tables.append((cells, finer))
    return all(np.allclose(_summed(finer, found.values, len(cells)), cells, rtol=0.0, atol=WHOLE)
               for cells, finer in tables)  # fmt: skip


def _summed(cells: Floats, values: Rows, rows: int) -> Floats:
    total = np.zeros((rows, *cells.shape[1:]))
    np.add.at(total, values, cells)
    return total
