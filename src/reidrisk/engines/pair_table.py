"""PairTable: people per pair of values of two columns, only the pairs that occur."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reidrisk.crowds.crowd_sizes import CrowdSizes
from reidrisk.engines.coding import coded_answer

Pair = tuple[str, str]
Value = str | None

# What an engine's progress is called meanwhile.
COUNTING = "counting pairs"


@dataclass(frozen=True, eq=False)
class PairTable:
    """Cell i: `people[i]` people hold values[0][codes[0][i]] of the one, values[1][codes[1][i]]
    of the other column.

    A code past the end of its values stands for the missing value. Every cell holds somebody and
    is listed once, in no order.
    """

    of: Pair
    values: tuple[pa.Array, pa.Array]
    codes: tuple[NDArray[Any], NDArray[Any]]
    people: NDArray[np.int64]

    @property
    def distinct(self) -> int:
        """How many pairs of values occur."""
        return len(self.people)

    @property
    def crowd_sizes(self) -> CrowdSizes:
        """The histogram of the cells: a cell is a crowd of the view of both columns."""
        return CrowdSizes.of(self.people)

    @property
    def counts(self) -> dict[tuple[Value, Value], int]:
        """{(value, value): people}, in texts; None stands for the missing value."""
        one, other = (self.texts(side) for side in (0, 1))
        return dict(zip(zip(one, other, strict=True), self.people.tolist(), strict=True))

    def texts(self, side: int) -> list[Value]:
        """The value of each cell on one side, 0 or 1."""
        names: list[Value] = [*self.values[side].to_pylist(), None]
        return [names[code] for code in self.codes[side].tolist()]


def pair_table_of(pair: Pair, found: pa.Table) -> PairTable:
    """From an answer (value, value, people); a tuple of nobody is no cell."""
    people = found.column(2).to_numpy()
    one, other = (coded_answer(name, found, side) for side, name in enumerate(pair))
    held = people > 0
    codes = (one.codes[held], other.codes[held])
    return PairTable(pair, (one.values, other.values), codes, people[held])
