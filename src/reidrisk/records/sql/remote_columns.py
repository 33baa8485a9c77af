"""How a column is seen there: as it is stored, through labels of the values that change, or by SQL.

The different values are listed and labelled here, once. Most are their own label; the others go
into a small relation (value, label). Only a column with too many of them has its text form worked
out row by row.

Stored: the records as a database or a cluster holds them, and what its types mean here.

A value is told by its text there (`shown`), from which its one text form is worked out here: a
database's own text of a number is read as a number, so 39.00 and 39 are one value.

The different values of columns, asked for once: how columns are seen follows from them.

A column of more than `MANY_VALUES` different values is not listed: neither its values nor anything
as long as they are comes here.

Looking at columns that are elsewhere: how many values, how many empty cells, likely role.

Judged from the different values and how many rows hold each; of columns with very many, from their
number and a few of them. No row comes here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from reidrisk.crowds import Marginal
from reidrisk.errors import UnusableColumn
from reidrisk.records.memory.coding import (
    CodedColumn,
    Labelling,
    code_column,
    no_single_values,
    summed,
)
from reidrisk.records.memory.reading import faults_of, missing_marks, recoded
from reidrisk.records.read_options import ReadOptions
from reidrisk.records.roles import NO_SINGLE_VALUES, Look, is_coordinate, judged, measurement
from reidrisk.records.sql.dialects import Dialect
from reidrisk.records.sql.engine import SeenColumn, Session
from reidrisk.records.sql.queries import sql_text_form
from reidrisk.records.text_forms import NUMBER_PATTERN

# Kinds whose text there is the text form already.
IN_FORM = ("whole", "boolean", "date")
# Those that are grouped as they are stored, which is faster than grouping texts.
AS_STORED = ("whole", "boolean")
NESTED, DURATION = "nested", "duration"
SINGLE = ("text", "fraction", "decimal", "zoned", "bytes", *IN_FORM)

_READ: dict[str, Callable[[str], Any]] = {
    "fraction": float,
    "decimal": Decimal,
    "bytes": bytes.fromhex,
}


@dataclass(frozen=True)
class Stored:
    """A relation there, for a FROM, with the kind of each of its columns."""

    source: str
    kinds: Mapping[str, str]
    dialect: Dialect
    decimal_comma: bool = False

    def column(self, name: str) -> str:
        """The column itself, of ``stored``."""
        return f"stored.{self.dialect.quoted(name)}"

    def shown(self, name: str) -> str:
        """The text by which a value of the column is told."""
        column, kind = self.column(name), self.kind(name)
        if kind == "bytes" and self.dialect.hexed:
            return self.dialect.hexed(column)
        if kind == "fraction" and self.dialect.fraction:
            return self.dialect.fraction(column)
        if kind == "zoned" and self.dialect.zoned:
            return self.dialect.zoned(column)
        return self.dialect.cast_to_text(column)

    def grouped(self, name: str) -> str:
        """What is grouped by, so that different values stay apart and equal ones don't."""
        return self.column(name) if self.kind(name) in AS_STORED else self.shown(name)

    def kind(self, name: str) -> str:
        """What its values are; lists and durations are refused."""
        kind = self.kinds[name]
        if kind in (NESTED, DURATION):
            raise no_single_values(name, kind == DURATION)
        return kind

    def read(self, name: str, shown: Any) -> Any:
        """The value that a text of the column stands for, in a type that has one text form."""
        if shown is None:
            return None
        reading = _READ.get(self.kinds[name])
        return reading(str(shown)) if reading else shown


MANY_VALUES = 1_000_000
Held = list[tuple[Any, int]]


class ListingSession(Session):
    """A session that lists the different values of columns."""

    @abstractmethod
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


Changed = list[tuple[str, str | None]]


def seen_column(
    session: Session, stored: Stored, distinct: Distinct, name: str, options: ReadOptions, most: int
) -> SeenColumn:
    """Choose the expression of a column; at most `most` labels can be handed over."""
    empty = options.empty if name in options.counted else frozenset()
    column = distinct.column(name, Labelling(empty, stored.decimal_comma))
    if column is None:
        return _of_many(session, stored, name, options, empty)
    faults, marks = faults_of(column), missing_marks(column)
    warnings: list[str] = []
    if name in options.recoding:
        column, warnings = recoded(column, options.recoding[name])
    changed = _changed(distinct[name] or [], column.text_of_each().to_pylist())
    if len(changed) > most:
        return _of_many(session, stored, name, options, empty)
    # Labels are texts, so a column that goes through them is one of texts.
    expression = stored.shown(name) if changed else stored.grouped(name)
    marginal = Marginal(column.values, column.held[:-1], int(column.held[-1]))
    return SeenColumn(name, expression, changed or None, marginal, faults, tuple(warnings), marks)


def _changed(held: list[tuple[Any, int]], labels: list[str | None]) -> Changed:
    """The values whose label isn't their text."""
    texts = [_text(value) for value, _ in held]
    both = zip(texts, labels, strict=True)
    return [(text, label) for text, label in both if text is not None and text != label]


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _of_many(
    session: Session, stored: Stored, name: str, options: ReadOptions, empty: frozenset[str]
) -> SeenColumn:
    kind = stored.kind(name)
    if name in options.recoding:
        raise UnusableColumn(
            f"column {name!r} has too many different values to see "
            f"{options.recoding[name].describe()} where it is",
            "recode the column there: in a view, or in the --query",
        )
    if kind == "fraction":
        raise _too_fine(name) if is_coordinate(name) else measurement(name)
    if kind not in IN_FORM and not stored.dialect.forms_texts:
        raise UnusableColumn(
            f"column {name!r} has more than {MANY_VALUES:,} different texts, and this database "
            "has no regular expressions by which they would get one form",
            "leave it out, or give a --query in which it is shorter",
        )
    if kind in AS_STORED and not empty:
        expression = stored.column(name)
    else:
        expression = sql_text_form(stored.shown(name), _kind_in_sql(kind), stored.dialect)
        expression = _emptied(expression, empty, stored)
    return SeenColumn(name, expression, None, None, _faults(session, stored, expression, kind))


def _too_fine(name: str) -> UnusableColumn:
    return UnusableColumn(
        f"column {name!r} has more than {MANY_VALUES:,} different coordinates",
        "round them there: in a view, or in the --query",
    )


def _kind_in_sql(kind: str) -> str:
    return kind if kind in (*IN_FORM, "decimal") else "text"


def _emptied(text: str, empty: frozenset[str], stored: Stored) -> str:
    if not empty:
        return text
    listed = ", ".join(stored.dialect.literal(value) for value in sorted(empty))
    return f"CASE WHEN {text} IN ({listed}) THEN NULL ELSE {text} END"


def _faults(session: Session, stored: Stored, expression: str, kind: str) -> tuple[Any, ...]:
    """Held, longest, all numbers, some fractions; whole numbers and dates have no faults."""
    source = f"FROM {stored.source} AS stored"
    if kind in IN_FORM:
        return session.one(f"SELECT count({expression}) {source}"), 0, False, False
    fits = stored.dialect.matches
    assert fits is not None
    number = fits(expression, f"^{NUMBER_PATTERN}$")
    fraction = fits(expression, r"\.[0-9]*[1-9]|[eE]-")
    (found,) = session.rows(
        f"SELECT count({expression}), max(length({expression})), "
        f"min(CASE WHEN {expression} IS NULL OR {number} THEN 1 ELSE 0 END), "
        f"max(CASE WHEN {fraction} THEN 1 ELSE 0 END) {source}"
    )
    held, longest, numbers, fractions = (int(each or 0) for each in found)
    return held, longest, bool(numbers), bool(fractions)


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
