"""Standing out: of the people who hold a value, how many are alone.

With T the tuples of a table and p_t people in each, value v of an attribute is held by
h_v = Σ_{t: v} p_t people, of whom a_v = #{t: v, p_t = 1} are alone; a_v / h_v is the share told.

Where it fails: of a value that few people hold nearly all are alone, which says more about the few
than about the value. So values held by fewer than `fewest` people are only counted, not listed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reidrisk.engines import Table
from reidrisk.engines.coded_tuples import CodedTuples
from reidrisk.errors import ContradictoryOptions

Whole = NDArray[np.int64]


@dataclass(frozen=True)
class HeldValue:
    """A value (None: the empty cell), the people who hold it, and how many of them are alone."""

    column: str
    value: str | None
    people: int
    alone: int

    @property
    def alone_share(self) -> float:
        """a_v / h_v."""
        return self.alone / self.people


@dataclass(frozen=True)
class StandingOut:
    """The values whose holders are most often alone, and how many values one person holds alone."""

    values: tuple[HeldValue, ...]
    fewest: int
    # {column: values that only one person holds}.
    held_once: dict[str, int]


def standing_out(table: Table, fewest: int | None = None, most: int = 10) -> StandingOut:
    """The `most` values, at most a third of one column, whose holders are most often alone.

    By default values count that one in a thousand people hold, and 20 at least.
    """
    fewest = max(20, table.people // 1000) if fewest is None else fewest
    seeing = table.engine.seeing
    if seeing.person is not None or seeing.missing == "wildcard":
        raise ContradictoryOptions(
            "who stands out is counted by tuples, which --person and --missing wildcard don't have"
        )
    tuples, held = table.engine.coded_tuples(table.columns).each_once()
    listed: list[HeldValue] = []
    once = {}
    for place, name in enumerate(tuples.columns):
        people, alone = tuples.held[place], _alone(tuples, held, place)
        once[name] = int(np.count_nonzero(people == 1))
        texts = tuples.values[place]
        for code in np.flatnonzero((people >= fewest) & (alone > 0)).tolist():
            value = texts[code].as_py() if code < len(texts) else None
            listed.append(HeldValue(name, value, int(people[code]), int(alone[code])))
    listed.sort(key=lambda each: (-each.alone_share, -each.people))
    return StandingOut(tuple(_mixed(listed, most)), fewest, once)


def _alone(tuples: CodedTuples, people: Whole, place: int) -> Whole:
    """People alone, by value; the empty cell last."""
    return np.bincount(tuples.codes[place][people == 1], minlength=len(tuples.held[place]))


def _mixed(listed: list[HeldValue], most: int) -> list[HeldValue]:
    """No column takes more than a third of the room: fifty postcodes would say one thing."""
    room = max(most // 3, 1)
    taken: dict[str, int] = {}
    chosen: list[HeldValue] = []
    for each in listed:
        if taken.get(each.column, 0) < room and len(chosen) < most:
            taken[each.column] = taken.get(each.column, 0) + 1
            chosen.append(each)
    return chosen
