"""CodedPersons: people of several rows as codes, people with the same rows listed once.

For questions about very many views of the same columns, as `coded_tuples` is where a row is a
person: the crowds of any of the columns, seen at any level, are those of the multisets of rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reidrisk.crowds.crowd_sizes import CrowdSizes
from reidrisk.engines.coded_tuples import CodedTuples
from reidrisk.engines.coding import summed
from reidrisk.engines.labelling import text_array
from reidrisk.engines.persons import Numbered, number_of_each_person

Whole = NDArray[np.int64]
# A row as texts, None for the empty cell.
Row = tuple[str | None, ...]


@dataclass(frozen=True, eq=False)
class CodedPersons:
    """Row i of `tuples` is one of person `person_of[i]`, whose rows `people` people have alike.

    What `tuples` counts are rows, all people's together.
    """

    tuples: CodedTuples
    person_of: Whole
    people: Whole
    # Of single columns, each person's crowd.
    _on_one: dict[int, Whole] = field(default_factory=dict, repr=False)

    @classmethod
    def of_rows(
        cls, tuples: CodedTuples, person_of: NDArray[np.integer], people: Whole
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
    def held(self) -> tuple[Whole, ...]:
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

    def crowds_beside_single(self, places: Sequence[int]) -> tuple[Whole, Whole, Whole]:
        """Of each person listed: the crowd on these columns, the smallest on one of them alone,
        and how many people they are.
        """
        for place in places:
            if place not in self._on_one:
                self._on_one[place] = self._crowd_of_each([place])
        single = np.minimum.reduce([self._on_one[place] for place in places])
        return self._crowd_of_each(places), single, self.people

    def _crowd_of_each(self, places: Sequence[int]) -> Whole:
        numbers, span = self.numbered(places)
        return summed(numbers, span, self.people)[numbers]

    def each_once(self) -> tuple[CodedTuples, Whole]:
        """Every multiset of rows, listed once under a number of its own; and its people."""
        numbers, span = self.numbered(range(len(self.columns)))
        people = summed(numbers, span, self.people)
        codes = [np.arange(span)]
        return CodedTuples.of_codes(("rows",), codes, [span], people), people


# Whoever is counted: people of one row each, or of several.
CodedPeople = CodedTuples | CodedPersons


def _coded(column: Sequence[str | None]) -> tuple[NDArray[np.int64], pa.Array, int]:
    """Codes, the texts they stand for, and how many there are; the empty cell comes last."""
    place_of: dict[str, int] = {}
    places = [-1 if text is None else place_of.setdefault(text, len(place_of)) for text in column]
    codes = np.array(places, dtype=np.int64)
    gaps = codes < 0
    codes[gaps] = len(place_of)
    return codes, text_array(place_of), len(place_of) + bool(gaps.any())
