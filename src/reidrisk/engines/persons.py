"""Persons: a person is the multiset of their rows.

Two people share a crowd when they have the same tuples, each equally often. A person's rows are
sorted and folded one after the other into a number, state ← rank of (state, next tuple): exact,
nothing is hashed. Persons with different numbers of rows never meet.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.engines.packing import Keys, renumbered

Whole = NDArray[np.int64]


class _Rows(NamedTuple):
    """Rows sorted by person, then tuple: where each person's begin and how many they are."""

    tuples: Whole
    starts: Whole
    lengths: Whole


def crowd_of_each_person(keys: Keys, person_of: NDArray[np.integer], persons: int) -> Whole:
    """The crowd size of each person; `person_of` numbers each record's person from 0."""
    rows = _sorted_rows(keys, person_of, persons)
    crowd = np.zeros(persons, dtype=np.int64)
    active = np.flatnonzero(rows.lengths > 0)
    state = np.zeros(persons, dtype=np.int64)
    span = int(rows.tuples.max()) + 1 if len(rows.tuples) else 1
    step = 0
    while len(active):
        following = rows.tuples[rows.starts[active] + step]
        state[active] = renumbered(Keys(state[active] * span + following, 1 << 62)).keys
        step += 1
        finished = active[rows.lengths[active] == step]
        crowd[finished] = np.bincount(state[finished])[state[finished]] if len(finished) else 0
        active = active[rows.lengths[active] > step]
    return crowd


def _sorted_rows(keys: Keys, person_of: NDArray[np.integer], persons: int) -> _Rows:
    tuples = renumbered(keys).keys
    order = np.lexsort((tuples, person_of))
    lengths = np.bincount(person_of, minlength=persons)
    return _Rows(tuples[order], np.cumsum(lengths) - lengths, lengths)
