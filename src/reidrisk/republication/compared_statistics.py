"""Statistics files of the same people against each other: the tables of counts that all list.

A table of counts is one of an attribute, of two or of three. Its cells are combinations, and what
`differences` says of counts of records holds of them: where two files both show a cell, people are
added and removed by as many as the numbers differ. Cells that one of them doesn't show, or hides,
are left out and counted. A difference of fewer than k people is a small count that is disclosed,
whatever was hidden in each file.

Where it fails: rounded counts and counts with noise differ by what was done to them; they are
refused. What follows from all tables of two files together, hidden counts included, is more:
`check --after` bounds it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from reidrisk.arrays import Ints
from reidrisk.crowds import Assumption, Envelope, Input, InputHash
from reidrisk.errors import InputError
from reidrisk.input_hash import sha256_of, state_of
from reidrisk.republication.differences import by_counts
from reidrisk.republication.releases_risk import Compared, ReleasesRisk, TableOfCounts
from reidrisk.republication.unlike_releases import (
    few_in_common,
    names_of_files,
    refuse_same_hashes,
    wrong_order,
)
from reidrisk.statistics import PairCounts, Statistics, TripleCounts, Value, load_statistics

CHECKED = "for what two such files reveal together: reidrisk check LATER --after EARLIER"
SHOWN = Assumption(
    "counts-as-shown",
    "statistics",
    "Each count is the number of people it shows; only cells that every file shows are compared.",
)
Cells = Mapping[tuple[Value, ...], Any]


def of_statistics(
    given: Sequence[Any],
    columns: Sequence[str] | None,
    k: int,
    at_crowds: tuple[int, ...],
    assumptions: Sequence[Assumption],
) -> ReleasesRisk:
    """The tables that all list, that with most people alone in the difference first."""
    files = [load_statistics(each) if _is_path(each) else each for each in given]
    paths = [Path(each) if _is_path(each) else None for each in given]
    hashes = [None if path is None else sha256_of([path], state_of([path])) for path in paths]
    refuse_same_hashes(hashes)
    for each in files:
        _refuse_changed_counts(each)
    names = names_of_files(paths)
    tables = _compared(files, columns, k)
    people = [each.records for each in files]
    last = files[-1]
    first = tables[0].difference
    warnings = (*few_in_common(people, first), *wrong_order(people, first))
    held = tuple(path for path in paths[-1:] if path is not None)
    about = Input(last.records, tables[0].of, InputHash(held, state_of(held)), names[-1])
    said = Envelope(
        "releases", "statistics", about, "own", "none",
        assumptions=(*assumptions, SHOWN), warnings=warnings,
    )  # fmt: skip
    compared = tuple(map(Compared, names, people, hashes))
    steps = _steps(files, tables[0].of, k)
    return ReleasesRisk(said, compared, steps, k, at_crowds, tables)


def _is_path(given: Any) -> bool:
    return isinstance(given, (str, os.PathLike))


def _refuse_changed_counts(statistics: Statistics) -> None:
    protection = statistics.protection
    changed = protection is not None and protection.reach != 0
    if changed or (statistics.rounded_to or 1) > 1:
        raise InputError(
            "a file's counts are rounded or have noise: they differ by that, not by people", CHECKED
        )


def _compared(
    files: Sequence[Statistics], columns: Sequence[str] | None, k: int
) -> tuple[TableOfCounts, ...]:
    every = [_tables(each, columns) for each in files]
    common = [of for of in every[-1] if all(of in each for each in every)]
    found = [_table_of(of, [each[of] for each in every], k) for of in common]
    found = [each for each in found if each.cells]
    if not found:
        raise InputError(
            "the files list no table of counts in common",
            "name files about the same people that list the same attributes",
        )
    return tuple(sorted(found, key=_most_alone))


def _most_alone(table: TableOfCounts) -> tuple[float, int]:
    difference = table.difference
    return (-(difference.added.alone.people + difference.removed.alone.people), -len(table.of))


def _tables(statistics: Statistics, columns: Sequence[str] | None) -> dict[tuple[str, ...], Cells]:
    """{attributes: cells}, as they were published; those of the columns asked for."""
    shown = statistics.published
    found: dict[tuple[str, ...], Cells] = {
        (each.name,): {(value,): count for value, count in each.stated.items()}
        for each in shown.attributes
    }
    listed: list[PairCounts | TripleCounts] = [*shown.pairs, *shown.triples]
    for table in listed:
        order = sorted(range(len(table.of)), key=table.of.__getitem__)
        found[tuple(table.of[i] for i in order)] = {
            tuple(values[i] for i in order): count for values, count in table.counts.items()
        }
    return {of: cells for of, cells in found.items() if columns is None or {*of} <= {*columns}}


def _table_of(of: tuple[str, ...], listed: Sequence[Cells], k: int) -> TableOfCounts:
    counts = _counts(listed)
    apart = abs(counts[-1] - counts[:-1])
    small = int(((apart > 0) & (apart < k)).any(axis=0).sum())
    every = set().union(*listed)
    difference = by_counts(counts, len(listed) - 1, k)
    return TableOfCounts(of, difference, counts.shape[1], len(every) - counts.shape[1], small)


def _counts(listed: Sequence[Cells]) -> Ints:
    """``counts[r, t]`` of the cells that every file shows."""
    shown = [cell for cell in listed[-1] if all(isinstance(each.get(cell), int) for each in listed)]
    counts = [[each[cell] for cell in shown] for each in listed]
    return np.array(counts, dtype=np.int64).reshape(len(listed), len(shown))


def _steps(files: Sequence[Statistics], of: tuple[str, ...], k: int) -> tuple[Any, ...]:
    counts = _counts([_tables(each, None)[of] for each in files])
    return tuple(by_counts(counts, at, k) for at in range(1, len(files)))
