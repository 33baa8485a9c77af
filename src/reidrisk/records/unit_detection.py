"""What a row stands for, detected where nobody said it: is each row one person?

Two kinds of column speak against it: one whose name means a person and whose values repeat, and a
whole number whose name means a number of people.

Where it fails: a column is recognised by its name. Of a table with more rows than the first look
takes, a person's column is looked through up to `MOST_LOOKED_THROUGH` rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa

from reidrisk.crowds import LikelyUnit, RowUnit
from reidrisk.parallel import no_progress
from reidrisk.records.files.source import Source
from reidrisk.records.labelling import Labelling
from reidrisk.records.memory.coding import code_column
from reidrisk.records.read_options import ReadOptions
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

# Rows for each value above which it is a category, not a person: of a column called "patient"
# (unless its values are many), of any other identifier.
_MOST_ROWS_OF_NAME, _MANY_VALUES, _MOST_ROWS_OF_ANY = 20, 100, 4


def stated_unit(options: ReadOptions) -> RowUnit | None:
    """What the options say; None where they say nothing."""
    if options.person is not None:
        return RowUnit("person", options.person, True)
    if options.count is not None:
        return RowUnit("count", options.count, True)
    return RowUnit(stated=True) if options.rows_are_people else None


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


def unit_of(source: Source, options: ReadOptions, looks: Sequence[Look]) -> RowUnit:
    """The unit of a table that is read here; `looks` are those taken already."""
    stated = stated_unit(options)
    if stated is not None:
        return stated
    wanted = unit_names(source.names)
    looked = {look.name: look for look in looks}
    more = [name for name in wanted if name not in looked]
    if more:
        looked |= {look.name: look for look in first_look(source, more, options.empty)}
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
