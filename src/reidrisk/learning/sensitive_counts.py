"""SensitiveCounts: how many people of each crowd have each value of a sensitive column.

Everything that is said of learning follows from these counts. Symbols, here and in the modules
beside: crowd c has n_c people, n_cs of them with value s; m_s people have s in all, n people there
are; p_cs = n_cs/n_c is how an attacker sees somebody of the crowd (posterior), p_s = m_s/n how
anybody sees anyone (prior).

Crowds of a single value that are as large as each other are listed once, with how many they are: of
a large table most crowds are such, and nothing that is said of learning tells them apart.

Of persons with several rows the crowd is that of all their rows, and the sensitive value is the set
of values that their rows hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from reidrisk.arrays import Floats, Ints
from reidrisk.crowds import CrowdSizes
from reidrisk.records import (
    CodedPeople,
    CodedPersons,
    Keys,
    described,
    number_of_each_person,
    numbered,
    people_per_key,
    summed,
)


@dataclass(frozen=True, eq=False)
class SensitiveCounts:
    """Cell i: `people[i]` people of crowd `crowd[i]` have the value of code `value[i]`.

    Cells are in the order of their crowds, which are numbered 0, 1, 2 … without gaps; each holds
    somebody and is listed once. Crowd c stands for `alike[c]` crowds of the same people by value.
    `labels` are the values' texts, None the empty cell.
    """

    column: str
    crowd: Ints
    value: Ints
    people: Ints
    labels: tuple[str | None, ...]
    alike: Ints

    @cached_property
    def starts(self) -> Ints:
        """Where each crowd's cells begin."""
        return np.flatnonzero(np.diff(self.crowd, prepend=-1))

    @cached_property
    def sizes(self) -> Ints:
        """n_c."""
        return np.add.reduceat(self.people, self.starts)

    @cached_property
    def all_people(self) -> Ints:
        """The people of each cell, in all crowds alike."""
        return self.people * self.alike[self.crowd]

    @cached_property
    def crowd_sizes(self) -> CrowdSizes:
        """The histogram of all crowds."""
        sizes, place = np.unique(self.sizes, return_inverse=True)
        return CrowdSizes(sizes, summed(place, len(sizes), self.alike))

    @cached_property
    def totals(self) -> Ints:
        """m_s, by code; a value that nobody has counts 0."""
        return summed(self.value, len(self.labels), self.all_people)

    @cached_property
    def n(self) -> int:
        """How many people there are."""
        return int(self.all_people.sum())

    @cached_property
    def distinct(self) -> Ints:
        """How many values each crowd has."""
        return np.diff(self.starts, append=len(self.crowd))

    @cached_property
    def most(self) -> Ints:
        """max_s n_cs."""
        return np.maximum.reduceat(self.people, self.starts)

    @cached_property
    def posterior(self) -> Floats:
        """p_cs of each cell."""
        return np.asarray(self.people / self.sizes[self.crowd])

    @cached_property
    def prior(self) -> Floats:
        """p_s, by code."""
        return np.asarray(self.totals / self.n)

    @property
    def values(self) -> int:
        """How many values somebody has, the empty cell among them."""
        return int(np.count_nonzero(self.totals))

    @property
    def without_value(self) -> int:
        """People whose cell is empty."""
        return sum(
            int(people)
            for label, people in zip(self.labels, self.totals.tolist(), strict=True)
            if label is None
        )

    @cached_property
    def certain(self) -> Ints:
        """Crowds in which everybody has the same value, one that isn't empty."""
        told = np.array([label is not None for label in self.labels])
        return np.flatnonzero((self.distinct == 1) & told[self.value[self.starts]])

    def by_value(self, chance: Floats) -> Floats:
        """Σ over people of each cell's chance, by the cell's value."""
        weights = chance * self.all_people
        return np.asarray(np.bincount(self.value, weights=weights, minlength=len(self.labels)))


def sensitive_counts(
    people: CodedPeople,
    places: Sequence[int],
    sensitive: int,
    threads: int = 1,
    each_crowd: bool = False,
) -> SensitiveCounts:
    """Count the column at `sensitive` in the crowds of those at `places`.

    `each_crowd` lists crowds of one value one by one as well.
    """
    if isinstance(people, CodedPersons):
        keys, labels = _keys_of_persons(people, places, sensitive)
    else:
        keys = people.keys((*places, sensitive))
        texts = people.values[sensitive] if people.values else ()
        labels = labels_of(texts, people.cardinalities[sensitive])
    crowd, value, amount = cells_of(keys, len(labels), people.people, threads)
    alike = np.ones(int(crowd[-1]) + 1, dtype=np.int64)
    every = SensitiveCounts(people.columns[sensitive], crowd, value, amount, labels, alike)
    return every if each_crowd else _merged(every)


def _merged(every: SensitiveCounts) -> SensitiveCounts:
    """Crowds of one value that are as large as each other become one, before all others."""
    single = (every.distinct == 1)[every.crowd]
    value, amount = every.value[single], every.people[single]
    if not len(value):
        return every
    width = len(every.labels)
    held, alike = people_per_key(Keys(amount * width + value, (int(amount.max()) + 1) * width))
    several = ~single
    crowd = np.concatenate([np.arange(len(held)), _renumbered(every.crowd[several], len(held))])
    return replace(
        every,
        crowd=crowd,
        value=np.concatenate([held % width, every.value[several]]),
        people=np.concatenate([held // width, every.people[several]]),
        alike=np.concatenate([alike, np.ones(int(crowd[-1]) + 1 - len(held), dtype=np.int64)]),
    )


def _renumbered(crowd: Ints, first: int) -> Ints:
    return numbered(crowd).astype(np.int64) + first if len(crowd) else crowd


def cells_of(
    keys: Keys, width: int, people: Ints | None, threads: int = 1
) -> tuple[Ints, Ints, Ints]:
    """Crowd, value and people of each cell, from keys whose last digit, below `width`, is the
    value.
    """
    held, amount = people_per_key(keys, people, threads)
    crowd, value = np.divmod(held, max(width, 1))
    return numbered(crowd).astype(np.int64), value.astype(np.int64), amount


def labels_of(texts: Iterable[object], width: int) -> tuple[str | None, ...]:
    """The text of each of `width` codes: the empty cell comes after the last text."""
    named: list[str | None] = [str(text) for text in texts]
    return (*named, *(None for _ in range(width - len(named))))


def _keys_of_persons(
    people: CodedPersons, places: Sequence[int], sensitive: int
) -> tuple[Keys, tuple[str | None, ...]]:
    crowds = people.numbered(places)
    sets, labels = sets_of_values(people, sensitive)
    return Keys(crowds.numbers * len(labels) + sets, crowds.span * len(labels)), labels


def sets_of_values(people: CodedPersons, place: int) -> tuple[Ints, tuple[str | None, ...]]:
    """Each listed person's set of values of a column as a number, and what the sets are called."""
    width = people.cardinalities[place]
    pairs = np.unique(people.person_of * width + people.tuples.codes[place])
    person, code = np.divmod(pairs, width)
    numbers, span = number_of_each_person(Keys(code, width), person, len(people.people))
    first = np.zeros(span, dtype=np.int64)
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]
    texts = labels_of(people.values[place], width)
    starts = np.searchsorted(person, np.arange(len(numbers) + 1))
    return numbers, tuple(
        described([texts[each] for each in code[starts[one] : starts[one + 1]].tolist()])
        for one in first.tolist()
    )
