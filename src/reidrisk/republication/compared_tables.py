"""`releases`: tables of the same people, published one after the other, against each other."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from reidrisk.arrays import Ints
from reidrisk.crowds import Assumption, Envelope
from reidrisk.errors import ContradictoryOptions, InputError, UnknownColumn
from reidrisk.machine import Progress, no_progress
from reidrisk.measurement import chosen_crowds, envelope
from reidrisk.records import (
    CodedRows,
    CodedTuples,
    Keys,
    Reading,
    Stacked,
    Table,
    as_table,
    dense,
    is_database,
    number_of_each_person,
    recoded_alike,
    refuse_reading,
    stacked,
    summed,
)
from reidrisk.republication.compared_statistics import of_statistics
from reidrisk.republication.differences import Difference, by_counts, by_persons
from reidrisk.republication.releases_risk import USUAL_HIDDEN, Compared, ReleasesRisk
from reidrisk.republication.unlike_releases import (
    refuse_no_common_values,
    refuse_other_columns,
    refuse_other_persons,
    refuse_other_views,
    refuse_same_file,
    refuse_same_hashes,
    release_names,
    unlike_warnings,
)
from reidrisk.statistics import Statistics, is_statistics_file

ALL_RELEASES = Assumption(
    "attacker-has-every-release",
    "attacker",
    "The attacker has every release, and knows of the person that they were added, removed or "
    "changed between two of them.",
)
NET_CHANGE = Assumption(
    "net-change",
    "table",
    "People added and removed are net changes of counts: who came and who left with the same "
    "combination of values cancel.",
)
SAME_KEY = Assumption(
    "same-key", "table", "The same key is the same person in every release."
)  # fmt: skip
FIRST_AND_SECOND = "as in: reidrisk releases first.csv second.csv"


def releases(
    *tables: Table | Any,
    k: int = USUAL_HIDDEN,
    crowds: Sequence[int] | None = None,
    progress: Progress = no_progress,
    **reading: Unpack[Reading],
) -> ReleasesRisk:
    """What do releases of the same people reveal together that none of them reveals alone?

    Somebody known to be new in a release lies in its difference from the earlier ones, and stands
    there in a much smaller crowd. Further arguments are options of `read`, for records that aren't
    a `Table` yet; with ``person`` that key shows who was added, removed and changed.

    Parameters:
        tables: two or more, the earliest first: each a `Table`, or anything `read` takes; or
            statistics, or files of them, whose tables of counts are compared. Of databases,
            ``table_name`` or ``query`` may be lists, one for each.
        k: the crowd from which somebody counts as hidden, for who is alone in the difference only.
        crowds: the k at which "in crowds of at least k" is reported.
        progress: called with what is being done, how much of it is done, and of how much.

    >>> import reidrisk as rr
    >>> monday = {"age": [39, 39, 40], "sex": ["f", "f", "m"]}
    >>> tuesday = {"age": [39, 39, 39, 40], "sex": ["f", "f", "f", "m"]}
    >>> rr.releases(monday, tuesday).added.alone.people
    1
    """
    if len(tables) < 2:
        raise InputError("one release has no difference: name two or more", FIRST_AND_SECOND)
    if not isinstance(k, int) or k < 2:
        raise InputError("a crowd that hides somebody has two people or more: k is a whole number")
    at_crowds = chosen_crowds(crowds)
    refuse_same_file(tables)
    if all(map(_are_statistics, tables)):
        refuse_reading("these are statistics", {n: v for n, v in reading.items() if n != "columns"})
        columns = reading.get("columns")
        return of_statistics(tables, columns, k, at_crowds, (ALL_RELEASES, NET_CHANGE))
    read = _read(tables, reading, progress)
    names = release_names(read)
    if read[-1].engine.options.person is not None:
        steps, coded = _steps_of_persons(read, names, k)
    else:
        steps, coded = _steps_of_counts(read, names, k)
    warnings = unlike_warnings([each.people for each in read], names, coded, steps[-1])
    compared = tuple(
        Compared(name, each.people, each.sha256) for name, each in zip(names, read, strict=True)
    )
    return ReleasesRisk(_envelope(read, names, warnings), compared, steps, k, at_crowds)


def _are_statistics(given: Any) -> bool:
    if isinstance(given, Statistics):
        return True
    is_path = isinstance(given, (str, os.PathLike)) and "://" not in os.fspath(given)
    return is_path and is_statistics_file(os.fspath(given))


def _read(tables: Sequence[Any], reading: Reading, progress: Progress) -> list[Table]:
    """All of them by the columns of the last, which is the one to be published."""
    *before, there = _in_databases(tables, reading)
    last = _table(tables[-1], there, progress)
    earlier = [
        each if isinstance(each, Table) else _earlier(each, own, last, place, progress)
        for place, (each, own) in enumerate(zip(tables[:-1], before, strict=True), 1)
    ]
    read = [*earlier, last]
    refuse_other_views(read)
    refuse_same_hashes([each.sha256 for each in read])
    if any(each.engine.options.missing == "wildcard" for each in read):
        raise ContradictoryOptions(
            "what two releases reveal needs crowds, and where an empty cell matches anything there "
            "are none",
            "use --missing own",
        )
    return read


def _in_databases(tables: Sequence[Any], reading: Reading) -> list[Reading]:
    """The options of each release: of those in a database, each its own table or query."""
    own = [Reading(**reading) for _ in tables]
    # Of files it is refused when they are read.
    addresses = [at for at, each in enumerate(tables) if is_database(each)] or range(len(tables))
    for option in ("table_name", "query"):
        given: Any = reading.get(option)
        several = [given] if given is None or isinstance(given, str) else [*given] or [None]
        if len(several) == 1:
            several *= len(addresses)
        if len(several) != len(addresses):
            raise ContradictoryOptions(
                f"--{option.removesuffix('_name')} is given {len(several)} times, and "
                f"{len(addresses)} releases are in a database",
                "give it once for each of them, in their order",
            )
        for at, each in enumerate(own):
            each[option] = several[addresses.index(at)] if at in addresses else None
    return own


def _table(table: Any, reading: Reading, progress: Progress) -> Table:
    """Rows that correct an earlier release are left out."""
    if isinstance(table, Table):
        return table
    corrections = {"corrections": True} if reading.get("count") else {}
    return as_table(table, reading, progress, **corrections)


def _earlier(table: Any, reading: Reading, last: Table, place: int, progress: Progress) -> Table:
    """An earlier release by the columns of the last; those that it lacks are named together."""
    given = Reading(**reading)
    given["columns"] = last.columns
    try:
        return _table(table, given, progress)
    except UnknownColumn:
        there: tuple[str, ...] = ()
        with suppress(InputError):
            there = as_table(table, _at_all(reading), progress).there
        if there:
            refuse_other_columns(there, last.columns, place)
        raise


def _at_all(reading: Reading) -> dict[str, Any]:
    """The options without those that name columns."""
    named = {"columns", "bands", "levels", "decimals", "count", "weight", "person", "household"}
    return {name: value for name, value in reading.items() if name not in {*named, "key"}}


def _steps_of_counts(
    read: Sequence[Table], names: Sequence[str], k: int
) -> tuple[tuple[Difference, ...], list[CodedTuples]]:
    columns = read[-1].columns
    coded = [each.engine.coded_tuples(columns) for each in read]
    refuse_no_common_values(coded, names)
    counts = _counts(stacked(coded), len(read))
    return tuple(by_counts(counts, at, k) for at in range(1, len(read))), coded


def _counts(rows: Stacked, releases: int) -> Ints:
    """``counts[r, t]``: people of combination t in release r."""
    keys = Keys(*dense(*rows.tuples.keys(range(len(rows.tuples.columns)))))
    both = rows.table.astype(np.int64) * keys.span + keys.keys
    return summed(both, releases * keys.span, rows.tuples.people).reshape(releases, keys.span)


def _steps_of_persons(
    read: Sequence[Table], names: Sequence[str], k: int
) -> tuple[tuple[Difference, ...], list[CodedTuples]]:
    columns = read[-1].columns
    purpose = "telling who was added, removed and changed"
    rows = [each.engine.coded_rows(columns, purpose) for each in read]
    coded = [_tuples(each) for each in rows]
    refuse_no_common_values(coded, names)
    states = _states(rows, stacked(coded))
    refuse_other_persons(states, names)
    return tuple(by_persons(states, at, k) for at in range(1, len(read))), coded


def _tuples(rows: CodedRows) -> CodedTuples:
    return CodedTuples.of_codes(
        [each.name for each in rows.columns],
        [each.codes for each in rows.columns],
        [each.cardinality for each in rows.columns],
        None,
        [each.values for each in rows.columns],
    )


def _states(rows: Sequence[CodedRows], every: Stacked) -> Ints:
    """``states[r, p]``: the number of person p's rows in release r, −1 where it has none."""
    persons = [each.person for each in rows]
    assert all(each is not None for each in persons)
    codes, texts = recoded_alike(
        [each.values for each in persons if each is not None],
        [each.codes for each in persons if each is not None],
    )
    place = every.table.astype(np.int64) * len(texts) + np.concatenate(codes)
    person_of, held = dense(place, len(rows) * len(texts))
    keys = every.tuples.keys(range(len(every.tuples.columns)))
    numbers = number_of_each_person(keys, person_of, held).numbers
    states = np.full(len(rows) * len(texts), -1, dtype=np.int64)
    # Numbered in the order of their places.
    states[np.unique(place)] = numbers
    return states.reshape(len(rows), len(texts))


def _envelope(read: Sequence[Table], names: Sequence[str], warnings: Sequence[str]) -> Envelope:
    last = read[-1]
    by_key = last.engine.options.person is not None
    said = envelope(
        "releases", last, assumptions=(ALL_RELEASES, SAME_KEY if by_key else NET_CHANGE)
    )
    own = [
        f"{name}: {warning}"
        for name, each in zip(names, read, strict=True)
        for warning in each.warnings
    ]
    return replace(said, warnings=(*warnings, *own))
