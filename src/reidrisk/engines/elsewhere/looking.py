"""Looking at columns that are elsewhere: how many values, how many empty cells, likely role.

Judged from the different values and how many rows hold each; of columns with very many, from their
number and a few of them. No row comes here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from reidrisk.engines.elsewhere.distinct import Distinct, ListingSession, counted
from reidrisk.engines.elsewhere.stored import SINGLE, Stored
from reidrisk.engines.labelling import Labelling
from reidrisk.engines.missing_marks import missing_marks
from reidrisk.engines.roles import NO_SINGLE_VALUES, Look, judged

FEW_VALUES = 2_000


class Profile(NamedTuple):
    """One column: values, empty cells, and what it is likely to be."""

    look: Look
    values: int
    empty: int
    # Texts that may mean missing, of a column whose values are listed.
    marks: Mapping[str, int] = {}


def look_at(
    session: ListingSession,
    stored: Stored,
    distinct: Distinct,
    names: Sequence[str],
    empty: frozenset[str],
) -> list[Profile]:
    """Each named column, in order."""
    distinct.look_at([name for name in names if stored.kinds[name] in SINGLE])
    return [_profile(session, stored, distinct, name, empty) for name in names]


def _profile(
    session: ListingSession, stored: Stored, distinct: Distinct, name: str, empty: frozenset[str]
) -> Profile:
    if stored.kinds[name] not in SINGLE:
        return Profile(Look(name, "nested", *NO_SINGLE_VALUES, 0, 0), 0, 0)
    labelling = Labelling(empty, stored.decimal_comma)
    column = distinct.column(name, labelling)
    if column is not None:
        rows = int(column.held.sum())
        look = judged(column, rows, len(column.values))
        return Profile(look, len(column.values), int(column.held[-1]), missing_marks(column))
    return counted_there(session, stored, name, labelling)


def counted_there(
    session: ListingSession, stored: Stored, name: str, labelling: Labelling
) -> Profile:
    """The same of a column of very many values: their number, and a few of them."""
    source = f"FROM {stored.source} AS stored"
    held = stored.column(name)
    (found,) = session.rows(f"SELECT count(*), count({held}), count(DISTINCT {held}) {source}")
    rows, present, values = map(int, found)
    some = session.table(f"SELECT {stored.shown(name)} AS value {source}", first=FEW_VALUES)
    told = [(value, 1) for value in some.column(0).to_pylist() if value is not None]
    few = counted(name, stored, told, labelling)
    few.held[-1] = rows - present
    return Profile(judged(few, rows, values), values, rows - present)
