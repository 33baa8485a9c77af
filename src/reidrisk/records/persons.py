"""CodedPersons: people of several rows as codes, people with the same rows listed once.

For questions about very many views of the same columns, as `coded_tuples` is where a row is a
person: the crowds of any of the columns, seen at any level, are those of the multisets of rows.

Persons: a person is the multiset of their rows.

Two people share a crowd when they have the same tuples, each equally often. A person's rows are
sorted and folded one after the other into a number, state ← rank of (state, next tuple): exact,
nothing is hashed. Persons with different numbers of rows never meet.

Described persons: somebody with several rows as one row, for counts of people by value.

A person's value of a column is the set of values their rows hold: the one value mostly, else all of
them, the empty cell as one of them, joined in the order of numbers, then of texts:

    39              [50-60) + [60-70)              private + (missing)

Everybody has one value of each column, so every table of counts adds up to the people. How many
rows somebody has, how often a row has a value and which values stand in one row isn't told: people
described so are no smaller crowds than those of `persons`, and mostly larger ones.

No two sets are described alike: a value in which the joining mark occurs stands in quotes, its own
quotes doubled; so do, among several, one that begins with a quote and one that reads "(missing)".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reidrisk.arrays import Ints
from reidrisk.crowds import CrowdSizes
from reidrisk.records.coded_tuples import CodedTuples
from reidrisk.records.memory.coding import CodedColumn, summed, text_array
from reidrisk.records.memory.packing import Keys, renumbered
from reidrisk.records.sql.queries import rows_of
from reidrisk.records.text_forms import in_order


class _Rows(NamedTuple):
    """Rows sorted by person, then tuple: where each person's begin and how many they are."""

    tuples: Ints
    starts: Ints
    lengths: Ints


class Numbered(NamedTuple):
    """A number for each person, the same for the same multiset of rows; all are below `span`."""

    numbers: Ints
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


def crowd_of_each_person(keys: Keys, person_of: NDArray[np.integer], persons: int) -> Ints:
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


# A row as texts, None for the empty cell.
Row = tuple[str | None, ...]


@dataclass(frozen=True, eq=False)
class CodedPersons:
    """Row i of `tuples` is one of person `person_of[i]`, whose rows `people` people have alike.

    What `tuples` counts are rows, all people's together.
    """

    tuples: CodedTuples
    person_of: Ints
    people: Ints
    # Of single columns, each person's crowd.
    _on_one: dict[int, Ints] = field(default_factory=dict, repr=False)

    @classmethod
    def of_rows(
        cls, tuples: CodedTuples, person_of: NDArray[np.integer], people: Ints
    ) -> CodedPersons:
        """People who have the same rows become one."""
        every = cls(tuples, person_of.astype(np.int64), people)
        return every.merged(every.numbered(range(len(tuples.columns))))

    @classmethod
    def of_texts(
        cls, columns: Sequence[str], persons: Iterable[tuple[Sequence[Row], int]]
    ) -> CodedPersons:
        """From (rows, how many people have them)."""
        rows: list[Row] = []
        lengths, people = [], []
        for held, number in persons:
            rows.extend(held)
            lengths.append(len(held))
            people.append(number)
        held_by = np.array(people, dtype=np.int64)
        person_of = np.repeat(np.arange(len(people)), lengths)
        coded = [_coded(column) for column in zip(*rows, strict=True)]
        tuples = CodedTuples.of_codes(
            columns,
            [codes for codes, _, _ in coded],
            [width for _, _, width in coded],
            held_by[person_of],
            [values for _, values, _ in coded],
        )
        return cls(tuples, person_of, held_by)

    @property
    def columns(self) -> tuple[str, ...]:
        """What the codes are of."""
        return self.tuples.columns

    @property
    def values(self) -> tuple[pa.Array, ...]:
        """The texts of each column's codes."""
        return self.tuples.values

    @property
    def held(self) -> tuple[Ints, ...]:
        """Rows per code of each column."""
        return self.tuples.held

    @property
    def cardinalities(self) -> tuple[int, ...]:
        """How many codes each column has."""
        return self.tuples.cardinalities

    @property
    def rows(self) -> int:
        """How many rows are listed."""
        return self.tuples.rows

    @property
    def total(self) -> int:
        """How many people there are."""
        return int(self.people.sum())

    def of(self, places: Sequence[int]) -> CodedPersons:
        """Some of the columns, in the order given."""
        return self.seen(self.tuples.of(places))

    def seen(self, tuples: CodedTuples) -> CodedPersons:
        """The same people, their rows seen otherwise."""
        return replace(self, tuples=tuples, _on_one={})

    def merged(self, alike: Numbered) -> CodedPersons:
        """One person for each number, with the rows of the first who has it."""
        numbers, span = alike
        like = np.zeros(span, dtype=np.int64)
        like[numbers[::-1]] = np.arange(len(numbers))[::-1]
        number_of = numbers[self.person_of]
        rows = np.flatnonzero(like[number_of] == self.person_of)
        people = summed(numbers, span, self.people)
        kept = CodedTuples.of_codes(
            self.columns,
            [codes[rows] for codes in self.tuples.codes],
            self.cardinalities,
            people[number_of[rows]],
            self.values,
        )
        return CodedPersons(kept, number_of[rows], people)

    def numbered(self, places: Sequence[int]) -> Numbered:
        """Each listed person's number by the multiset of their rows on these columns."""
        return number_of_each_person(self.tuples.keys(places), self.person_of, len(self.people))

    def crowd_sizes(self, places: Sequence[int], threads: int = 1) -> CrowdSizes:
        """The crowds of some columns; of none, those of the number of rows."""
        numbers, span = self.numbered(places)
        return CrowdSizes.of(summed(numbers, span, self.people))

    def crowds_beside_single(self, places: Sequence[int]) -> tuple[Ints, Ints, Ints]:
        """Of each person listed: the crowd on these columns, the smallest on one of them alone,
        and how many people they are.
        """
        for place in places:
            if place not in self._on_one:
                self._on_one[place] = self._crowd_of_each([place])
        single = np.minimum.reduce([self._on_one[place] for place in places])
        return self._crowd_of_each(places), single, self.people

    def _crowd_of_each(self, places: Sequence[int]) -> Ints:
        numbers, span = self.numbered(places)
        return summed(numbers, span, self.people)[numbers]

    def each_once(self) -> tuple[CodedTuples, Ints]:
        """Every multiset of rows, listed once under a number of its own; and its people."""
        numbers, span = self.numbered(range(len(self.columns)))
        people = summed(numbers, span, self.people)
        codes = [np.arange(span)]
        return CodedTuples.of_codes(("rows",), codes, [span], people), people


# Whoever is counted: people of one row each, or of several.
CodedPeople: TypeAlias = CodedTuples | CodedPersons


def crowd_keys(people: CodedPeople, places: Sequence[int]) -> Keys:
    """Of each who is listed a number, the same for the same crowd, in the order of the crowds."""
    if isinstance(people, CodedPersons):
        return Keys(*people.numbered(places))
    return people.keys(places)


def _coded(column: Sequence[str | None]) -> tuple[NDArray[np.int64], pa.Array, int]:
    """Codes, the texts they stand for, and how many there are; the empty cell comes last."""
    place_of: dict[str, int] = {}
    places = [-1 if text is None else place_of.setdefault(text, len(place_of)) for text in column]
    codes = np.array(places, dtype=np.int64)
    gaps = codes < 0
    codes[gaps] = len(place_of)
    return codes, text_array(place_of), len(place_of) + bool(gaps.any())


JOINED, MISSING, QUOTE = " + ", "(missing)", '"'


def described(values: Collection[str | None]) -> str | None:
    """A set of values as one; None, the empty cell, where there is nothing else."""
    texts = sorted((value for value in values if value is not None), key=in_order)
    if len(values) == 1:
        return next((_quoted(text) if _joins(text) else text for text in texts), None)
    told = [_quoted(t) if _joins(t) or t[0] == QUOTE or t == MISSING else t for t in texts]
    return JOINED.join([*told, *([MISSING] if None in values else [])])


def _joins(text: str) -> bool:
    return JOINED in f" {text} "


def _quoted(text: str) -> str:
    return f"{QUOTE}{text.replace(QUOTE, QUOTE * 2)}{QUOTE}"


def described_column(
    column: CodedColumn, person_of: NDArray[np.integer], persons: int
) -> CodedColumn:
    """The column of one row a person, in the order of the persons' numbers."""
    width = len(column.held)
    pairs = np.unique(np.multiply(person_of, width, dtype=np.int64) + column.codes)
    person, code = np.divmod(pairs, width)
    numbers, span = number_of_each_person(Keys(code, width), person, persons)
    first = np.zeros(span, dtype=np.int64)
    first[numbers[::-1]] = np.arange(persons)[::-1]
    starts = np.searchsorted(person, np.arange(persons + 1))
    texts = [*column.values.to_pylist(), None]
    labels = [
        described([texts[one] for one in code[starts[each] : starts[each + 1]].tolist()])
        for each in first.tolist()
    ]
    named = [label for label in labels if label is not None]
    place = {label: at for at, label in enumerate(named)}
    # The empty cell alone comes last, as in every column.
    code_of = np.array([len(named) if label is None else place[label] for label in labels])
    codes = code_of[numbers]
    held = np.bincount(codes, minlength=len(named) + 1)
    return CodedColumn(column.name, codes, text_array(named), held)


def described_sets(sets: pa.Array) -> pa.Array:
    """Sets as engines of SQL tell them (`questions.described_persons`): a mark and their keys."""
    told = ({value for (value,) in rows_of(text[1:], 1)} for text in sets.to_pylist())
    # Never the empty cell alone: that one is NULL there.
    return text_array(described(values) or MISSING for values in told)
