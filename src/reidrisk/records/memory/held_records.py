"""Held records: every column of a table as codes, read once; any view of them is a `Table`.

Made for asking many views of the same people, one after the other: recoding a column gives each
of its values a label and each record the label's code, so the file isn't needed again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from reidrisk import machine
from reidrisk.crowds import RowUnit
from reidrisk.errors import InputError, UnreadableInput, UnusableColumn
from reidrisk.input_hash import sha256_of, state_of
from reidrisk.machine import Progress, no_progress
from reidrisk.records.files.opening import open_source
from reidrisk.records.files.source import Source, lines_up_to, refuse_many
from reidrisk.records.memory.coding import CodedColumn, Labelling, code_column
from reidrisk.records.memory.engine import CodesEngine
from reidrisk.records.memory.reading import (
    faults_of,
    households_of,
    people_per_row,
    persons_of,
    recoded,
    weights_of,
)
from reidrisk.records.read_options import ReadOptions
from reidrisk.records.roles import (
    Look,
    first_look,
    likely_units,
    refuse_faults,
    stated_unit,
    unit_names,
)
from reidrisk.records.table import Table


@dataclass(frozen=True)
class ViewedTable(Table):
    """A view of held records; its hash is that of the file they once came from."""

    digest: str | None = None

    @property
    def sha256(self) -> str | None:
        """Of the file's bytes when it was read; the file may be gone since."""
        return self.digest


@dataclass(frozen=True, eq=False)
class HeldRecords:
    """Columns as codes, what the first look said of each, and where they came from."""

    coded: Mapping[str, CodedColumn]
    looks: tuple[Look, ...]
    format: str
    paths: tuple[Path, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    sha256: str | None
    # {column: what `refuse_faults` asks}, found once.
    faults: Mapping[str, tuple[int, int, bool, bool]]

    @property
    def names(self) -> tuple[str, ...]:
        """Every column of the table, those that can't be quasi-identifiers included."""
        return tuple(look.name for look in self.looks)

    @property
    def records(self) -> int:
        """How many rows."""
        return len(next(iter(self.coded.values())).codes)

    @property
    def size(self) -> int:
        """Bytes held."""
        return sum(
            column.codes.nbytes + column.values.nbytes + column.held.nbytes
            for column in self.coded.values()
        )

    def view(
        self,
        columns: Sequence[str],
        *,
        bands: Mapping[str, object] | None = None,
        levels: Mapping[str, object] | None = None,
        decimals: Mapping[str, object] | None = None,
        **others: Any,
    ) -> Table:
        """These columns, recoded; the options mean what they mean to `read`."""
        options = ReadOptions.of(columns, bands=bands, levels=levels, decimals=decimals, **others)
        options.check(self.names)
        for name in (*options.counted, *options.unit_columns):
            if name not in self.coded:
                raise UnusableColumn(f"column {name!r} holds lists or structures, not values")
        refuse_faults({name: self.faults[name] for name in columns}, options, self.records)
        coded, warnings = {}, list[str]()
        for name in options.counted:
            coded[name] = self.coded[name]
            if name in options.recoding:
                coded[name], warned = recoded(coded[name], options.recoding[name])
                warnings += warned
        # One thread: several questions are answered at once, each on a core of its own.
        engine = CodesEngine(
            coded,
            options,
            self.records,
            count=people_per_row(self.coded[options.count], options.corrections)
            if options.count
            else None,
            person=persons_of(self.coded[options.person]) if options.person else None,
            weight=weights_of(self.coded[options.weight]) if options.weight else None,
            household=households_of(self.coded[options.household]) if options.household else None,
            warnings=tuple(warnings),
        )
        return ViewedTable(
            engine,
            self.format,
            self.paths,
            self.notes,
            (*self.warnings, *warnings),
            unit=stated_unit(options) or self.unit,
            digest=self.sha256,
        )

    @cached_property
    def unit(self) -> RowUnit:
        """What the columns say a row may stand for, over all rows."""
        looks = {look.name: look for look in self.looks}
        whole = []
        for name in unit_names(self.coded):
            column = self.coded[name]
            present = self.records - int(column.held[-1])
            whole.append(
                replace(looks[name], rows=self.records, values=len(column.values), present=present)
            )
        return RowUnit(likely=likely_units(whole))


def hold(
    table: Any, options: ReadOptions | None = None, progress: Progress = no_progress
) -> HeldRecords:
    """Read every column of a table; what would take more than its memory limit is refused."""
    options = options or ReadOptions(threads=1)
    source = open_source(table, options, progress)
    _refuse_beyond(options, source)
    when_read = state_of(source.paths)
    labelling = Labelling(options.empty, source.decimal_comma)

    def use(name: str, chunks: Iterable[pa.Array]) -> CodedColumn | None:
        try:
            return code_column(name, chunks, labelling)
        except UnusableColumn:
            return None

    found = source.each_column(source.names, use, options.cores, progress)
    coded = {column.name: column for column in found if column is not None}
    if not coded or not len(next(iter(coded.values())).codes):
        raise UnreadableInput("the table has no rows")
    return HeldRecords(
        coded,
        tuple(first_look(source, source.names, labelling.empty)),
        source.format,
        source.paths,
        source.notes,
        source.warnings,
        sha256_of(source.paths, when_read),
        {name: faults_of(column) for name, column in coded.items()},
    )


def _refuse_beyond(options: ReadOptions, source: Source) -> None:
    """The rows are counted before they are read: what is small when compressed may be large."""
    columns = len(source.names)
    refuse_many(source.names)
    affordable = machine.rows_that_fit(options.bytes_allowed, columns, options.cores)
    rows = source.rows
    if rows is None:
        rows = sum(lines_up_to(path, affordable) for path in source.paths)
    if rows > affordable:
        raise InputError(
            f"the table has more rows than memory is given for: {affordable:,} of {columns} "
            "columns",
            "give more by --memory-limit, or count it on disk with: reidrisk measure",
        )
