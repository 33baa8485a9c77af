"""Described persons: somebody with several rows as one row, for counts of people by value.

A person's value of a column is the set of values their rows hold: the one value mostly, else all of
them, the empty cell as one of them, joined in the order of numbers, then of texts:

    39              [50-60) + [60-70)              private + (missing)

Everybody has one value of each column, so every table of counts adds up to the people. How many
rows somebody has, how often a row has a value and which values stand in one row isn't told: people
described so are no smaller crowds than those of `persons`, and mostly larger ones.

No two sets are described alike: a value in which the joining mark occurs stands in quotes, its own
quotes doubled; so do, among several, one that begins with a quote and one that reads "(missing)".
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reidrisk.records.labelling import text_array
from reidrisk.records.memory.coding import CodedColumn
from reidrisk.records.memory.packing import Keys
from reidrisk.records.persons import number_of_each_person
from reidrisk.records.sql.queries import rows_of
from reidrisk.records.text_forms import in_order

JOINED, MISSING, QUOTE = " + ", "(missing)", '"'


def described(values: Collection[str | None]) -> str | None:
    """A set of values as one; None, the empty cell, where there is nothing else."""
    texts = sorted((value for value in values if value is not None), key=in_order)
    if len(values) == 1:
        return next((_quoted(text) if _joins(text) else text for text in texts), None)
    told = [_quoted(t) if _joins(t) or t[0] == QUOTE or t == MISSING else t for t in texts]
    return JOINED.join([*told, *([MISSING] if None in values else [])])


def _joins(text: str) -> bool:
    return JOINED in f" {text} "


def _quoted(text: str) -> str:
    return f"{QUOTE}{text.replace(QUOTE, QUOTE * 2)}{QUOTE}"


def described_column(
    column: CodedColumn, person_of: NDArray[np.integer], persons: int
) -> CodedColumn:
    """The column of one row a person, in the order of the persons' numbers."""
    width = len(column.held)
    pairs = np.unique(np.multiply(person_of, width, dtype=np.int64) + column.codes)
    person, code = np.divmod(pairs, width)
    numbers, span = number_of_each_person(Keys(code, width), person, persons)
    first = np.zeros(span, dtype=np.int64)
    first[numbers[::-1]] = np.arange(persons)[::-1]
    starts = np.searchsorted(person, np.arange(persons + 1))
    texts = [*column.values.to_pylist(), None]
    labels = [
        described([texts[one] for one in code[starts[each] : starts[each + 1]].tolist()])
        for each in first.tolist()
    ]
    named = [label for label in labels if label is not None]
    place = {label: at for at, label in enumerate(named)}
    # The empty cell alone comes last, as in every column.
    code_of = np.array([len(named) if label is None else place[label] for label in labels])
    codes = code_of[numbers]
    held = np.bincount(codes, minlength=len(named) + 1)
    return CodedColumn(column.name, codes, text_array(named), held)


def described_sets(sets: pa.Array) -> pa.Array:
    """Sets as engines of SQL tell them (`questions.described_persons`): a mark and their keys."""
    told = ({value for (value,) in rows_of(text[1:], 1)} for text in sets.to_pylist())
    # Never the empty cell alone: that one is NULL there.
    return text_array(described(values) or MISSING for values in told)
