"""CodedTuples: the tuples of a table as small whole numbers, and how many people hold each.

For questions about very many views of the same columns, such as a search, where one query a view
would read the records again each time. Values themselves stay behind: only codes travel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.engines.coding import summed


class CodedTuples(NamedTuple):
    """Row i: `people[i]` people (one without `people`) hold the codes ``codes[j][i]``.

    Codes of column j lie below ``cardinalities[j]``, and ``held[j]`` people hold each; an empty
    cell is one more code. A tuple may be listed several times, in no order, and a row may stand
    for nobody.
    """

    columns: tuple[str, ...]
    codes: tuple[NDArray[Any], ...]
    cardinalities: tuple[int, ...]
    people: NDArray[np.int64] | None
    held: tuple[NDArray[np.int64], ...]

    @classmethod
    def of_codes(
        cls,
        columns: Sequence[str],
        codes: Sequence[NDArray[Any]],
        cardinalities: Sequence[int],
        people: NDArray[np.int64] | None = None,
    ) -> CodedTuples:
        """Count who holds each code."""
        coded = zip(codes, cardinalities, strict=True)
        held = tuple(summed(each, width, people) for each, width in coded)
        return cls(tuple(columns), tuple(codes), tuple(cardinalities), people, held)

    @property
    def rows(self) -> int:
        """How many rows are listed."""
        return len(self.codes[0]) if self.codes else 0

    @property
    def total(self) -> int:
        """How many people they stand for."""
        return self.rows if self.people is None else int(self.people.sum())

    def of(self, places: Sequence[int]) -> CodedTuples:
        """Some of the columns, in the order given."""
        return CodedTuples(
            tuple(self.columns[place] for place in places),
            tuple(self.codes[place] for place in places),
            tuple(self.cardinalities[place] for place in places),
            self.people,
            tuple(self.held[place] for place in places),
        )
