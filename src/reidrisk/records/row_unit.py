"""The unit: what a row stands for, settled before any figure.

A row is one person, a number of people (``--count``), or one of several rows of a person
(``--person``). Where nobody said which, columns that look as if a row weren't one person are looked
for: a column whose name means a person and whose values repeat, and a whole number whose name means
a number of people. While such a column is unanswered for, figures count rows, and say so.

Where it fails: a column is recognised by its name. Of a table with more rows than the first look
takes, a person's column is looked through up to `MOST_LOOKED_THROUGH` rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa

from reidrisk.errors import UnansweredUnit
from reidrisk.parallel import no_progress
from reidrisk.printable import shell_word
from reidrisk.records.files.source import Source
from reidrisk.records.labelling import Labelling
from reidrisk.records.memory.coding import code_column
from reidrisk.records.read_options import Seeing
from reidrisk.records.roles import (
    FIRST_LOOK,
    MOST_ROWS_OF_ID,
    Look,
    first_look,
    named_count,
    named_identifier,
    named_person,
    named_person_id,
)

MOST_LOOKED_THROUGH = 20_000_000
Kind = Literal["row", "count", "person"]

# Rows for each value above which it is a category, not a person: of a column called "patient"
# (unless its values are many), of any other identifier.
_MOST_ROWS_OF_NAME, _MANY_VALUES, _MOST_ROWS_OF_ANY = 20, 100, 4


@dataclass(frozen=True)
class LikelyUnit:
    """A column that says a row isn't one person: whose it is, or how many people it holds."""

    column: str
    kind: Literal["count", "person"]
    why: str


@dataclass(frozen=True)
class RowUnit:
    """What a row stands for; `stated` where the user said so, `likely` what speaks against it."""

    kind: Kind = "row"
    column: str | None = None
    stated: bool = False
    likely: tuple[LikelyUnit, ...] = ()

    @property
    def unanswered(self) -> bool:
        """Whether figures count rows that may not be people."""
        return not self.stated and bool(self.likely)

    @property
    def nouns(self) -> tuple[str, str]:
        """What the figures count: one, several."""
        return ("row", "rows") if self.unanswered else ("person", "people")

    @property
    def question(self) -> str:
        """What has to be answered; empty where nothing has."""
        if not self.unanswered:
            return ""
        return f"Is each row one person? {' '.join(each.why for each in self.likely)}"

    @property
    def warning(self) -> str:
        """The question, what the figures are meanwhile, and the options that answer it."""
        if not self.unanswered:
            return ""
        return f"{self.question} The figures below count rows, not people. {self.answers}"

    @property
    def answers(self) -> str:
        """The options that answer the question."""
        told = {"person": "a person may have several rows", "count": "a row stands for many people"}
        ways = [
            f"if {told[each.kind]}, add --{each.kind} {shell_word(each.column)}"
            for each in self.likely
        ]
        said = "; ".join([*ways, "if each row is one person, add --rows-are-people"])
        return said[0].upper() + said[1:] + "."

    def refuse_unanswered(self, what: str, answers: str = "") -> None:
        """`what` would promise something about people without knowing who they are.

        `answers` says where to answer; by default, the options that do.
        """
        if self.unanswered:
            said = f"{what} needs to know what a row stands for. {self.question}"
            raise UnansweredUnit(said, answers or self.answers)

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "is": self.kind,
            "column": self.column,
            "stated": self.stated,
            "likely": [vars(each).copy() for each in self.likely],
        }


def stated_unit(seeing: Seeing, rows_are_people: bool) -> RowUnit | None:
    """What the options say; None where they say nothing."""
    if seeing.person is not None:
        return RowUnit("person", seeing.person, True)
    if seeing.count is not None:
        return RowUnit("count", seeing.count, True)
    return RowUnit(stated=True) if rows_are_people else None


def unit_names(names: Iterable[str]) -> list[str]:
    """The columns whose names say that they are a person's or a number of people."""
    ways = (named_person, named_identifier, named_count)
    return [name for name in names if any(named(name) for named in ways)]


def likely_units(looks: Sequence[Look], repeats: Iterable[str] = ()) -> tuple[LikelyUnit, ...]:
    """What the looks at columns say; `repeats` are columns found to repeat further on."""
    found = [_likely(look, look.name in set(repeats)) for look in looks]
    # A count first: who counts cells has no persons to tell apart.
    return tuple(sorted(filter(None, found), key=lambda each: each.kind))


def _likely(look: Look, repeats: bool) -> LikelyUnit | None:
    if named_count(look.name) and look.kind == "whole number" and look.values > 1:
        why = f"{look.name} looks like the number of people a row stands for."
        return LikelyUnit(look.name, "count", why)
    if repeats:
        return LikelyUnit(look.name, "person", f"Values of {look.name} repeat.")
    if look.kind in ("number with fractions", "nested") or look.values in (0, look.present):
        return None
    if _is_person(look):
        why = (
            f"{look.name} repeats: {look.values:,} different values in the {look.present:,} rows "
            "looked at."
        )
        return LikelyUnit(look.name, "person", why)
    return None


def _is_person(look: Look) -> bool:
    """Whether values that repeat are people who come several times, by the column's name."""
    rows_each = look.present / look.values
    if named_person_id(look.name):
        return look.values > 1 and rows_each <= MOST_ROWS_OF_ID
    if named_person(look.name):
        many = look.values >= _MANY_VALUES and rows_each <= MOST_ROWS_OF_ID
        return look.kind != "true/false" and (rows_each <= _MOST_ROWS_OF_NAME or many)
    return named_identifier(look.name) and rows_each <= _MOST_ROWS_OF_ANY


def unit_of(
    source: Source, seeing: Seeing, rows_are_people: bool, looks: Sequence[Look]
) -> RowUnit:
    """The unit of a table that is read here; `looks` are those taken already."""
    stated = stated_unit(seeing, rows_are_people)
    if stated is not None:
        return stated
    wanted = unit_names(source.names)
    looked = {look.name: look for look in looks}
    more = [name for name in wanted if name not in looked]
    if more:
        looked |= {look.name: look for look in first_look(source, more, seeing.empty)}
    found = [looked[name] for name in wanted]
    beyond = [each.name for each in found if _may_repeat_later(each) and _repeats(source, each)]
    return RowUnit(likely=likely_units(found, beyond))


def _may_repeat_later(look: Look) -> bool:
    """A person's column in which nobody came twice so far, and there is more to come."""
    return named_person(look.name) and look.values == look.present and look.rows >= FIRST_LOOK


def _repeats(source: Source, look: Look) -> bool:
    """Whether a value comes twice in the whole column."""

    def repeated(name: str, chunks: Iterable[pa.Array]) -> bool:
        column = code_column(name, _first(chunks, MOST_LOOKED_THROUGH), Labelling())
        return len(column.values) < len(column.codes) - int(column.held[-1])

    (found,) = source.each_column([look.name], repeated, 1, no_progress)
    return found


def _first(chunks: Iterable[pa.Array], most: int) -> Iterator[pa.Array]:
    """Chunks up to so many rows, roughly."""
    rows = 0
    for chunk in chunks:
        yield chunk
        rows += len(chunk)
        if rows >= most:
            return
