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


class Numbered(NamedTuple):
    """A number for each person, the same for the same multiset of rows; all are below `span`."""

    numbers: Whole
    span: int


def number_of_each_person(keys: Keys, person_of: NDArray[np.integer], persons: int) -> Numbered:
    """Number the multisets 0, 1, 2 …, fewer rows first; everybody has a row."""
    rows = _sorted_rows(keys, person_of, persons)
    numbers = np.zeros(persons, dtype=np.int64)
    active = np.arange(persons)
    state = np.zeros(persons, dtype=np.int64)
    width = int(rows.tuples.max()) + 1 if len(rows.tuples) else 1
    step, span, states = 0, 0, 1
    while len(active):
        following = rows.tuples[rows.starts[active] + step]
        state[active], states = renumbered(Keys(state[active] * width + following, states * width))
        step += 1
        last = rows.lengths[active] == step
        finished = active[last]
        if len(finished):
            mine = renumbered(Keys(state[finished], len(active)))
            numbers[finished] = mine.keys.astype(np.int64) + span
            span += mine.span
        active = active[~last]
    return Numbered(numbers, span)


def crowd_of_each_person(keys: Keys, person_of: NDArray[np.integer], persons: int) -> Whole:
    """The crowd size of each person; `person_of` numbers each record's person from 0."""
    numbers, span = number_of_each_person(keys, person_of, persons)
    return np.bincount(numbers, minlength=span)[numbers]


def _sorted_rows(keys: Keys, person_of: NDArray[np.integer], persons: int) -> _Rows:
    tuples, span = renumbered(keys)
    # Both are below the number of rows, so that one whole number holds them.
    both = np.multiply(person_of, span, dtype=np.int64)
    both += tuples
    both.sort()
    lengths = np.bincount(person_of, minlength=persons)
    return _Rows(both % span, np.cumsum(lengths) - lengths, lengths)
