"""The different values of columns, asked for once: how columns are seen follows from them.

A column of more than `MANY_VALUES` different values is not listed: neither its values nor anything
as long as they are comes here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from reidrisk.engines.coding import CodedColumn, code_column, summed
from reidrisk.engines.elsewhere.stored import Stored
from reidrisk.engines.labelling import Labelling
from reidrisk.engines.sql_engine import Session

MANY_VALUES = 1_000_000
Held = list[tuple[Any, int]]


class ListingSession(Session, Protocol):
    """A session that lists the different values of columns."""

    def distinct(self, stored: Stored, names: Sequence[str], most: int) -> dict[str, Held | None]:
        """(value as it is grouped, rows) of each column; None where there are more than `most`."""

    def close(self) -> None:
        """End what the session holds there."""


class Distinct:
    """What was found in each column so far."""

    def __init__(self, session: ListingSession, stored: Stored) -> None:
        self._session = session
        self._stored = stored
        self._found: dict[str, Held | None] = {}

    def look_at(self, names: Iterable[str]) -> None:
        """List the values of these columns, where they aren't yet."""
        asked = [name for name in names if name not in self._found and self._stored.kind(name)]
        if asked:
            self._found |= self._session.distinct(self._stored, asked, MANY_VALUES)

    def __getitem__(self, name: str) -> Held | None:
        self.look_at([name])
        return self._found[name]

    def column(self, name: str, labelling: Labelling) -> CodedColumn | None:
        """The values listed, coded, with how many rows hold each; code i is of value i."""
        held = self[name]
        return None if held is None else counted(name, self._stored, held, labelling)


def counted(name: str, stored: Stored, held: Held, labelling: Labelling) -> CodedColumn:
    """Values and how many rows hold each, as one coded column."""
    labels = [labelling(stored.read(name, value)) for value, _ in held]
    column = code_column(name, [pa.array(labels, pa.large_string())], Labelling())
    rows = np.array([rows for _, rows in held], dtype=np.int64)
    return replace(column, held=summed(column.codes, len(column.held), rows))
