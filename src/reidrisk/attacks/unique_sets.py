"""`unique_sets`: for each person the smallest knowledge that picks them out for certain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reidrisk.attacks.all_knowledge import USUAL_LIMIT, refuse_too_many
from reidrisk.attacks.checking import chosen_names, chosen_size
from reidrisk.attacks.minimal_sets import minimal_sets
from reidrisk.attacks.tuples import Whole, in_memory, refuse_several_rows
from reidrisk.engines import Table, read
from reidrisk.engines.contract import Progress, no_progress
from reidrisk.measuring.counted import envelope
from reidrisk.measuring.envelope import Envelope
from reidrisk.printable import json_text

USUAL_SIZE = 3
WHAT = "looking for unique sets"
View = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class UniqueSets:
    """Each record's minimal unique sets of up to `up_to` attributes.

    `found` lists the sets that somebody has, by size, with the rows (from 0) that are alone under
    them and under no part of them.
    """

    envelope: Envelope
    up_to: int
    records: int
    found: tuple[tuple[View, Whole], ...]

    @property
    def columns(self) -> View:
        """The attributes."""
        return self.envelope.input.columns

    @property
    def sets(self) -> int:
        """Minimal unique sets, all records together."""
        return sum(len(rows) for _, rows in self.found)

    @property
    def people(self) -> int:
        """Records that have at least one; a row of several people is never alone."""
        return int(np.count_nonzero(self.sets_of_each()))

    def sets_of_each(self, attribute: str | None = None) -> NDArray[np.int64]:
        """How many sets each record has, or how many with `attribute` in them."""
        many = np.zeros(self.records, dtype=np.int64)
        for view, rows in self.found:
            if attribute is None or attribute in view:
                # A set lists a row once, so this adds one to each.
                many[rows] += 1
        return many

    def smallest_of_each(self) -> NDArray[np.int64]:
        """The size of each record's smallest set; 0 where there is none."""
        size = np.zeros(self.records, dtype=np.int64)
        for view, rows in reversed(self.found):
            size[rows] = len(view)
        return size

    def of(self, row: int) -> tuple[View, ...]:
        """The minimal unique sets of one row, numbered from 1 as in the files."""
        return tuple(view for view, rows in self.found if _holds(rows, row - 1))

    def by_size(self) -> dict[int, dict[str, int]]:
        """{size: {sets, people}}: sets of that size, and people whose smallest set is of it."""
        smallest = np.bincount(self.smallest_of_each(), minlength=self.up_to + 1)
        sets = [0] * (self.up_to + 1)
        for view, rows in self.found:
            sets[len(view)] += len(rows)
        return {
            size: {"sets": sets[size], "people": int(smallest[size])}
            for size in range(1, self.up_to + 1)
        }

    def share_of_attributes(self) -> dict[str, float]:
        """Share of all sets that each attribute is in, the largest first."""
        held = dict.fromkeys(self.columns, 0)
        for view, rows in self.found:
            for name in view:
                held[name] += len(rows)
        total = max(self.sets, 1)
        return {name: held[name] / total for name in sorted(held, key=lambda name: -held[name])}

    def to_dict(self) -> dict[str, Any]:
        """As in JSON: counts only, no rows."""
        return self.envelope.to_dict() | self.figures()

    def figures(self) -> dict[str, Any]:
        """The counts alone."""
        return {
            "up_to": self.up_to,
            "sets": self.sets,
            "people": self.people,
            "by_size": {str(size): held for size, held in self.by_size().items()},
            "attributes": self.share_of_attributes(),
        }

    def to_json(self) -> str:
        """One JSON object."""
        return json_text(self.to_dict())

    def __str__(self) -> str:
        from reidrisk.reporting.attack_text import unique_sets_text

        return unique_sets_text(self)


def unique_sets(
    table: Table | Any,
    *,
    up_to: int | None = None,
    columns: Sequence[str] | None = None,
    view_limit: int = USUAL_LIMIT,
    progress: Progress = no_progress,
) -> UniqueSets:
    """Each record's minimal unique sets of up to 3 attributes, or `up_to`.

    >>> import reidrisk as rr
    >>> table = rr.read({"age": [39, 39, 40], "sex": ["f", "m", "m"]})
    >>> rr.unique_sets(table).of(row=2)
    (('age', 'sex'),)
    """
    table = table if isinstance(table, Table) else read(table)
    names = chosen_names(columns, table.columns)
    size = chosen_size(up_to, len(names), "--unique-up-to", USUAL_SIZE)
    refuse_too_many(len(names), size, view_limit, "--unique-up-to")
    refuse_several_rows(table.engine, WHAT)
    engine = in_memory(table.engine, WHAT)
    found = tuple(
        (tuple(names[place] for place in places), rows)
        for places, rows in minimal_sets(engine, names, size, progress)
    )
    return UniqueSets(envelope("unique_sets", table, names), size, engine.records, found)


def _holds(rows: Whole, row: int) -> bool:
    at = int(np.searchsorted(rows, row))
    return at < len(rows) and int(rows[at]) == row
