"""TupleTable: people per tuple of some columns, only the tuples that occur."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reidrisk.engines.coarsening import Coarsening
from reidrisk.engines.coding import CodedColumn, summed
from reidrisk.engines.packing import Keys
from reidrisk.errors import UnusableColumn

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

    def seen_coarser(self, ways: Mapping[str, Coarsening]) -> TupleTable:
        """The same people with some columns seen coarser, tuples that become one added up."""
        values, codes = list(self.values), list(self.codes)
        for name, how in ways.items():
            place = self.of.index(name)
            labels = [how.label(text) for text in values[place].to_pylist()]
            if None in labels:
                raise UnusableColumn(
                    f"column {name!r} has values that can't be seen {how.describe()}",
                    "bands are of numbers and dates",
                )
            number = {label: at for at, label in enumerate(dict.fromkeys(labels))}
            # The missing value stays the last.
            code_of = np.array([*(number[label] for label in labels), len(number)])
            values[place], codes[place] = pa.array(list(number), pa.string()), code_of[codes[place]]
        rows = np.stack([each.astype(np.int64) for each in codes], axis=1)
        different, which = np.unique(rows, axis=0, return_inverse=True)
        people = summed(which.ravel(), len(different), self.people)
        return TupleTable(self.of, tuple(values), tuple(different.T), people)

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
