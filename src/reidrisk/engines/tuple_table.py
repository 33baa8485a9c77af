"""TupleTable: people per tuple of some columns, only the tuples that occur."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reidrisk.engines.coding import CodedColumn, summed
from reidrisk.engines.packing import Keys

Value = str | None
Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TupleTable:
    """Tuple i: `people[i]` people hold values[c][codes[c][i]] of each column c.

    A code past the end of its values stands for the missing value. Every tuple is held by somebody
    and listed once, in no order.
    """

    of: tuple[str, ...]
    values: tuple[pa.Array, ...]
    codes: tuple[NDArray[Any], ...]
    people: Whole

    @classmethod
    def holding(
        cls,
        of: Sequence[str],
        values: Sequence[pa.Array],
        codes: Sequence[NDArray[Any]],
        people: Whole,
    ) -> TupleTable:
        """Tuples that nobody holds are left out."""
        held = people > 0
        if not held.all():
            codes, people = [each[held] for each in codes], people[held]
        return cls(tuple(of), tuple(values), tuple(codes), people)

    @property
    def counts(self) -> dict[tuple[Value, ...], int]:
        """{tuple: people}, in texts; None stands for the missing value."""
        texts = [
            [[*values.to_pylist(), None][code] for code in codes.tolist()]
            for values, codes in zip(self.values, self.codes, strict=True)
        ]
        return dict(zip(zip(*texts, strict=True), self.people.tolist(), strict=True))


def tuple_table(columns: Sequence[CodedColumn], keys: Keys, people: Whole | None) -> TupleTable:
    """From records' codes and their packed keys."""
    if keys.span <= max(4 * len(keys.keys), 1 << 16):
        held = summed(keys.keys, keys.span, people)
        first = np.zeros(keys.span, dtype=np.int64)
        # Whichever record of a tuple is written last: they all have the same codes.
        first[keys.keys] = np.arange(len(keys.keys))
        first, held = first[held > 0], held[held > 0]
    else:
        _, first, which = np.unique(keys.keys, return_index=True, return_inverse=True)
        held = summed(which, len(first), people)
    return TupleTable.holding(
        [column.name for column in columns],
        [column.values for column in columns],
        [column.codes[first] for column in columns],
        held,
    )
