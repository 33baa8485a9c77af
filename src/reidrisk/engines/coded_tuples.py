"""CodedTuples: the tuples of some columns as small whole numbers, and how many people hold each.

For questions about very many views of the same columns, where one query a view would read the
records again each time: searches, generalisation, groups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reidrisk.crowds.crowd_sizes import CrowdSizes
from reidrisk.engines import tallying
from reidrisk.engines.coarsening import Coarsening, fitted
from reidrisk.engines.coding import summed
from reidrisk.engines.labelling import text_array
from reidrisk.engines.packing import Keys, packed_in_order
from reidrisk.engines.renumbering import FEW, SPARE, dense
from reidrisk.errors import UnusableColumn

Whole = NDArray[np.int64]


class _Column(NamedTuple):
    """To be packed."""

    codes: NDArray[Any]
    cardinality: int


class CodedTuples(NamedTuple):
    """Row i: `people[i]` people (one without `people`) hold the codes ``codes[j][i]``.

    ``held[j]`` says how many people hold each code of column j, and ``values[j]`` which text it
    stands for; the empty cell is the code after the last text, and in tables drawn from statistics
    values without a name come after it. A tuple may be listed several times, in no order, and a
    row may stand for nobody.
    """

    columns: tuple[str, ...]
    codes: tuple[NDArray[Any], ...]
    held: tuple[Whole, ...]
    people: Whole | None = None
    values: tuple[pa.Array, ...] = ()

    @classmethod
    def of_codes(
        cls,
        columns: Sequence[str],
        codes: Sequence[NDArray[Any]],
        cardinalities: Sequence[int],
        people: Whole | None = None,
        values: Sequence[pa.Array] = (),
    ) -> CodedTuples:
        """Count who holds each code."""
        coded = zip(codes, cardinalities, strict=True)
        held = tuple(summed(each, width, people) for each, width in coded)
        return cls(tuple(columns), tuple(codes), held, people, tuple(values))

    @property
    def cardinalities(self) -> tuple[int, ...]:
        """How many codes each column has."""
        return tuple(map(len, self.held))

    @property
    def rows(self) -> int:
        """How many rows are listed."""
        return len(self.codes[0]) if self.codes else 0

    @property
    def total(self) -> int:
        """How many people they stand for."""
        return self.rows if self.people is None else int(self.people.sum())

    @property
    def counts(self) -> dict[tuple[str | None, ...], int]:
        """{tuple: people}, in texts; None stands for the missing value."""
        once, people = self.each_once()
        texts = [
            [[*values.to_pylist(), None][code] for code in codes.tolist()]
            for values, codes in zip(once.values, once.codes, strict=True)
        ]
        return dict(zip(zip(*texts, strict=True), people.tolist(), strict=True))

    def of(self, places: Sequence[int]) -> CodedTuples:
        """Some of the columns, in the order given."""
        return CodedTuples(
            tuple(self.columns[place] for place in places),
            tuple(self.codes[place] for place in places),
            tuple(self.held[place] for place in places),
            self.people,
            tuple(self.values[place] for place in places) if self.values else (),
        )

    def keys(self, places: Sequence[int]) -> Keys:
        """One key a row for the tuple of some columns; renumbered where it outgrows 63 bits."""
        columns = [_Column(self.codes[place], len(self.held[place])) for place in places]
        return packed_in_order(columns, self.rows)

    def crowds(self, places: Sequence[int]) -> tuple[Whole, Whole]:
        """The crowds of some columns: a row that belongs to each, and its people, at least one."""
        keys = self.keys(places)
        if keys.span > max(SPARE * len(keys.keys), FEW):
            keys = Keys(*dense(*keys))
        people = summed(keys.keys, keys.span, self.people)
        row = np.zeros(keys.span, dtype=np.int64)
        # Whichever row of a tuple is written last: they all have the same codes.
        row[keys.keys] = np.arange(len(keys.keys))
        held = people > 0
        return row[held], people[held]

    def crowd_sizes(self, places: Sequence[int], threads: int = 1) -> CrowdSizes:
        """The histogram of the crowds of some columns."""
        return tallying.crowd_sizes(self.keys(places), self.people, threads)

    def crowds_beside_single(self, places: Sequence[int]) -> tuple[Whole, Whole, Whole]:
        """Of each crowd of these columns: its people, the smallest crowd on one column alone, and
        its people once more, who are all told by it.
        """
        rows, crowd = self.crowds(places)
        single = np.minimum.reduce([self.held[j][self.codes[j][rows]] for j in places])
        return crowd, single, crowd

    def each_once(self) -> tuple[CodedTuples, Whole]:
        """Every tuple that somebody holds, listed once; and its people."""
        rows, people = self.crowds(range(len(self.columns)))
        codes = tuple(each[rows] for each in self.codes)
        return self._replace(codes=codes, people=people), people

    def seen_coarser(self, ways: Mapping[str, Coarsening]) -> CodedTuples:
        """The same people with some columns seen coarser."""
        values, codes, held = list(self.values), list(self.codes), list(self.held)
        for name, how in ways.items():
            place = self.columns.index(name)
            texts = values[place].to_pylist()
            found = list(map(fitted(how, name, texts)[0].label, texts))
            labels = [label for label in found if label is not None]
            if len(labels) < len(found):
                raise UnusableColumn(
                    f"column {name!r} has values that can't be seen {how.describe()}",
                    "bands are of numbers and dates",
                )
            number = {label: at for at, label in enumerate(dict.fromkeys(labels))}
            # The missing value stays the last.
            code_of = np.array([*(number[label] for label in labels), len(number)])
            width = len(number) + (len(held[place]) > len(labels))
            held[place] = summed(code_of[: len(held[place])], width, held[place])
            values[place], codes[place] = text_array(number), code_of[codes[place]]
        return self._replace(values=tuple(values), codes=tuple(codes), held=tuple(held))
