"""A source: where a table's columns come from, in whatever format."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

import pyarrow as pa

from reidrisk.errors import InputError, UnusableColumn
from reidrisk.parallel import Progress
from reidrisk.records.text_forms import sql_literal, sql_name

# DuckDB would let the name of a folder, sex=f, take the place of a column.
AS_IT_IS = "hive_partitioning=false"
# Of characters; what is longer is no category.
LONGEST_VALUE = 100_000
# A first look at more would take hours, and nobody would read its verdicts.
MOST_COLUMNS = 10_000
Used = TypeVar("Used")
Use = Callable[[str, Iterable[pa.Array]], Used]


class Source(Protocol):
    """Columns of one table. Nothing is read before it is asked for."""

    @property
    def format(self) -> str:
        """What people call the format: CSV, Parquet, Excel."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files; none for a table in memory."""

    @property
    def decimal_comma(self) -> bool:
        """Whether 39,5 is a number here."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found out about the file: delimiter, encoding, sheet."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What looks wrong about the file, in sentences."""

    @property
    def rows(self) -> int | None:
        """How many rows, where the file says so without being read."""

    def each_column(
        self, names: Sequence[str], use: Use[Used], threads: int, progress: Progress
    ) -> list[Used]:
        """`use` on each named column's chunks, which are let go of as they are used."""

    def head(self, names: Sequence[str], rows: int) -> pa.Table:
        """About the first `rows` rows, for a first look."""

    def sql(self, names: Sequence[str]) -> str | None:
        """SQL by which DuckDB reads the named columns as c0, c1 …; None where it can't.

        Names of our own, because DuckDB takes Age and age for one name.
        """


def refuse_many(names: Sequence[str]) -> None:
    """Of a table as wide as this somebody has to say what is to be looked at."""
    if len(names) > MOST_COLUMNS:
        raise InputError(
            f"the table has {len(names):,} columns: at most {MOST_COLUMNS:,} are looked at unasked",
            "say which to look at: reidrisk measure --columns",
        )


def no_category(name: str, told: str) -> UnusableColumn:
    """The error for a value that is too long, by which `told` says how it is."""
    return UnusableColumn(
        f"column {name!r} has {told}: that is no category",
        "leave the column out, or check whether a quote is left open in the file",
    )


def selected(relation: str, columns: Sequence[str]) -> str:
    """SELECT columns of a relation (named as there) as c0, c1 …"""
    taken = ", ".join(f"{sql_name(name)} AS c{place}" for place, name in enumerate(columns))
    return f"SELECT {taken} FROM {relation}"


def sql_path(path: Path) -> str:
    """A path as an SQL literal that DuckDB won't take for a pattern of several files."""
    return sql_literal(re.sub(r"([*?\[])", r"[\1]", str(path)))


def used_in_turn(
    table: pa.Table, names: Sequence[str], use: Use[Used], progress: Progress
) -> list[Used]:
    """`use` on the columns of a table that is in memory already."""
    answers = []
    for done, name in enumerate(names):
        answers.append(use(name, list(table.column(name).chunks)))
        progress("coding columns", done + 1, len(names))
    return answers
