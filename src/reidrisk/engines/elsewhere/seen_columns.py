"""How a column is seen there: as it is stored, through labels of the values that change, or by SQL.

The different values are listed and labelled here, once. Most are their own label; the others go
into a small relation (value, label). Only a column with too many of them has its text form worked
out row by row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reidrisk.engines.contract import Marginal
from reidrisk.engines.elsewhere.distinct import MANY_VALUES, Distinct
from reidrisk.engines.elsewhere.stored import AS_STORED, IN_FORM, Stored
from reidrisk.engines.labelling import Labelling
from reidrisk.engines.missing_marks import missing_marks
from reidrisk.engines.reading import coarsened, faults_of, measurement
from reidrisk.engines.roles import is_coordinate
from reidrisk.engines.seeing import Seeing
from reidrisk.engines.sql_engine import Session
from reidrisk.engines.sql_text_form import sql_text_form
from reidrisk.engines.text_form import NUMBER_PATTERN
from reidrisk.errors import UnusableColumn

Changed = list[tuple[str, str | None]]


@dataclass(frozen=True)
class SeenColumn:
    """One column of the relation; `changed` values are seen under another label."""

    name: str
    expression: str
    changed: Changed
    marginal: Marginal | None
    # Values held, longest text, all are numbers, some have fractions.
    faults: tuple[Any, ...]
    said: tuple[str, ...] = ()
    # Texts that may mean missing; not known of a column with too many values to be listed.
    marks: Mapping[str, int] = field(default_factory=dict)


def seen_column(
    session: Session, stored: Stored, distinct: Distinct, name: str, seeing: Seeing, most: int
) -> SeenColumn:
    """Settle how a column is seen; at most `most` labels can be handed over."""
    empty = seeing.empty if name in seeing.columns else frozenset()
    column = distinct.column(name, Labelling(empty, stored.decimal_comma))
    if column is None:
        return _of_many(session, stored, name, seeing, empty)
    faults, marks = faults_of(column), missing_marks(column)
    said: list[str] = []
    if name in seeing.coarser:
        column, said = coarsened(column, seeing.coarser[name])
    changed = _changed(distinct[name] or [], column.text_of_each().to_pylist())
    if len(changed) > most:
        return _of_many(session, stored, name, seeing, empty)
    # Labels are texts, so a column that goes through them is one of texts.
    expression = stored.shown(name) if changed else stored.grouped(name)
    marginal = Marginal(column.values, column.held[:-1], int(column.held[-1]))
    return SeenColumn(name, expression, changed, marginal, faults, tuple(said), marks)


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
    session: Session, stored: Stored, name: str, seeing: Seeing, empty: frozenset[str]
) -> SeenColumn:
    kind = stored.kind(name)
    if name in seeing.coarser:
        raise UnusableColumn(
            f"column {name!r} has too many different values to see "
            f"{seeing.coarser[name].describe()} where it is",
            "make the coarser column there: a view, or --query with it worked out",
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
    return SeenColumn(name, expression, [], None, _faults(session, stored, expression, kind))


def _too_fine(name: str) -> UnusableColumn:
    return UnusableColumn(
        f"column {name!r} has more than {MANY_VALUES:,} different coordinates",
        "round them there: a view, or --query with it worked out",
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
