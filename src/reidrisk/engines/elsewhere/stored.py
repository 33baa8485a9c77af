"""Stored: the records as a database or a cluster holds them, and what its types mean here.

A value is told by its text there (`shown`), from which its one text form is worked out here: a
database's own text of a number is read as a number, so 39.00 and 39 are one value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from reidrisk.engines.dialects import Dialect
from reidrisk.errors import UnusableColumn

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
            held = "durations" if kind == DURATION else "lists or structures"
            raise UnusableColumn(
                f"column {name!r} holds {held}, not single values",
                "leave it out of --columns, or make texts or numbers of it first",
            )
        return kind

    def read(self, name: str, shown: Any) -> Any:
        """The value that a text of the column stands for, in a type that has one text form."""
        if shown is None:
            return None
        reading = _READ.get(self.kinds[name])
        return reading(str(shown)) if reading else shown
